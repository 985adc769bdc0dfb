//===- nc_prepared.h - Collectives in two parts ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prepare takes all operands of the collective and reads only its table;
// trigger takes the result of prepare and moves the data. In between, the
// sources may still be written, and the table may change: the collective uses
// its contents at prepare.
//
// The two instructions share scratch memory, in which the first one keeps the
// table. A core has room for one preparation: trigger must come before the next
// prepare, in the same loop body.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_NC_PREPARED_H
#define KILN_DSL_NC_PREPARED_H

#include "kiln/dsl/cores.h"
#include "kiln/dsl/nc.h"

namespace kiln {
namespace nc {

namespace detail {

/// A prepared collective; `O` are its options, `Table` is the caller's table.
template <class O, class Table> struct Prepared {
  Sources srcs;
  Targets dsts;
  RankLists replica_group;
  Table table;
  dsl::Hbm<u32, dsl::Access::inout, dsl::DynamicShape<2>> kept;
  O options;
  dsl::Id number; ///< The number of the preparation.
};

template <class O, class Table>
Prepared<O, Table> prepare(const Sources &srcs, const Targets &dsts,
                           const RankLists &replica_group, const Table &table,
                           const O &options, const dsl::Where &where) {
  static_assert(std::same_as<typename Table::Element, u32>,
                "kiln: the table of a collective is of u32");
  static_assert(
      !requires { table.temporaryId(); },
      "kiln: the table of a prepared collective is in HBM, or in a "
      "buffer: sbuf<u32>(..)");
  dsl::Recording &recording = dsl::recording(where);
  const dsl::Id number = recording.prepareCollective(where);
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < dsl::ShapeOf<typename Table::StaticShape>::rank;
       ++i)
    elements *= table.dim(static_cast<std::int64_t>(i), where);
  return {srcs,
          dsts,
          replica_group,
          table,
          decltype(Prepared<O, Table>::kept)(recording.scratch(
              false, {"prepared ", number}, u32::dtype, {1, elements}, where)),
          options,
          number};
}

/// The options of one part.
template <class Part, class O> Part optionsOf(const O &whole) {
  Part part;
  part.recv_counts_known = whole.recv_counts_known;
  part.has_rdispls = whole.has_rdispls;
  part.queue = whole.queue;
  part.priority = whole.priority;
  part.engine = whole.engine;
  return part;
}

} // namespace detail

#define KILN_DSL_PREPARED(whole, Struct)                                       \
  /** Reads the table, and nothing else. */                                    \
  template <class Table>                                                       \
  auto whole##_prepare(const Sources &srcs, const Targets &dsts,               \
                       const RankLists &replica_group, const Table &table,     \
                       const Struct##Options &o = {},                          \
                       dsl::Where where = dsl::Where::current()) {             \
    const auto prepared =                                                      \
        detail::prepare(srcs, dsts, replica_group, table, o, where);           \
    whole##_prepare(prepared.kept, replica_group, table,                       \
                    detail::optionsOf<Struct##PrepareOptions>(o), where);      \
    return prepared;                                                           \
  }                                                                            \
  /** Moves the data, as `whole` would have with the table of then. */         \
  template <class Table>                                                       \
  Instruction whole##_trigger(                                                 \
      const detail::Prepared<Struct##Options, Table> &prepared,                \
      dsl::Where where = dsl::Where::current()) {                              \
    dsl::recording(where).triggerCollective(prepared.number, where);           \
    auto o = detail::optionsOf<Struct##TriggerOptions>(prepared.options);      \
    o.name = prepared.options.name;                                            \
    return whole##_trigger(prepared.srcs, prepared.dsts,                       \
                           prepared.replica_group, prepared.kept,              \
                           prepared.table, o, where);                          \
  }
KILN_DSL_PREPARED(all_to_all_v, AllToAllV)
KILN_DSL_PREPARED(all_gather_v, AllGatherV)
#undef KILN_DSL_PREPARED

} // namespace nc
} // namespace kiln

#endif // KILN_DSL_NC_PREPARED_H

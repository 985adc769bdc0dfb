//===- nc_prepared.h - Collectives in two parts ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prepare takes everything that the collective takes and reads only its table;
// trigger moves the data. In between, the sources may still be written, and the
// table may change: what counts is what it held at prepare.
//
// The table is kept in scratch, from which trigger takes it. A core has room
// for one: trigger comes before the next prepare, in the same loop body.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_NC_PREPARED_H
#define KILN_DSL_NC_PREPARED_H

#include "kiln/dsl/cores.h"
#include "kiln/dsl/nc.h"

namespace kiln {
namespace nc {

namespace detail {

/// Rows `first` to `first + count - 1` of a table, as one row.
template <class Table>
auto rowsOf(const Table &table, bool hasPlaces, std::int64_t first,
            std::int64_t count, const dsl::Where &where) {
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < dsl::ShapeOf<typename Table::StaticShape>::rank;
       ++i)
    elements *= table.dim(static_cast<std::int64_t>(i), where);
  const std::int64_t ranks = elements / (hasPlaces ? 4 : 3);
  return table.reshape(1, elements, where)
      .slice(1, first * ranks, count * ranks, 1, where);
}

/// A prepared collective; `O` are its options, `Table` is the caller's table.
template <class O, class Table> struct Prepared {
  Sources srcs;
  Targets dsts;
  RankLists replica_group;
  Table table;
  dsl::Hbm<u32, dsl::Access::inout, dsl::DynamicShape<2>> slot;
  O options;
  dsl::Id number; ///< Of the preparation.
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
  const bool hasPlaces = options.has_rdispls;
  const std::int64_t elements =
      rowsOf(table, hasPlaces, 0, 1, where).dim(1, where) * (hasPlaces ? 4 : 3);
  Prepared<O, Table> prepared{
      srcs,
      dsts,
      replica_group,
      table,
      decltype(Prepared<O, Table>::slot)(
          recording.scratch(false, "prepared " + std::to_string(number),
                            u32::dtype, {1, elements}, where)),
      options,
      number};
  dma_copy(rowsOf(prepared.slot, hasPlaces, 0, 2, where),
           rowsOf(table, hasPlaces, 0, 2, where), {.queue = options.queue},
           where);
  return prepared;
}

/// Calls move() with the kept table, and hands out the counts that it wrote.
template <class O, class Table, class Move>
Instruction trigger(const Prepared<O, Table> &prepared, const dsl::Where &where,
                    const Move &move) {
  dsl::recording(where).triggerCollective(prepared.number, where);
  const Instruction moved = move(prepared.slot);
  const bool hasPlaces = prepared.options.has_rdispls;
  if (!prepared.options.recv_counts_known)
    dma_copy(rowsOf(prepared.table, hasPlaces, 2, 1, where),
             rowsOf(prepared.slot, hasPlaces, 2, 1, where),
             {.queue = prepared.options.queue}, where);
  return moved;
}

} // namespace detail

#define KILN_DSL_PREPARED(name, Options)                                       \
  /** Reads the table, and nothing else. */                                    \
  template <class Table>                                                       \
  auto name##_prepare(const Sources &srcs, const Targets &dsts,                \
                      const RankLists &replica_group, const Table &table,      \
                      const Options &o = {},                                   \
                      dsl::Where where = dsl::Where::current()) {              \
    return detail::prepare<Options>(srcs, dsts, replica_group, table, o,       \
                                    where);                                    \
  }                                                                            \
  /** Moves the data, as `name` would have with the table of then. */          \
  template <class Table>                                                       \
  Instruction name##_trigger(const detail::Prepared<Options, Table> &prepared, \
                             dsl::Where where = dsl::Where::current()) {       \
    return detail::trigger(prepared, where, [&](const auto &slot) {            \
      return name(prepared.srcs, prepared.dsts, prepared.replica_group, slot,  \
                  prepared.options, where);                                    \
    });                                                                        \
  }
KILN_DSL_PREPARED(all_to_all_v, AllToAllVOptions)
KILN_DSL_PREPARED(all_gather_v, AllGatherVOptions)
#undef KILN_DSL_PREPARED

} // namespace nc
} // namespace kiln

#endif // KILN_DSL_NC_PREPARED_H

//===- cores.h - The cores of a rank, and scratch in HBM ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel for two cores is recorded once per core. program_id() is a constant
// of the recording, so an `if` on it is a plain C++ `if`.
//
//   const auto half = rows / num_programs();
//   auto mine = x.rows_at(program_id() * half, half);
//   auto sums = shared_hbm<f32>("sums", 2, 512);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_CORES_H
#define KILN_DSL_CORES_H

#include "kiln/dsl/tensor.h"

namespace kiln {

/// The core that is being recorded: 0, or 1 if there are two.
inline std::int64_t program_id(dsl::Where where = dsl::Where::current()) {
  return dsl::recording(where).core();
}
/// The number of cores of a rank: 1 or 2 (--cores).
inline std::int64_t num_programs(dsl::Where where = dsl::Where::current()) {
  return dsl::recording(where).cores();
}

namespace nc {
using isa::Generation;
} // namespace nc

/// What a kernel may ask about the machine that it is recorded for.
struct TargetQuery {
  nc::Generation generation; ///< v2: trn1, v3: trn2, v4: trn3.
};
/// A Program that was recorded with it compiles for this generation only.
inline TargetQuery target(dsl::Where where = dsl::Where::current()) {
  return {dsl::recording(where).generation()};
}

namespace dsl {

/// A name that carries the line of the call.
struct LocatedName {
  std::string_view text;
  Where where;
  LocatedName(const char *text, Where where = Where::current())
      : text(text), where(where) {}
};

template <ElementType T, Extent... E>
auto scratch(bool isShared, const LocatedName &name, const E &...extents) {
  static_assert(sizeof...(E) > 0, "kiln: scratch needs at least one extent");
  return Hbm<T, Access::inout, ExtentShape<E...>>(
      recording(name.where)
          .scratch(isShared, name.text, T::dtype, {extentValue(extents)...},
                   name.where));
}

} // namespace dsl

/// Scratch in HBM, private to one core.
template <ElementType T, dsl::Extent... E>
auto hbm(const dsl::LocatedName &name, const E &...extents) {
  return dsl::scratch<T>(false, name, extents...);
}
/// Scratch in HBM that the cores of a rank share. Both cores declare it by the
/// same name, with the same element type and extents.
template <ElementType T, dsl::Extent... E>
auto shared_hbm(const dsl::LocatedName &name, const E &...extents) {
  return dsl::scratch<T>(true, name, extents...);
}

} // namespace kiln

#endif // KILN_DSL_CORES_H

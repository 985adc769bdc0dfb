//===- share_of_core.h - What one of two cores computes -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_SUPPORT_SHARE_OF_CORE_H
#define KILN_KERNELS_SUPPORT_SHARE_OF_CORE_H

#include "kiln/kiln.h"

#include <cstdint>

namespace kiln::kernels {

/// Columns or heads of a core: all of them, or about half if there are two.
struct ShareOfCore {
  std::int64_t first, count;

  static ShareOfCore of(std::int64_t all, std::int64_t core = program_id()) {
    const std::int64_t cores = num_programs(), first = all * core / cores;
    return {first, all * (core + 1) / cores - first};
  }
  static bool isPart() { return num_programs() > 1; }

  std::int64_t end() const { return first + count; }
  auto columnsOf(const auto &tensor) const {
    return tensor.cols_at(first, count);
  }

  /// Scratch in HBM that all cores see.
  template <ElementType T, dsl::Extent... E>
  static auto scratch(const dsl::LocatedName &name, const E &...extents) {
    return isPart() ? shared_hbm<T>(name, extents...)
                    : hbm<T>(name, extents...);
  }
  /// All cores have written their share of it before any of them reads it.
  static void meet(const auto &tensor) {
    if (isPart())
      nc::core_barrier(tensor);
  }

  /// Where two cores share the work on few tokens only.
  static void requireFew(std::int64_t tokens) {
    require(
        !isPart() || tokens <= 128,
        {"tokens is <|", tokens, "|>, expected [|at most 128|] on two cores"},
        "compile for one core");
  }
  /// Of what two cores have equal parts of.
  static ShareOfCore half(const char *name, std::int64_t all) {
    require(all % num_programs() == 0,
            {name, " is <|", all, "|>, no [|multiple of the cores, which are ",
             num_programs(), "|]"},
            "give an even number, or compile for one core");
    return of(all);
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_SUPPORT_SHARE_OF_CORE_H

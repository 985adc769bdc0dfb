//===- Layout.h - The shape of an access, simplified ------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_LAYOUT_H
#define KILN_SIM_LIB_LAYOUT_H

#include "kiln/isa/access.h"

#include <array>
#include <cstdint>

namespace kiln::sim {

/// The elements of one lane in bytes: unit dimensions dropped, contiguous
/// neighbours merged. Enumerates in the same order as the access.
struct Layout {
  struct Step {
    std::int64_t stride; ///< Bytes.
    std::uint64_t size;
  };
  std::array<Step, isa::Access::maxDims + 1> dims{}; ///< Outermost first.
  unsigned rank = 0;
  unsigned elementBytes = 4;
  std::uint64_t elements = 1;
  /// Bytes touched lie in [low, high) from the first element.
  std::int64_t low = 0;
  std::int64_t high = 0;

  /// All elements of the lane are one run of bytes.
  bool contiguous() const {
    return rank == 0 || (rank == 1 && dims[0].stride == elementBytes);
  }
  void append(std::int64_t stride, std::uint64_t size);
};

Layout layoutOf(const isa::Access &access);

/// The set of bytes of a layout as runs of equal length, order forgotten.
/// Elements that are read several times count once.
struct Runs {
  std::array<Layout::Step, isa::Access::maxDims> dims{};
  unsigned rank = 0;
  std::int64_t start = 0; ///< From the first element.
  std::int64_t length = 0;

  /// Calls visit(begin, end) for every run, offset by `base`, until it
  /// returns false. False if stopped.
  template <class Visitor>
  bool forEach(std::int64_t base, Visitor &&visit) const;
};

Runs runsOf(const Layout &layout);

template <class Visitor>
bool Runs::forEach(std::int64_t base, Visitor &&visit) const {
  std::array<std::uint64_t, isa::Access::maxDims> index{};
  std::int64_t begin = base + start;
  while (true) {
    if (!visit(begin, begin + length))
      return false;
    unsigned d = rank;
    while (d > 0) {
      --d;
      begin += dims[d].stride;
      if (++index[d] < dims[d].size)
        break;
      begin -= dims[d].stride * static_cast<std::int64_t>(dims[d].size);
      index[d] = 0;
      if (d == 0)
        return true;
    }
    if (rank == 0)
      return true;
  }
}

} // namespace kiln::sim

#endif // KILN_SIM_LIB_LAYOUT_H

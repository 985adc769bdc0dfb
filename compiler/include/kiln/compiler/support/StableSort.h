//===- StableSort.h - Sorting that keeps the order of equals --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// std::stable_sort of libstdc++ uses a function that the standard deprecates,
// and clang warns about every use.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_SUPPORT_STABLESORT_H
#define KILN_COMPILER_SUPPORT_STABLESORT_H

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace kiln::compiler {

template <class Range, class Less> void stableSort(Range &range, Less less) {
  std::vector<std::size_t> order(range.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (less(range[a], range[b]))
      return true;
    return !less(range[b], range[a]) && a < b;
  });
  Range sorted;
  sorted.reserve(range.size());
  for (std::size_t i : order)
    sorted.push_back(std::move(range[i]));
  range = std::move(sorted);
}

} // namespace kiln::compiler

#endif // KILN_COMPILER_SUPPORT_STABLESORT_H

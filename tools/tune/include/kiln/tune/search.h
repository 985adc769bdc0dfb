//===- search.h - Which points of a space to try --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A space has axes, an axis has values, and a point is a value for each axis. A
// space that the budget covers is tried whole. A larger one is searched by
// coordinate descent: one axis at a time takes its best value, until none gets
// better; what is left of the budget begins again at random points. The random
// numbers are the same in every run, and so is the answer.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TUNE_SEARCH_H
#define KILN_TUNE_SEARCH_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace kiln::tune {

/// The number of a value, for each axis.
using Point = std::vector<std::size_t>;

/// Picoseconds, or nothing if the point is refused.
using Cost = std::optional<std::uint64_t>;

struct Trial {
  Point point;
  Cost cost;
};

/// Measures points that are independent of each other, for example at once;
/// gives a cost for each.
using Measure = std::function<std::vector<Cost>(const std::vector<Point> &)>;

struct SearchSpace {
  std::vector<std::size_t> sizes; ///< Values of each axis, at least one.
  Point start;                    ///< Is tried first.
};

/// The number of points, or nothing if it does not fit 64 bits.
std::optional<std::uint64_t> pointsOf(const SearchSpace &space);

/// At most `budget` different points (at least one), in the order they were
/// tried.
std::vector<Trial> search(const SearchSpace &space, std::size_t budget,
                          const Measure &measure);

/// The number of the fastest trial, the first of equals; nothing if all are
/// refused.
std::optional<std::size_t> best(const std::vector<Trial> &trials);

} // namespace kiln::tune

#endif // KILN_TUNE_SEARCH_H

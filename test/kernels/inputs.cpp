//===- inputs.cpp - Deterministic input distributions ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "inputs.h"

#include <algorithm>
#include <limits>

namespace kiln::test {

double Random::normal() { return isa::splitMixNormal(state); }

std::vector<double> inputs(std::size_t rows, std::size_t cols,
                           Distribution distribution, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values(rows * cols);
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const std::size_t special = rows / 2 * cols + cols / 3;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = random.normal();
    const bool hot =
        distribution == Distribution::hotRow && i / cols == rows / 2;
    values[i] = distribution == Distribution::constant      ? 1.0
                : distribution == Distribution::largeLogits ? 20 * x
                : distribution == Distribution::largeMean   ? 10000 + x
                : hot                                       ? 30.0
                : distribution == Distribution::outliers && i % 97 == 5
                    ? 1000 * x
                    : x;
  }
  if (distribution == Distribution::nan)
    values[special] = std::numeric_limits<double>::quiet_NaN();
  if (distribution == Distribution::nanRow)
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(rows / 2 * cols),
                cols, std::numeric_limits<double>::quiet_NaN());
  if (distribution == Distribution::infinity)
    values[special] = infinite;
  if (distribution == Distribution::minusInfinity)
    values[special] = -infinite;
  return values;
}

} // namespace kiln::test

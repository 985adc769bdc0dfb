//===- compare.cpp - Results against a reference -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/kernels/tolerance.h"

#include <algorithm>
#include <cmath>

namespace kiln::kernels {

Comparison compare(const std::vector<double> &actual,
                   const std::vector<double> &reference, isa::DType dtype) {
  Comparison result;
  double largest = 0, errorSquares = 0, squares = 0;
  bool sameSpecials = actual.size() == reference.size();
  for (double value : reference)
    if (std::isfinite(value))
      largest = std::max(largest, std::fabs(value));
  for (std::size_t i = 0; sameSpecials && i < reference.size(); ++i) {
    const double a = actual[i], r = reference[i];
    if (!std::isfinite(a) || !std::isfinite(r)) {
      const bool same = a == r || (std::isnan(a) && std::isnan(r));
      if (!same && sameSpecials)
        result.worst = i;
      sameSpecials = sameSpecials && same;
      continue;
    }
    const double error = std::fabs(a - r);
    if (error > result.maxAbsolute) {
      result.maxAbsolute = error;
      result.worst = i;
    }
    if (std::fabs(r) > 1e-3 * largest)
      result.maxRelative = std::max(result.maxRelative, error / std::fabs(r));
    errorSquares += error * error;
    squares += r * r;
  }
  if (!sameSpecials)
    return result;
  if (largest == 0) {
    result.withinTolerance = result.maxAbsolute == 0;
    return result;
  }
  result.scaledMaximum = result.maxAbsolute / largest;
  result.relativeL2 = std::sqrt(errorSquares / squares);
  const Tolerance allowed = toleranceOf(dtype);
  result.withinTolerance = result.scaledMaximum <= allowed.scaledMaximum &&
                           result.relativeL2 <= allowed.relativeL2;
  return result;
}

} // namespace kiln::kernels

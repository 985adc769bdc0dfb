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

namespace {

void note(WrongElements &elements, std::size_t index) {
  if (elements.count++ == 0)
    elements.first = index;
}

/// Notes the element if one of the two is not finite.
bool isSpecial(Comparison &result, std::size_t i, double a, double r) {
  if (std::isfinite(a) && std::isfinite(r))
    return false;
  if (std::isfinite(r))
    note(result.notFinite, i);
  else if (std::isfinite(a))
    note(result.finite, i);
  else if (a != r && !(std::isnan(a) && std::isnan(r)))
    note(result.otherSpecial, i);
  return true;
}

} // namespace

Comparison compare(const std::vector<double> &actual,
                   const std::vector<double> &reference, isa::DType dtype) {
  Comparison result;
  double largest = 0, errorSquares = 0, squares = 0;
  if (actual.size() != reference.size())
    return result;
  for (double value : reference)
    if (std::isfinite(value))
      largest = std::max(largest, std::fabs(value));
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double a = actual[i], r = reference[i];
    if (isSpecial(result, i, a, r))
      continue;
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
  const bool sameSpecials = result.notFinite.count + result.finite.count +
                                result.otherSpecial.count ==
                            0;
  if (largest == 0) {
    result.withinTolerance = sameSpecials && result.maxAbsolute == 0;
    return result;
  }
  result.scaledMaximum = result.maxAbsolute / largest;
  result.relativeL2 = squares > 0 ? std::sqrt(errorSquares / squares) : 0;
  const Tolerance allowed = toleranceOf(dtype);
  result.withinTolerance = sameSpecials &&
                           result.scaledMaximum <= allowed.scaledMaximum &&
                           result.relativeL2 <= allowed.relativeL2;
  return result;
}

} // namespace kiln::kernels

//===- Agreement.cpp - A machine's numbers against their bounds ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/interpret.h"

#include <cmath>

namespace kiln::interpret {

/// The fraction of its bound that a number uses; above 1 it is wrong.
static double partOf(const Number &expected, double found) {
  if (expected.value == found ||
      (expected.value != expected.value && found != found))
    return 0;
  const double distance = std::fabs(expected.value - found);
  return distance <= expected.bound ? distance / expected.bound : unbounded;
}

Agreement agreement(const Tensor &expected, std::span<const double> found) {
  Agreement result;
  result.elements = expected.elements.size();
  if (found.size() != expected.elements.size()) {
    result.outside = result.elements;
    return result;
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (isUnknown(expected.elements[i])) {
      ++result.unknown;
      continue;
    }
    const double part = partOf(expected.elements[i], found[i]);
    if (part > result.largestPart && result.outside == 0) {
      result.largestPart = part;
      result.place = i;
    }
    result.outside += part > 1;
  }
  return result;
}

} // namespace kiln::interpret

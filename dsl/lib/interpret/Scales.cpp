//===- Scales.cpp - Powers of two that small floats share -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scales.h"

#include <algorithm>
#include <cmath>

namespace kiln::interpret {

Number factorOf(const Number &scale, DType dtype) {
  if (dtype == DType::f8e8m0 || isUnknown(scale))
    return scale;
  if (!isExact(scale))
    return unknown();
  return exactly(scale.value == 255 ? notANumber
                                    : std::exp2(scale.value - 127));
}

Number scaled(const Number &x, const Number &factor) {
  if (!isExact(factor) || isUnknown(x))
    return unknown();
  return roundTo(DType::f32,
                 Number{x.value * factor.value, x.bound * factor.value});
}

/// The scale of a group, as a code.
static double codeOf(double largest, int largestExponent) {
  if (!std::isfinite(largest))
    return 255;
  if (largest == 0)
    return 0;
  const int exponent = std::ilogb(largest);
  return std::clamp(exponent - (largestExponent - 1) + 127, 0, 254);
}

Number scaleCodeOf(std::span<const Number> group, DType dtype) {
  Number largest = exactly(0);
  for (const Number &number : group)
    largest = maximum(largest, absolute(number));
  const int largestExponent = dtype == DType::f8e5m2_x4 ? 15 : 8;
  const auto code = [&](double x) { return codeOf(x, largestExponent); };
  return isUnknown(largest)
             ? within(127, 0, 255)
             : within(code(largest.value), code(std::fmax(low(largest), 0)),
                      code(high(largest)));
}

Number powerOfCode(const Number &code) {
  if (!isExact(code))
    return unknown();
  return exactly(code.value == 255 ? notANumber : std::exp2(code.value - 127));
}

Number quantized(const Number &x, const Number &code, DType dtype) {
  if (!isExact(code))
    return unknown();
  if (code.value == 255)
    return exactly(notANumber);
  const double factor = std::exp2(127 - code.value);
  return roundTo(dtype, Number{x.value * factor, x.bound * factor});
}

} // namespace kiln::interpret

//===- Sums.cpp - Sums and products in any order -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Number.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kiln::interpret {

namespace {

constexpr double largest = 0x1.fffffep127;
constexpr double halfUnit = 0x1p-24; ///< Of a rounding to fp32, relative.

/// The largest n for which `value` is a multiple of 2^n.
int unitOf(double value) {
  if (value == 0 || !std::isfinite(value))
    return 1024;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  auto bits = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  return exponent - 53 + std::countr_zero(static_cast<std::uint64_t>(bits));
}

/// Collects the terms of a sum in fp32.
class Sum {
public:
  /// A term that is exact, or may be rounded by itself to fp32.
  void add(double value, double bound, bool isRounded) {
    ++count;
    if (!(bound < infinity)) {
      isOpen = true;
      return;
    }
    if (value != value)
      hasNaN = true;
    else if (std::isinf(value))
      (value > 0 ? hasPositive : hasNegative) = true;
    else if (value != 0 || bound != 0) {
      // Two doubles hold the sum of many floats.
      const double s = total + value, t = s - total;
      rest += (total - (s - t)) + (value - t);
      total = s;
      size += std::fabs(value) + bound;
      uncertainty += bound;
      if (isRounded)
        rounding += std::fabs(value) * halfUnit + 0x1p-150;
      unit = std::min(unit, unitOf(value));
    }
  }

  Number result() const {
    const bool infinite = hasPositive || hasNegative;
    if (isOpen)
      return unknown();
    if (hasNaN || (hasPositive && hasNegative))
      return exactly(notANumber);
    const double center = total + rest;
    const double reach = size * (1 + static_cast<double>(count) * 0x1p-23);
    if (infinite)
      return reach < largest ? exactly(hasPositive ? infinity : -infinity)
                             : unknown();
    // All partial sums are multiples of one unit that fp32 holds.
    if (uncertainty == 0 && size <= std::ldexp(1.0, std::min(unit, 900) + 24) &&
        unit >= -149 && size <= largest)
      return exactly(center);
    if (!(reach < largest))
      return {roundTo(DType::f32, center), unbounded};
    const double steps = static_cast<double>(count + count / 64 + 2);
    const double rounded = roundTo(DType::f32, center);
    const double bound = uncertainty + rounding + steps * halfUnit * reach +
                         std::fabs(rounded - center) + 0x1p-149;
    return {rounded, bound * (1 + 0x1p-20)};
  }

private:
  double total = 0, rest = 0, size = 0, uncertainty = 0, rounding = 0;
  std::size_t count = 0;
  int unit = 1024; ///< Every term is a multiple of 2^unit.
  bool hasNaN = false, hasPositive = false, hasNegative = false, isOpen = false;
};

} // namespace

Number sum(std::span<const Number> terms) {
  Sum sum;
  for (const Number &term : terms)
    sum.add(term.value, term.bound, false);
  return sum.result();
}

Terms::Terms(std::span<const Number> numbers)
    : numbers(numbers.begin(), numbers.end()) {
  for (const Number &number : numbers) {
    values.push_back(number.value);
    bounds.push_back(number.bound);
    isFinite &= !isUnknown(number) && std::isfinite(number.value);
    isPlain &= isFinite && isExact(number);
    unit = std::min(unit, unitOf(number.value));
  }
}

/// The sum of this many terms, in any order: `total`, of magnitudes `size`.
static Number roundedSum(double total, double size, double uncertainty,
                         std::size_t count) {
  const double rounded = roundTo(DType::f32, total);
  const double steps = static_cast<double>(count + count / 64 + 3);
  const double reach = size * (1 + steps * 0x1p-23);
  if (!(reach < largest))
    return {rounded, unbounded};
  return {rounded, (uncertainty + steps * halfUnit * reach +
                    std::fabs(rounded - total) + steps * 0x1p-149) *
                       (1 + 0x1p-20)};
}

/// Of products of exact, finite numbers.
static Number plainDot(const Terms &a, const Terms &b) {
  double total = 0, size = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const double product = a.values[i] * b.values[i]; // of 24 bits each: exact
    total += product;
    size += std::fabs(product);
  }
  const int unit = a.unit + b.unit;
  if (unit >= -149 && size <= std::ldexp(1.0, std::min(unit, 900) + 24) &&
      size <= largest)
    return exactly(total);
  return roundedSum(total, size, 0, a.values.size());
}

/// Of products of finite numbers.
static Number finiteDot(const Terms &a, const Terms &b) {
  double total = 0, size = 0, uncertainty = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const double x = a.values[i], y = b.values[i];
    const double bound = std::fabs(x) * b.bounds[i] +
                         std::fabs(y) * a.bounds[i] + a.bounds[i] * b.bounds[i];
    total += x * y;
    size += std::fabs(x * y) + bound;
    uncertainty += bound;
  }
  return roundedSum(total, size, uncertainty, a.values.size());
}

Number dot(const Terms &a, const Terms &b) {
  if (a.isPlain && b.isPlain)
    return plainDot(a, b);
  if (a.isFinite && b.isFinite)
    return finiteDot(a, b);
  Sum sum;
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    const Number &x = a.numbers[i], &y = b.numbers[i];
    if (isUnknown(x) || isUnknown(y)) {
      sum.add(0, infinity, false);
      continue;
    }
    const double value = x.value * y.value;
    double bound = std::fabs(x.value) * y.bound + std::fabs(y.value) * x.bound +
                   x.bound * y.bound;
    if (isExact(x) && isExact(y))
      bound = 0;
    else if (bound != bound) // infinity times something uncertain
      bound = infinity;
    sum.add(value, bound > 0 ? bound * (1 + 0x1p-50) : 0,
            value != roundTo(DType::f32, value));
  }
  return sum.result();
}

Number product(std::span<const Number> factors) {
  double center = 1, above = 1, below = 1, doubt = 0;
  bool hasZero = false, isEasy = true;
  for (const Number &factor : factors) {
    if (isUnknown(factor))
      return unknown();
    const double size = std::fabs(factor.value);
    if (factor.value != factor.value)
      return exactly(notANumber);
    if (size == 0 && isExact(factor)) {
      hasZero = true;
      continue;
    }
    if (std::isinf(size) || !(factor.bound < size))
      isEasy = false;
    center *= factor.value;
    above *= std::fmax(size + factor.bound, 1);
    below *= std::fmin(size - factor.bound, 1);
    doubt += factor.bound / (size - factor.bound) + 0x1p-23;
  }
  // No partial product may leave the normal numbers.
  if (!isEasy || !(above < 0x1p127) || !(below > 0x1p-125) || doubt > 0.5)
    return unknown();
  if (hasZero)
    return exactly(0);
  if (above < 0x1p24 && doubt < 0x1p-10) {
    bool exact = true; // integers, no partial product above 2^24
    for (const Number &factor : factors)
      exact &= isExact(factor) && factor.value == std::nearbyint(factor.value);
    if (exact)
      return exactly(center);
  }
  const double rounded = roundTo(DType::f32, center);
  return {rounded, std::fabs(center) * (doubt + doubt * doubt) * 2 +
                       std::fabs(rounded - center)};
}

} // namespace kiln::interpret

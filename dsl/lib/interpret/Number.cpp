//===- Number.cpp - Arithmetic with bounds -------------------------------===//
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
#include <cstdint>
#include <limits>

namespace kiln::interpret {

using isa::AluOp;

namespace {

/// std::nextafter towards infinity: called for every bound of every element.
double up(double x) {
  if (!(x < infinity)) // NaN as well
    return x;
  if (x == 0)
    return std::numeric_limits<double>::denorm_min();
  const auto bits = std::bit_cast<std::int64_t>(x);
  return std::bit_cast<double>(x > 0 ? bits + 1 : bits - 1);
}
double down(double x) { return -up(-x); }

bool isCertainNaN(const Number &n) { return isExact(n) && n.value != n.value; }

} // namespace

//===----------------------------------------------------------------------===//
// Construction and queries
// ===----------------------------------------------------------------------===//

double low(const Number &n) {
  return isExact(n)     ? n.value
         : isUnknown(n) ? notANumber
                        : down(n.value - n.bound);
}
double high(const Number &n) {
  return isExact(n)     ? n.value
         : isUnknown(n) ? notANumber
                        : up(n.value + n.bound);
}

Number within(double center, double low, double high) {
  if (low == high && center == low)
    return exactly(center);
  if (center != center && low != low && high != high)
    return exactly(notANumber);
  if (!std::isfinite(center) || !std::isfinite(low) || !std::isfinite(high))
    return {center, unbounded};
  const double bound = std::max(center - low, high - center);
  const bool covers = center - bound <= low && center + bound >= high &&
                      center + bound - center == bound;
  return {center, covers ? bound : up(bound)};
}

Number either(const Number &chosen, const Number &other) {
  if (isUnknown(chosen) || isUnknown(other))
    return {chosen.value, unbounded};
  if (isCertainNaN(chosen) != isCertainNaN(other)) // a number or none
    return {chosen.value, unbounded};
  if (isCertainNaN(chosen))
    return chosen;
  return within(chosen.value, std::min(low(chosen), low(other)),
                std::max(high(chosen), high(other)));
}

Number widened(const Number &n, double spread) {
  if (isUnknown(n) || !std::isfinite(n.value) || spread == 0)
    return n;
  return {n.value, up(n.bound + spread)};
}

Number truthNumber(Truth truth, bool likely) {
  if (truth == Truth::open)
    return {likely ? 1.0 : 0.0, 1};
  return exactly(truth == Truth::yes ? 1 : 0);
}

Truth isNonzero(const Number &n) {
  if (isUnknown(n))
    return Truth::open;
  if (isExact(n))
    return n.value != 0 ? Truth::yes : Truth::no;
  return low(n) > 0 || high(n) < 0 ? Truth::yes : Truth::open;
}

static Truth opposite(Truth truth) {
  return truth == Truth::open  ? truth
         : truth == Truth::yes ? Truth::no
                               : Truth::yes;
}
static Truth isLess(const Number &a, const Number &b, bool orEqual) {
  const auto holds = [orEqual](double x, double y) {
    return orEqual ? x <= y : x < y;
  };
  if (holds(high(a), low(b)))
    return Truth::yes;
  return holds(low(a), high(b)) ? Truth::open : Truth::no;
}

Truth compare(AluOp op, const Number &a, const Number &b) {
  const bool isEquality = op == AluOp::equal || op == AluOp::not_equal;
  if (isCertainNaN(a) || isCertainNaN(b))
    return op == AluOp::not_equal ? Truth::yes : Truth::no;
  if (isUnknown(a) || isUnknown(b))
    return Truth::open;
  if (isEquality) {
    const Truth equal = isExact(a) && isExact(b)
                            ? (a.value == b.value ? Truth::yes : Truth::no)
                        : high(a) < low(b) || high(b) < low(a) ? Truth::no
                                                               : Truth::open;
    return op == AluOp::equal ? equal : opposite(equal);
  }
  if (op == AluOp::less || op == AluOp::less_equal)
    return isLess(a, b, op == AluOp::less_equal);
  return isLess(b, a, op == AluOp::greater_equal);
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

namespace {

/// The numbers that a machine may hold for a result between `low` and `high`:
/// rounded to fp32 or, if the next operator takes it unrounded, exact.
Number computed(double low, double center, double high) {
  const auto round = [](double x) { return roundTo(DType::f32, x); };
  const double c = round(center), l = round(low), h = round(high);
  if (c != c || l != l || h != h) // NaN, or perhaps NaN
    return c != c && l != l && h != h ? exactly(notANumber) : unknown();
  if (std::isinf(low) && low == high)
    return exactly(low);
  if (std::isinf(c) || std::isinf(l) || std::isinf(h))
    return {c, unbounded};
  return within(c, std::min(l, low), std::max(h, high));
}

/// a + b, and bounds of the exact sum.
double sumBelow(double a, double b) {
  const double s = a + b, t = s - a;
  const double error = (a - (s - t)) + (b - t);
  return error < 0 ? down(s) : s;
}
double sumAbove(double a, double b) {
  const double s = a + b, t = s - a;
  const double error = (a - (s - t)) + (b - t);
  return error > 0 ? up(s) : s;
}
double productBelow(double a, double b) {
  const double p = a * b;
  return std::fma(a, b, -p) < 0 ? down(p) : p;
}
double productAbove(double a, double b) {
  const double p = a * b;
  return std::fma(a, b, -p) > 0 ? up(p) : p;
}

struct Interval {
  double low, center, high;
};
Interval productOf(const Number &a, const Number &b) {
  const double as[] = {low(a), high(a)}, bs[] = {low(b), high(b)};
  Interval result{infinity, a.value * b.value, -infinity};
  for (const double x : as)
    for (const double y : bs) {
      if (x * y != x * y) // NaN, or zero times infinity
        return {notANumber, result.center, notANumber};
      result.low = std::min(result.low, productBelow(x, y));
      result.high = std::max(result.high, productAbove(x, y));
    }
  return result;
}

} // namespace

Number add(const Number &a, const Number &b) {
  if (isUnknown(a) || isUnknown(b))
    return unknown();
  return computed(sumBelow(low(a), low(b)), a.value + b.value,
                  sumAbove(high(a), high(b)));
}

Number subtract(const Number &a, const Number &b) {
  return add(a, {-b.value, b.bound});
}

Number multiply(const Number &a, const Number &b) {
  if (isUnknown(a) || isUnknown(b))
    return unknown();
  const Interval p = productOf(a, b);
  return computed(p.low, p.center, p.high);
}

Number divide(const Number &a, const Number &b) {
  if (isUnknown(a) || isUnknown(b))
    return unknown();
  Number inverse = apply(isa::ActivationFunction::reciprocal, b, 0);
  if (std::isfinite(inverse.value) && inverse.value != 0) {
    // Exact or rounded, by either instruction.
    const double exact = 1 / b.value;
    inverse = widened(inverse, std::fabs(exact) * 0x1p-50 +
                                   std::fabs(exact - inverse.value));
  }
  Number result = multiply(a, inverse);
  if (isUnknown(result))
    return result;
  const double once = roundTo(DType::f32, a.value / b.value);
  if (!std::isfinite(once) || !std::isfinite(result.value))
    return result;
  return within(once, std::min(once, low(result)),
                std::max(once, high(result)));
}

Number multiplyAdd(const Number &a, const Number &b, const Number &c) {
  if (isUnknown(a) || isUnknown(b) || isUnknown(c))
    return unknown();
  const Interval p = productOf(a, b);
  return computed(sumBelow(p.low, low(c)), std::fma(a.value, b.value, c.value),
                  sumAbove(p.high, high(c)));
}

//===----------------------------------------------------------------------===//
// The other operators
//===----------------------------------------------------------------------===//

Number maximum(const Number &a, const Number &b) {
  if (isCertainNaN(a) || isCertainNaN(b))
    return exactly(notANumber);
  if (isUnknown(a) || isUnknown(b))
    return unknown();
  const auto larger = [](double x, double y) {
    return x > y || (x == y && !std::signbit(x)) ? x : y;
  };
  return within(larger(a.value, b.value), larger(low(a), low(b)),
                larger(high(a), high(b)));
}

Number minimum(const Number &a, const Number &b) {
  const Number result = maximum({-a.value, a.bound}, {-b.value, b.bound});
  return {-result.value, result.bound};
}

Number absolute(const Number &a) {
  if (isUnknown(a) || isExact(a))
    return {std::fabs(a.value), a.bound};
  const double l = low(a), h = high(a);
  const double least =
      l <= 0 && h >= 0 ? 0 : std::min(std::fabs(l), std::fabs(h));
  return within(std::fabs(a.value), least,
                std::max(std::fabs(l), std::fabs(h)));
}

static Number logical(AluOp op, const Number &a, const Number &b) {
  const Truth x = isNonzero(a), y = isNonzero(b);
  const bool likelyX = a.value != 0, likelyY = b.value != 0;
  if (op == AluOp::logical_and) {
    const Truth both = x == Truth::no || y == Truth::no     ? Truth::no
                       : x == Truth::yes && y == Truth::yes ? Truth::yes
                                                            : Truth::open;
    return truthNumber(both, likelyX && likelyY);
  }
  if (op == AluOp::logical_or) {
    const Truth any = x == Truth::yes || y == Truth::yes ? Truth::yes
                      : x == Truth::no && y == Truth::no ? Truth::no
                                                         : Truth::open;
    return truthNumber(any, likelyX || likelyY);
  }
  const Truth differ = x == Truth::open || y == Truth::open ? Truth::open
                       : x != y                             ? Truth::yes
                                                            : Truth::no;
  return truthNumber(differ, likelyX != likelyY);
}

/// Of the larger magnitude if `larger`, b where they are equal.
static Number byMagnitude(bool larger, const Number &a, const Number &b) {
  if (isCertainNaN(a) || isCertainNaN(b))
    return exactly(notANumber);
  const Number x = absolute(a), y = absolute(b);
  const Truth first = compare(larger ? AluOp::greater : AluOp::less, x, y);
  if (first == Truth::open) {
    const bool likely = larger ? x.value > y.value : x.value < y.value;
    return likely ? either(a, b) : either(b, a);
  }
  return first == Truth::yes ? a : b;
}

Number apply(AluOp op, const Number &a, const Number &b) {
  using F = isa::ActivationFunction;
  if (isComparison(op)) {
    const auto likely = [&] {
      return compare(op, exactly(a.value), exactly(b.value)) == Truth::yes;
    };
    return truthNumber(compare(op, a, b), likely());
  }
  switch (op) {
  case AluOp::add:
    return add(a, b);
  case AluOp::subtract:
    return subtract(a, b);
  case AluOp::multiply:
    return multiply(a, b);
  case AluOp::maximum:
    return maximum(a, b);
  case AluOp::minimum:
    return minimum(a, b);
  case AluOp::logical_and:
  case AluOp::logical_or:
  case AluOp::logical_xor:
    return logical(op, a, b);
  case AluOp::abs:
    return absolute(a);
  case AluOp::abs_max:
  case AluOp::abs_min:
    return byMagnitude(op == AluOp::abs_max, a, b);
  case AluOp::rsqrt:
    return apply(F::rsqrt, a);
  case AluOp::square:
    return apply(F::square, a);
  case AluOp::relu:
    return apply(F::relu, a);
  case AluOp::reciprocal:
    return apply(F::reciprocal, a);
  case AluOp::power:
    return power(a, b);
  default:
    return unknown();
  }
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Number applyInteger(AluOp op, DType result, const Number &a, const Number &b) {
  switch (op) {
  case AluOp::add:
  case AluOp::subtract: {
    const double sign = op == AluOp::add ? 1 : -1;
    return wrap(result, {a.value + sign * b.value, a.bound + b.bound});
  }
  case AluOp::multiply: {
    if (isUnknown(a) || isUnknown(b))
      return unknown();
    if (isExact(a) && isExact(b)) {
      // 64 bits hold any product of 32; the low 32 are those of the result.
      const auto bits = static_cast<std::uint32_t>(
          static_cast<std::uint64_t>(static_cast<std::int64_t>(a.value)) *
          static_cast<std::uint64_t>(static_cast<std::int64_t>(b.value)));
      return exactly(result == DType::u32 ? static_cast<double>(bits)
                                          : static_cast<std::int32_t>(bits));
    }
    const Interval p = productOf(a, b);
    return wrap(result, within(p.center, p.low, p.high));
  }
  default:
    return apply(op, a, b);
  }
}

} // namespace kiln::interpret

//===- Functions.cpp - Functions with bounds -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine holds fp32 of the exact result times 1 + d, with |d| below 2^-31:
// docs/executor.md promises 0.502 units in the last place at most. Functions
// that rise or fall throughout are taken at both ends; for the others a bound
// of the slope is known.
//
//===----------------------------------------------------------------------===//

#include "Number.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace kiln::interpret {

using F = isa::ActivationFunction;

namespace {

double normalTail(double x) { // of the distribution, below x
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}
double normalDensity(double x) {
  return std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi /
         std::numbers::sqrt2;
}
double sigmoid(double x) {
  const double w = std::exp(-std::fabs(x));
  return x < 0 ? w / (1 + w) : 1 / (1 + w);
}
/// s (1 + y (1 - s)) with s = sigmoid(y).
double gatedSlope(double y) { return sigmoid(y) * (1 + y * sigmoid(-y)); }
double softplus(double x) {
  return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x)));
}
/// x tanh(softplus(x)); the quotient does not cancel.
double mish(double x) {
  if (x > 40)
    return x;
  const double w = std::exp(x), n = w * (w + 2);
  return x * (n / (n + 2));
}
/// Beyond pi, the cubic that touches the sine there continues.
double sine(double x) {
  const double past = std::fabs(x) - std::numbers::pi;
  if (past <= 0)
    return std::sin(x);
  const double y = past * (past * past / 6 - 1);
  return x < 0 ? -y : y;
}

/// x times a factor that vanishes where x is -inf.
double gated(double x, double factor) { return factor == 0 ? 0 : x * factor; }

double valueOf(F function, double x) {
  switch (function) {
  case F::copy:
    return x;
  case F::square:
    return x * x;
  case F::sigmoid:
    return sigmoid(x);
  case F::relu:
    return x > 0 ? x : 0;
  case F::gelu:
    return gated(x, normalTail(x));
  case F::gelu_dx:
    return normalTail(x) + (std::isinf(x) ? 0 : x * normalDensity(x));
  case F::gelu_apprx_tanh: {
    const double u =
        std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
    return gated(x, sigmoid(2 * u));
  }
  case F::gelu_apprx_sigmoid:
    return gated(x, sigmoid(1.702 * x));
  case F::gelu_apprx_sigmoid_dx:
    return std::isinf(x) ? (x > 0) : gatedSlope(1.702 * x);
  case F::silu:
    return gated(x, sigmoid(x));
  case F::silu_dx:
    return std::isinf(x) ? (x > 0) : gatedSlope(x);
  case F::softplus:
    return softplus(x);
  case F::mish:
    return std::isinf(x) ? std::fmax(x, 0) : mish(x);
  case F::tanh:
    return std::tanh(x);
  case F::exp:
    return std::exp(x);
  case F::log:
    return std::log(x);
  case F::sqrt:
    return std::sqrt(x);
  case F::rsqrt:
    return 1 / std::sqrt(x);
  case F::reciprocal:
    return 1 / x;
  case F::sign:
    return x > 0 ? 1 : x < 0 ? -1 : 0;
  case F::abs:
    return std::fabs(x);
  case F::erf:
    return std::erf(x);
  case F::erf_dx:
    return 2 * std::numbers::inv_sqrtpi * std::exp(-x * x);
  case F::sin:
    return sine(x);
  case F::arctan:
    return std::atan(x);
  case F::prelu:
    break;
  }
  return notANumber;
}

/// The largest slope of a function that neither rises nor falls throughout, 0
/// for the others.
double slopeOf(F function, double farthest) {
  switch (function) {
  case F::gelu:
  case F::gelu_apprx_tanh:
  case F::gelu_apprx_sigmoid:
  case F::silu:
  case F::mish:
    return 1.15;
  case F::gelu_dx:
  case F::silu_dx:
  case F::gelu_apprx_sigmoid_dx:
    return 0.9;
  case F::sin: {
    const double past = std::fmax(farthest - std::numbers::pi, 0);
    return 1 + past * past / 2;
  }
  default:
    return 0;
  }
}

/// The fp32 numbers between `low` and `high`, each computed nearly exactly.
Number result(double low, double center, double high) {
  if (low > high)
    std::swap(low, high);
  const auto spread = [](double x) {
    return std::isinf(x) ? 0 : std::fabs(x) * 0x1p-31 + 0x1p-157;
  };
  const auto isEasy = [](double x) { // exact in any evaluation
    return x == roundTo(DType::f32, x) && (x == 0 || std::fabs(x) >= 0x1p-126);
  };
  const auto round = [](double x) { return roundTo(DType::f32, x); };
  const double l = isEasy(low) ? low : round(low - spread(low));
  const double h = isEasy(high) ? high : round(high + spread(high));
  return within(round(center), l, h);
}

bool isEven(F function) {
  return function == F::square || function == F::abs || function == F::erf_dx;
}

} // namespace

Number apply(F function, const Number &x, double slope) {
  if (isUnknown(x))
    return unknown();
  if (x.value != x.value)
    return exactly(notANumber);
  if (function == F::prelu) {
    const Number scaled = multiply(exactly(slope), x);
    const Truth positive = compare(isa::AluOp::greater_equal, x, exactly(0));
    if (positive == Truth::open)
      return x.value >= 0 ? either(x, scaled) : either(scaled, x);
    return positive == Truth::yes ? x : scaled;
  }
  if (isExact(x)) {
    const double y = valueOf(function, x.value);
    return y != y ? exactly(notANumber) : result(y, y, y);
  }
  if (function == F::sign) {
    if (low(x) > 0 || high(x) < 0)
      return exactly(low(x) > 0 ? 1 : -1);
    return within(valueOf(F::sign, x.value), -1, 1);
  }
  const Number size = isEven(function) ? absolute(x) : x;
  const double l = low(size), h = high(size);
  const bool needsPositive = function == F::log || function == F::rsqrt ||
                             function == F::sqrt || function == F::reciprocal;
  if (needsPositive && l <= 0 && !(function == F::reciprocal && h < 0) &&
      !(function == F::sqrt && l == 0))
    return unknown();
  const double center = valueOf(function, x.value);
  const double steep = slopeOf(function, std::fmax(std::fabs(l), std::fabs(h)));
  if (steep > 0) {
    const double reach = steep * x.bound * (1 + 0x1p-40);
    return result(center - reach, center, center + reach);
  }
  return result(valueOf(function, l), center, valueOf(function, h));
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

Number power(const Number &a, const Number &b) {
  if (isUnknown(a) || isUnknown(b))
    return unknown();
  const double center = std::pow(a.value, b.value);
  if (isExact(a) && isExact(b))
    return center != center ? exactly(notANumber)
                            : result(center, center, center);
  // For positive bases, its extremes are in the corners.
  if (low(a) <= 0)
    return unknown();
  double least = infinity, most = -infinity;
  for (const double x : {low(a), high(a)})
    for (const double y : {low(b), high(b)}) {
      least = std::min(least, std::pow(x, y));
      most = std::max(most, std::pow(x, y));
    }
  return result(least, center, most);
}

} // namespace kiln::interpret

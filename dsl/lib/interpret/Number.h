//===- Number.h - Numbers with bounds ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic on the numbers that a machine may hold. An operator of an engine
// computes in fp32 and rounds once; fused with its neighbour it may not round.
// `value` is the number in a machine that rounds after every operator, so that
// plain programs have bounds of 0; `bound` covers all other ways.
//
// All functions here take and give unknown numbers, infinities and NaN.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERPRET_NUMBER_H
#define KILN_INTERPRET_NUMBER_H

#include "kiln/interpret.h"
#include "kiln/isa/enums.h"

#include <optional>
#include <span>

namespace kiln::interpret {

inline constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Construction and queries
// ===----------------------------------------------------------------------===//

constexpr Number exactly(double value) { return {value, 0}; }
constexpr Number unknown() { return {notANumber, unbounded}; }
constexpr bool isExact(const Number &n) { return n.bound == 0; }
/// The ends of the range that the machine may hold; NaN if it is unknown or
/// NaN.
double low(const Number &n);
double high(const Number &n);
/// `center`, and everything from `low` to `high`.
Number within(double center, double low, double high);
/// The first, but the machine may hold the second.
Number either(const Number &chosen, const Number &other);
/// The same with `spread` more on both sides.
Number widened(const Number &n, double spread);

/// The result of a comparison of uncertain numbers.
enum class Truth { no, yes, open };
/// 1 or 0; open: `likely`, but it may be the other.
Number truthNumber(Truth truth, bool likely);
/// True if it is not zero; NaN is not zero.
Truth isNonzero(const Number &n);
/// `op` is one of the six comparisons. NaN differs from everything.
Truth compare(isa::AluOp op, const Number &a, const Number &b);

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// To the nearest number of the type, ties to even. Floats overflow to infinity
/// or, without one, NaN; integers saturate, and NaN becomes 0.
double roundTo(DType dtype, double value);
Number roundTo(DType dtype, const Number &n);
/// An element of one type stored as another: the same where they are equal,
/// else through fp32.
Number convert(const Number &n, DType from, DType to);
/// The number with these bits; of a packed type, one of its four.
double decodeElement(DType dtype, std::uint32_t bits);
/// The operand of an engine: a 32-bit integer is rounded to fp32.
Number widen(const Number &n, DType from);
/// Wraps an exact integer to the type's 32 bits; also of uncertain ones.
Number wrap(DType dtype, const Number &n);

//===----------------------------------------------------------------------===//
// One operator of an engine, in fp32
//===----------------------------------------------------------------------===//

Number add(const Number &a, const Number &b);
Number subtract(const Number &a, const Number &b);
Number multiply(const Number &a, const Number &b);
/// a times the rounded reciprocal of b, or rounded once.
Number divide(const Number &a, const Number &b);
/// fma(a, b, c): one rounding.
Number multiplyAdd(const Number &a, const Number &b, const Number &c);
/// NaN propagates; of zeros of both signs max is +0.
Number maximum(const Number &a, const Number &b);
Number minimum(const Number &a, const Number &b);
Number absolute(const Number &a);
/// Any operator of the manual but the bitwise ones, `average` and `bypass`;
/// comparisons and logic give 1 or 0. Unary operators ignore b.
Number apply(isa::AluOp op, const Number &a, const Number &b);
/// Any function of the manual; `slope` is prelu's.
Number apply(isa::ActivationFunction function, const Number &x,
             double slope = 0);
/// a to the power of b.
Number power(const Number &a, const Number &b);

//===----------------------------------------------------------------------===//
// Many operators, in an order that is left open
//===----------------------------------------------------------------------===//

/// The sum of `terms` in fp32, in any order.
Number sum(std::span<const Number> terms);
/// One side of a sum of products.
struct Terms {
  explicit Terms(std::span<const Number> numbers);
  std::vector<Number> numbers;
  std::vector<double> values, bounds;
  bool isPlain = true;  ///< All are exact and finite.
  bool isFinite = true; ///< All are finite, and so are their bounds.
  int unit = 1024;      ///< All are multiples of 2^unit.
};
/// The sum of their products, each product exact or rounded, in any order.
Number dot(const Terms &a, const Terms &b);
/// The product of `factors`, in any order.
Number product(std::span<const Number> factors);

//===----------------------------------------------------------------------===//
// Integers of 32 bits: exact, wrapping
//===----------------------------------------------------------------------===//

/// add, subtract, multiply, maximum, minimum, logic and comparisons.
Number applyInteger(isa::AluOp op, DType result, const Number &a,
                    const Number &b);

} // namespace kiln::interpret

#endif // KILN_INTERPRET_NUMBER_H

//===- plain.h - Functions of plain numbers -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels and references need of <cmath> and <algorithm>: each of these
// takes the compiler as long as a fourth of the language.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_SUPPORT_PLAIN_H
#define KILN_KERNELS_SUPPORT_PLAIN_H

namespace kiln::kernels::plain {

inline constexpr double nan = __builtin_nan("");
inline constexpr double infinity = __builtin_inf();
inline double exp(double x) { return __builtin_exp(x); }
inline double log(double x) { return __builtin_log(x); }
inline double sqrt(double x) { return __builtin_sqrt(x); }
inline double fabs(double x) { return __builtin_fabs(x); }
inline double nearbyint(double x) { return __builtin_nearbyint(x); }
inline double ldexp(double x, int exponent) {
  return __builtin_ldexp(x, exponent);
}
inline int ilogb(double x) { return __builtin_ilogb(x); }
inline bool isfinite(double x) { return __builtin_isfinite(x); }

template <class T> constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T> constexpr T max(T a, T b) { return a < b ? b : a; }
/// The greatest common divisor of two positive numbers.
template <class T> constexpr T gcd(T a, T b) {
  return b == 0 ? a : gcd(b, a % b);
}
template <class T> constexpr T clamp(T x, T least, T most) {
  return x < least ? least : most < x ? most : x;
}

/// As the engines have it: NaN if one of both is.
inline double largerOrNaN(double a, double b) {
  return a != a || b < a ? a : b;
}
/// The largest of at least one number; NaN if one is.
inline double largest(const double *begin, const double *end) {
  double most = *begin;
  for (; begin != end; ++begin)
    most = largerOrNaN(most, *begin);
  return most;
}
inline void fill(double *begin, const double *end, double value) {
  for (; begin != end; ++begin)
    *begin = value;
}
/// Returns the end of what was written.
inline double *copy(const double *begin, const double *end, double *to) {
  for (; begin != end; ++begin)
    *to++ = *begin;
  return to;
}

} // namespace kiln::kernels::plain

#endif // KILN_KERNELS_SUPPORT_PLAIN_H

//===- rounded.h - Values as a tensor holds them --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_SUPPORT_ROUNDED_H
#define KILN_KERNELS_SUPPORT_ROUNDED_H

#include "kiln/kiln.h"
#include "support/list.h"
#include "support/plain.h"

namespace kiln::kernels {

/// The nearest number with `digits` digits behind the leading one, and of two
/// the even one; below 2^least they are as far apart as there.
inline double nearest(double value, int digits, int least) {
  if (value == 0 || !plain::isfinite(value))
    return value;
  const double step =
      plain::ldexp(1.0, plain::max(plain::ilogb(value), least) - digits);
  return plain::nearbyint(value / step) * step;
}

/// What a tensor of T holds of a value: the nearest, and of two the even one.
/// A reference rounds what its kernel keeps as a tensor of T between two steps,
/// for what comes behind may be as sensitive as the exponential of a score.
template <class T> double rounded(double value) {
  static_assert(T::dtype == isa::DType::f32 || T::dtype == isa::DType::bf16);
  return nearest(value, T::dtype == isa::DType::f32 ? 23 : 7, -126);
}

/// Likewise, of a type that what is beyond its largest number becomes.
template <class T> double saturated(double value) {
  static_assert(T::dtype == isa::DType::f8e4m3);
  constexpr double most = dsl::largestOf<T>();
  return nearest(plain::clamp(value, -most, most), 3, -6);
}

template <class T> void roundAll(auto &values) {
  for (double &value : values)
    value = rounded<T>(value);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_SUPPORT_ROUNDED_H

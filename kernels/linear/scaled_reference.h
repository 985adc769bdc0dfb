//===- scaled_reference.h - MX floats, in plain loops ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_SCALED_REFERENCE_H
#define KILN_KERNELS_LINEAR_SCALED_REFERENCE_H

#include "kiln/dsl/doubles.h"
#include "kiln/dsl/types.h"

#include "support/list.h"
#include "support/plain.h"
#include "support/plain_product.h"
#include "support/rounded.h"

#include <type_traits>

namespace kiln::kernels {

/// [K, N] of packed floats [K / 4, N], four rows in an element, and scales
/// [K / 32, N].
inline List<double> unpacked(Doubles data, Doubles scales) {
  const std::int64_t rows = 4 * data.dim(0), cols = data.dim(1);
  List<double> result(static_cast<std::size_t>(rows * cols));
  for (std::int64_t k = 0; k < rows; ++k)
    for (std::int64_t n = 0; n < cols; ++n)
      result[static_cast<std::size_t>(k * cols + n)] =
          data.begin()[4 * (k / 4 * cols + n) + k % 4] * scales(k / 32, n);
  return result;
}

/// The floats of a packed type of 8 bits: 2^largest is the largest power of
/// two, 2^least the smallest normal one.
template <class P> struct MxFormat {
  static constexpr bool isWide = std::is_same_v<P, f8e5m2_x4>;
  static constexpr int largest = isWide ? 15 : 8, digits = isWide ? 2 : 3;
  static constexpr int least = isWide ? -14 : -6;
  static constexpr double noNumber = plain::nan;

  /// Of 32 numbers, the largest of which has magnitude `most`: 2^(result).
  static int scaleOf(double most) {
    return most == 0 ? -127 : plain::ilogb(most) - (largest - 1);
  }
  /// To the digits of the type.
  static double rounded(double value) { return nearest(value, digits, least); }
};

/// Of 4 bits: what is beyond the largest number, 6, becomes it.
/// There is no NaN, only that of the scale.
template <> struct MxFormat<f4e2m1fn_x4> {
  static constexpr double noNumber = 0;
  static int scaleOf(double most) {
    return most == 0 ? -127 : plain::max(plain::ilogb(most) - 2, -127);
  }
  static double rounded(double value) {
    return plain::clamp(nearest(value, 1, 0), -6.0, 6.0);
  }
};

/// The rows of x [M, K], as [K, M], rounded in groups of 32.
template <class P> List<double> quantized(Doubles x) {
  const std::int64_t rows = x.dim(0), depth = x.dim(1);
  List<double> result(static_cast<std::size_t>(rows * depth));
  for (std::int64_t m = 0; m < rows; ++m)
    for (std::int64_t group = 0; group < depth; group += 32) {
      double most = 0;
      for (std::int64_t k = group; k < group + 32; ++k)
        most = plain::largerOrNaN(most, plain::fabs(x(m, k)));
      // Infinity and NaN have no scale: all 32 become NaN.
      const bool finite = plain::isfinite(most);
      const int scale = finite ? MxFormat<P>::scaleOf(most) : 0;
      for (std::int64_t k = group; k < group + 32; ++k)
        result[static_cast<std::size_t>(k * rows + m)] =
            finite ? plain::ldexp(
                         MxFormat<P>::rounded(plain::ldexp(x(m, k), -scale)),
                         scale)
                   : plain::nan;
    }
  return result;
}

/// y = xT w, x [K, M] and w [K, N].
inline void scaledProduct(const List<double> &x, List<double> w, Doubles y) {
  const std::int64_t rows = y.dim(0), cols = y.dim(1);
  const auto depth = static_cast<std::int64_t>(w.size()) / cols;
  plain::fill(y.begin(), y.end(), 0.0);
  addProductOf(
      [&](std::int64_t m, std::int64_t k) {
        return x[static_cast<std::size_t>(k * rows + m)];
      },
      {w.data(), cols}, y, rows, depth, cols);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_SCALED_REFERENCE_H

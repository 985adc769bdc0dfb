//===- reference.h - Numbers of 8 bits, in plain loops --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_QUANTIZATION_QUANTIZE_REFERENCE_H
#define KILN_KERNELS_QUANTIZATION_QUANTIZE_REFERENCE_H

#include "linear/scaled_reference.h"
#include "quantization/quantize/kernel.h"
#include "quantization/quantize/scaled.h"
#include "support/list.h"
#include "support/plain.h"

namespace kiln::kernels {

template <class T>
void Quantize<T>::reference(Doubles x, Doubles scales, Doubles y) const {
  constexpr double most = dsl::largestOf<T>();
  List<double> largest(static_cast<std::size_t>(rows));
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c)
      largest[r] = plain::largerOrNaN(largest[r], plain::fabs(x(r, c)));
  if (scale == "tensor")
    plain::fill(largest.begin(), largest.end(),
                plain::largest(largest.begin(), largest.end()));
  for (std::int64_t r = 0; r < rows; ++r) {
    const double unit = scale == "static"
                            ? double(factor)
                            : plain::max(largest[r], 0x1p-100) / most;
    if (scale != "static")
      scales[scale == "row" ? r : 0] = unit;
    for (std::int64_t c = 0; c < cols; ++c)
      y(r, c) = plain::clamp(x(r, c) / unit, -most, most);
  }
}

template <class P>
void QuantizeScaled<P>::reference(Doubles x, Doubles scales, Doubles y) const {
  const std::int64_t count = width();
  const auto number = [&](std::int64_t k, std::int64_t n) {
    return inRows() ? x(n, k) : x(k, n);
  };
  parallelFor(depth() / 32, [&](std::int64_t group) {
    for (std::int64_t n = 0; n < count; ++n) {
      double most = 0;
      for (std::int64_t k = 32 * group; k < 32 * group + 32; ++k)
        most = plain::largerOrNaN(most, plain::fabs(number(k, n)));
      // Infinity and NaN have no scale: all 32 become NaN, also by the scale.
      const bool finite = plain::isfinite(most);
      const int scale = finite ? MxFormat<P>::scaleOf(most) : 0;
      scales(group, n) = finite ? plain::ldexp(1.0, scale) : plain::nan;
      for (std::int64_t k = 32 * group; k < 32 * group + 32; ++k)
        y.begin()[4 * (k / 4 * count + n) + k % 4] =
            finite ? MxFormat<P>::rounded(plain::ldexp(number(k, n), -scale))
                   : MxFormat<P>::noNumber;
    }
  });
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_QUANTIZATION_QUANTIZE_REFERENCE_H

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

#include <algorithm>
#include <cmath>
#include <vector>

namespace kiln::kernels {

template <class T>
void Quantize<T>::reference(Doubles x, Doubles scales, Doubles y) const {
  constexpr double most = dsl::largestOf<T>();
  std::vector<double> largest(static_cast<std::size_t>(rows));
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c)
      largest[r] = std::max(largest[r], std::fabs(x(r, c)));
  if (scale == "tensor")
    std::fill(largest.begin(), largest.end(),
              *std::max_element(largest.begin(), largest.end()));
  for (std::int64_t r = 0; r < rows; ++r) {
    const double unit = scale == "static"
                            ? double(factor)
                            : std::max(largest[r], 0x1p-100) / most;
    if (scale != "static")
      scales[scale == "row" ? r : 0] = unit;
    for (std::int64_t c = 0; c < cols; ++c)
      y(r, c) = std::clamp(x(r, c) / unit, -most, most);
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
        most = std::max(most, std::fabs(number(k, n)));
      const int scale = MxFormat<P>::scaleOf(most);
      scales(group, n) = std::ldexp(1.0, scale);
      for (std::int64_t k = 32 * group; k < 32 * group + 32; ++k)
        y.begin()[4 * (k / 4 * count + n) + k % 4] =
            MxFormat<P>::rounded(std::ldexp(number(k, n), -scale));
    }
  });
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_QUANTIZATION_QUANTIZE_REFERENCE_H

//===- reference.h - Numbers of 8 bits, in plain loops --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_QUANTIZATION_QUANTIZE_REFERENCE_H
#define KILN_KERNELS_QUANTIZATION_QUANTIZE_REFERENCE_H

#include "quantization/quantize/kernel.h"
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

} // namespace kiln::kernels

#endif // KILN_KERNELS_QUANTIZATION_QUANTIZE_REFERENCE_H

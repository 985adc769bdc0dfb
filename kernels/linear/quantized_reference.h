//===- quantized_reference.h - Numbers of 8 bits, in plain loops ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_QUANTIZED_REFERENCE_H
#define KILN_KERNELS_LINEAR_QUANTIZED_REFERENCE_H

#include "kiln/dsl/doubles.h"

#include "kiln/dsl/quantize.h"
#include "linear/epilogue.h"
#include "linear/scaled_reference.h"
#include "support/list.h"
#include "support/parallel_for.h"
#include "support/plain.h"
#include "support/rounded.h"

namespace kiln::kernels {

/// x [M, K] as a product with weights of T takes it, transposed: [K, M].
template <class T>
List<double> quantizedOnChip(Doubles x, Scales scales, double unit) {
  const std::int64_t rows = x.dim(0), depth = x.dim(1);
  List<double> result(static_cast<std::size_t>(rows * depth));
  parallelFor(rows, [&](std::int64_t m) {
    double most = 0;
    for (std::int64_t k = 0; k < depth; ++k)
      most = plain::largerOrNaN(most, plain::fabs(x(m, k)));
    // Numbers of few digits can lie in the middle of two: the rounding of the
    // factor decides between them.
    const double its = scales == Scales::row
                           ? rounded<f32>(plain::max(most, 0x1p-100) *
                                          rounded<f32>(1 / dsl::largestOf<T>()))
                           : unit;
    const double factor = rounded<f32>(1 / its);
    for (std::int64_t k = 0; k < depth; ++k)
      result[static_cast<std::size_t>(k * rows + m)] =
          saturated<T>(x(m, k) * factor) * its;
  });
  return result;
}

/// y [M, N] = x w, with x quantized as the kernel does, and w [K, N] of T with
/// its scales.
template <class T>
void quantizedProduct(Doubles x, Doubles w, Doubles wScales, Scales scales,
                      double unit, Doubles y) {
  if constexpr (isa::isPacked(T::dtype)) {
    scaledProduct(quantized<MadeOnChip<T>>(x), unpacked(w, wScales), y);
  } else {
    List<double> weights(w.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = w[i] * (scales == Scales::none  ? 1
                           : scales == Scales::row ? wScales[i % w.dim(1)]
                                                   : wScales[0]);
    scaledProduct(quantizedOnChip<T>(x, scales, unit), weights, y);
  }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_QUANTIZED_REFERENCE_H

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
#include "linear/gate.h"
#include "linear/scaled_product.h"
#include "linear/scaled_reference.h"
#include "support/list.h"
#include "support/parallel_for.h"
#include "support/plain.h"
#include "support/rounded.h"

namespace kiln::kernels {

/// norm(x), or x, as it is quantized: norm(x) has bf16. See NormedRows.
inline List<double> normedRows(Doubles x, Doubles gamma, bool norm,
                               double epsilon) {
  const std::int64_t depth = x.dim(1);
  List<double> result(x.size());
  parallelFor(x.dim(0), [&](std::int64_t m) {
    double squares = 0;
    for (std::int64_t k = 0; k < depth; ++k)
      squares += x(m, k) * x(m, k);
    const double scale = 1 / plain::sqrt(squares / depth + epsilon);
    for (std::int64_t k = 0; k < depth; ++k)
      result[static_cast<std::size_t>(m * depth + k)] =
          norm ? rounded<bf16>(x(m, k) * scale * gamma[k]) : x(m, k);
  });
  return result;
}

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
    // factor and of the product decides between them.
    const double its = scales == Scales::row
                           ? rounded<f32>(plain::max(most, 0x1p-100) *
                                          rounded<f32>(1 / dsl::largestOf<T>()))
                           : unit;
    const double factor = rounded<f32>(1 / its);
    for (std::int64_t k = 0; k < depth; ++k)
      result[static_cast<std::size_t>(k * rows + m)] =
          saturated<T>(rounded<f32>(x(m, k) * factor)) * its;
  });
  return result;
}

/// Weights, their scales and a bias, which may be empty.
struct QuantizedLayer {
  Doubles w, scales, bias;

  /// Numbers of 8 bits, [K, N], times their scales.
  List<double> scaled(Scales kind) const {
    List<double> result(w.size());
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = w[i] * (kind == Scales::none  ? 1
                          : kind == Scales::row ? scales[i % w.dim(1)]
                                                : scales[0]);
    return result;
  }
};

/// y [M, N] = x w, with x quantized as the kernel does, and w [K, N] of T with
/// its scales.
template <class T>
void quantizedProduct(Doubles x, Doubles w, Doubles wScales, Scales scales,
                      double unit, Doubles y) {
  if constexpr (isa::isPacked(T::dtype)) {
    scaledProduct(quantized<MadeOnChip<T>>(x), unpacked(w, wScales), y);
  } else {
    scaledProduct(quantizedOnChip<T>(x, scales, unit),
                  QuantizedLayer{w, wScales, {}}.scaled(scales), y);
  }
}

/// y = (silu(x wg + bg) * (x wu + bu)) wd + bd for `rows` rows of x:
/// times(layer, result) multiplies them by the weights of a layer. What wd
/// multiplies has bf16 until it is quantized.
template <class T>
void quantizedMlp(auto times, const QuantizedLayer &gate,
                  const QuantizedLayer &up, const QuantizedLayer &down,
                  std::int64_t rows, Scales scales, double innerUnit,
                  const Gate &function, Doubles y) {
  const auto add = [](const QuantizedLayer &its, Doubles result) {
    for (std::size_t i = 0; i < result.size() && its.bias.size() > 0; ++i)
      result[i] += its.bias[i % its.bias.size()];
  };
  const std::int64_t inner = gate.w.dim(1);
  const std::int64_t shape[] = {rows, inner};
  List<double> h(static_cast<std::size_t>(rows * inner)), ups = h;
  const Doubles first{h.data(), shape, 2}, second{ups.data(), shape, 2};
  times(gate, first);
  add(gate, first);
  times(up, second);
  add(up, second);
  for (std::size_t i = 0; i < h.size(); ++i)
    h[i] = rounded<bf16>(function.reference(h[i], ups[i]));
  quantizedProduct<T>(first, down.w, down.scales, scales, innerUnit, y);
  add(down, y);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_QUANTIZED_REFERENCE_H

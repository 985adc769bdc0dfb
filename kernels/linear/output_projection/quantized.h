//===- quantized.h - Projection of attention's output in 8 and 4 bits -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_OUTPUT_PROJECTION_QUANTIZED_H
#define KILN_KERNELS_LINEAR_OUTPUT_PROJECTION_QUANTIZED_H

#include "linear/output_projection/kernel.h"
#include "linear/quantized_weights.h"

namespace kiln::kernels {

/// output_projection with w quantized ahead to T; `a` is quantized on chip.
template <class T> struct OutputProjectionQuantized {
  BOOST_HANA_DEFINE_STRUCT(OutputProjectionQuantized, (int, tokens),
                           (int, heads), (int, head_dim), (int, hidden),
                           (bool, bias), (bool, residual),
                           (AttendedLayout, layout), (Scales, scales),
                           (float, unit));

  using Wide = OutputProjection<bf16>;
  using Weights = QuantizedWeights<T>;

  static OutputProjectionQuantized defaults() {
    return {
        512,          8, 128, 1024, false, true, AttendedLayout::token_major,
        Scales::none, 1};
  }

  std::int64_t width() const { return std::int64_t(heads) * head_dim; }

  void describe(Signature &s) const {
    const Wide wide{tokens,   heads,  head_dim,     hidden, bias,
                    residual, layout, Scales::none, 1};
    wide.describeWith(
        s, [&] { describeQuantized<T>(s, "w", width(), hidden, scales); });
  }

  void operator()(In<bf16, 3> a, In<T, 2> w, In<ScaleOf<T>, 2> w_scales,
                  In<bf16, 1> b, In<bf16, 2> r, Out<bf16, 2> y) const {
    requireQuantized<T>(width(), scales, unit);
    if (layout == AttendedLayout::token_major)
      return project(a.reshape(tokens, width()), {w, w_scales, scales, unit}, b,
                     r, y);
    auto rows = hbm<bf16>("a_rows", tokens, width());
    if (layout == AttendedLayout::d_major)
      store(rows, load_transposed(a.reshape(width(), tokens)));
    else
      store(rows.reshape(tokens, heads, head_dim), load(a.permute(1, 0, 2)));
    project(rows, {w, w_scales, scales, unit}, b, r, y);
  }

  void project(In<bf16, 2> a, const Weights &w, In<bf16, 1> b, In<bf16, 2> r,
               Out<bf16, 2> y) const {
    const Epilogue<bf16> tail{
        .bias = b, .hasBias = bias, .residual = r, .hasResidual = residual};
    const auto factors = w.factors(tokens);
    const ShareOfCore mine = ShareOfCore::half("hidden", hidden);
    const auto multiply = [&](const Index &m, std::int64_t count,
                              const auto &left) {
      tiles("n", mine.count, w.columnsAtOnce(tokens),
            [&](Index block, std::int64_t cols) {
              const Index n = block + mine.first;
              const auto right = w.columns(n, cols);
              Weights::forProducts(
                  left, right, count, cols,
                  [&](std::int64_t r, const auto &sum) {
                    tail.put(y, m + r, n, w.scaled(sum, left, r, factors, n));
                  });
            });
    };
    if (tokens > 128)
      return w.forBlocks(w.quantizedAhead("a", a), tokens, multiply);
    PiecesOfRows pieces;
    BlockedProduct<bf16>::forPieces(
        width(), Weights::piece, [&](std::int64_t k, std::int64_t size) {
          pieces.push_back(Weights::transposed(a, k, size));
        });
    const auto left = w.quantized(pieces);
    tiles("n", mine.count, w.columnsOfStream(),
          [&](Index block, std::int64_t cols) {
            const Index n = block + mine.first;
            w.stream(
                left, n, cols, tokens, [&](std::int64_t c, const auto &sum) {
                  tail.put(y, 0, n + c, w.scaled(sum, left, 0, factors, n + c));
                });
          });
  }

  void reference(Doubles a, Doubles w, Doubles w_scales, Doubles b, Doubles r,
                 Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_OUTPUT_PROJECTION_QUANTIZED_H

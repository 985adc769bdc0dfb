//===- scaled.h - The gated layer with MX floats --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_SWIGLU_SCALED_H
#define KILN_KERNELS_LINEAR_SWIGLU_SCALED_H

#include "linear/gate.h"
#include "linear/mlp_biases.h"
#include "linear/scaled_product.h"
#include "support/list.h"
#include "support/plain.h"

namespace kiln::kernels {

/// swiglu with the weights as MX floats. What they multiply is quantized on
/// chip: x, and what is left of the gates.
template <class P> struct SwiGluScaled {
  BOOST_HANA_DEFINE_STRUCT(SwiGluScaled, (int, tokens), (int, hidden),
                           (int, inner), (bool, bias),
                           (GateActivation, activation));

  using A = MadeOnChip<P>;
  using Product = ScaledProduct<P, A>;

  static SwiGluScaled defaults() {
    return {512, 1024, 3072, false, GateActivation::silu};
  }

  void describe(Signature &s) const {
    s.summary("gated feed-forward layer of a transformer");
    s.doc("tokens", "rows of x and y");
    s.doc("hidden", "model width, columns of x and y");
    s.doc("inner", "columns of the gate and of what it scales");
    MlpBiases<bf16>::document(s);
    Gate::document(s);
    s.argument("x", {tokens, hidden});
    s.argument("wg", {hidden / 4, inner});
    s.argument("wg_scales", {hidden / 32, inner});
    s.argument("wu", {hidden / 4, inner});
    s.argument("wu_scales", {hidden / 32, inner});
    s.argument("wd", {inner / 4, hidden});
    s.argument("wd_scales", {inner / 32, hidden});
    MlpBiases<bf16>::describe(s, bias, hidden, inner);
    s.argument("y", {tokens, hidden});
    s.flops(6.0 * tokens * hidden * inner);
    s.tokens(tokens);
  }

  void operator()(In<bf16, 2> x, In<P, 2> wg, In<f8e8m0, 2> wg_scales,
                  In<P, 2> wu, In<f8e8m0, 2> wu_scales, In<P, 2> wd,
                  In<f8e8m0, 2> wd_scales, In<bf16, 1> bg, In<bf16, 1> bu,
                  In<bf16, 1> bd, Out<bf16, 2> y) const {
    requireMxTerms(hidden);
    requireMxTerms(inner);
    const Gate function{activation};
    const std::int64_t count = Product::even(tokens);
    auto kept = hbm<bf16>("h", tokens, inner);
    auto x_data = hbm<A>("x_data", hidden / 4, count);
    auto x_scales = hbm<f8e8m0>("x_scales", hidden / 32, count);
    auto h_data = hbm<A>("h_data", inner / 4, count);
    auto h_scales = hbm<f8e8m0>("h_scales", inner / 32, count);
    const auto times = [&](const auto &data, const auto &scales, const auto &w,
                           const auto &its, const Epilogue<bf16> &after) {
      return Product{x, true, data, scales, w, its, after, y};
    };
    Product::quantize(x, x_data, x_scales);
    const auto gates = times(x_data, x_scales, wg, wg_scales, {}),
               ups = times(x_data, x_scales, wu, wu_scales, {});
    tiles("m", tokens, gates.rowsAtOnce(), [&](Index m, std::int64_t rows) {
      gates.withRows(m, rows, [&](const auto &left) {
        tiles(
            "n", inner, gates.columnsAtOnce(), [&](Index n, std::int64_t cols) {
              const auto g = gates.columnsOfW(n, cols),
                         u = ups.columnsOfW(n, cols);
              const auto forGate = biasOf(bg, n, cols),
                         forUp = biasOf(bu, n, cols);
              Product::forProducts(
                  rows,
                  [&](std::int64_t r, std::int64_t height) {
                    const auto of = [&](const auto &right, const auto &its) {
                      auto sum = Product::product(left, right, r, height, cols);
                      if (its.size() > 0)
                        sum = sum + its[0].rows_at(0, height);
                      return sum;
                    };
                    auto gate = function.of(of(g, forGate));
                    return function.withUp(of(u, forUp), [&](const auto &its) {
                      return gate * its;
                    });
                  },
                  [&](std::int64_t r, const auto &h) {
                    store(kept.rows_at(m + r, h.dim(0)).cols_at(n, cols), h);
                  });
            });
      });
    });
    Product::quantize(kept, h_data, h_scales);
    times(h_data, h_scales, wd, wd_scales, {.bias = bd, .hasBias = bias}).run();
  }

  /// Some columns of a bias beside each of up to 128 rows, or nothing.
  List<Tile<bf16, -1, -1>> biasOf(const In<bf16, 1> &its, const Index &n,
                                  std::int64_t cols) const {
    List<Tile<bf16, -1, -1>> result;
    if (bias)
      result.push_back(
          load(its.reshape(1_c, inner).cols_at(n, cols).broadcast(0_c, 128)));
    return result;
  }

  void reference(Doubles x, Doubles wg, Doubles wg_scales, Doubles wu,
                 Doubles wu_scales, Doubles wd, Doubles wd_scales, Doubles bg,
                 Doubles bu, Doubles bd, Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_SWIGLU_SCALED_H

//===- scaled.h - The projection of MX floats -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_QKV_SCALED_H
#define KILN_KERNELS_LINEAR_QKV_SCALED_H

#include "linear/scaled_product.h"

namespace kiln::kernels {

/// y = x w (+ b) of MX floats: w is quantized ahead, x too if it is `ready`.
template <class P> struct QkvScaled {
  BOOST_HANA_DEFINE_STRUCT(QkvScaled, (int, tokens), (int, hidden),
                           (int, heads), (int, kv_heads), (int, head_dim),
                           (bool, bias), (Scales, scales), (bool, ready),
                           (Layout, layout));

  using Heads = HeadMajor<bf16>;

  static QkvScaled defaults() {
    return {
        512, 1024, 8, 2, 128, false, Scales::none, false, Layout::token_major};
  }

  void describe(Signature &s) const {
    const std::int64_t width = (heads + 2 * std::int64_t(kv_heads)) * head_dim;
    s.summary("query, key and value projection of a transformer layer");
    s.doc("tokens", "rows of x");
    s.doc("hidden", "model width, columns of x");
    s.doc("heads", "query heads");
    s.doc("kv-heads", "key and value heads");
    s.doc("head-dim", "width of a head");
    s.doc("bias", "add b to every row");
    s.doc("scales", "y times those of x and w: for 8-bit types");
    s.doc("ready", "x is quantized ahead: for MX types");
    Heads::document(s);
    optionalArgument(s, !ready, "x", {tokens, hidden});
    optionalArgument(s, ready, "x_data", {hidden / 4, tokens});
    optionalArgument(s, ready, "x_scales", {hidden / 32, tokens});
    s.argument("w", {hidden / 4, width});
    s.argument("w_scales", {hidden / 32, width});
    optionalArgument(s, bias, "b", {width});
    Heads::describe(s, layout, heads + 2 * std::int64_t(kv_heads), tokens,
                    head_dim);
    s.flops(2.0 * tokens * hidden * double(width));
  }

  void operator()(In<bf16, 2> x, In<P, 2> x_data, In<f8e8m0, 2> x_scales,
                  In<P, 2> w, In<f8e8m0, 2> w_scales, In<bf16, 1> b,
                  Out<bf16, 2> y, Out<bf16, 3> y_heads) const {
    requireNoScales(scales, "MX floats have scales of their own",
                    "leave out scales");
    requireMxTerms(hidden);
    ScaledProduct<P>{x,
                     ready,
                     x_data,
                     x_scales,
                     w,
                     w_scales,
                     {.bias = b,
                      .hasBias = bias,
                      .heads = Heads::of(layout, y_heads, head_dim)},
                     y}
        .run();
  }

  void reference(Doubles x, Doubles x_data, Doubles x_scales, Doubles w,
                 Doubles w_scales, Doubles b, Doubles y,
                 Doubles y_heads) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_QKV_SCALED_H

//===- kernel.h - Query, key and value projection -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_QKV_KERNEL_H
#define KILN_KERNELS_LINEAR_QKV_KERNEL_H

#include "linear/blocked_product.h"
#include "support/optional_argument.h"
#include "support/weights.h"

namespace kiln::kernels {

/// y[T, (Hq + 2 Hkv) d] = x[T, H] w[H, (Hq + 2 Hkv) d] (+ b).
template <class T> struct Qkv {
  BOOST_HANA_DEFINE_STRUCT(Qkv, (int, tokens), (int, hidden), (int, heads),
                           (int, kv_heads), (int, head_dim), (bool, bias),
                           (Scales, scales), (bool, ready), (Layout, layout));

  using Heads = HeadMajor<Product<T>>;

  static Qkv defaults() {
    return {
        512, 1024, 8, 2, 128, false, Scales::none, false, Layout::token_major};
  }

  std::int64_t width() const {
    return (heads + 2 * std::int64_t(kv_heads)) * head_dim;
  }

  void describe(Signature &s) const {
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
    s.argument("x", {tokens, hidden});
    weightArgument<T>(s, "w", hidden, width());
    describeScales(s, scales, "x_scales", tokens, "w_scales", width());
    optionalArgument(s, bias, "b", {width()});
    Heads::describe(s, layout, width() / head_dim, tokens, head_dim);
    s.flops(2.0 * tokens * hidden * double(width()));
    s.tokens(tokens);
  }

  void operator()(In<T, 2> x, In<T, 2> w, In<f32, 2> x_scales,
                  In<f32, 2> w_scales, In<Product<T>, 1> b,
                  Out<Product<T>, 2> y, Out<Product<T>, 3> y_heads) const {
    require(!ready, "ready is for MX types", "choose one with --dtype");
    if constexpr (BlockedProduct<T>::bytes != 1)
      requireNoScales(scales, "scales are for 8-bit types",
                      "choose one with --dtype");
    BlockedProduct<T>{x,
                      w,
                      {.bias = b,
                       .hasBias = bias,
                       .scales = scales,
                       .xScales = x_scales,
                       .wScales = w_scales,
                       .heads = Heads::of(layout, y_heads, head_dim)},
                      y}
        .run();
  }

  void reference(Doubles x, Doubles w, Doubles x_scales, Doubles w_scales,
                 Doubles b, Doubles y,
                 Doubles y_heads) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_QKV_KERNEL_H

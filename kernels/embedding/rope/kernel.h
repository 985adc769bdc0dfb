//===- kernel.h - Rotary position embedding -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_EMBEDDING_ROPE_KERNEL_H
#define KILN_KERNELS_EMBEDDING_ROPE_KERNEL_H

#include "kiln/kiln.h"

namespace kiln::kernels {

/// Rotates pairs (a, b) of each head by the angle of their token:
/// (a cos - b sin, b cos + a sin). The partner of element i is i + d / 2, or
/// its neighbour if `interleaved`.
template <class T> struct Rope {
  BOOST_HANA_DEFINE_STRUCT(Rope, (int, tokens), (int, heads), (int, head_dim),
                           (bool, interleaved), (bool, inverse));

  static Rope defaults() { return {512, 8, 128, false, false}; }

  void describe(Signature &s) const {
    s.summary("rotary position embedding of queries or keys");
    s.doc("tokens", "rows of x");
    s.doc("heads", "heads of a token");
    s.doc("head-dim", "width of a head, even");
    s.doc("interleaved", "pairs are neighbours, not halves of a head");
    s.doc("inverse", "turn back: the gradient of the rotation");
    s.argument("x", {tokens, heads, head_dim});
    s.argument("cos", {tokens, head_dim / 2});
    s.argument("sin", {tokens, head_dim / 2});
    s.argument("y", {tokens, heads, head_dim});
    s.flops(3.0 * tokens * heads * head_dim);
  }

  void operator()(In<T, 3> x, In<f32, 2> cos, In<f32, 2> sin,
                  Out<T, 3> y) const {
    require(head_dim % 2 == 0,
            {"head-dim is <|", head_dim, "|>, expected [|an even number|]"},
            "pad the heads");
    const std::int64_t width = std::int64_t(heads) * head_dim,
                       pairs = head_dim / 2;
    tiles("tokens", tokens, 128_c, [&](Index start, auto n) {
      auto t = load(x.reshape(tokens, width).rows_at(start, n));
      const auto angles = [&](const auto &table) { // the same for all heads
        return load(table.rows_at(start, n))
            .reshape(n, 1_c, pairs)
            .broadcast(1_c, heads);
      };
      auto c = angles(cos), s = angles(sin);
      const auto half = [&](const auto &tile, int which) { // [n, heads, pairs]
        return interleaved ? tile.reshape(n, heads, pairs, 2).select(3, which)
                           : tile.reshape(n, heads, 2, pairs).select(2, which);
      };
      auto a = half(t, 0), b = half(t, 1);
      auto out = sbuf<T>(n, width);
      half(out, 0) = inverse ? a * c + b * s : a * c - b * s;
      half(out, 1) = inverse ? b * c - a * s : b * c + a * s;
      store(y.reshape(tokens, width).rows_at(start, n), out);
    });
  }

  void reference(Doubles x, Doubles cos, Doubles sin,
                 Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_EMBEDDING_ROPE_KERNEL_H

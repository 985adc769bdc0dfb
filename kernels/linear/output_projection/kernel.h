//===- kernel.h - Projection of attention's output ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_OUTPUT_PROJECTION_KERNEL_H
#define KILN_KERNELS_LINEAR_OUTPUT_PROJECTION_KERNEL_H

#include "linear/blocked_product.h"
#include "support/optional_argument.h"
#include "support/share_of_core.h"
#include "support/weights.h"

namespace kiln::kernels {

/// How attention leaves its result: [tokens, heads, head-dim], [heads, tokens,
/// head-dim], or [heads, head-dim, tokens].
KILN_CHOICES(AttendedLayout, token_major, head_major, d_major)

/// y[T, H] = a w (+ b) (+ residual): what follows the attention, with w
/// [heads d, H].
template <class T> struct OutputProjection {
  BOOST_HANA_DEFINE_STRUCT(OutputProjection, (int, tokens), (int, heads),
                           (int, head_dim), (int, hidden), (bool, bias),
                           (bool, residual), (AttendedLayout, layout),
                           (Scales, scales), (float, unit));

  /// Of the residual, where ranks add up what each has.
  float share = 1.0f;

  static OutputProjection defaults() {
    return {
        512,          8, 128, 1024, false, true, AttendedLayout::token_major,
        Scales::none, 1};
  }

  void describe(Signature &s) const {
    describeWith(s, [&] {
      weightArgument<T>(s, "w", std::int64_t(heads) * head_dim, hidden);
    });
  }

  void describeWith(Signature &s, auto describeWeights) const {
    s.summary("output projection of attention, with its residual");
    s.doc("tokens", "rows of y");
    s.doc("heads", "heads of a token");
    s.doc("head-dim", "width of a head");
    s.doc("hidden", "model width, columns of y");
    s.doc("bias", "add b to every row");
    s.doc("residual", "add r to the result");
    s.doc("layout", "of a; token-major: [tokens, heads, head-dim]; head-major: "
                    "[heads, tokens, head-dim], as flash attention has it; "
                    "d-major: [heads, head-dim, tokens]");
    describeQuantization(s);
    if (layout == AttendedLayout::d_major)
      s.argument("a", {heads, head_dim, tokens});
    else if (layout == AttendedLayout::head_major)
      s.argument("a", {heads, tokens, head_dim});
    else
      s.argument("a", {tokens, heads, head_dim});
    describeWeights();
    optionalArgument(s, bias, "b", {hidden});
    optionalArgument(s, residual, "r", {tokens, hidden});
    s.argument("y", {tokens, hidden});
    s.flops(2.0 * tokens * heads * head_dim * hidden);
    s.tokens(tokens);
  }

  /// Whole tensors: the compiler chooses blocks.
  void operator()(In<T, 3> a, In<T, 2> w, In<T, 1> b, In<T, 2> r,
                  Out<T, 2> y) const {
    requireWide(scales, unit);
    const std::int64_t width = std::int64_t(heads) * head_dim;
    const ShareOfCore mine = ShareOfCore::half("hidden", hidden);
    const auto right = [&] { return load(mine.columnsOf(w)); };
    const auto finish = [&](auto sum) {
      if (bias)
        sum = sum + load(mine.columnsOf(b.reshape(1_c, hidden)));
      if (residual) {
        auto its = load(mine.columnsOf(r));
        sum = share == 1.0f ? sum + its : sum + share * its;
      }
      store(mine.columnsOf(y), sum);
    };
    if (layout == AttendedLayout::d_major) // As a product takes it.
      finish(matmul(load(a.reshape(width, tokens)), right()));
    else if (layout == AttendedLayout::head_major)
      finish(
          matmul_nn(load(a.permute(1, 0, 2)).reshape(tokens, width), right()));
    else
      finish(matmul_nn(load(a.reshape(tokens, width)), right()));
  }

  /// The same, of a rank: with a residual and no bias, a [tokens, heads,
  /// head-dim], in blocks of tokens. whenDone(first, count) follows the store
  /// of these rows of y. If a rank has few heads, all columns of a block of `a`
  /// stay on chip while w streams by.
  void inBlocks(In<T, 3> a, In<T, 2> w, In<T, 2> r, Out<T, 2> y,
                auto whenDone) const {
    using Blocks = BlockedProduct<T>;
    const std::int64_t width = std::int64_t(heads) * head_dim;
    if (tokens > 256 && width <= Blocks::wide)
      return Blocks::streamPast(
          "sum", tokens, w,
          [&](Index m, std::int64_t count, std::int64_t k, std::int64_t size) {
            return load_transposed(
                a.reshape(tokens, width).rows_at(m, count).cols_at(k, size));
          },
          [&](Index row, Index n, const auto &sum) {
            store(Blocks::beside(y, row, n, sum),
                  sum + share * load(Blocks::beside(r, row, n, sum)));
          },
          whenDone);
    tiles("sum", tokens, 512, [&](Index m, std::int64_t count) {
      OutputProjection part = *this;
      part.tokens = static_cast<int>(count);
      part(a.slice(0, m, count), w, In<T, 1>({}), r.rows_at(m, count),
           y.rows_at(m, count));
      whenDone(m, count);
    });
  }

  void reference(Doubles a, Doubles w, Doubles b, Doubles r,
                 Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_OUTPUT_PROJECTION_KERNEL_H

//===- head_major.h - Heads that a product stores one by one --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_HEAD_MAJOR_H
#define KILN_KERNELS_LINEAR_HEAD_MAJOR_H

#include "kiln/kiln.h"
#include "support/optional_argument.h"
#include "support/plain.h"

#include <cstdint>

namespace kiln::kernels {

/// How the heads of queries, keys and values are stored: side by side in the
/// row of a token, or each with all its tokens.
KILN_CHOICES(Layout, token_major, head_major)

/// The columns of a product as [heads, T, d], or nothing.
template <class T> struct HeadMajor {
  Out<T, 3> y = Out<T, 3>({});
  std::int64_t width = 0; ///< Columns of a head; 0 if there are none.

  bool isGiven() const { return width > 0; }
  /// So many columns at once, or less: whole heads.
  std::int64_t whole(std::int64_t columns) const {
    return isGiven() ? plain::max<std::int64_t>(columns / width, 1) * width
                     : columns;
  }
  /// Whole heads of some tokens.
  void put(const Index &m, const Index &n, const auto &value) const {
    const std::int64_t rows = value.dim(0), heads = value.dim(1) / width;
    store(y.permute(1, 0, 2).rows_at(m, rows).slice(1, n / width, heads),
          value.reshape(rows, heads, width));
  }

  static void document(Signature &s) {
    s.doc("layout", "token-major: y is [tokens, columns of w]; head-major: "
                    "y_heads is [heads + 2 kv-heads, tokens, head-dim]");
  }
  static void describe(Signature &s, Layout layout, std::int64_t heads,
                       std::int64_t tokens, std::int64_t width) {
    optionalArgument(s, layout == Layout::token_major, "y",
                     {tokens, heads * width});
    optionalArgument(s, layout == Layout::head_major, "y_heads",
                     {heads, tokens, width});
  }
  /// The output of a kernel with this layout.
  static HeadMajor of(Layout layout, const Out<T, 3> &y, std::int64_t width) {
    if (layout == Layout::token_major)
      return {};
    require(width <= 512,
            {"head-dim is <|", width,
             "|>, expected [|up to 512|]: a head is "
             "stored from one tile of the product"},
            "choose --layout=token_major");
    return {y, width};
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_HEAD_MAJOR_H

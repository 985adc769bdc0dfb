//===- kernel.h - Rows of a table -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_EMBEDDING_TOKEN_EMBEDDING_KERNEL_H
#define KILN_KERNELS_EMBEDDING_TOKEN_EMBEDDING_KERNEL_H

#include "kiln/kiln.h"

namespace kiln::kernels {

/// y[t, :] = table[ids[t], :]. An id outside of the table is moved into it.
template <class T> struct TokenEmbedding {
  BOOST_HANA_DEFINE_STRUCT(TokenEmbedding, (int, tokens), (int, words),
                           (int, hidden));

  static TokenEmbedding defaults() { return {512, 32000, 1024}; }

  void describe(Signature &s) const {
    s.summary("rows of a table by the ids of tokens");
    s.doc("tokens", "ids, rows of y");
    s.doc("words", "rows of the table");
    s.doc("hidden", "model width, columns of the table");
    s.argument("ids", {tokens, 1});
    s.argument("table", {words, hidden});
    s.argument("y", {tokens, hidden});
  }

  void operator()(In<i32, 2> ids, In<T, 2> table, Out<T, 2> y) const {
    require(target().generation != nc::Generation::v2,
            "the target is <|trn1|>, expected [|trn2 or later|]: the DMA "
            "engines of trn1 cannot follow a list of rows",
            "compile for trn2, or load the rows in a loop, each at the index "
            "of nc::register_load");
    tiles("tokens", tokens, 128_c, [&](Index start, auto n) {
      auto index = max(min(load(ids.rows_at(start, n)), words - 1), 0);
      auto rows = sbuf<T>(n, hidden);
      nc::dma_copy(rows, table, {.src_index = index});
      store(y.rows_at(start, n), rows);
    });
  }

  void reference(Doubles ids, Doubles table,
                 Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_EMBEDDING_TOKEN_EMBEDDING_KERNEL_H

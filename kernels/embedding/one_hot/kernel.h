//===- kernel.h - One-hot rows of tokens ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_EMBEDDING_ONE_HOT_KERNEL_H
#define KILN_KERNELS_EMBEDDING_ONE_HOT_KERNEL_H

#include "kiln/kiln.h"

#include <cstdint>

namespace kiln::kernels {

/// y[t, w] = 1 if w is ids[t], else 0.
template <class T> struct OneHot {
  BOOST_HANA_DEFINE_STRUCT(OneHot, (int, tokens), (int, words));

  static OneHot defaults() { return {512, 2048}; }

  /// Columns at once.
  static constexpr std::int64_t block = 2048;
  /// Up to here, f32 holds every integer, and engines compare in f32.
  static constexpr std::int64_t most = std::int64_t(1) << 24;

  void describe(Signature &s) const {
    s.summary("one-hot rows by the ids of tokens");
    s.doc("tokens", "ids, rows of y");
    s.doc("words", "columns of y");
    s.argument("ids", {tokens, 1});
    s.argument("y", {tokens, words});
  }

  void operator()(In<i32, 2> ids, Out<T, 2> y) const {
    require(words <= most,
            {"words is <|", words, "|>, expected [|up to ", most,
             "|]: ids are compared in f32"},
            "give each part of the words rows of its own");
    tiles("words", words, block, [&](Index first, std::int64_t count) {
      auto number = sbuf<f32>(128, count);
      nc::iota(number, {{1, count}},
               {.offset = first, .channel_multiplier = 0});
      tiles("tokens", tokens, 128, [&](Index t, std::int64_t rows) {
        auto id = cast<f32>(load(ids.rows_at(t, rows)));
        store(y.rows_at(t, rows).cols_at(first, count),
              cast<T>(equal(number.rows_at(0, rows), id)));
      });
    });
  }

  void reference(Doubles ids, Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_EMBEDDING_ONE_HOT_KERNEL_H

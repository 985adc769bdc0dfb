//===- lesson_04_softmax.cpp - Lesson 4: parameters and export ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>

using namespace kiln;

template <class T> struct RowSoftmax {
  BOOST_HANA_DEFINE_STRUCT(RowSoftmax, (int, rows), (int, cols));
  static RowSoftmax defaults() { return {256, 512}; }
  void describe(Signature &s) const {
    s.summary("softmax of every row");
    s.argument("x", {rows, cols});
    s.argument("y", {rows, cols});
  }
  void operator()(In<T, 2> x, Out<T, 2> y) const {
    tiles("rows", rows, 128_c, [&](Index r, auto n) {
      auto t = load(x.rows_at(r, n));
      auto e = exp(t - row_max(t));
      store(y.rows_at(r, n), e / row_sum(e));
    });
  }
};
KILN_EXPORT(row_softmax, RowSoftmax<f32>, RowSoftmax<bf16>)

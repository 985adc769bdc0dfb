//===- axpy.cpp - A kernel outside of Kiln's tree -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>

using namespace kiln;

/// z = factor * x + y.
template <class T> struct Axpy {
  BOOST_HANA_DEFINE_STRUCT(Axpy, (int, rows), (int, cols), (float, factor));

  static Axpy defaults() { return {256, 128, 2.0f}; }

  void describe(Signature &s) const {
    s.summary("z = factor * x + y");
    s.argument("x", {rows, cols});
    s.argument("y", {rows, cols});
    s.argument("z", {rows, cols});
    s.flops(2.0 * rows * cols);
  }

  void operator()(In<T, 2> x, In<T, 2> y, Out<T, 2> z) const {
    tiles("rows", rows, 128_c, [&](Index r, auto n) {
      store(z.rows_at(r, n),
            factor * load(x.rows_at(r, n)) + load(y.rows_at(r, n)));
    });
  }
};

KILN_EXPORT(axpy, Axpy<f32>, Axpy<bf16>)

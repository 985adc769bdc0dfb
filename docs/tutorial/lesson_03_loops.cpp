//===- lesson_03_loops.cpp - Lesson 3: loops and variables ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>

using namespace kiln;

struct Total {
  BOOST_HANA_DEFINE_STRUCT(Total, (int, cols));
  static Total defaults() { return {1100}; }
  void describe(Signature &s) const {
    s.summary("the sum of each row");
    s.argument("x", {128, cols});
    s.argument("y", {128, 1});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    auto sum = zeros<f32>(128_c, 1_c);
    tiles("block", cols, 512_c,
          [&](Index c, auto n) { sum = sum + row_sum(load(x.cols_at(c, n))); });
    store(y, sum);
  }
};
KILN_EXPORT(total, Total)

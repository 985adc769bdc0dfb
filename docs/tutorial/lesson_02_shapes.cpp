//===- lesson_02_shapes.cpp - Lesson 2: shapes ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>

using namespace kiln;

struct Shapes {
  BOOST_HANA_DEFINE_STRUCT(Shapes, (int, cols));
  static Shapes defaults() { return {512}; }
  void describe(Signature &s) const {
    s.summary("y = x + 1");
    s.argument("x", {128, 512});
    s.argument("y", {128, 512});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    auto a = load(x.rows(0, 128_c)); // Tile<f32, 128, -1>
    auto b = full<f32>(1.0, 128_c, cols);
    store(y, a + b); // checked while recording
  }
};
KILN_EXPORT(shapes, Shapes)

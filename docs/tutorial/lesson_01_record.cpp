//===- lesson_01_record.cpp - Lesson 1: record a kernel -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>

using namespace kiln;

struct Twice {
  BOOST_HANA_DEFINE_STRUCT(Twice, (int, rows), (int, cols));
  static Twice defaults() { return {128, 64}; }
  void describe(Signature &s) const {
    s.summary("y = 2 x");
    s.argument("x", {rows, cols});
    s.argument("y", {rows, cols});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    auto t = load(x);
    store(y, 2 * t);
  }
};
KILN_EXPORT(twice, Twice)

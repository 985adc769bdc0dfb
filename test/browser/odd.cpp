//===- odd.cpp - Kernels of no instruction, and of one --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>
using namespace kiln;

struct Odd {
  BOOST_HANA_DEFINE_STRUCT(Odd, (int, copies));
  static Odd defaults() { return {0}; }
  void describe(Signature &s) const {
    s.doc("copies", "how often x is copied");
    s.argument("x", {128, 512});
    s.argument("y", {128, 512});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    for (int i = 0; i < copies; ++i)
      nc::dma_copy(y, x);
  }
};
KILN_EXPORT(odd, Odd)

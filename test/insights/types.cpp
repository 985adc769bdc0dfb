//===- types.cpp - Products of two types in one loop ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>
using namespace kiln;

/// As many flops of f32 as of bf16.
struct Mixed {
  BOOST_HANA_DEFINE_STRUCT(Mixed, (int, blocks));
  static Mixed defaults() { return {16}; }
  void describe(Signature &s) const {
    s.argument("x", {128, 512 * blocks});
    s.argument("y", {128, 512 * blocks});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    loop("blocks", blocks, [&](Index i) {
      auto t = load(x.cols(i, 512_c));
      auto half = cast<bf16>(t);
      auto sum = psum<f32>(128_c, 512_c);
      nc::nc_matmul(sum, t.cols(0, 128_c), t);
      nc::nc_matmul(sum, half.cols(0, 128_c), half, {.accumulate = true});
      store(y.cols(i, 512_c), sum * 0.5);
    });
  }
};
KILN_EXPORT(mixed, Mixed)

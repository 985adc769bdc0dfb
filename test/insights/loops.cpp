//===- loops.cpp - Loops that the streams do not show --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>
using namespace kiln;

/// The compiler makes the inner loop part of the outer one, and then runs all
/// of that without a loop.
struct Unrolled {
  BOOST_HANA_DEFINE_STRUCT(Unrolled, (int, parts));
  static Unrolled defaults() { return {2}; }
  void describe(Signature &s) const {
    s.argument("x", {128, 8192});
    s.argument("y", {128, 4096});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    scope named("q/k #1");
    loop("rows", 8, [&](Index i) {
      auto most = sbuf<f32>(128_c, 512_c);
      nc::memset(most, 0.0);
      loop("part", parts, [&](Index j) {
        most = max(most + 0.0, load(x.cols(i * 2 + j, 512_c)));
      });
      store(y.cols(i, 512_c), most);
    });
  }
};
KILN_EXPORT(unrolled, Unrolled)

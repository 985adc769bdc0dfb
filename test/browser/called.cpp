//===- called.cpp - A helper that is called from two lines ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>
using namespace kiln;

struct Called {
  BOOST_HANA_DEFINE_STRUCT(Called);
  static Called defaults() { return {}; }
  void describe(Signature &s) const {
    s.argument("x", {128, 512});
    s.argument("y", {128, 512});
  }
  auto doubled(auto t) const {
    return t + t; // doubled
  }
  auto fourfold(auto t) const {
    return doubled(doubled(t)); // fourfold
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    auto t = doubled(load(x)); // once
    store(y, fourfold(t));     // twice
  }
};
KILN_EXPORT(called, Called)

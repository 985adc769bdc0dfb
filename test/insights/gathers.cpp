//===- gathers.cpp - Rows of HBM that a tile names -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>
using namespace kiln;

/// The places are on chip, but the rows are not. Only a copy moves a tile from
/// SBUF to SBUF.
struct Gathered {
  BOOST_HANA_DEFINE_STRUCT(Gathered, (bool, copied));
  static Gathered defaults() { return {false}; }
  void describe(Signature &s) const {
    s.argument("x", {1024, 8192});
    s.argument("places", {128, 1});
    s.argument("y", {128, 8192});
  }
  void operator()(In<bf16, 2> x, In<i32, 2> places, Out<bf16, 2> y) const {
    auto rows = load_rows(x, load(places));
    if (copied) {
      auto copy = sbuf<bf16>(128, 8192);
      nc::dma_copy(copy, rows);
      store(y, copy * 2.0);
    } else {
      store(y, rows * 2.0);
    }
  }
};
KILN_EXPORT(gathered, Gathered)

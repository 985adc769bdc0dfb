//===- stores.cpp - Many large stores side by side ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/kiln.h"

#include <vector>

using namespace kiln;

/// All tiles are loaded before the first one is stored, so all live at once.
struct Stores {
  BOOST_HANA_DEFINE_STRUCT(Stores, (int, count));
  static constexpr int rows = 2048;

  static Stores defaults() { return {100}; }
  void describe(Signature &s) const {
    s.argument("x", {count * rows, 512});
    s.argument("y", {count * rows, 512});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    std::vector<decltype(load(x.rows_at(0, rows)))> loaded;
    for (int i = 0; i < count; ++i)
      loaded.push_back(load(x.rows_at(i * rows, rows)));
    for (int i = 0; i < count; ++i)
      store(y.rows_at(i * rows, rows), loaded[i] + 1.0);
  }
};
KILN_EXPORT(stores, Stores)

//===- TilesTest.cpp - The meaning of tile operations --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "kiln/interpret.h"
#include "kiln/kiln.h"
#include "kiln/record.h"

using namespace kiln;
using interpret::Number;

namespace {

struct Scale {
  BOOST_HANA_DEFINE_STRUCT(Scale, (int, rows));
  void describe(Signature &s) const {
    s.argument("x", {3, 4});
    s.argument("y", {3, 4});
  }
  void operator()(In<f32, 2> x, Out<bf16, 2> y) const {
    loop("row", 3, [&](Index i) {
      store(y.rows(i, 1_c), load(x.rows(i, 1_c)) * 2.0 + 1.0);
    });
  }
};

} // namespace

TEST_CASE("a loop over rows") {
  const program::Program program = record(Scale{3}, "scale");
  std::vector<double> x(12);
  for (std::size_t i = 0; i < 12; ++i)
    x[i] = static_cast<double>(i);
  const interpret::Result result = interpret::interpret(program, {{"x", x}});
  REQUIRE(!result.fault);
  const std::vector<Number> &y = result.ranks.at(0).at("y").elements;
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK(y[i].value == 2.0 * x[i] + 1);
    CHECK(y[i].bound == 0);
  }
}

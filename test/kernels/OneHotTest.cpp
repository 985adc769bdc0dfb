//===- OneHotTest.cpp - Ids in and beside the words -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "embedding/one_hot/reference.h"
#include "kiln/compiler/compile.h"
#include "kiln/isa/target.h"
#include "kiln/record.h"
#include "kiln/sim/executor.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace kiln::test::one_hot_test {

// The ids of cases are random numbers near 0; these are on both sides of a
// block of columns, of the last word, and of what f32 holds exactly.
TEST_CASE("one_hot has ones where the ids say", "[small]") {
  constexpr std::size_t words = 5000;
  const std::vector<std::int32_t> ids{0,
                                      1,
                                      2047,
                                      2048,
                                      4095,
                                      4096,
                                      4999,
                                      5000,
                                      -1,
                                      -5000,
                                      16777217,
                                      std::numeric_limits<std::int32_t>::max(),
                                      std::numeric_limits<std::int32_t>::min()};
  const program::Program program =
      record(kernels::OneHot<f32>{static_cast<int>(ids.size()),
                                  static_cast<int>(words)},
             "one_hot");
  std::vector<std::uint8_t> bytes(ids.size() * sizeof ids[0]);
  std::memcpy(bytes.data(), ids.data(), bytes.size());
  for (const char *name : {"trn1", "trn2", "trn3"}) {
    INFO(name);
    const isa::Target target = *isa::findTarget(name);
    compiler::CompileOptions options;
    options.target = target;
    const compiler::CompileResult result = compiler::compile(program, options);
    REQUIRE(result.module);
    const sim::Result run =
        sim::run(*result.module, target, {{"ids", bytes}}, {});
    REQUIRE(!run.fault);
    const std::vector<std::uint8_t> &made = run.outputs.at(0).bytes;
    std::vector<float> y(made.size() / sizeof(float));
    std::memcpy(y.data(), made.data(), made.size());
    REQUIRE(y.size() == ids.size() * words);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
      if (y[i] != (ids[i / words] == static_cast<std::int32_t>(i % words)
                       ? 1.0f
                       : 0.0f))
        ++wrong;
    CHECK(wrong == 0);
  }
}

} // namespace kiln::test::one_hot_test

//===- TripsTest.cpp - Schedules for any number of iterations -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "kiln/compiler/compile.h"
#include "kiln/isa/target.h"
#include "kiln/kiln.h"
#include "kiln/record.h"
#include "kiln/sim/executor.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kiln::test::trips_test {

namespace {

/// Block i of y sums up what a chain on three engines makes of blocks from
/// `first(i)` to i - `behind` - 1 of x.
struct Triangle {
  BOOST_HANA_DEFINE_STRUCT(Triangle, (int, blocks), (int, behind),
                           (bool, banded));
  static constexpr int rows = 16, cols = 64;

  void describe(Signature &s) const {
    s.argument("x", {blocks * rows, cols});
    s.argument("y", {blocks * rows, cols});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    loop("i", blocks, [&](Index i) {
      auto sum = zeros<f32>(16_c, 64_c);
      const Index first = banded ? i / 3 : Index(0);
      loop("j", first, i - behind, [&](Index j) {
        auto t = abs(load(x.rows(j, 16_c)));
        auto u = relu(2.0 * t - 3.0);
        sum = sum + abs(u * t);
      });
      store(y.rows(i, 16_c), sum);
    });
  }
  std::vector<float> expected(const std::vector<float> &x) const {
    std::vector<float> y(x.size());
    constexpr std::size_t size = std::size_t{rows} * cols;
    for (int i = 0; i < blocks; ++i)
      for (int j = banded ? i / 3 : 0; j < i - behind; ++j)
        for (std::size_t k = 0; k < size; ++k) {
          const float t = std::abs(x[static_cast<std::size_t>(j) * size + k]);
          y[static_cast<std::size_t>(i) * size + k] +=
              std::max(2 * t - 3, 0.0f) * t;
        }
    return y;
  }
};

} // namespace

TEST_CASE("a schedule for any number of iterations is right for each",
          "[small]") {
  // All counts from none to more than twice what the first trip needs.
  for (const auto &[kernel, target] :
       {std::pair(Triangle{36, 0, false}, "trn1"),
        std::pair(Triangle{36, 2, false}, "trn2"),
        std::pair(Triangle{60, 0, true}, "trn3")}) {
    INFO(target);
    compiler::CompileOptions options;
    options.target = *isa::findTarget(target);
    const compiler::CompileResult result =
        compiler::compile(record(kernel, "triangle"), options);
    for (const auto &diagnostic : result.diagnostics)
      UNSCOPED_INFO(diagnostic.str());
    REQUIRE(result.module);
    // The loop around, prologue, steady state, epilogue, and what is left.
    const auto &scalar =
        result.module->streams[static_cast<std::size_t>(isa::Engine::scalar)];
    CHECK(std::count_if(scalar.begin(), scalar.end(),
                        [](const isa::Instruction &instruction) {
                          return std::holds_alternative<isa::LoopBegin>(
                              instruction.body);
                        }) == 5);
    const auto size = static_cast<std::size_t>(kernel.blocks * Triangle::rows) *
                      Triangle::cols;
    std::vector<float> x(size);
    for (std::size_t i = 0; i < size; ++i)
      x[i] = static_cast<float>(i * 7 % 23) - 11.0f;
    std::vector<std::uint8_t> bytes(size * sizeof(float));
    std::memcpy(bytes.data(), x.data(), bytes.size());
    for (std::uint64_t seed : {0, 1, 2}) {
      sim::Options run;
      run.interleaveSeed = seed;
      const sim::Result done =
          sim::run(*result.module, options.target, {{"x", bytes}}, run);
      if (done.fault)
        FAIL(done.fault->code << " " << done.fault->text);
      std::vector<float> y(size);
      REQUIRE(done.outputs.at(0).bytes.size() == bytes.size());
      std::memcpy(y.data(), done.outputs.at(0).bytes.data(), bytes.size());
      CHECK(y == kernel.expected(x));
    }
  }
}

} // namespace kiln::test::trips_test

//===- ControlTest.cpp - Conditions from the language to the run
//-------------===//
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

#include <cmath>
#include <cstring>

namespace kiln::test::control_test {

namespace {

/// y = x / 2^n for the n that is in memory; it counts down on chip.
struct Halve {
  BOOST_HANA_DEFINE_STRUCT(Halve, (int, rows));
  void describe(Signature &s) const {
    s.argument("x", {rows, 64});
    s.argument("count", {1, 1});
    s.argument("y", {rows, 64});
  }
  void operator()(In<f32, 2> x, In<i32, 2> count, Out<f32, 2> y) const {
    loop("block", rows / 16, [&](Index i) {
      auto t = load(x.rows(i, 16_c));
      auto left = load(count);
      while_loop("halve", nc::register_load(count), [&] {
        t = t * 0.5;
        left = cast<i32>(cast<f32>(left) - 1.0);
        return nc::register_load(left);
      });
      store(y.rows(i, 16_c), t);
    });
  }
};

/// Rows by what the table says of them: below 0 zero, 0 as they are, 1 doubled
/// if their number is odd, else negated; above, nothing is stored.
struct Choose {
  BOOST_HANA_DEFINE_STRUCT(Choose, (int, rows));
  void describe(Signature &s) const {
    s.argument("x", {rows, 32});
    s.argument("table", {1, rows});
    s.argument("y", {rows, 32});
  }
  void operator()(In<f32, 2> x, In<i32, 2> table, InOut<f32, 2> y) const {
    loop("row", rows, [&](Index i) {
      const Index kind = nc::register_load(table.cols_at(i, 1_c));
      auto put = [&](auto value) { store(y.rows(i, 1_c), value); };
      when("zero", kind < 0, [&] { put(zeros<f32>(1_c, 32_c)); });
      when("copy", !Condition(kind), [&] { put(load(x.rows(i, 1_c))); });
      when("odd", kind == 1 && i % 2 == 1,
           [&] { put(2.0 * load(x.rows(i, 1_c))); });
      when("even", kind == 1 && i % 2 != 1,
           [&] { put(-1.0 * load(x.rows(i, 1_c))); });
    });
  }
};

/// Two bodies, of which one runs; a condition that is known while recording.
struct Either {
  BOOST_HANA_DEFINE_STRUCT(Either, (bool, known));
  void describe(Signature &s) const {
    s.argument("x", {16, 32});
    s.argument("limit", {1, 1});
    s.argument("y", {16, 32});
  }
  void operator()(In<f32, 2> x, In<i32, 2> limit, Out<f32, 2> y) const {
    const Index n = known ? Index(3) : nc::register_load(limit);
    auto t = load(x);
    when("few", n <= 3, [&] { t = t + 1.0; }, [&] { t = t - 1.0; });
    store(y, t);
  }
};

template <class T> std::vector<std::uint8_t> bytesOf(std::vector<T> values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
std::vector<float> floatsOf(const sim::TensorData &tensor) {
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}
std::vector<float> ramp(std::size_t n) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = static_cast<float>(i % 511) - 200.0f;
  return values;
}

template <class Kernel>
isa::Module compiled(const Kernel &kernel, const std::string &target) {
  compiler::CompileOptions options;
  options.target = *isa::findTarget(target);
  const compiler::CompileResult result =
      compiler::compile(record(kernel, "kernel"), options);
  for (const auto &diagnostic : result.diagnostics)
    UNSCOPED_INFO(diagnostic.str());
  REQUIRE(result.module);
  return *result.module;
}

std::vector<float> run(const isa::Module &module, const std::string &target,
                       std::vector<sim::TensorData> inputs,
                       std::uint64_t seed) {
  sim::Options options;
  options.interleaveSeed = seed;
  const sim::Result result =
      sim::run(module, *isa::findTarget(target), inputs, options);
  if (result.fault)
    FAIL(result.fault->code << " " << result.fault->text);
  return floatsOf(result.outputs.at(0));
}

} // namespace

TEST_CASE("while_loop runs as often as memory says", "[small]") {
  const std::vector<float> x = ramp(48 * 64);
  for (const char *target : {"trn1", "trn2", "trn3"}) {
    const isa::Module module = compiled(Halve{48}, target);
    unsigned whiles = 0;
    for (const auto &stream : module.streams)
      for (const isa::Instruction &instruction : stream)
        whiles += std::holds_alternative<isa::While>(instruction.body);
    CHECK(whiles >= 1);
    for (std::int32_t count : {0, 1, 2, 5})
      for (std::uint64_t seed : {0, 1, 2, 3}) {
        INFO(target << " count " << count << " seed " << seed);
        const std::vector<float> y = run(
            module, target,
            {{"x", bytesOf(x)}, {"count", bytesOf(std::vector{count})}}, seed);
        for (std::size_t i = 0; i < y.size(); ++i)
          if (y[i] != std::ldexp(x[i], -count))
            FAIL("element " << i << " is " << y[i]);
      }
  }
}

TEST_CASE("when runs what the condition says", "[small]") {
  const std::vector<float> x = ramp(6 * 32), before(6 * 32, 7.0f);
  for (const char *target : {"trn1", "trn2", "trn3"}) {
    const isa::Module module = compiled(Choose{6}, target);
    for (const std::vector<std::int32_t> &kinds :
         {std::vector<std::int32_t>{-1, 0, 1, 1, 2, -2000000000},
          std::vector<std::int32_t>{2, 2, 2, 2, 2, 2},
          std::vector<std::int32_t>{1, 1, 0, 0, -1, 1}})
      for (std::uint64_t seed : {0, 1, 2}) {
        const std::vector<float> y = run(module, target,
                                         {{"x", bytesOf(x)},
                                          {"table", bytesOf(kinds)},
                                          {"y", bytesOf(before)}},
                                         seed);
        for (std::size_t i = 0; i < y.size(); ++i) {
          const std::int32_t kind = kinds[i / 32];
          const float expected = kind < 0          ? 0.0f
                                 : kind == 0       ? x[i]
                                 : kind > 1        ? 7.0f
                                 : i / 32 % 2 == 1 ? 2 * x[i]
                                                   : -x[i];
          if (y[i] != expected)
            FAIL(target << " element " << i << " is " << y[i]);
        }
      }
  }
}

TEST_CASE("one of two bodies runs", "[small]") {
  const std::vector<float> x = ramp(16 * 32);
  for (bool known : {false, true}) {
    const isa::Module module = compiled(Either{known}, "trn2");
    for (std::int32_t limit : {3, 4}) {
      const std::vector<float> y =
          run(module, "trn2",
              {{"x", bytesOf(x)}, {"limit", bytesOf(std::vector{limit})}}, 0);
      const float change = known || limit == 3 ? 1.0f : -1.0f;
      for (std::size_t i = 0; i < y.size(); ++i)
        if (y[i] != x[i] + change)
          FAIL("element " << i << " is " << y[i]);
    }
  }
}

} // namespace kiln::test::control_test

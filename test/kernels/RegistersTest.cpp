//===- RegistersTest.cpp - Registers from the language to the run ---------===//
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

#include <cstring>

namespace kiln::test::registers_test {

namespace {

/// y[i] = 2 * x[page[i]] by pages of 16 rows, for the first count[0] pages;
/// `seen` holds the last page plus 100, or 99.
struct Gather {
  BOOST_HANA_DEFINE_STRUCT(Gather, (int, pages), (int, total));
  void describe(Signature &s) const {
    s.argument("x", {total * 16, 64});
    s.argument("page", {1, pages});
    s.argument("count", {1, 1});
    s.argument("y", {pages * 16, 64});
    s.argument("seen", {1, 1});
  }
  void operator()(In<f32, 2> x, In<i32, 2> page, In<i32, 2> count,
                  Out<f32, 2> y, Out<i32, 2> seen) const {
    loop("clear", pages,
         [&](Index i) { store(y.rows(i, 16_c), zeros<f32>(16_c, 64_c)); });
    // The table is computed on chip: its loads wait for what writes it.
    auto table = cast<i32>(load(page) * 1.0);
    nc::register_store(seen, nc::register_move(99));
    const Index n = nc::register_load(count);
    loop("page", min(n, pages), [&](Index i) {
      const Index p = nc::register_load(table.cols_at(i, 1_c));
      store(y.rows(i, 16_c), 2.0 * load(x.rows(p, 16_c)));
      nc::register_store(seen, nc::register_add(p, 100));
    });
  }
};

template <class T> std::vector<std::uint8_t> bytesOf(std::vector<T> values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <class T> std::vector<T> valuesOf(const sim::TensorData &tensor) {
  std::vector<T> values(tensor.bytes.size() / sizeof(T));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

isa::Module compiled(const Gather &kernel, const std::string &target) {
  compiler::CompileOptions options;
  options.target = *isa::findTarget(target);
  const compiler::CompileResult result =
      compiler::compile(record(kernel, "gather"), options);
  for (const auto &diagnostic : result.diagnostics)
    UNSCOPED_INFO(diagnostic.str());
  REQUIRE(result.module);
  return *result.module;
}

sim::Result run(const isa::Module &module, const std::string &target,
                const std::vector<float> &x, std::vector<std::int32_t> pages,
                std::int32_t count, std::uint64_t seed = 0) {
  sim::Options options;
  options.interleaveSeed = seed;
  return sim::run(module, *isa::findTarget(target),
                  {{"x", bytesOf(x)},
                   {"page", bytesOf(std::move(pages))},
                   {"count", bytesOf(std::vector<std::int32_t>{count})}},
                  options);
}

} // namespace

TEST_CASE("registers choose rows and bound loops", "[small]") {
  const Gather kernel{4, 8};
  std::vector<float> x(8 * 16 * 64);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i % 1013) * 0.5f;
  const std::vector<std::int32_t> pages{5, 0, 7, 2};
  for (const char *target : {"trn1", "trn2", "trn3"}) {
    const isa::Module module = compiled(kernel, target);
    for (std::int32_t count : {0, 1, 3, 4, 9})
      for (std::uint64_t seed : {0, 1, 2}) {
        INFO(target << " count " << count << " seed " << seed);
        const sim::Result result = run(module, target, x, pages, count, seed);
        if (result.fault)
          UNSCOPED_INFO(result.fault->code << " " << result.fault->text);
        REQUIRE(!result.fault);
        const std::vector<float> y = valuesOf<float>(result.outputs.at(0));
        const std::size_t visited =
            static_cast<std::size_t>(std::min(count, 4)) * 16 * 64;
        for (std::size_t i = 0; i < y.size(); ++i) {
          const std::size_t from =
              static_cast<std::size_t>(pages[i / 1024]) * 1024 + i % 1024;
          if (y[i] != (i < visited ? 2 * x[from] : 0.0f))
            FAIL("element " << i << " is " << y[i]);
        }
        const std::int32_t last =
            count == 0
                ? 99
                : 100 + pages[static_cast<std::size_t>(std::min(count, 4)) - 1];
        CHECK(valuesOf<std::int32_t>(result.outputs.at(1)).at(0) == last);
      }
  }
}

TEST_CASE("a register outside of its tensor is found in the run", "[small]") {
  const isa::Module module = compiled(Gather{2, 8}, "trn2");
  const std::vector<float> x(8 * 16 * 64, 1.0f);
  for (std::int32_t wrong : {8, -1, 1000000}) {
    const sim::Result result = run(module, "trn2", x, {7, wrong}, 2);
    REQUIRE(result.fault);
    INFO(result.fault->text);
    CHECK(result.fault->kind == sim::FaultKind::outOfBounds);
    REQUIRE(!result.fault->instructions.empty());
    CHECK(result.fault->instructions[0].location.file.find(
              "RegistersTest.cpp") != std::string::npos);
  }
}

} // namespace kiln::test::registers_test

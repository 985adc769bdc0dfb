//===- MemoryOrderTest.cpp - Each read sees the last write before it ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include <algorithm>

namespace kiln::test::memory_order_test {

namespace {
constexpr std::size_t rows = 128, cols = 64;
constexpr std::size_t count = rows * cols;
} // namespace

// Two stores to the same bytes: the first is ready late, the second at once,
// with `others` accesses of the tensor between them. 48 and 512 were, and are,
// numbers at which the compiler does something else.
TEST_CASE("the last of two stores wins, whatever stands between",
          "[memory-order][long]") {
  const Values x = someValues(count, isa::DType::f32);
  for (std::size_t others : {1, 45, 46, 47, 48, 49, 60, 200, 480, 490, 500, 508,
                             509, 510, 511, 512, 513, 530, 1100}) {
    INFO(others << " others");
    const std::vector<Extents> shapes{{rows, cols},
                                      {std::int64_t(others + 1), rows, cols}};
    std::vector<Values> out =
        run<In<f32, 2>, Out<f32, 3>>("trn2", shapes, {x}, [&](auto x, auto y) {
          auto slow = load(x);
          for (int i = 0; i < 20; ++i)
            slow = {tanh(slow)};
          auto quick = load(x);
          store(y[0], slow);
          for (std::size_t i = 1; i <= others; ++i)
            store(y[static_cast<int>(i)], quick);
          store(y[0], full<f32>(7, 128, 64));
        });
    // At once: up to nine million elements.
    Values wanted(count, 7.0);
    for (std::size_t i = 1; i <= others; ++i)
      wanted.insert(wanted.end(), x.begin(), x.end());
    REQUIRE(out[0].size() == wanted.size());
    REQUIRE(std::equal(wanted.begin(), wanted.end(), out[0].begin()));
  }
}

// The same in a buffer on chip, read back through columns in between.
TEST_CASE("columns of a buffer keep their order", "[memory-order]") {
  const Values x = someValues(rows, isa::DType::f32);
  for (int others : {3, 46, 47, 48, 49, 100, 300}) {
    INFO(others << " others");
    std::vector<Values> out = run<In<f32, 2>, Out<f32, 2>>(
        "trn2", {{rows, 1}, {rows, others + 1}}, {x}, [&](auto x, auto y) {
          auto b = sbuf<f32>(128, others + 1);
          auto slow = load(x);
          for (int i = 0; i < 10; ++i)
            slow = {tanh(slow)};
          nc::tensor_copy(b.cols_at(0, 1), slow);
          for (int i = 1; i <= others; ++i)
            nc::tensor_copy(b.cols_at(i, 1), load(x));
          nc::memset(b.cols_at(0, 1), 3.0);
          store(y, b);
        });
    const auto width = static_cast<std::size_t>(others) + 1;
    for (std::size_t i = 0; i < out[0].size(); ++i)
      REQUIRE(out[0][i] == (i % width == 0 ? 3.0 : x[i / width]));
  }
}

TEST_CASE("a read in a loop sees what an instruction wrote in it",
          "[memory-order]") {
  const Values x(count, 2.0);
  for (int trips : {0, 1, 2, 3, 4, 9}) {
    INFO(trips << " trips");
    double want = 2.0;
    for (int i = 0; i < trips; ++i)
      want = std::log1p(std::exp(want));
    // Views stand in front of the loop once equal ones are merged.
    std::vector<Values> out = run<In<f32, 2>, Out<f32, 2>>(
        "trn2", {{rows, cols}, {rows, cols}}, {x}, [&](auto x, auto y) {
          auto b = sbuf<f32>(128_c, 64_c);
          nc::tensor_copy(b, load(x));
          loop("l", trips, [&](Index) {
            auto t = softplus(b);
            nc::tensor_copy(b, t);
          });
          store(y, b);
        });
    for (double value : out[0])
      REQUIRE(value == Approx(want).epsilon(1e-4));
    // The same in HBM: a load, and an instruction that stores.
    out = run<In<f32, 2>, InOut<f32, 2>>("trn2", {{rows, cols}, {rows, cols}},
                                         {x, x}, [&](auto x, auto z) {
                                           auto first = sbuf<f32>(128, 64);
                                           first = load(x);
                                           nc::dma_copy(z, first);
                                           loop("l", trips, [&](Index) {
                                             auto t = load(z) + 1.0;
                                             nc::dma_copy(z, t);
                                           });
                                         });
    for (double value : out[0])
      REQUIRE(value == 2.0 + trips);
    // In a nest, written in an inner loop and read in the outer.
    out = run<In<f32, 2>, InOut<f32, 2>>(
        "trn2", {{rows, cols}, {rows, cols}}, {x, x}, [&](auto x, auto z) {
          auto first = load(x);
          nc::dma_copy(z, first);
          loop("o", 2, [&](Index) {
            auto t = load(z);
            loop("l", trips, [&](Index) {
              auto u = load_transposed(z.rows_at(0, 64_c));
              auto back = transpose(u);
              auto more = t + 1.0;
              nc::dma_copy(z.rows_at(0, 64_c), back);
              nc::dma_copy(z, more);
            });
          });
        });
    for (double value : out[0])
      REQUIRE(value == 2.0 + (trips > 0 ? 2 : 0));
  }
}

// One after the other, two buffers may be pinned to one place: work on the
// second, which is ready early, does not begin before the first has been used.
TEST_CASE("buffers that are pinned to one place take turns", "[memory-order]") {
  const Values x(count, 2.0);
  std::vector<Values> out = run<In<f32, 2>, Out<f32, 2>, Out<f32, 2>>(
      "trn2", {{rows, cols}, {rows, cols}, {rows, cols}}, {x},
      [&](auto x, auto y, auto z) {
        auto slow = load(x);
        for (int i = 0; i < 10; ++i)
          slow = {tanh(slow)};
        auto first = sbuf<f32>(128_c, 64_c, at(0, 4096));
        nc::tensor_copy(first, slow);
        store(y, first);
        auto second = sbuf<f32>(128_c, 64_c, at(0, 4096 + 128));
        nc::memset(second, 3.0);
        store(z, second);
      });
  double slow = 2.0;
  for (int i = 0; i < 10; ++i)
    slow = std::tanh(slow);
  for (std::size_t i = 0; i < count; ++i) {
    REQUIRE(out[0][i] == Approx(slow).epsilon(1e-4));
    REQUIRE(out[1][i] == 3.0);
  }
}

} // namespace kiln::test::memory_order_test

//===- products_test.cpp - Products that wait for each other --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That they wait must show nowhere: not in the order in which sums meet in a
// place, and not to anyone who looks at memory.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include "function/Products.h"

#include "catch.h"

#include <algorithm>

using namespace bench;
using isa::TensorKind;
using sim::Products;

namespace {

/// A memory of `pitch` floats in each row, written by plain loops.
void addSlowly(const Products::Operands &product, const Products::Shape &shape,
               float *out) {
  const auto at = [](const sim::Kernels::Rows &rows, std::size_t k,
                     std::size_t i) {
    return static_cast<const float *>(
        rows.data)[k * static_cast<std::size_t>(rows.pitch) / sizeof(float) +
                   i];
  };
  for (std::size_t i = 0; i < shape.m; ++i)
    for (std::size_t j = 0; j < shape.n; ++j) {
      float sum = 0.0f;
      for (std::size_t k = 0; k < shape.depth; ++k)
        sum = std::fma(at(product.stationary, k, i), at(product.moving, k, j),
                       sum);
      float &to = out[i * shape.outStride + j];
      to = product.accumulate ? to + sum : sum;
    }
}

} // namespace

TEST_CASE("products that wait: every place takes them in their order") {
  constexpr std::size_t lanes = 80, pitch = 200, rows = 16, width = 300;
  const std::vector<float> operands = someFloats(rows * width, 5, false);
  for (const unsigned threads : {1u, 2u, 3u})
    for (unsigned seed = 0; seed < 40; ++seed) {
      CAPTURE(threads, seed);
      sim::Pool pool(threads);
      Products products(sim::kernels(), seed % 4 == 0 ? nullptr : &pool);
      std::mt19937 random(seed);
      const auto below = [&](std::size_t n) {
        return static_cast<std::size_t>(random() % n);
      };
      std::vector<float> fast = someFloats(lanes * pitch, seed, false);
      std::vector<float> slow = fast;
      for (unsigned i = 0; i < 60; ++i) {
        // Outputs that are one, lie apart, or overlap in part; now and then
        // products of another shape.
        const Products::Shape shape = below(12) == 0
                                          ? Products::Shape{7, 9, 33, pitch}
                                          : Products::Shape{16, 40, 64, pitch};
        const std::size_t place =
            below(6) == 0
                ? below(lanes - shape.m) * pitch + below(pitch - shape.n)
                : below(2) * 40 * pitch + below(3) * 64;
        Products::Operands product;
        product.stationary = {&operands[below(40)], width * sizeof(float),
                              false};
        product.moving = {&operands[50 + 10 * below(3)], width * sizeof(float),
                          false};
        product.out = fast.data() + place;
        product.accumulate = below(3) != 0;
        products.add(product, shape);
        addSlowly(product, shape, slow.data() + place);
        if (below(9) == 0) {
          products.settle();
          REQUIRE(firstDifference(fast, slow) == none);
        }
      }
      products.settle();
      CHECK(firstDifference(fast, slow) == none);
    }
}

TEST_CASE("products that wait: more than are packed at once") {
  // A stationary operand is 64 KiB packed; blocks of a product, k by k.
  constexpr std::size_t depth = 128, m = 128, n = 200, pitch = 808;
  constexpr std::size_t outputs = 4, steps = 6, width = 1024;
  const std::vector<float> operands = someFloats(depth * width, 9, false);
  const Products::Shape shape{depth, m, n, pitch};
  const auto forAll = [&](std::vector<float> &into, const auto &make) {
    for (std::size_t out = 0; out < outputs; ++out)
      for (std::size_t k = 0; k < steps; ++k) {
        Products::Operands product;
        product.stationary = {&operands[31 * (out % 2) + 97 * k],
                              width * sizeof(float), false};
        product.moving = {&operands[600 + 30 * k + out / 2],
                          width * sizeof(float), false};
        product.out = into.data() + out * n;
        product.accumulate = k != 0;
        make(product);
      }
  };
  std::vector<float> slow(m * pitch, -1.0f);
  forAll(slow, [&](const Products::Operands &product) {
    addSlowly(product, shape, product.out);
  });
  for (const unsigned threads : {1u, 2u, 3u, 8u})
    for (unsigned round = 0; round < 8; ++round) {
      CAPTURE(threads, round);
      sim::Pool pool(threads);
      Products products(sim::kernels(), &pool);
      std::vector<float> fast(m * pitch, -1.0f);
      forAll(fast, [&](const Products::Operands &product) {
        products.add(product, shape);
      });
      products.settle();
      CHECK(firstDifference(fast, slow) == none);
    }
}

namespace {

constexpr unsigned K = 8, M = 4, N = 16, products = 5;

/// Five products one after the other, each into PSUM of its own; without
/// anything that waits for them.
Program fiveProducts() {
  Program program;
  program.tensor("s", DType::f32, TensorKind::input, {K, M});
  program.tensor("m", DType::f32, TensorKind::input, {K, N});
  program.tensor("c", DType::f32, TensorKind::output, {M, N});
  program.load(sbuf(DType::f32, K, M, 0), 0);
  program.load(sbuf(DType::f32, K, N, 1024), 1);
  for (unsigned i = 0; i < products; ++i)
    program.then(Engine::tensor,
                 isa::NcMatmul{psum(DType::f32, M, N, 2048 * i),
                               sbuf(DType::f32, K, M, 0),
                               sbuf(DType::f32, K, N, 1024), false, false});
  program.then(Engine::vector,
               isa::TensorCopy{sbuf(DType::f32, M, N, 4096),
                               psum(DType::f32, M, N, 2048 * 4)});
  program.store(2, sbuf(DType::f32, M, N, 4096));
  return program;
}

sim::Execution runFive(const sim::Options &options, float moving = 2.0f) {
  std::vector<float> right(K * N, 1.0f);
  right[5] = moving;
  const Program program = fiveProducts();
  return sim::execute(
      program.module, isa::target(program.module.generation),
      {data("s", std::vector<float>(K * M, 1.0f)), data("m", right)}, options);
}

/// How many of the five are in PSUM.
unsigned made(const sim::Execution &run) {
  unsigned count = 0;
  for (const auto &dump : run.dumps) {
    float first;
    std::memcpy(&first, dump.data(), sizeof first);
    count += first == static_cast<float>(K);
  }
  return count;
}

} // namespace

TEST_CASE("products that wait are there for whoever looks") {
  sim::Options options;
  for (unsigned i = 0; i < products; ++i) {
    sim::MemoryRange range;
    range.space = Space::psum;
    range.begin = 2048 * i;
    range.end = range.begin + 4;
    options.inspection.dump.push_back(range);
  }
  SECTION("at the end") {
    const sim::Execution run = runFive(options);
    CHECK_FALSE(run.fault);
    CHECK(made(run) == products);
    CHECK(values<float>(run.outputs.at(0))[5] == K + 1);
  }
  SECTION("before one of them") {
    for (unsigned i = 0; i < products; ++i) {
      options.inspection.before = {Engine::tensor, i, 1};
      const sim::Execution run = runFive(options);
      REQUIRE(run.stopped);
      CHECK(made(run) == i);
    }
  }
  SECTION("when one of them writes") {
    options.inspection.onWrite = options.inspection.dump[2];
    const sim::Execution run = runFive(options);
    REQUIRE(run.stopped);
    CHECK(run.stopped->index == 2);
    CHECK(made(run) == 3);
  }
  SECTION("while looking for NaN") {
    options.findNaN = true;
    CHECK_FALSE(runFive(options).fault);
    // Infinity times 1 less infinity: the second factor makes the NaN.
    std::vector<float> left(K * M, 1.0f), right(K * N, 1.0f);
    right[0] = INFINITY;
    right[N] = -INFINITY;
    const Program program = fiveProducts();
    const sim::Execution run =
        sim::execute(program.module, isa::target(program.module.generation),
                     {data("s", left), data("m", right)}, options);
    REQUIRE(run.fault);
    CHECK(run.fault->code == "KILN-X014");
    REQUIRE_FALSE(run.fault->instructions.empty());
    CHECK(run.fault->instructions[0].index == 0);
    CHECK(made(run) == 0);
  }
}

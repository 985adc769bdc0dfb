//===- pool_test.cpp - Host threads that share one instruction ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pool.h"

#include "function/Bench.h"

#include "catch.h"

#include <atomic>
#include <new>
#include <thread>
#include <vector>

using namespace bench;

TEST_CASE("every task runs once, on a worker of its own") {
  for (const unsigned threads : {1u, 2u, 3u, 8u}) {
    sim::Pool pool(threads);
    REQUIRE(pool.size() <= threads);
    std::vector<std::atomic<int>> busy(pool.size());
    // Many small batches, as instructions are; some after a sleep.
    for (unsigned batch = 0; batch < 3000; ++batch) {
      const unsigned count = batch % 17;
      std::vector<int> calls(count);
      std::atomic<bool> shared{false};
      pool.run(count, [&](unsigned i, unsigned worker) {
        if (busy[worker].fetch_add(1) != 0)
          shared = true;
        ++calls[i];
        busy[worker].fetch_sub(1);
      });
      REQUIRE(calls == std::vector<int>(count, 1));
      REQUIRE(!shared);
      if (batch % 1000 == 999)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

TEST_CASE("what a task throws comes out when all tasks are done") {
  for (const unsigned threads : {1u, 2u, 5u}) {
    sim::Pool pool(threads);
    for (unsigned batch = 0; batch < 300; ++batch) {
      CAPTURE(threads, batch);
      constexpr unsigned count = 20;
      std::atomic<unsigned> running{0}, calls{0};
      const auto task = [&](unsigned i, unsigned) {
        ++running;
        ++calls;
        const bool fails = i == batch % count || i == 7;
        --running;
        if (fails)
          throw std::bad_alloc();
      };
      CHECK_THROWS_AS(pool.run(count, task), std::bad_alloc);
      CHECK(running == 0);
      if (pool.size() > 1)
        CHECK(calls == count);
      // The next batch knows nothing of it.
      calls = 0;
      pool.run(count, [&](unsigned, unsigned) { ++calls; });
      REQUIRE(calls == count);
    }
  }
}

TEST_CASE("the number of threads shows in no bit") {
  constexpr unsigned P = 128, N = 512;
  Program program;
  program.tensor("a", DType::f32, isa::TensorKind::input, {P, N});
  program.tensor("c", DType::f32, isa::TensorKind::output, {P, N});
  program.tensor("r", DType::f32, isa::TensorKind::output, {P, 1});
  const Access x = sbuf(DType::f32, P, N, 0);
  const Access y = sbuf(DType::bf16, P, N, 4096);
  const Access half = sbuf(DType::bf16, P, 128, 4096);
  const Access sums = sbuf(DType::f32, P, 1, 8192);
  program.load(x, 0);
  isa::Activation exp;
  exp.dst = y;
  exp.op = isa::ActivationFunction::exp;
  exp.data = x;
  exp.scale = 0.25f;
  exp.reduce_op = isa::AluOp::add;
  exp.reduce_cmd = isa::ReduceCommand::reset_reduce;
  exp.reduce_res = sums;
  program.then(Engine::scalar, exp);
  isa::NcMatmul product;
  product.dst = psum(DType::f32, P, N);
  product.stationary = half;
  product.moving = y;
  program.then(Engine::tensor, product);
  program.then(Engine::vector,
               isa::TensorTensor{x, product.dst, x, isa::AluOp::subtract});
  program.store(1, x);
  program.then(Engine::sync, isa::DmaCopy{program.whole(2), sums, 0, {}});
  const auto input = data("a", someFloats(P * N, 5, false));

  std::vector<sim::TensorData> first;
  for (const unsigned threads : {1u, 2u, 3u, 5u, 8u}) {
    CAPTURE(threads);
    sim::Options options;
    options.threads = threads;
    const sim::Execution run =
        sim::execute(program.module, isa::trn2, {input}, options);
    REQUIRE(!run.fault);
    if (first.empty())
      first = run.outputs;
    for (std::size_t i = 0; i < first.size(); ++i)
      CHECK(run.outputs[i].bytes == first[i].bytes);
  }
}

TEST_CASE("runs do not share anything") {
  Program program;
  program.tensor("a", DType::f32, isa::TensorKind::input, {128, 256});
  program.tensor("c", DType::f32, isa::TensorKind::output, {128, 256});
  const Access x = sbuf(DType::f32, 128, 256, 0);
  program.load(x, 0);
  program.then(Engine::vector, isa::TensorTensor{x, x, x, isa::AluOp::add});
  program.store(1, x);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (unsigned caller = 0; caller < 4; ++caller)
    callers.emplace_back([&, caller] {
      const auto in = someFloats(128 * 256, caller, false);
      for (int i = 0; i < 5; ++i) {
        const sim::Result result = run(program, {data("a", in)}, caller);
        if (result.fault ||
            values<float>(result.outputs.at(0)).at(77) != in[77] + in[77])
          ++wrong;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  CHECK(wrong == 0);
}

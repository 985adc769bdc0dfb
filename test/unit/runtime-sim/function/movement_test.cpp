//===- movement_test.cpp - Copies, patterns, selection, loops -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include "catch.h"

using namespace bench;
using isa::AluOp;
using isa::TensorKind;

TEST_CASE("iota writes the manual's example") {
  for (const DType dtype : {DType::i32, DType::f32}) {
    Program program;
    program.tensor("c", dtype, TensorKind::output, {3, 4});
    const Access tile = sbuf(dtype, 3, 4, 0);
    isa::Iota op;
    op.dst = tile;
    op.pattern.rank = 1;
    op.pattern.dims[0] = {1, 4};
    op.offset = {10};
    op.channel_multiplier = 100;
    program.then(Engine::gpsimd, op);
    program.store(0, tile);
    const sim::Result result = run(program, {});
    if (result.fault)
      FAIL(result.fault->text);
    for (int i = 0; i < 12; ++i) {
      const int want = 10 + 100 * (i / 4) + i % 4;
      if (dtype == DType::i32)
        CHECK(values<std::int32_t>(result.outputs[0])[i] == want);
      else
        CHECK(values<float>(result.outputs[0])[i] == static_cast<float>(want));
    }
  }
}

TEST_CASE("affine_select keeps the causal half") {
  constexpr unsigned n = 96;
  for (const DType dtype : {DType::f32, DType::bf16}) {
    Program program;
    program.tensor("c", DType::f32, TensorKind::output, {n, n});
    const Access tile = sbuf(dtype, n, n, 0),
                 out = sbuf(DType::f32, n, n, 4096);
    program.then(Engine::vector, isa::Memset{tile, 3.0f});
    isa::AffineSelect op;
    op.dst = op.on_true_tile = tile;
    op.pattern.rank = 1;
    op.pattern.dims[0] = {-1, n};
    op.channel_multiplier = 1;
    op.on_false_value = -INFINITY;
    op.cmp_op = AluOp::greater_equal;
    program.then(Engine::gpsimd, op);
    program.then(Engine::vector, isa::TensorCopy{out, tile});
    program.store(0, out);
    const sim::Result result = run(program, {});
    if (result.fault)
      FAIL(result.fault->text);
    const auto got = values<float>(result.outputs[0]);
    for (unsigned p = 0; p < n; ++p)
      for (unsigned j = 0; j < n; ++j)
        if (got[p * n + j] != (j <= p ? 3.0f : -INFINITY))
          FAIL(p << " " << j);
  }
}

TEST_CASE("dma_copy pairs elements in order and casts through fp32") {
  constexpr unsigned P = 32, N = 48;
  Program program;
  program.tensor("a", DType::f32, TensorKind::input, {P, N});
  program.tensor("c", DType::bf16, TensorKind::output, {N, P});
  const Access x = sbuf(DType::f32, P, N, 0);
  // Columns of the tensor become lanes, then leave in another order.
  program.then(Engine::sync,
               isa::DmaCopy{x, hbm(0, DType::f32, {{1, P * N}}), 0, {}});
  program.then(Engine::sync,
               isa::DmaCopy{hbm(1, DType::bf16, {{1, P}, {P, N}}), x, 0, {}});
  const auto a = someFloats(P * N, 8);
  const sim::Result result = run(program, {data("a", a)});
  if (result.fault)
    FAIL(result.fault->text);
  const auto got = values<std::uint16_t>(result.outputs[0]);
  for (unsigned p = 0; p < P; ++p)
    for (unsigned i = 0; i < N; ++i)
      if (got[i * P + p] != slowBf16(a[p * N + i]))
        FAIL(p << " " << i);
}

TEST_CASE("loops with registers, rings and zero trips") {
  constexpr unsigned P = 32, N = 16, trips = 6;
  Program program;
  program.tensor("a", DType::f32, TensorKind::input, {trips * P, N});
  program.tensor("c", DType::f32, TensorKind::output, {trips * P, N});
  const isa::Register i{0}, ring{1}, never{2};
  const auto slot = [&] {
    Access access = sbuf(DType::f32, P, N, 0);
    access.numTerms = 1;
    access.terms[0] = {ring, 4};
    return access;
  };
  const auto rows = [&](unsigned tensor) {
    Access access = hbm(tensor, DType::f32, {{1, P * N}});
    access.numTerms = 1;
    access.terms[0] = {i, P * N * 4};
    return access;
  };
  // Sync loads into a ring of two slots, scalar stores from it.
  for (const Engine engine : {Engine::sync, Engine::scalar}) {
    const bool loads = engine == Engine::sync;
    program.add(engine, isa::RegisterMove{ring, {0}});
    if (!loads)
      program.add(engine, isa::Semaphore{}).signals = {{1, 2}};
    program.add(engine, isa::LoopBegin{i, {0}, {int(trips)}, 1});
    isa::Instruction &move =
        program.add(engine, loads ? isa::DmaCopy{slot(), rows(0), 0, {}}
                                  : isa::DmaCopy{rows(1), slot(), 1, {}});
    move.waits = {{static_cast<std::uint16_t>(loads ? 1 : 0), 1}};
    move.signals = {{static_cast<std::uint16_t>(loads ? 0 : 1), 1}};
    program.add(engine, isa::RegisterWrap{ring, N, 2 * N, 0});
    program.add(engine, isa::LoopEnd{});
    if (loads)
      program.add(engine, isa::Semaphore{}).waits = {{1, 2}};
    program.add(engine, isa::LoopBegin{never, {5}, {5}, 1});
    program.add(engine, isa::Semaphore{}).waits = {{9, 1}};
    program.add(engine, isa::LoopEnd{});
  }
  const auto a = someFloats(trips * P * N, 11, false);
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const sim::Result result = run(program, {data("a", a)}, seed);
    if (result.fault)
      FAIL(result.fault->text);
    CHECK(values<float>(result.outputs[0]) == a);
  }
  // One credit too many: the load may overtake the store.
  program.module.streams[2][1].signals = {{1, 3}};
  for (auto &instruction : program.module.streams[4])
    if (std::holds_alternative<isa::Semaphore>(instruction.body) &&
        !instruction.waits.empty() && instruction.waits[0].semaphore == 1)
      instruction.waits = {{1, 3}};
  const sim::Result race = run(program, {data("a", a)});
  REQUIRE(race.fault);
  CHECK(race.fault->code == "KILN-X005");
}

TEST_CASE("register_load and register_store move one element") {
  Program program;
  program.tensor("n", DType::i32, TensorKind::input, {2});
  program.tensor("c", DType::i32, TensorKind::output, {2});
  const isa::Register r{4};
  const auto element = [](unsigned tensor, std::int64_t byte) {
    return hbm(tensor, DType::i32, {{1, 1}}, byte);
  };
  program.add(Engine::sync, isa::RegisterLoad{r, element(0, 4)});
  program.add(Engine::sync,
              isa::RegisterAlu{r, isa::RegisterOp::floor_divide, {r}, {4}});
  program.add(Engine::sync, isa::RegisterStore{element(1, 0), {r}});
  program.add(Engine::sync, isa::RegisterStore{element(1, 4), {77}});
  sim::Options options;
  const sim::Execution result =
      sim::execute(program.module, isa::trn2,
                   {data("n", std::vector<std::int32_t>{5, -9})}, options);
  if (result.fault)
    FAIL(result.fault->text);
  CHECK(values<std::int32_t>(result.outputs[0]) ==
        std::vector<std::int32_t>{-3, 77});
  CHECK(result.registerLoads[4] == std::vector<std::int32_t>{-9});
}

TEST_CASE(
    "dma_copy: of overlapping rows of the destination the last one wins") {
  constexpr unsigned rows = 128, width = 512, step = 200, copies = 24;
  constexpr unsigned size = step * (rows - 1) + width;
  Program program;
  program.tensor("a", DType::f32, TensorKind::input, {rows, width});
  const Access tile = sbuf(DType::f32, rows, width, 0);
  program.load(tile, 0);
  // More than one, so that all threads are awake.
  for (unsigned i = 0; i < copies; ++i) {
    const unsigned c = program.tensor("c" + std::to_string(i), DType::f32,
                                      TensorKind::output, {size});
    program.then(
        Engine::sync,
        isa::DmaCopy{
            hbm(c, DType::f32, {{step, rows}, {1, width}}), tile, 0, {}});
  }
  const std::vector<float> in = someFloats(rows * width, 3);
  std::vector<float> want(size);
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned i = 0; i < width; ++i)
      want[r * step + i] = in[r * width + i];
  for (const unsigned threads : {1u, 2u, 4u}) {
    CAPTURE(threads);
    sim::Options options;
    options.threads = threads;
    const sim::Execution run =
        sim::execute(program.module, isa::trn2, {data("a", in)}, options);
    REQUIRE_FALSE(run.fault);
    for (const sim::TensorData &output : run.outputs)
      CHECK(firstDifference(values<float>(output), want) == none);
  }
}

TEST_CASE("dma_copy: rows of several runs", "[memory]") {
  constexpr unsigned rows = 32, runs = 6, copies = 8;
  constexpr unsigned size = 9000;
  struct Pattern {
    std::int32_t row, run;
  };
  // Row after row, run after run, backwards, and with overlaps of all kinds.
  const std::vector<Pattern> patterns = {{240, 40}, {36, 1200}, {-240, 40},
                                         {100, 32}, {20, 1000}, {36, 24},
                                         {0, 40},   {40, 0}};
  for (const unsigned width : {32u, 8u})
    for (const Pattern &from : patterns)
      for (const Pattern &to : patterns) {
        if (to.row == 0 || to.run == 0)
          continue; // Only for reading.
        CAPTURE(width, from.row, from.run, to.row, to.run);
        const auto first = [&](const Pattern &pattern) {
          return pattern.row < 0 ? -pattern.row * (rows - 1) : 0;
        };
        const auto dims = [&](const Pattern &pattern, unsigned tensor) {
          return hbm(tensor, DType::f32,
                     {{pattern.row, rows}, {pattern.run, runs}, {1, width}},
                     first(pattern) * static_cast<std::int64_t>(sizeof(float)));
        };
        Program program;
        program.tensor("a", DType::f32, TensorKind::input, {size});
        const Access tile = sbuf(DType::f32, rows, runs * width, 0);
        program.then(Engine::sync, isa::DmaCopy{tile, dims(from, 0), 0, {}});
        const Access all = hbm(0, DType::f32, {{1, size}});
        for (unsigned i = 0; i < copies; ++i) {
          const unsigned c = program.tensor("c" + std::to_string(i), DType::f32,
                                            TensorKind::output, {size});
          program.then(
              Engine::sync,
              isa::DmaCopy{hbm(c, DType::f32, {{1, size}}), all, 0, {}});
          program.then(Engine::sync, isa::DmaCopy{dims(to, c), tile, 0, {}});
        }
        const std::vector<float> in = someFloats(size, 3);
        std::vector<float> want = in;
        for (unsigned r = 0; r < rows; ++r)
          for (unsigned j = 0; j < runs; ++j)
            for (unsigned i = 0; i < width; ++i)
              want[first(to) + r * to.row + j * to.run + i] =
                  in[first(from) + r * from.row + j * from.run + i];
        for (const unsigned threads : {1u, 3u}) {
          sim::Options options;
          options.threads = threads;
          const sim::Execution run =
              sim::execute(program.module, isa::trn2, {data("a", in)}, options);
          if (run.fault)
            FAIL(run.fault->text);
          for (const sim::TensorData &output : run.outputs)
            REQUIRE(firstDifference(values<float>(output), want) == none);
        }
      }
}

//===- cost_test.cpp - Cycles of the cost classes ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"
#include "kiln/isa/cost.h"

namespace kiln::test::cost_test {

using namespace kiln::sim::test;

namespace {

/// Cycles between two starts, less the engine's fixed part.
template <class Op>
double cycles(Engine engine, Op op, Generation generation = Generation::v3) {
  ModuleBuilder builder(generation);
  builder.add(engine, op);
  const isa::Target &target = isa::target(generation);
  const double all =
      ns(builder.time().engines[static_cast<std::size_t>(engine)].busy) *
      target.ghz(engine);
  return all - (engine == Engine::vector   ? target.vector_ii_extra_cycles
                : engine == Engine::scalar ? target.scalar_ii_extra_cycles
                                           : target.gpsimd_start_cycles);
}

isa::Access tile(std::uint32_t n, std::int64_t offset) {
  return sbuf(DType::f32, 128, n, offset);
}

} // namespace

TEST_CASE("scans and statistics cost what is published") {
  isa::TensorTensorScan scan;
  scan.dst = tile(512, 0);
  scan.data0 = tile(512, 4096);
  scan.data1 = tile(512, 8192);
  REQUIRE(cycles(Engine::vector, scan) == Approx(1024).margin(1));
  // Its inputs in two memories do not help: each element needs the last one.
  scan.data1 = psum(DType::f32, 128, 512);
  REQUIRE(cycles(Engine::vector, scan) == Approx(1024).margin(1));
  isa::BnAggr aggregate;
  aggregate.dst = tile(2, 0);
  aggregate.data = tile(48, 4096);
  REQUIRE(cycles(Engine::vector, aggregate) == Approx(13 * 48 / 3).margin(1));
  isa::BnStats statistics;
  statistics.dst = tile(6, 0);
  statistics.data = tile(512, 4096);
  REQUIRE(cycles(Engine::vector, statistics) == Approx(512).margin(1));
}

TEST_CASE("a reciprocal passes an element a cycle") {
  isa::Reciprocal op;
  op.dst = tile(2048, 0);
  op.data = tile(2048, 16384);
  for (const Generation generation :
       {Generation::v2, Generation::v3, Generation::v4})
    REQUIRE(cycles(Engine::vector, op, generation) == Approx(2048).margin(1));
}

TEST_CASE("f32 transposes take two passes, on trn1 as a product with 0 and 1") {
  const auto busy = [](Generation generation, const auto &op) {
    ModuleBuilder builder(generation);
    builder.add(Engine::tensor, op);
    return ns(builder.time().engines[0].busy) *
           isa::target(generation).tensor_ghz /
           (generation == Generation::v2 ? 1 : 2); // Cold: half the rate.
  };
  isa::NcTranspose transpose;
  transpose.data = sbuf(DType::f32, 128, 32);
  transpose.dst = psum(DType::f32, 32, 128);
  isa::NcMatmul product = matmul(DType::f32, 128, 32, 128);
  product.is_moving_onezero = true;
  REQUIRE(busy(Generation::v2, transpose) == Approx(2 * 131).margin(1));
  REQUIRE(busy(Generation::v2, transpose) == busy(Generation::v2, product));
  // Both halves of a wide stationary operand take longer to load than that.
  transpose.data = sbuf(DType::f32, 128, 128);
  transpose.dst = psum(DType::f32, 128, 128);
  product = matmul(DType::f32, 128, 128, 128);
  product.is_moving_onezero = true;
  REQUIRE(busy(Generation::v2, transpose) == Approx(2 * 2 * 128).margin(1));
  REQUIRE(busy(Generation::v2, transpose) == busy(Generation::v2, product));
  // Later ones move bits, with one load.
  REQUIRE(busy(Generation::v3, transpose) < 2 * 2 * 128);
}

TEST_CASE("reading an accumulator out takes 64 cycles") {
  isa::TensorScalarReduce reduce;
  reduce.dst = tile(512, 0);
  reduce.data = tile(512, 4096);
  REQUIRE(cycles(Engine::vector, reduce) == Approx(512 + 64).margin(1));
  isa::Activation sum;
  sum.op = isa::ActivationFunction::copy;
  sum.dst = tile(512, 0);
  sum.data = tile(512, 4096);
  REQUIRE(cycles(Engine::scalar, sum) == Approx(512).margin(1));
  sum.reduce_res = tile(1, 8192);
  REQUIRE(cycles(Engine::scalar, sum) == Approx(512 + 64).margin(1));
}

TEST_CASE("filling passes what the data path does, zero of 16 bits two") {
  const auto fill = [](isa::Access dst, float value,
                       Generation generation = Generation::v3) {
    isa::Memset op;
    op.dst = dst;
    op.value = value;
    return cycles(Engine::vector, op, generation);
  };
  const isa::Access halves = sbuf(DType::bf16, 128, 1024);
  const isa::Access apart = sbuf(DType::bf16, 128, 1024, 0, 2);
  REQUIRE(fill(halves, 1) == Approx(512).margin(1));
  REQUIRE(fill(halves, 0) == Approx(512).margin(1));
  REQUIRE(fill(apart, 1) == Approx(1024).margin(1));
  REQUIRE(fill(apart, 0) == Approx(512).margin(1));
  REQUIRE(fill(psum(DType::f32, 128, 512), 1) == Approx(512).margin(1));
  REQUIRE(fill(psum(DType::f32, 128, 512), 0) == Approx(512).margin(1));
  REQUIRE(fill(halves, 1, Generation::v2) == Approx(1024).margin(1));
  REQUIRE(fill(halves, 0, Generation::v2) == Approx(512).margin(1));
}

TEST_CASE("products start 64 cycles apart at least") {
  const auto interval = [](std::uint32_t n) {
    isa::NcMatmul op = matmul(DType::bf16, 128, 64, n);
    ModuleBuilder builder(Generation::v2);
    builder.add(Engine::tensor, op);
    return ns(builder.time().engines[0].busy) * isa::trn1.tensor_ghz;
  };
  for (const std::uint32_t n : {1u, 32u, 61u})
    REQUIRE(interval(n) == Approx(64).margin(.1));
  REQUIRE(interval(62) == Approx(65).margin(.1));
  REQUIRE(interval(512) == Approx(515).margin(.1));
}

TEST_CASE("a stationary operand with gaps loads at half the rate") {
  const auto load = [](std::int32_t stride) {
    ModuleBuilder builder(Generation::v2);
    isa::NcMatmul op = matmul(DType::bf16, 128, 128, 64);
    op.stationary = sbuf(DType::bf16, 128, 128, 0, stride);
    builder.add(Engine::tensor, op);
    const auto weights = static_cast<std::size_t>(StallReason::weights);
    return ns(builder.time().engines[0].stalls[weights]) * isa::trn1.tensor_ghz;
  };
  REQUIRE(load(1) == Approx(32).margin(.1));
  REQUIRE(load(8) == Approx(32).margin(.1)); // 16 bytes
  REQUIRE(load(9) == Approx(64).margin(.1));
}

TEST_CASE("the exponential of trn3 passes four elements per cycle") {
  isa::Exponential exp;
  exp.dst = tile(2048, 0);
  exp.src = tile(2048, 8192);
  REQUIRE(cycles(Engine::vector, exp, Generation::v4) == Approx(512).margin(1));
}

TEST_CASE("sums over partitions take GpSimd's cores in turn") {
  isa::TensorPartitionReduce reduce;
  reduce.dst = sbuf(DType::f32, 1, 100, 0);
  reduce.data = tile(100, 4096);
  REQUIRE(cycles(Engine::gpsimd, reduce) ==
          Approx(2 * 128 * 100 / 16).margin(1));
}

TEST_CASE("every record's cost class has a row, and every row is told once") {
  for (const isa::InstructionInfo &record : isa::instructionTable)
    REQUIRE(isa::costModel(record.cost).name == isa::name(record.cost));
  for (const isa::CostModel &model : isa::costModels) {
    INFO(model.name);
    REQUIRE(isa::findCostModel(model.name) == &model);
    REQUIRE_FALSE(model.source.empty());
  }
}

TEST_CASE("functions in every table, in one, and in the table of the rest") {
  using isa::ActivationFunction;
  using isa::FunctionTable;
  REQUIRE(isa::functionTable(ActivationFunction::copy) == FunctionTable::all);
  REQUIRE(isa::functionTable(ActivationFunction::exp) ==
          isa::functionTable(ActivationFunction::log));
  REQUIRE(isa::functionTable(ActivationFunction::exp) !=
          isa::functionTable(ActivationFunction::tanh));
  REQUIRE(isa::functionTable(ActivationFunction::erf) == FunctionTable::rest);
}

} // namespace kiln::test::cost_test

//===- energy_test.cpp - The estimate of energy ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"
#include "kiln/isa/target_file.h"
#include "kiln/sim/profile.h"

#include <map>
#include <utility>

namespace kiln::test::energy_test {

using namespace kiln::sim::test;

namespace {

using Catch::Matchers::WithinRel;
using isa::Access;

/// `count` copies of 128 x 512 f32 in SBUF.
ModuleBuilder copies(unsigned count) {
  ModuleBuilder builder;
  for (unsigned i = 0; i < count; ++i)
    builder.add(Engine::vector, tensorCopy(sbuf(DType::f32, 128, 512, 4096),
                                           sbuf(DType::f32, 128, 512)));
  return builder;
}

EnergyCounts countsOf(const ModuleBuilder &builder) {
  return energyCounts(builder.module, builder.time(),
                      isa::target(builder.module.generation));
}

/// All that is counted, by the order of its item; nothing else is.
void requireCounts(const EnergyCounts &counts,
                   const std::map<EnergyOf, std::uint64_t> &wanted) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto found = wanted.find(static_cast<EnergyOf>(i));
    CAPTURE(energyItems[i].part, energyItems[i].name);
    CHECK(counts[i] == (found == wanted.end() ? 0 : found->second));
  }
}

/// Of a program that is one instruction.
EnergyCounts alone(isa::Body body, Engine engine,
                   Generation generation = Generation::v3) {
  ModuleBuilder builder(generation);
  builder.add(engine, std::move(body));
  return countsOf(builder);
}

} // namespace

TEST_CASE("k instructions take k times what the table says") {
  for (const std::uint64_t k : {1u, 2u, 7u, 64u}) {
    constexpr std::uint64_t elements = 128 * 512;
    const EnergyCounts counts = countsOf(copies(static_cast<unsigned>(k)));
    requireCounts(counts, {{EnergyOf::vectorOther, k * elements},
                           {EnergyOf::sbufRead, k * elements * 4},
                           {EnergyOf::sbufWrite, k * elements * 4},
                           {EnergyOf::instruction, k}});
    const isa::Target &target = isa::trn2;
    const double one = elements * 4 * 2 * target.energy_sbuf_pj;
    CHECK_THAT(counts.joules(target),
               WithinRel(static_cast<double>(k) * one * 1e-12, 1e-12));
  }
}

TEST_CASE("a loop counts what it runs") {
  ModuleBuilder unrolled = copies(5), rolled;
  rolled.loop(Engine::vector, 5)
      .add(Engine::vector, tensorCopy(sbuf(DType::f32, 128, 512, 4096),
                                      sbuf(DType::f32, 128, 512)))
      .endLoop(Engine::vector);
  EnergyCounts one = countsOf(unrolled), other = countsOf(rolled);
  CHECK(other.of(EnergyOf::instruction) == 1 + 5 + 5);
  one.of(EnergyOf::instruction) = other.of(EnergyOf::instruction) = 0;
  CHECK(one == other);
}

TEST_CASE("products count multiply-adds by type, and bytes of PSUM") {
  const auto product = [](DType dtype, bool accumulates) {
    ModuleBuilder builder;
    isa::NcMatmul op = matmul(dtype, 128, 64, 256);
    op.accumulate = accumulates;
    builder.add(Engine::tensor, op);
    const EnergyCounts counts = countsOf(builder);
    // What the model of time counts on its own.
    std::uint64_t flops = 0;
    for (const std::uint64_t rate : builder.time().matmulFlops)
      flops += rate;
    CHECK(flops ==
          2 * (counts.of(EnergyOf::macF32) + counts.of(EnergyOf::mac16)));
    return counts;
  };
  constexpr std::uint64_t macs = 128 * 64 * 256, sum = 64 * 256 * 4;
  requireCounts(product(DType::bf16, false),
                {{EnergyOf::mac16, macs},
                 {EnergyOf::sbufRead, 128 * (64 + 256) * 2},
                 {EnergyOf::psumWrite, sum},
                 {EnergyOf::instruction, 1}});
  requireCounts(product(DType::f32, true),
                {{EnergyOf::macF32, macs},
                 {EnergyOf::sbufRead, 128 * (64 + 256) * 4},
                 {EnergyOf::psumRead, sum},
                 {EnergyOf::psumWrite, sum},
                 {EnergyOf::instruction, 1}});
}

TEST_CASE("two rows of 8-bit operands are 8-bit products") {
  isa::NcMatmul op = matmul(DType::f8e4m3, 128, 64, 256);
  op.perf_mode = isa::PerformanceMode::double_row;
  op.stationary.rank = op.moving.rank = 2;
  op.stationary.dims = {isa::Dim{64, 2}, isa::Dim{1, 64}};
  op.moving.dims = {isa::Dim{256, 2}, isa::Dim{1, 256}};
  requireCounts(alone(op, Engine::tensor),
                {{EnergyOf::mac8, 2 * 128 * 64 * 256},
                 {EnergyOf::sbufRead, 128 * 2 * (64 + 256)},
                 {EnergyOf::psumWrite, 64 * 256 * 4},
                 {EnergyOf::instruction, 1}});
}

TEST_CASE("packed operands count four values for an element") {
  const auto product = [](DType dtype) {
    isa::NcMatmulMx op;
    op.dst = psum(DType::f32, 64, 256);
    op.stationary = sbuf(dtype, 128, 64);
    op.moving = sbuf(dtype, 128, 256, 4096);
    op.stationary_scale = sbuf(DType::u8, 100, 64, 8192);
    op.moving_scale = sbuf(DType::u8, 100, 256, 12288);
    return alone(op, Engine::tensor, Generation::v4);
  };
  constexpr std::uint64_t macs = 4 * 128 * 64 * 256;
  CHECK(product(DType::f8e4m3fn_x4).of(EnergyOf::mac8) == macs);
  CHECK(product(DType::f4e2m1fn_x4).of(EnergyOf::mac4) == macs);
}

TEST_CASE("a transpose is no product") {
  isa::NcTranspose op;
  op.dst = psum(DType::bf16, 128, 64);
  op.data = sbuf(DType::bf16, 64, 128);
  requireCounts(alone(op, Engine::tensor), {{EnergyOf::transposed, 64 * 128},
                                            {EnergyOf::sbufRead, 64 * 128 * 2},
                                            {EnergyOf::psumWrite, 64 * 128 * 2},
                                            {EnergyOf::instruction, 1}});
}

TEST_CASE("operators count by kind on the engine that has them") {
  constexpr std::uint64_t n = 128 * 512;
  const Access dst = sbuf(DType::f32, 128, 512, 8192),
               x = sbuf(DType::f32, 128, 512),
               y = sbuf(DType::f32, 128, 512, 4096);
  requireCounts(alone(tensorTensor(dst, x, y), Engine::vector),
                {{EnergyOf::vectorAdd, n},
                 {EnergyOf::sbufRead, 2 * n * 4},
                 {EnergyOf::sbufWrite, n * 4},
                 {EnergyOf::instruction, 1}});
  const auto times = tensorTensor(dst, x, y, isa::AluOp::multiply);
  CHECK(alone(times, Engine::gpsimd).of(EnergyOf::gpsimdMultiply) == n);
  const auto less = tensorTensor(dst, x, y, isa::AluOp::less);
  CHECK(alone(less, Engine::vector).of(EnergyOf::vectorAdd) == n);
  const auto power = tensorTensor(dst, x, y, isa::AluOp::power);
  requireCounts(alone(power, Engine::gpsimd), {{EnergyOf::gpsimdOther, n},
                                               {EnergyOf::sbufRead, 2 * n * 4},
                                               {EnergyOf::sbufWrite, n * 4},
                                               {EnergyOf::instruction, 1}});

  // Two operators, of which the second may be absent.
  isa::TensorScalar both;
  both.dst = dst;
  both.data = x;
  both.op0 = isa::AluOp::multiply;
  CHECK(alone(both, Engine::vector).of(EnergyOf::vectorMultiply) == n);
  CHECK(alone(both, Engine::vector).of(EnergyOf::vectorAdd) == 0);
  both.op1 = isa::AluOp::subtract;
  CHECK(alone(both, Engine::vector).of(EnergyOf::vectorMultiply) == n);
  CHECK(alone(both, Engine::vector).of(EnergyOf::vectorAdd) == n);
  both.op1 = isa::AluOp::abs;
  CHECK(alone(both, Engine::vector).of(EnergyOf::vectorOther) == n);

  // All that is read is reduced.
  isa::TensorReduce sum;
  sum.op = isa::AluOp::add;
  sum.data = x;
  sum.dst = sbuf(DType::f32, 128, 1, 8192);
  requireCounts(alone(sum, Engine::vector), {{EnergyOf::vectorAdd, n},
                                             {EnergyOf::sbufRead, n * 4},
                                             {EnergyOf::sbufWrite, 128 * 4},
                                             {EnergyOf::instruction, 1}});
}

TEST_CASE("a function counts beside its multiplication and addition") {
  constexpr std::uint64_t n = 128 * 512;
  isa::Activation op =
      activation(isa::ActivationFunction::exp, sbuf(DType::bf16, 128, 512),
                 psum(DType::f32, 128, 512));
  const std::map<EnergyOf, std::uint64_t> counts{
      {EnergyOf::scalarAdd, n},     {EnergyOf::scalarMultiply, n},
      {EnergyOf::scalarOther, n},   {EnergyOf::psumRead, n * 4},
      {EnergyOf::sbufWrite, n * 2}, {EnergyOf::instruction, 1}};
  requireCounts(alone(op, Engine::scalar), counts);
  // The accumulator that nobody asks for adds nothing.
  op.reduce_op = isa::AluOp::add;
  requireCounts(alone(op, Engine::scalar), counts);
  op.reduce_cmd = isa::ReduceCommand::reset_reduce;
  CHECK(alone(op, Engine::scalar).of(EnergyOf::scalarAdd) == 2 * n);
  op.op = isa::ActivationFunction::copy;
  CHECK(alone(op, Engine::scalar).of(EnergyOf::scalarOther) == 0);

  isa::Activate2 other;
  other.op = isa::ActivationFunction::tanh;
  other.dst = op.dst;
  other.data = op.data;
  other.op0 = isa::AluOp::multiply;
  const EnergyCounts of = alone(other, Engine::scalar, Generation::v4);
  CHECK(of.of(EnergyOf::scalarMultiply) == n);
  CHECK(of.of(EnergyOf::scalarAdd) == 0);
  CHECK(of.of(EnergyOf::scalarOther) == n);
}

TEST_CASE("control computes nothing") {
  isa::Instruction load;
  load.body = isa::RegisterLoad{{0}, sbuf(DType::i32, 1, 1)};
  requireCounts(energyCounts(load, Engine::vector, isa::trn2),
                {{EnergyOf::sbufRead, 4}, {EnergyOf::instruction, 1}});
}

TEST_CASE("transfers count bytes of each level") {
  constexpr std::uint64_t bytes = 128 * 1024 * 2;
  const Access chip = sbuf(DType::bf16, 128, 1024),
               far = hbm(DType::bf16, 128, 1024);
  ModuleBuilder in, out;
  in.add(Engine::sync, dmaCopy(chip, far));
  out.add(Engine::sync, dmaCopy(far, chip));
  requireCounts(countsOf(in), {{EnergyOf::sbufWrite, bytes},
                               {EnergyOf::hbmRead, bytes},
                               {EnergyOf::dma, bytes},
                               {EnergyOf::instruction, 1}});
  requireCounts(countsOf(out), {{EnergyOf::sbufRead, bytes},
                                {EnergyOf::hbmWrite, bytes},
                                {EnergyOf::dma, bytes},
                                {EnergyOf::instruction, 1}});
}

TEST_CASE("instructions that do not wait in the queue are read from HBM") {
  const ModuleBuilder builder = copies(3000);
  const Timing timing = builder.time();
  const EnergyCounts counts = energyCounts(builder.module, timing, isa::trn2);
  REQUIRE(timing.fetchedBytes > 0);
  CHECK(counts.of(EnergyOf::hbmRead) == timing.fetchedBytes);
}

TEST_CASE("what runs nothing takes nothing") {
  const ModuleBuilder builder;
  for (const bool trace : {false, true}) {
    const Timing timing = builder.time({.trace = trace, .registerLoads = {}});
    const EnergyReport energy =
        makeProfile(builder.module, timing, isa::trn2).energy;
    requireCounts(energy.counts, {});
    CHECK(energy.joules == 0);
    CHECK(energy.averageWatts == 0);
    CHECK(energy.tokensPerJoule == 0);
    CHECK(!energy.peak);
  }
}

TEST_CASE("a parameter twice as large doubles its share, and no other") {
  ModuleBuilder builder = copies(3);
  builder.add(Engine::tensor, matmul(DType::bf16, 128, 64, 256));
  const Timing timing = builder.time();
  const EnergyCounts counts = energyCounts(builder.module, timing, isa::trn2);
  for (std::size_t i = 0; i < numEnergyItems; ++i) {
    const EnergyItem &item = energyItems[i];
    CAPTURE(item.parameter);
    isa::Target target = isa::trn2;
    // Its name leads to the field.
    const std::string line = std::string(item.parameter) + " = 123";
    REQUIRE(!isa::applyOverrides(target, line, "test"));
    CHECK(target.*item.each == 123);
    target = isa::trn2;
    target.*item.each *= 2;
    for (std::size_t other = 0; other < numEnergyItems; ++other) {
      const auto of = static_cast<EnergyOf>(other);
      const double before = joulesOf(of, counts[other], isa::trn2);
      CHECK(joulesOf(of, counts[other], target) ==
            (energyItems[other].each == item.each ? 2 : 1) * before);
    }
    // No time depends on it.
    CHECK(builder.time(target).makespan == timing.makespan);
  }
  isa::Target target = isa::trn2;
  target.energy_static_watts = 20;
  const double still = staticJoules(timing, target);
  CHECK_THAT(still,
             WithinRel(20e-12 * static_cast<double>(timing.makespan), 1e-12));
  target.energy_static_watts *= 2;
  CHECK(staticJoules(timing, target) == 2 * still);
}

TEST_CASE("a profile adds up, and knows power and tokens") {
  ModuleBuilder builder = copies(40);
  builder.module.facts["model_tokens"] = "512";
  isa::Target target = isa::trn2;
  target.energy_static_watts = 12;
  target.energy_other_pj = 1.5;
  const Timing timing =
      builder.time(target, {.trace = true, .registerLoads = {}});
  const EnergyReport energy =
      makeProfile(builder.module, timing, target).energy;
  const double seconds = static_cast<double>(timing.makespan) * 1e-12;
  double sum = energy.staticJoules;
  for (std::size_t i = 0; i < numEnergyItems; ++i) {
    CHECK(energy.pj[i] == target.*energyItems[i].each);
    CHECK(energy.isGiven[i] == (energyItems[i].parameter == "energy_other_pj"));
    sum += static_cast<double>(energy.counts[i]) * energy.pj[i] * 1e-12;
  }
  CHECK_THAT(energy.joules, WithinRel(sum, 1e-12));
  CHECK_THAT(energy.staticJoules, WithinRel(12 * seconds, 1e-12));
  CHECK_THAT(energy.averageWatts, WithinRel(energy.joules / seconds, 1e-12));
  CHECK(energy.tokens == 512);
  CHECK_THAT(energy.tokensPerJoule, WithinRel(512 / energy.joules, 1e-12));
  // Copies one after the other: the same power all the time.
  REQUIRE(energy.peak);
  CHECK_THAT(energy.peak->watts, WithinRel(energy.averageWatts, 0.1));
  CHECK(energy.peak->watts >= energy.averageWatts);
  // Without events nothing is said of a peak.
  CHECK(!makeProfile(builder.module, builder.time(), target).energy.peak);
}

TEST_CASE("a peak is that of the busiest stretch") {
  // A pause, in which a short transfer is under way, then copies.
  ModuleBuilder builder = copies(20);
  builder.module.streams[1].front().waits = {{0, 1}};
  builder.add(Engine::sync,
              dmaCopy(sbuf(DType::f32, 1, 16, 8192), hbm(DType::f32, 1, 16)),
              {}, {{0, 1}});
  const Timing timing = builder.time({.trace = true, .registerLoads = {}});
  const auto peak = peakPower(builder.module, timing, isa::trn2, powerWindow);
  const auto all =
      peakPower(builder.module, timing, isa::trn2, timing.makespan);
  REQUIRE(peak);
  REQUIRE(all);
  CHECK(all->stretch == timing.makespan);
  CHECK(peak->stretch >= powerWindow);
  CHECK(peak->stretch < 2 * powerWindow);
  const double busy =
      energyCounts(builder.module.streams[1].back(), Engine::vector, isa::trn2)
          .joules(isa::trn2) /
      (static_cast<double>(timing.engines[1].busy) / 20 * 1e-12);
  CHECK(peak->watts > 1.1 * all->watts);
  CHECK_THAT(peak->watts, WithinRel(busy, 0.05));
}

TEST_CASE("no average is above the peak, wherever the stretches end") {
  const ModuleBuilder builder = copies(9);
  const Timing timing = builder.time({.trace = true, .registerLoads = {}});
  const double average =
      energyCounts(builder.module, timing, isa::trn2).joules(isa::trn2) /
      (static_cast<double>(timing.makespan) * 1e-12);
  for (const int parts : {1, 2, 3, 5, 7, 64, 1000}) {
    const Picoseconds least = timing.makespan / parts - 1;
    const auto peak = peakPower(builder.module, timing, isa::trn2, least);
    REQUIRE(peak);
    CHECK(peak->watts >= average * (1 - 1e-9));
  }
}

} // namespace kiln::test::energy_test

//===- bounds.cpp - The checker: which iterations there are ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitStreams.h"
#include "RandomProgram.h"
#include "Streams.h"
#include "catch.h"

namespace kiln::problems::test::bounds_test {

using Kind = SyncReport::Kind;
using isa::RegisterOp;

namespace {

isa::RegisterOrInt reg(std::uint8_t index) { return {isa::Register{index}}; }

isa::Body alu(std::uint8_t dst, RegisterOp op, isa::RegisterOrInt a,
              isa::RegisterOrInt b,
              isa::RegisterType type = isa::RegisterType::i32) {
  isa::RegisterAlu body;
  body.dst = {dst};
  body.op = op;
  body.type = type;
  body.a = a;
  body.b = b;
  return body;
}

/// 64 bytes at 64 times a register.
isa::Access slot(std::uint8_t index) {
  isa::Access access = ringSlot(0, 64, index);
  access.terms[0].scale = 64;
  return access;
}

isa::Body load(isa::DType dtype = isa::DType::i32) {
  isa::Access source = tile(8192, 1);
  source.dtype = dtype;
  source.partitions = 1;
  return isa::RegisterLoad{{0}, source};
}

/// Vector writes the slots of a loop from `begin` to `end`, registers that
/// `compute` makes of register 0, which is loaded; scalar writes slot `other`
/// at any time.
std::optional<SyncReport> slots(const std::vector<isa::Body> &compute,
                                isa::RegisterOrInt begin,
                                isa::RegisterOrInt end, std::int64_t other,
                                isa::DType dtype = isa::DType::i32) {
  Streams streams;
  streams.add(vector, 1, load(dtype));
  for (const isa::Body &body : compute)
    streams.add(vector, 2, body);
  streams.add(vector, 2, isa::LoopBegin{{5}, begin, end, 1})
      .add(vector, 3, write(slot(5)))
      .add(vector, 2, isa::LoopEnd{});
  streams.add(scalar, 4, write(tile(64 * other, 64)));
  return streams.check();
}

} // namespace

TEST_CASE("iterations that a bound excludes are not played") {
  struct Case {
    RegisterOp op;
    std::int32_t by;
    std::int64_t last; ///< Slot that can be written.
  };
  for (const Case &at :
       {Case{RegisterOp::minimum, 3, 2}, Case{RegisterOp::minimum, 1, 0},
        Case{RegisterOp::modulo, 4, 2}, Case{RegisterOp::modulo, 3, 1},
        Case{RegisterOp::bitwise_and, 2, 1}, Case{RegisterOp::less, 7, 0}}) {
    CAPTURE(static_cast<int>(at.op), at.by);
    const std::vector<isa::Body> compute{alu(1, at.op, reg(0), {at.by})};
    CHECK_FALSE(slots(compute, {0}, reg(1), at.last + 1));
    auto report = slots(compute, {0}, reg(1), at.last);
    REQUIRE(report);
    CHECK(report->kind == Kind::unordered);
  }
}

TEST_CASE("bounds follow arithmetic") {
  // min(max(r, 0) * 2 + 1, 9) / 4 is 0, 1 or 2.
  const std::vector<isa::Body> compute{
      alu(1, RegisterOp::maximum, reg(0), {0}),
      alu(1, RegisterOp::minimum, reg(1), {100}),
      alu(1, RegisterOp::multiply, reg(1), {2}),
      alu(1, RegisterOp::add, reg(1), {1}),
      alu(1, RegisterOp::minimum, reg(1), {9}),
      alu(1, RegisterOp::floor_divide, reg(1), {4})};
  CHECK_FALSE(slots(compute, {0}, reg(1), 2));
  CHECK(slots(compute, {0}, reg(1), 1));
  // 2^31 - 1 + 2 is negative: a sum that may wrap says nothing.
  const std::vector<isa::Body> wraps{alu(1, RegisterOp::maximum, reg(0), {0}),
                                     alu(1, RegisterOp::add, reg(1), {2}),
                                     alu(1, RegisterOp::minimum, reg(1), {3})};
  CHECK_FALSE(slots(wraps, {0}, reg(1), 3));
  CHECK(slots(wraps, {0}, reg(1), 0));
  // Nothing is known of a product that may wrap, nor of floats.
  CHECK(
      slots({alu(1, RegisterOp::multiply, reg(0), {0x10000})}, {0}, reg(1), 2));
  CHECK(
      slots({alu(1, RegisterOp::minimum, reg(0), {1}, isa::RegisterType::f32)},
            {0}, reg(1), 2));
  // Narrow integers are bounded by their type.
  CHECK_FALSE(slots({alu(1, RegisterOp::right_shift, reg(0), {7})}, {0}, reg(1),
                    1, isa::DType::u8));
  CHECK(slots({alu(1, RegisterOp::right_shift, reg(0), {7})}, {0}, reg(1), 0,
              isa::DType::u8));
}

TEST_CASE("a counter that begins in memory may be anything in its bounds") {
  const std::vector<isa::Body> compute{
      alu(1, RegisterOp::minimum, reg(0), {6}),
      alu(1, RegisterOp::maximum, reg(1), {4})};
  for (const std::int64_t other : {4, 6, 8})
    CHECK(slots(compute, reg(1), {9}, other));
  for (const std::int64_t other : {3, 9})
    CHECK_FALSE(slots(compute, reg(1), {9}, other));
}

TEST_CASE("an address from memory reaches as far as its register") {
  const auto build = [](std::int64_t other) {
    Streams streams;
    streams.add(vector, 1, load())
        .add(vector, 1, alu(1, RegisterOp::modulo, reg(0), {3}))
        .add(vector, 2, write(slot(1)));
    streams.add(scalar, 3, write(tile(64 * other, 64)));
    return streams.check();
  };
  for (const std::int64_t other : {0, 1, 2})
    CHECK(build(other));
  CHECK_FALSE(build(3));
}

TEST_CASE("remainders of remainders reach no further than each allows") {
  // Slots that vector may write, and scalar writes one at any time.
  const auto conflicts = [](const std::vector<isa::Body> &compute,
                            std::int64_t other) {
    Streams streams;
    streams.add(vector, 1, load());
    for (const isa::Body &body : compute)
      streams.add(vector, 1, body);
    streams.add(vector, 2, write(slot(1)));
    streams.add(scalar, 3, write(tile(64 * other, 64)));
    return streams.check().has_value();
  };
  // ((r mod 2) * 7) mod 62 is at most 7, ((r mod 3) * 7 + 1) mod 11 at most 10.
  const std::vector<isa::Body> whole{alu(1, RegisterOp::modulo, reg(0), {2}),
                                     alu(1, RegisterOp::multiply, reg(1), {7}),
                                     alu(1, RegisterOp::modulo, reg(1), {62})};
  const std::vector<isa::Body> cut{alu(1, RegisterOp::modulo, reg(0), {3}),
                                   alu(1, RegisterOp::multiply, reg(1), {7}),
                                   alu(1, RegisterOp::add, reg(1), {1}),
                                   alu(1, RegisterOp::modulo, reg(1), {11})};
  for (const std::int64_t other : {0, 7})
    CHECK(conflicts(whole, other));
  CHECK_FALSE(conflicts(whole, 8));
  for (const std::int64_t other : {0, 1, 4, 8, 10})
    CHECK(conflicts(cut, other));
  CHECK_FALSE(conflicts(cut, 11));
}

TEST_CASE("of reads, the one that is done last counts") {
  // In the program the stream's second read comes first.
  const auto build = [](bool waits) {
    Streams streams;
    streams.add(vector, 3, copy(tile(256, 64), tile(0, 64)), {}, {{0, 1}});
    streams.add(vector, 1, copy(tile(512, 64), tile(0, 64)), {}, {{0, 1}});
    streams.add(scalar, 4, write(tile(0, 64)),
                {{0, static_cast<std::uint16_t>(waits ? 2 : 1)}});
    if (!waits)
      streams.add(scalar, 5, isa::Semaphore{}, {{0, 1}});
    return streams.check();
  };
  CHECK_FALSE(build(true));
  auto report = build(false);
  REQUIRE(report);
  CHECK(report->kind == Kind::unordered);
}

TEST_CASE("each wait counts where trips and conditions are in memory") {
  // Vector writes and scalar copies, in a loop of up to `most` trips around an
  // if; each gives the other a token.
  const auto build = [](std::int32_t most) {
    Streams streams;
    for (const auto engine : {vector, scalar}) {
      const bool writes = engine == vector;
      isa::Access flag = tile(8196, 1);
      streams.add(engine, 1, load())
          .add(engine, 2, alu(1, RegisterOp::minimum, reg(0), {most}))
          .add(engine, 2, isa::LoopBegin{{5}, {0}, reg(1), 1})
          .add(engine, 3, isa::RegisterLoad{{2}, flag})
          .add(engine, 4, isa::If{{2}});
      if (writes)
        streams.add(engine, 5, write(slot(5)), {{1, 1}}, {{0, 1}});
      else
        streams.add(engine, 6, copy(tile(4096, 64), slot(5)), {{0, 1}},
                    {{1, 1}});
      streams.add(engine, 7, isa::EndIf{}).add(engine, 8, isa::LoopEnd{});
      if (writes)
        streams.add(engine, 9, write(tile(4096, 64)), {{1, 1}});
    }
    streams.add(sync_, 0, isa::Semaphore{}, {}, {{1, 1}});
    return streams;
  };
  for (const std::int32_t most : {1, 2, 1000}) {
    Streams streams = build(most);
    CHECK_FALSE(streams.check());
    for (auto &stream : streams.module.streams)
      for (isa::Instruction &instruction : stream)
        if (!instruction.waits.empty()) {
          const auto waits = std::exchange(instruction.waits, {});
          CHECK(streams.check());
          instruction.waits = waits;
        }
  }
}

namespace {

/// `depth` loops in each other, of `trips` each; at every level vector writes
/// what scalar reads, behind the inner loop.
SyncProblem nest(unsigned depth, std::optional<std::uint64_t> trips) {
  SyncProblem problem;
  const auto touch = [&](isa::Engine engine, bool write, std::int64_t offset) {
    SyncInstruction op;
    op.engine = engine;
    Footprint bytes;
    bytes.partitions = 128;
    bytes.offset = offset;
    bytes.run = 64;
    op.accesses.push_back({write, bytes});
    problem.add(std::move(op));
  };
  for (unsigned level = 0; level < depth; ++level)
    problem.openLoop(trips);
  for (unsigned level = depth; level-- > 0;) {
    touch(isa::Engine::vector, true, 64 * level);
    touch(isa::Engine::scalar, false, 64 * level);
    problem.closeLoop();
  }
  return problem;
}

std::size_t missed(isa::Module module, const CheckOptions &options,
                   std::size_t &removed) {
  std::size_t missed = 0;
  for (auto &stream : module.streams)
    for (isa::Instruction &instruction : stream)
      for (std::size_t w = 0; w < instruction.waits.size(); ++w) {
        const auto waits = instruction.waits;
        instruction.waits.erase(instruction.waits.begin() +
                                static_cast<std::ptrdiff_t>(w));
        ++removed;
        missed += !checkSynchronisation(module, options);
        instruction.waits = waits;
      }
  return missed;
}

} // namespace

TEST_CASE("a deep nest is played level by level, and each wait counts") {
  for (const auto trips :
       {std::optional<std::uint64_t>(3), std::optional<std::uint64_t>()}) {
    const SyncProblem problem = nest(5, trips);
    const auto solution = solveSync(problem);
    REQUIRE(solution.value);
    const isa::Module module = emitStreams(problem, *solution.value, 3);
    // Whole, in windows of fewer and fewer levels, and one by one.
    for (const std::uint64_t budget : {400'000, 2000, 600, 0}) {
      CAPTURE(budget);
      CheckOptions options;
      options.budget = budget;
      const auto report = checkSynchronisation(module, options);
      CHECK((report ? report->text : "") == "");
      std::size_t removed = 0;
      CHECK(missed(module, options, removed) == 0);
      CHECK(removed >= 10);
    }
  }
}

TEST_CASE("a ring of any size has as many credits as slots") {
  for (const std::uint32_t slots :
       {1, 2, 15, 16, 17, 18, 31, 32, 33, 34, 35, 64, 65, 1000}) {
    CAPTURE(slots);
    SyncProblem problem;
    const LoopId loop = problem.openLoop();
    for (const bool writes : {true, false}) {
      SyncInstruction op;
      op.engine = writes ? isa::Engine::gpsimd : isa::Engine::vector;
      Footprint bytes;
      bytes.partitions = 128;
      bytes.run = 64;
      bytes.ring = RingTerm{loop, slots, 64, noLoop};
      op.accesses.push_back({writes, bytes});
      problem.add(std::move(op));
    }
    problem.closeLoop();
    const auto solution = solveSync(problem);
    REQUIRE(solution.value);
    CHECK(verify(problem, *solution.value).value_or("") == "");
    const auto report =
        checkSynchronisation(emitStreams(problem, *solution.value, slots + 4));
    CHECK((report ? report->text : "") == "");
    // One credit too many: the writer comes round too soon.
    SyncSolution mutant = *solution.value;
    for (SyncFence &fence : mutant.fences)
      for (auto *tokens : {&fence.tokens.waits, &fence.tokens.signals})
        for (Token &token : *tokens)
          ++token.value;
    CHECK(verify(problem, mutant));
    CHECK(checkSynchronisation(emitStreams(problem, mutant, slots + 4)));
  }
}

TEST_CASE("windows say of random programs what whole plays say") {
  std::size_t mutants = 0, whole = 0, windows = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    ProgramShape shape;
    shape.instructions = 4 + static_cast<unsigned>(seed % 9);
    shape.depth = 4;
    shape.openLoops = seed % 2 == 0;
    const SyncProblem problem = randomProgram(seed, shape);
    const auto solution = solveSync(problem);
    REQUIRE(solution.value);
    isa::Module module = emitStreams(problem, *solution.value, 3);
    CheckOptions narrow;
    narrow.budget = 0;
    const auto report = checkSynchronisation(module, narrow);
    INFO("seed " << seed);
    REQUIRE((report ? report->text : "") == "");
    for (auto &stream : module.streams)
      for (isa::Instruction &instruction : stream)
        if (!instruction.waits.empty()) {
          const auto waits = std::exchange(instruction.waits, {});
          ++mutants;
          whole += checkSynchronisation(module).has_value();
          windows += checkSynchronisation(module, narrow).has_value();
          instruction.waits = waits;
        }
  }
  INFO(mutants << " mutants, " << whole << " found whole, " << windows
               << " in windows");
  CHECK(mutants > 300);
  CHECK(windows == whole);
}

TEST_CASE("a nest of 64 loops is proved, whatever its trips") {
  for (const auto trips :
       {std::optional<std::uint64_t>(2), std::optional<std::uint64_t>()}) {
    const SyncProblem problem = nest(64, trips);
    const auto solution = solveSync(problem);
    REQUIRE(solution.value);
    CHECK(verify(problem, *solution.value).value_or("") == "");
    const isa::Module module = emitStreams(problem, *solution.value, 2);
    const auto report = checkSynchronisation(module);
    CHECK((report ? report->text : "") == "");
  }
}

TEST_CASE("what is too long to be played is given up, not waved through") {
  const SyncProblem problem = nest(3, 3);
  const auto solution = solveSync(problem);
  REQUIRE(solution.value);
  const isa::Module module = emitStreams(problem, *solution.value, 3);
  CheckOptions options;
  std::uint64_t needed = 0;
  for (std::uint64_t limit = 1; limit < 100'000; limit *= 2) {
    options.limit = limit;
    const auto report = checkSynchronisation(module, options);
    if (!report) {
      needed = limit;
      break;
    }
    CHECK(report->kind == Kind::limit);
  }
  CHECK(needed > 16);
}

} // namespace kiln::problems::test::bounds_test

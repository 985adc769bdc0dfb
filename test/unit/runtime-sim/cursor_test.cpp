//===- cursor_test.cpp - One sequencer, alone -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamCursor.h"

#include "catch.h"

#include <limits>
#include <vector>

using namespace kiln;
using sim::StreamCursor;
using sim::StreamPlan;

namespace {

isa::Register reg(unsigned index) {
  return isa::Register{static_cast<std::uint8_t>(index)};
}

struct Code {
  std::vector<isa::Instruction> body;
  Code &add(isa::Body op) {
    isa::Instruction instruction;
    instruction.body = std::move(op);
    body.push_back(std::move(instruction));
    return *this;
  }
  Code &loop(unsigned counter, isa::RegisterOrInt begin, isa::RegisterOrInt end,
             std::int32_t step = 1) {
    isa::LoopBegin op;
    op.counter = reg(counter);
    op.begin = begin;
    op.end = end;
    op.step = step;
    return add(op);
  }
  Code &end() { return add(isa::LoopEnd{}); }
  Code &move(unsigned dst, std::int32_t value) {
    return add(isa::RegisterMove{reg(dst), {value}});
  }
  Code &mark() { return add(isa::Semaphore{}); }
};

/// Values of a register at each semaphore instruction.
std::vector<std::int32_t> trace(const Code &code, unsigned watched) {
  const StreamPlan plan(code.body);
  REQUIRE(!plan.error());
  StreamCursor cursor(plan);
  std::vector<std::int32_t> values;
  while (!cursor.atEnd()) {
    if (std::holds_alternative<isa::Semaphore>(cursor.head().body))
      values.push_back(cursor.value({reg(watched)}));
    REQUIRE(cursor.advance());
    REQUIRE(values.size() < 1000);
  }
  CHECK(!cursor.error());
  return values;
}

using Values = std::vector<std::int32_t>;

} // namespace

TEST_CASE("loops count from begin to end by step") {
  CHECK(trace(Code().loop(0, {3}, {10}, 3).mark().end(), 0) == Values{3, 6, 9});
  CHECK(trace(Code().loop(0, {-2}, {1}).mark().end(), 0) == Values{-2, -1, 0});
  CHECK(trace(Code().loop(0, {5}, {6}, 100).mark().end(), 0) == Values{5});
}

TEST_CASE("a loop without trips skips its body and the loops in it") {
  CHECK(trace(Code().loop(0, {4}, {4}).loop(1, {0}, {9}).mark().end().end(), 0)
            .empty());
  CHECK(trace(Code().loop(0, {4}, {-4}).mark().end(), 0).empty());
}

TEST_CASE("bounds are read once, at entry") {
  const Code code =
      Code().move(1, 3).loop(0, {0}, {reg(1)}).mark().move(1, 100).end();
  CHECK(trace(code, 0) == Values{0, 1, 2});
}

TEST_CASE("inner loops start again") {
  const Code code =
      Code().loop(0, {0}, {2}).loop(1, {7}, {9}).mark().end().end();
  CHECK(trace(code, 1) == Values{7, 8, 7, 8});
}

TEST_CASE("the last step does not wrap a counter around") {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  CHECK(trace(Code().loop(0, {most - 1}, {most}, 2).mark().end(), 0) ==
        Values{most - 1});
}

TEST_CASE("register arithmetic wraps and floors") {
  const auto compute = [](isa::RegisterOp op, std::int32_t a, std::int32_t b) {
    isa::RegisterAlu alu;
    alu.dst = reg(2);
    alu.op = op;
    alu.a = {a};
    alu.b = {b};
    return trace(Code().add(alu).mark(), 2).at(0);
  };
  using Op = isa::RegisterOp;
  CHECK(compute(Op::add, std::numeric_limits<std::int32_t>::max(), 1) ==
        std::numeric_limits<std::int32_t>::min());
  CHECK(compute(Op::subtract, 3, 5) == -2);
  CHECK(compute(Op::multiply, 1 << 20, 1 << 12) == 0);
  CHECK(compute(Op::floor_divide, -7, 2) == -4);
  CHECK(compute(Op::modulo, -7, 2) == 1);
  CHECK(compute(Op::minimum, -7, 2) == -7);
  CHECK(compute(Op::maximum, -7, 2) == 2);
}

TEST_CASE("a while tests its register before each iteration") {
  const auto countdown = [](std::int32_t from) {
    isa::RegisterAlu less;
    less.dst = reg(3);
    less.op = isa::RegisterOp::subtract;
    less.a = {reg(3)};
    less.b = {2};
    return Code().move(3, from).add(isa::While{reg(3)}).mark().add(less).end();
  };
  CHECK(trace(countdown(6), 3) == Values{6, 4, 2});
  CHECK(trace(countdown(2), 3) == Values{2});
  CHECK(trace(countdown(0), 3).empty());
  // Within a loop it starts again.
  Code nested = Code().loop(0, {0}, {2}).move(3, 1).add(isa::While{reg(3)});
  nested.mark().move(3, 0).end().end();
  CHECK(trace(nested, 0) == Values{0, 1});
}

TEST_CASE("an if takes one of its bodies") {
  const auto branches = [](std::int32_t condition, bool otherwise) {
    Code code = Code().move(0, condition).move(1, 7).add(isa::If{reg(0)});
    code.move(1, 8).mark();
    if (otherwise)
      code.add(isa::Else{}).move(1, 9).mark();
    return code.add(isa::EndIf{}).mark();
  };
  CHECK(trace(branches(-5, false), 1) == Values{8, 8});
  CHECK(trace(branches(0, false), 1) == Values{7});
  CHECK(trace(branches(1, true), 1) == Values{8, 8});
  CHECK(trace(branches(0, true), 1) == Values{9, 9});
}

TEST_CASE("ring registers wrap to their begin") {
  isa::RegisterWrap ring;
  ring.dst = reg(4);
  ring.step = 2;
  ring.end = 6;
  ring.begin = 0;
  const Code code = Code().move(4, 0).loop(0, {0}, {5}).mark().add(ring).end();
  CHECK(trace(code, 4) == Values{0, 2, 4, 0, 2});
}

TEST_CASE("a loaded value arrives in its register") {
  isa::RegisterLoad load;
  load.dst = reg(9);
  const Code code = Code().add(load).mark();
  const StreamPlan plan(code.body);
  StreamCursor cursor(plan);
  REQUIRE(cursor.headAsLoad());
  REQUIRE(cursor.advance(-42));
  CHECK(cursor.value({reg(9)}) == -42);
}

TEST_CASE("addresses add register terms") {
  const Code code = Code().move(0, 3).move(1, -2);
  const StreamPlan plan(code.body);
  StreamCursor cursor(plan);
  REQUIRE(cursor.advance());
  REQUIRE(cursor.advance());
  isa::Access access;
  access.offset = 100;
  access.numTerms = 2;
  access.terms[0] = {reg(0), 64};
  access.terms[1] = {reg(1), 4};
  CHECK(cursor.byteOffset(access) == 100 + 3 * 64 - 2 * 4);
}

TEST_CASE("what cannot go on says why and stays") {
  const auto problemOf = [](const Code &code) {
    const StreamPlan plan(code.body);
    StreamCursor cursor(plan);
    while (!cursor.atEnd() && cursor.advance())
      ;
    REQUIRE(!cursor.atEnd());
    return cursor.error().value_or("");
  };
  CHECK(problemOf(Code().add(isa::RegisterMove{reg(0), {reg(5)}}))
            .find("register r5 is read before") != std::string::npos);
  CHECK(problemOf(Code().loop(0, {0}, {4}, 0).end()).find("step 0") !=
        std::string::npos);
  isa::RegisterAlu divide;
  divide.dst = reg(0);
  divide.op = isa::RegisterOp::floor_divide;
  divide.a = {1};
  divide.b = {0};
  CHECK(problemOf(Code().add(divide)).find("division by zero") !=
        std::string::npos);
}

TEST_CASE("loops that do not match are found before anything runs") {
  CHECK(StreamPlan(Code().end().body).error());
  CHECK(StreamPlan(Code().loop(0, {0}, {1}).body).error());
  CHECK(StreamPlan(Code().add(isa::If{reg(0)}).end().body).error());
  CHECK(StreamPlan(Code().add(isa::While{reg(0)}).body).error());
  CHECK(StreamPlan(Code().add(isa::Else{}).body).error());
  CHECK(StreamPlan(Code().loop(0, {0}, {1}).add(isa::EndIf{}).body).error());
  const Code good = Code().loop(0, {0}, {1}).loop(1, {0}, {1}).end().end();
  const StreamPlan plan(good.body);
  CHECK(!plan.error());
  CHECK((plan.partner(0) == 3 && plan.partner(2) == 1));
}

//===- urgency.cpp - What is urgent comes first, where there is room ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "kiln/compiler/problem/OrderProblem.h"

using namespace kiln;
using namespace kiln::problems;

TEST_CASE("of what can start, the most urgent starts first") {
  // Three chains of one engine and the next; the source order is as fast.
  OrderProblem problem;
  for (std::uint32_t chain = 0; chain < 3; ++chain) {
    problem.operations.push_back({isa::Engine::vector, -1, 0, 100, 100});
    problem.operations.push_back({isa::Engine::scalar, -1, 0, 100, 100});
    problem.edges.push_back({2 * chain, 2 * chain + 1, 100, 0});
  }
  const auto first = [&](const OrderProblem &wanted) {
    REQUIRE_FALSE(wanted.check());
    const OrderSolution solution = solveOrder(wanted);
    REQUIRE_FALSE(verify(wanted, solution));
    return solution.order.front();
  };
  CHECK(first(problem) == 0);
  for (const bool loop : {false, true}) {
    problem.loop = loop;
    OrderProblem late = problem;
    // What it waits for comes before what the others wait for.
    late.operations[5].urgency = 1;
    CHECK(first(late) == 4);
    late.operations[2].urgency = 2;
    CHECK(first(late) == 2);
    OrderProblem lazy = problem;
    lazy.operations[0].urgency = lazy.operations[1].urgency = -1;
    CHECK(first(lazy) != 0);
  }
}

TEST_CASE("no urgency takes more memory than there is") {
  // The first buffer has to be used up before the second one fits.
  OrderProblem problem;
  for (unsigned i = 0; i < 4; ++i)
    problem.operations.push_back(
        {i % 2 ? isa::Engine::scalar : isa::Engine::vector, -1, 0, 100, 100});
  problem.edges = {{0, 1, 100, 0}, {2, 3, 100, 0}};
  problem.buffers = {{isa::Space::psum, 2048, {0, 1}, 0},
                     {isa::Space::psum, 2048, {2, 3}, 0}};
  problem.scopeRooms = {2048};
  problem.psumRoom = 16384;
  problem.operations[0].urgency = problem.operations[2].urgency = 1;
  REQUIRE_FALSE(problem.check());
  CHECK(excessBytes(problem, {{0, 2, 1, 3}}) == 2048);
  CHECK(excessBytes(problem, solveOrder(problem)) == 0);
  problem.scopeRooms = {4096};
  CHECK(excessBytes(problem, {{0, 2, 1, 3}}) == 0);
}

TEST_CASE("urgencies and scopes survive their text") {
  const auto parsed = parseOrderProblem("straight\n"
                                        "op vector 100 200 urgency 3\n"
                                        "op sync q0 10 20 moving 5 urgency -1\n"
                                        "room psum 4096\n"
                                        "scope 2048\n"
                                        "buffer psum 2048 scope 0 0 1\n"
                                        "buffer psum 2048 1\n");
  REQUIRE(parsed.value);
  CHECK(parsed.value->operations[0].urgency == 3);
  CHECK(parsed.value->operations[1].urgency == -1);
  CHECK(parsed.value->buffers[0].scope == 0);
  CHECK_FALSE(parsed.value->buffers[1].scope);
  const auto again = parseOrderProblem(print(*parsed.value));
  REQUIRE(again.value);
  CHECK(*again.value == *parsed.value);
  CHECK(parseOrderProblem("op tensor 1 1\nbuffer psum 4 scope 0 0").error ==
        "buffer 0: scope 0 of 0");
}

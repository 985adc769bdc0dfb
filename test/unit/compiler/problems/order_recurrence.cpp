//===- order_recurrence.cpp - Cycles that bound an interval --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "kiln/compiler/problem/OrderProblem.h"

#include <string>

using namespace kiln::problems;

TEST_CASE("the worst of many cycles is the recurrence") {
  const auto recurrenceOf = [](const char *text) {
    auto parsed = parseOrderProblem(text);
    REQUIRE(parsed.value);
    return orderBounds(*parsed.value).recurrence;
  };
  // A long cycle over several iterations, a short one, one that is rounded up.
  CHECK(recurrenceOf(R"(loop
    op vector 10 10
    op vector 10 10
    op scalar 10 10
    edge 0 1 40
    edge 1 2 30
    edge 2 0 30 distance 3
    edge 1 1 33 distance 1
    edge 2 1 41 distance 2
  )") == 36); // (30 + 41) / 2
  CHECK(recurrenceOf("loop\nop vector 1 5\nedge 0 0 0 distance 1\n") == 0);
  CHECK(recurrenceOf("loop\nop vector 1 5\n") == 0);
  // A chain of carried edges takes a pass for each of them; of more than 64,
  // the recurrence may come out too long.
  const auto chainOf = [](int size) {
    std::string chain = "loop\n";
    for (int i = 0; i < size; ++i)
      chain += "op vector 1 1\n";
    for (int i = size - 1; i > 0; --i)
      chain += "edge " + std::to_string(i) + " " + std::to_string(i - 1) +
               " 10 distance 1\n";
    return chain + "edge 0 " + std::to_string(size - 1) + " 500\n";
  };
  CHECK(recurrenceOf(chainOf(60).c_str()) == 19);  // (59 * 10 + 500) / 59
  CHECK(recurrenceOf(chainOf(100).c_str()) >= 16); // (99 * 10 + 500) / 99
}

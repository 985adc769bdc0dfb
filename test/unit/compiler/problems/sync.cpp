//===- sync.cpp - Synchronisation: hand-written programs ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "kiln/compiler/problem/SyncProblem.h"

#include <algorithm>

namespace kiln::problems::test::sync_test {

namespace {

SyncProblem parsed(std::string_view text) {
  auto result = parseSyncProblem(text);
  INFO(result.error);
  REQUIRE(result.value);
  return *result.value;
}

SyncSolution solved(const SyncProblem &problem) {
  auto result = solveSync(problem);
  INFO(result.error);
  REQUIRE(result.value);
  CHECK(verify(problem, *result.value).value_or("") == "");
  return *result.value;
}

} // namespace

TEST_CASE("a producer and a consumer need one token") {
  SyncProblem problem = parsed(R"(
    op vector make
      write sbuf 0+128 @0 run 64
    op scalar use
      read sbuf 0+128 @0 run 64
      write sbuf 0+128 @64 run 64
  )");
  SyncSolution solution = solved(problem);
  CHECK(solution.semaphores == 1);
  CHECK(solution.numWaits() == 1);
  CHECK(solution.numSignals() == 1);
  CHECK(print(problem, solution) == "op vector make signal s0:1\n"
                                    "op scalar use wait s0:1\n");
}

TEST_CASE("one engine needs no tokens, disjoint bytes neither") {
  CHECK(solved(parsed(R"(
    op vector
      write sbuf 0+128 @0 run 64
    op vector
      read sbuf 0+128 @0 run 64
  )"))
            .numWaits() == 0);
  CHECK(solved(parsed(R"(
    op vector even columns
      write sbuf 0+128 @0 run 4 dim 8 16
    op scalar odd columns
      write sbuf 0+128 @4 run 4 dim 8 16
    op gpsimd other partitions
      write sbuf 0+64 @200 run 64
    op tensor
      read sbuf 64+64 @200 run 64
  )"))
            .numWaits() == 0);
  CHECK(solved(parsed(R"(
    op vector even columns
      write sbuf 0+128 @0 run 4 dim 8 16
    op scalar one byte too far
      write sbuf 0+128 @4 run 5 dim 8 15
  )"))
            .numWaits() == 1);
}

TEST_CASE("waits that follow from others are dropped") {
  // tensor -> vector -> scalar; scalar also reads what tensor wrote.
  SyncSolution solution = solved(parsed(R"(
    op tensor
      write psum 0+128 @0 run 64
    op vector
      read psum 0+128 @0 run 64
      write sbuf 0+128 @0 run 64
    op scalar
      read sbuf 0+128 @0 run 64
      read psum 0+128 @0 run 64
  )"));
  CHECK(solution.numWaits() == 2);
}

TEST_CASE("two transfers of one queue are unordered in their data") {
  SyncSolution solution = solved(parsed(R"(
    op sync q0
      write sbuf 0+128 @0 run 64
      read hbm 0 @0 run 64
    op sync q0
      read sbuf 0+128 @0 run 64
      write hbm 1 @0 run 64
  )"));
  CHECK(solution.numWaits() == 1);
}

TEST_CASE("a ring of n slots lets the loader run n iterations ahead") {
  SyncProblem problem = parsed(R"(
    loop 0 trips 100
      op sync q0 load
        write sbuf 0+128 @0 run 64 ring 0 3 64 top
        read hbm 0 @0 run 64 term 0 64
      op vector use
        read sbuf 0+128 @0 run 64 ring 0 3 64 top
        write sbuf 0+128 @512 run 64
    end
  )");
  SyncSolution solution = solved(problem);
  // Filled: queue to vector. Free: vector to sync, three credits.
  CHECK(solution.numWaits() == 3);
  CHECK(solution.instructions[0].waits.size() == 1);
  CHECK(solution.instructions[1].waits.size() == 1);
  REQUIRE(solution.fences.size() == 2);
  CHECK(solution.fences[0].tokens.signals[0].value == 3);
  CHECK_FALSE(solution.fences[0].after);
  CHECK(solution.fences[1].tokens.waits[0].value == 3);
  CHECK(solution.fences[1].after);
}

TEST_CASE("an inner loop with running rings is not drained each time") {
  SyncProblem problem = parsed(R"(
    loop 0 trips 8
      op gpsimd clear
        write sbuf 0+128 @1024 run 64
      loop 1 min 1
        op sync q0 load
          write sbuf 0+128 @0 run 64 ring 1 2 64 top
        op vector add
          read sbuf 0+128 @0 run 64 ring 1 2 64 top
          read sbuf 0+128 @1024 run 64
          write sbuf 0+128 @1024 run 64
      end
      op sync q1 store
        read sbuf 0+128 @1024 run 64
        write hbm 0 @0 run 64 term 0 64
    end
  )");
  SyncSolution solution = solved(problem);
  for (const SyncFence &fence : solution.fences)
    if (fence.loop == 1 && fence.after)
      CHECK(fence.tokens.waits.empty());
}

TEST_CASE("a reset ring is ordered between entries of its loop") {
  SyncProblem problem = parsed(R"(
    loop 0 trips 3
      loop 1 trips 3
        op sync q0
          write sbuf 0+128 @0 run 64 ring 1 2 64 0
        op vector
          read sbuf 0+128 @0 run 64 ring 1 2 64 0
      end
    end
  )");
  solved(problem);
}

TEST_CASE("a walk over HBM meets itself only where strides say so") {
  // Stores of disjoint rows: no order among them.
  CHECK(solved(parsed(R"(
    loop 0 trips 64
      op sync q0
        write hbm 0 @0 run 64 dim 4096 16 term 0 64
    end
  )"))
            .numWaits() == 0);
  // Rows overlap their second next neighbours.
  SyncSolution overlapping = solved(parsed(R"(
    loop 0 trips 64
      op sync q0
        write hbm 0 @0 run 128 term 0 100
    end
  )"));
  CHECK(overlapping.fences[0].tokens.signals[0].value == 1);
  SyncSolution window = solved(parsed(R"(
    loop 0 trips 64
      op sync q0
        write hbm 0 @0 run 64 dim 300 2 term 0 100
    end
  )"));
  CHECK(window.fences[0].tokens.signals[0].value == 3);
}

TEST_CASE("queue work in a loop is waited for behind it") {
  SyncProblem problem = parsed(R"(
    loop 0
      op sync q0 store
        read sbuf 0+128 @0 run 64
        write hbm 0 @0 run 64 term 0 64
    end
    op vector reuse
      write sbuf 0+128 @0 run 64
  )");
  SyncSolution solution = solved(problem);
  CHECK(solution.instructions[1].waits.size() == 1);
}

TEST_CASE("sibling loops share semaphores") {
  std::string text;
  for (int loop = 0; loop < 200; ++loop)
    text += "loop " + std::to_string(loop) +
            " trips 4\n"
            "op sync q0\n"
            "write sbuf 0+128 @0 run 64 ring " +
            std::to_string(loop) +
            " 2 64 top\n"
            "op vector\n"
            "read sbuf 0+128 @0 run 64 ring " +
            std::to_string(loop) + " 2 64 top\nend\n";
  SyncSolution solution = solved(parsed(text));
  CHECK(solution.semaphores < 12);
}

TEST_CASE("credits of a loop are taken back behind the next one") {
  // The stream of the loads begins the second loop while the first one runs.
  SyncSolution solution = solved(parsed(R"(
    loop 0 trips 9
      op sync q0 load
        write sbuf 0+128 @0 run 64 ring 0 3 64 top
      op vector use
        read sbuf 0+128 @0 run 64 ring 0 3 64 top
    end
    loop 1 trips 9
      op scalar other
        write sbuf 0+128 @9999 run 64
    end
    loop 2 trips 9
      op sync q0 load
        write sbuf 0+128 @512 run 64 ring 2 3 64 top
      op vector use
        read sbuf 0+128 @512 run 64 ring 2 3 64 top
    end
  )"));
  std::vector<std::pair<LoopId, std::uint16_t>> drains;
  for (const SyncFence &fence : solution.fences)
    if (fence.engine == isa::Engine::sync && fence.after)
      for (const Token &token : fence.tokens.waits)
        drains.emplace_back(fence.loop, token.semaphore);
  REQUIRE(drains.size() == 2);
  CHECK(drains[0].first == 2);
  CHECK(drains[1].first == 2);
  // Both are open at once, so they have semaphores of their own.
  CHECK(drains[0].second != drains[1].second);
}

TEST_CASE("where semaphores are short, each loop takes its credits back") {
  // Each ring has fewer slots than the one before, so its wait follows from
  // none before it, and takes a semaphore of its own.
  const auto loops = [](int rings) {
    std::string text;
    for (int loop = 0; loop < 2; ++loop) {
      const std::string number = std::to_string(loop);
      text += "loop " + number + " trips 200\n";
      for (int slots = rings + 1; slots > 1; --slots) {
        const std::string place =
            "sbuf 0+128 @" + std::to_string(slots * 16384) + " run 64 ring " +
            number + " " + std::to_string(slots) + " 64 top\n";
        text += "op sync q0\nwrite " + place + "op vector\nread " + place;
      }
      text += "end\n";
    }
    return parsed(text);
  };
  const auto drainsOfFirst = [](const SyncSolution &solution) {
    std::size_t drains = 0;
    for (const SyncFence &fence : solution.fences)
      if (fence.loop == 0 && fence.after)
        drains += fence.tokens.waits.size();
    return drains;
  };
  CHECK(drainsOfFirst(solved(loops(90))) == 0);
  CHECK(drainsOfFirst(solved(loops(150))) == 150);
}

TEST_CASE(
    "where semaphores are short, loops in a loop leave each other credits") {
  // The last one has a longer ring, so it needs more credits.
  std::string text = "loop 0 trips 3\n";
  for (int loop = 1; loop < 5; ++loop) {
    const std::string number = std::to_string(loop);
    const std::string place = "sbuf 0+128 @" + std::to_string(loop * 16384) +
                              " run 64 ring " + number +
                              (loop < 4 ? " 2" : " 4") + " 64 top\n";
    text += "loop " + number + " trips 5\nop sync q0\nwrite " + place +
            "op vector\nread " + place + "end\n";
  }
  text += "end\n";
  const SyncProblem problem = parsed(text);
  const SyncSolution plenty = solved(problem);
  const auto few = solveSync(problem, plenty.semaphores - 2u);
  REQUIRE(few.value);
  CHECK(verify(problem, *few.value).value_or("") == "");
  CHECK(few.value->semaphores == plenty.semaphores - 2u);
  const auto fewer = solveSync(problem, plenty.semaphores - 3u);
  CHECK_FALSE(fewer.value);
  CHECK(fewer.error.find("needs " + std::to_string(plenty.semaphores - 2u) +
                         " semaphores, but the compiler has " +
                         std::to_string(plenty.semaphores - 3u)) !=
        std::string::npos);
}

TEST_CASE("verification finds what is missing") {
  SyncProblem problem = parsed(R"(
    op vector
      write sbuf 0+128 @0 run 64
    op scalar
      read sbuf 0+128 @0 run 64
    loop 0
      op scalar
        write psum 0+128 @0 run 64
      op vector
        read psum 0+128 @0 run 64
    end
  )");
  SyncSolution solution = solved(problem);
  SyncSolution none;
  none.instructions.resize(4);
  CHECK(verify(problem, none).value().find("nothing orders instruction 0") !=
        std::string::npos);
  SyncSolution unpaid = solution;
  unpaid.instructions[0].signals.clear();
  CHECK(verify(problem, unpaid).value().find("deadlock") != std::string::npos);
  SyncSolution spare = solution;
  spare.instructions[1].waits.clear();
  CHECK(verify(problem, spare).value().find("ends at") != std::string::npos);
  SyncSolution broke = solution;
  for (SyncFence &fence : broke.fences)
    for (Token &token : fence.tokens.signals)
      token.value = 2;
  CHECK(verify(problem, broke));
}

TEST_CASE("instances that are not well-formed are refused") {
  SyncProblem problem;
  problem.add({isa::Engine::vector, 0, {}, ""});
  problem.add({isa::Engine::scalar, 0, {}, ""});
  CHECK(problem.check().value() ==
        "DMA queue 0 is fed by vector and by scalar");
  CHECK(parseSyncProblem("op vector\nwrite sbuf 100+64 @0 run 4").error ==
        "instruction 0 (): partitions [100, 164) of 128");
  CHECK(
      parseSyncProblem("op vector\nwrite sbuf 0+64 @0 run 4 term 0 8").error ==
      "instruction 0 (): a term of loop 0, which is not around it");
  CHECK(parseSyncProblem("loop 0\n").error == "line 1: a loop is not closed");
  CHECK(parseSyncProblem("end").error == "line 1: nothing to end");
}

} // namespace kiln::problems::test::sync_test

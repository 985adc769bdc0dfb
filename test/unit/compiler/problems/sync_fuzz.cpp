//===- sync_fuzz.cpp - Synchronisation: random programs, mutants ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitStreams.h"
#include "RandomProgram.h"
#include "catch.h"
#include "kiln/compiler/prove/SynchronisationChecker.h"

#include <algorithm>
#include <ctime>

namespace kiln::problems::test::sync_fuzz_test {

namespace {

test::ProgramShape shapeOf(std::uint64_t seed) {
  test::ProgramShape shape;
  shape.instructions = 3 + static_cast<unsigned>(seed % 23);
  shape.depth = static_cast<unsigned>(seed % 5);
  shape.openLoops = seed % 3 != 0;
  return shape;
}

SyncSolution without(SyncSolution solution, std::uint32_t semaphore) {
  auto drop = [&](SyncTokens &tokens) {
    auto is = [&](const Token &token) { return token.semaphore == semaphore; };
    for (TokenList *list : {&tokens.waits, &tokens.signals})
      list->erase(std::remove_if(list->begin(), list->end(), is), list->end());
  };
  for (SyncTokens &tokens : solution.instructions)
    drop(tokens);
  for (SyncFence &fence : solution.fences)
    drop(fence.tokens);
  return solution;
}

std::string textOf(const std::optional<SyncReport> &report) {
  return report ? report->text : "";
}

} // namespace

TEST_CASE("solutions of random programs verify, the checker agrees") {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SyncProblem problem = test::randomProgram(seed, shapeOf(seed));
    INFO("seed " << seed);
    REQUIRE_FALSE(problem.check());
    auto solution = solveSync(problem);
    REQUIRE(solution.value);
    REQUIRE(verify(problem, *solution.value).value_or("") == "");
    for (std::uint32_t trips : {0u, 1u, 4u})
      REQUIRE(textOf(checkSynchronisation(
                  test::emitStreams(problem, *solution.value, trips))) == "");
    auto again = parseSyncProblem(print(problem));
    REQUIRE(again.value);
    REQUIRE(*again.value == problem);
  }
}

TEST_CASE("solutions with few semaphores verify, too") {
  std::size_t shared = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SyncProblem problem = test::randomProgram(seed, shapeOf(seed));
    INFO("seed " << seed);
    auto solution = solveSync(problem);
    REQUIRE(solution.value);
    // Down to where there is none.
    while (solution.value && solution.value->semaphores > 0) {
      const std::size_t fewer = solution.value->semaphores - 1u;
      INFO("at most " << fewer);
      solution = solveSync(problem, fewer);
      if (!solution.value)
        continue;
      ++shared;
      REQUIRE(solution.value->semaphores <= fewer);
      REQUIRE(verify(problem, *solution.value).value_or("") == "");
      for (std::uint32_t trips : {0u, 1u, 2u, 4u})
        REQUIRE(textOf(checkSynchronisation(
                    test::emitStreams(problem, *solution.value, trips))) == "");
    }
  }
  CHECK(shared > 100);
}

TEST_CASE("without one of its semaphores a program fails both proofs") {
  std::size_t mutants = 0, verifier = 0, checker = 0, both = 0;
  for (std::uint64_t seed = 0; seed < 900; seed += 3) {
    SyncProblem problem = test::randomProgram(seed, shapeOf(seed));
    auto solution = solveSync(problem);
    REQUIRE(solution.value);
    for (std::uint32_t s = 0; s < solution.value->semaphores; ++s) {
      SyncSolution mutant = without(*solution.value, s);
      bool a = verify(problem, mutant).has_value();
      bool b = checkSynchronisation(test::emitStreams(problem, mutant, 4))
                   .has_value();
      ++mutants;
      verifier += a;
      checker += b;
      both += a && b;
    }
  }
  INFO(mutants << " mutants, " << verifier << " refused by verify, " << checker
               << " by the checker, " << both << " by both");
  // The rest are edges that other tokens imply, or that need more iterations
  // than the program has.
  CHECK(checker * 10 >= mutants * 7);
  CHECK(both * 100 >= verifier * 98);
}

TEST_CASE("each wait that is removed alone is found") {
  std::size_t removed = 0;
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    SyncProblem problem = test::randomProgram(seed, shapeOf(seed));
    auto solution = solveSync(problem);
    REQUIRE(solution.value);
    isa::Module module = test::emitStreams(problem, *solution.value, 3);
    for (auto &stream : module.streams)
      for (isa::Instruction &instruction : stream)
        for (std::size_t w = 0; w < instruction.waits.size(); ++w) {
          isa::Wait wait = instruction.waits[w];
          instruction.waits.erase(instruction.waits.begin() +
                                  static_cast<std::ptrdiff_t>(w));
          bool found = checkSynchronisation(module).has_value();
          instruction.waits.insert(
              instruction.waits.begin() + static_cast<std::ptrdiff_t>(w), wait);
          ++removed;
          // Only code that no iteration reaches may lose its waits.
          if (!found) {
            bool reached = false;
            for (const SyncLoop &loop : problem.loops)
              reached |= loop.trips.value_or(1) == 0;
            CHECK(reached);
          }
        }
  }
  CHECK(removed > 1000);
}

TEST_CASE("a hundred thousand instructions are solved and proved") {
  test::Random random(3);
  SyncProblem problem;
  for (std::uint32_t i = 0; i < 100000; ++i) {
    SyncInstruction op;
    op.engine = static_cast<isa::Engine>(random.below(4));
    if (random.oneIn(5)) {
      op.engine = isa::Engine::sync;
      op.queue = static_cast<std::int32_t>(random.below(8));
    }
    for (int a = 0; a < 3; ++a) {
      Footprint bytes;
      bytes.partitions = 128;
      bytes.offset = 1024 * random.below(190);
      bytes.run = 1024;
      SyncAccess &access = op.accesses.emplace_back();
      access.write = a == 0;
      access.bytes = bytes;
      if (op.queue >= 0 && a == 1)
        break;
    }
    problem.add(std::move(op));
  }
  const std::clock_t start = std::clock();
  auto solution = solveSync(problem);
  REQUIRE(solution.value);
  CHECK(verify(problem, *solution.value).value_or("") == "");
  CHECK(textOf(checkSynchronisation(
            test::emitStreams(problem, *solution.value, 1))) == "");
  // Of this process: a busy host is no reason to fail.
  const double seconds =
      static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  CHECK(seconds < 20); // Quadratic would be minutes.
}

} // namespace kiln::problems::test::sync_fuzz_test

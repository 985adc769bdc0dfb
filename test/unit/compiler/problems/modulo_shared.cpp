//===- modulo_shared.cpp - Modulo problems whose resources are shared -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "modulo_text.h"

using namespace kiln;
using namespace kiln::problems;

namespace {

/// While the load issues, the DMA engines have its 100 ns to do, and then
/// those of the copies before it.
const char *const longIssue = R"(modulo
room sbuf 100000
op load sync 600000 work 100000
op half sync 10000 work 350000
op rest sync 10000 work 350000
op use vector 700000
edge 0 1 700000 spreads
edge 0 2 700000 spreads
edge 1 3 900000 spreads
edge 2 3 900000 spreads
)";

/// Scores wait for their one bank unless o and u, which are short, share one.
const char *const shortOutputs = R"(modulo
room psum 8192
room sbuf 100000
op scores tensor 200000
op max vector 600000
op exp scalar 600000
op first tensor 50000
op second tensor 50000
op store scalar 100000
op again scalar 100000
edge 0 1 300000 spreads
edge 1 2 700000 spreads
edge 2 3 700000 spreads
edge 2 4 700000 spreads
edge 3 5 150000 spreads
edge 4 6 150000 spreads
buffer s psum 4096 users w0:300000 r1:700000 r2:700000
buffer o psum 2048 shared 2 users w3:150000 r5:150000
buffer u psum 2048 shared 2 beside 1 users w4:150000 r6:150000
)";

} // namespace

TEST_CASE("transfers queue where places would leave gaps", "[modulo]") {
  const ModuloProblem problem = parsed(longIssue);
  const ModuloBounds bounds = moduloBounds(problem);
  CHECK(bounds.transfers == 800'000);
  const std::optional<ModuloSolution> found = solveModulo(problem, {});
  REQUIRE(found);
  CHECK(verify(problem, *found) == std::nullopt);
  // With places, the copies would wait until the load has issued.
  CHECK(found->interval == bounds.bound());
}

TEST_CASE("two short buffers lie in one bank where room is short", "[modulo]") {
  ModuloProblem problem = parsed(shortOutputs);
  CHECK(print(parsed(print(problem))) == print(problem));
  const std::optional<ModuloSolution> roomy = solveModulo(problem, {});
  REQUIRE(roomy);
  CHECK(!problem.laysBeside(roomy->copies));
  // One copy of s, and a bank.
  problem.psumRoom = 4096 + 2048;
  const std::optional<ModuloSolution> tight = solveModulo(problem, {});
  REQUIRE(tight);
  CHECK(verify(problem, *tight) == std::nullopt);
  CHECK(tight->copies == std::vector<std::uint32_t>{1, 1, 1});
  CHECK(problem.laysBeside(tight->copies));
  CHECK(problem.taken(isa::Space::psum, tight->copies) == 4096 + 2048);
  // A second copy of one of them lies where the other one is.
  ModuloSolution more = *tight;
  more.copies[2] = 2;
  CHECK(verify(problem, more).value_or("").find("there is room for") !=
        std::string::npos);
  problem.buffers[2].beside.reset();
  CHECK(!solveModulo(problem, {}));
  problem.buffers[2].beside = 2;
  CHECK(problem.check().value_or("").find("cannot lie beside") !=
        std::string::npos);
}

TEST_CASE("turns are spread evenly", "[modulo]") {
  ModuloTurns turns;
  const auto taken = [&](std::int64_t count, std::int64_t period) {
    turns.count = count;
    turns.period = period;
    turns.shift = 1;
    std::vector<std::uint32_t> iterations;
    for (std::uint32_t i = 0; i < 6; ++i)
      if (turns.isOthers(i))
        iterations.push_back(i);
    return iterations;
  };
  CHECK(taken(0, 3).empty());
  CHECK(taken(1, 3) == std::vector<std::uint32_t>{2, 5});
  CHECK(taken(2, 5) == std::vector<std::uint32_t>{2, 4});
  CHECK(taken(3, 3).size() == 6);
  turns = {};
  turns.count = 1;
  turns.period = 2;
  CHECK(turns.isOthers(0));
  turns.shift = 1;
  CHECK_FALSE(turns.isOthers(0));
}

TEST_CASE("replay gives turns to the engine that takes them", "[modulo]") {
  // Three of four iterations take vector 400, one scalar 600; its results come
  // 200 later, which its reader waits for.
  const ModuloProblem problem = parsed(R"(modulo
room sbuf 1000
room psum 16384
op work vector 300
op work.turns scalar 150
op read gpsimd 10
edge 0 2 400
)");
  const ModuloSolution solution{1, 300, {0, 0, 600}, {}};
  const std::vector<ModuloTurns> turns{
      {0, 1, isa::Engine::scalar, 400, 600, 1, 4, 1}};
  // In every fourth iteration, vector has nothing to do. Results are read in
  // the order of the iterations.
  CHECK(replayModulo(problem, solution, 4, turns).makespan == 3 * 400 + 20);
  CHECK(replayModulo(problem, solution, 40, turns).makespan == 30 * 400 + 20);
  CHECK(replayModulo(problem, solution, 1, turns).makespan == 410);
  const std::vector<ModuloTurns> always{
      {0, 1, isa::Engine::scalar, 400, 600, 1, 1, 0}};
  CHECK(replayModulo(problem, solution, 1, always).makespan == 610);
}

//===- exact.cpp - Z3 as an oracle for the iterative solver ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "modulo_text.h"

#include "kiln/compiler/problem/ModuloExact.h"
#include "kiln/isa/split_mix.h"

using namespace kiln;
using namespace kiln::problems;

namespace {

/// A load, two engines that take turns on PSUM, and a store.
const char *const chain = R"(modulo
room sbuf 8000
room psum 4096
op load sync 60 work 150
op scores tensor 200
op maximum vector 150
op exp scalar 180
op store gpsimd 60 work 100
edge 0 1 900 spreads
edge 1 2 260 spreads
edge 2 3 210 spreads
edge 3 4 240 spreads
edge 2 2 160 distance 1
buffer x sbuf 1024 users w0:900 r1:200
buffer s psum 2048 users w1:200 r2:150 r3:180
buffer y sbuf 1024 users w3:180 r4:800
)";

/// All that is small enough to be tried: operations start at whole numbers, and
/// one of them, the first, at 0 of stage `most`.
class BruteForce {
public:
  BruteForce(const ModuloProblem &problem, std::int64_t interval,
             std::int64_t stages)
      : problem(problem), interval(interval), stages(stages) {
    solution.interval = interval;
    solution.start.assign(problem.operations.size(), 0);
  }

  bool isPossible() { return place(1); }

private:
  bool place(std::size_t next) {
    if (next == solution.start.size())
      return fits();
    for (std::int64_t at = 0; at < 2 * stages * interval; ++at) {
      solution.start[0] = stages * interval;
      solution.start[next] = at;
      if (keepsEdges(next) && place(next + 1))
        return true;
    }
    return false;
  }

  /// Between the operations placed so far.
  bool keepsEdges(std::size_t last) const {
    for (const ModuloEdge &edge : problem.edges)
      if (edge.from <= last && edge.to <= last &&
          solution.start[edge.to] + edge.distance * interval <
              solution.start[edge.from] + edge.latency)
        return false;
    return true;
  }

  /// With any numbers of copies.
  bool fits() {
    solution.copies.assign(problem.buffers.size(), 1);
    while (true) {
      if (!verify(problem, solution))
        return true;
      std::size_t b = 0;
      while (b < solution.copies.size() && ++solution.copies[b] > 4)
        solution.copies[b++] = 1;
      if (b == solution.copies.size())
        return false;
    }
  }

  const ModuloProblem &problem;
  std::int64_t interval, stages;
  ModuloSolution solution;
};

/// Three or four operations on two engines, with times of a few ps.
ModuloProblem drawn(std::uint64_t &random) {
  const auto upTo = [&](unsigned most) {
    return static_cast<std::int64_t>(isa::splitMix(random) % (most + 1u));
  };
  ModuloProblem problem;
  problem.sbufRoom = 1 + upTo(2);
  problem.psumRoom = 16384;
  const auto size = static_cast<std::uint32_t>(3 + upTo(1));
  for (std::uint32_t i = 0; i < size; ++i)
    problem.operations.push_back(
        {"o" + std::to_string(i),
         upTo(1) ? isa::Engine::vector : isa::Engine::scalar, 1 + upTo(2), 0});
  for (std::uint32_t i = 1; i < size; ++i)
    problem.edges.push_back({i - 1, i, 1 + upTo(3), 0, false});
  problem.edges.push_back({size - 1, 0, 1 + upTo(3),
                           static_cast<std::uint32_t>(1 + upTo(1)), false});
  ModuloBuffer &buffer = problem.buffers.emplace_back();
  buffer.name = "b";
  buffer.bytes = 1;
  buffer.users = {{0, true, upTo(2)}, {2, false, upTo(4)}};
  return problem;
}

} // namespace

TEST_CASE("the optimum is a schedule, and nothing below it is") {
  const ModuloProblem problem = parsed(chain);
  const ExactOptimum optimum = solveExactly(problem, 2000, 1);
  REQUIRE(optimum.isProved);
  REQUIRE(optimum.solution);
  INFO(print(problem, *optimum.solution));
  CHECK(verify(problem, *optimum.solution) == std::nullopt);
  CHECK(verifyDataFlow(problem, *optimum.solution, 50) == std::nullopt);
  CHECK(optimum.impossible + 1 == optimum.solution->interval);
  CHECK(solveAtInterval(problem, optimum.impossible).feasibility ==
        Feasibility::impossible);
}

TEST_CASE("Z3 finds what trying everything finds") {
  std::uint64_t random = 7;
  unsigned above = 0; // Instances whose bound is not the optimum.
  for (int i = 0; i < 40; ++i) {
    const ModuloProblem problem = drawn(random);
    INFO(print(problem));
    REQUIRE(problem.check() == std::nullopt);
    const ModuloBounds bounds = moduloBounds(problem);
    std::int64_t least = bounds.bound();
    while (!BruteForce(problem, least, 3).isPossible())
      ++least;
    const ExactOptimum optimum = solveExactly(problem, 100, 1);
    REQUIRE(optimum.isProved);
    REQUIRE(optimum.solution);
    CHECK(optimum.solution->interval == least);
    CHECK(verify(problem, *optimum.solution) == std::nullopt);
    above += least > bounds.bound();
  }
  CHECK(above > 3);
}

TEST_CASE("the steps bound the search, and an unknown answer says so") {
  const ModuloProblem problem = parsed(chain);
  ExactOptions few;
  few.steps = 1;
  CHECK(solveAtInterval(problem, 250, few).feasibility == Feasibility::unknown);
  const ExactOptimum optimum = solveExactly(problem, 2000, 1, few);
  CHECK_FALSE(optimum.isProved);
  CHECK_FALSE(optimum.solution);
}

TEST_CASE("improving never lengthens, and adds what margin there is") {
  const ModuloProblem problem = parsed(chain);
  const std::optional<ModuloSolution> known = solveModulo(problem, {});
  REQUIRE(known);
  ModuloSolution slow = *known;
  slow.interval *= 3;
  for (std::int64_t &start : slow.start)
    start = start / known->interval * slow.interval + start % known->interval;
  REQUIRE(verify(problem, slow) == std::nullopt);
  const ModuloSolution better = improveExactly(problem, slow);
  CHECK(verify(problem, better) == std::nullopt);
  CHECK(better.interval <= known->interval + known->interval / 64);
}

//===- modulo_solver.cpp - A solver that remembers, and its tables --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "modulo_text.h"

#include "kiln/compiler/solve/ModuloSolver.h"
#include "solve/modulo/StreamTable.h"

#include <random>

using namespace kiln;
using namespace kiln::problems;

namespace {

/// The loads want many copies of p.
const char *const deepLoads = R"(modulo
room sbuf 8192
room psum 16384
op load sync 20000 work 90000
op scores tensor 100000
op exp scalar 90000
op store sync 20000 work 30000
edge 0 1 2000000 spreads
edge 1 2 300000 spreads
edge 2 3 300000 spreads
buffer p sbuf 1024 users w0:2000000 r1:100000
buffer s psum 4096 users w1:300000 r2:90000
buffer q sbuf 512 users w2:300000 r3:400000
)";

std::string textOf(const ModuloProblem &problem,
                   const std::optional<ModuloSolution> &solution) {
  return solution ? print(problem, *solution) : "none";
}

} // namespace

TEST_CASE("what is remembered is what a search would find", "[modulo]") {
  ModuloProblem problem = parsed(deepLoads);
  ModuloSolver solver;
  std::string first, last;
  unsigned asked = 0;
  for (const bool isTimed : {false, true})
    for (std::int64_t room = 65536; room >= 512; room -= 509) {
      CAPTURE(isTimed, room);
      problem.sbufRoom = room;
      ModuloOptions options;
      options.isTimed = isTimed;
      REQUIRE(textOf(problem, solver.solve(problem, options)) ==
              textOf(problem, solveModulo(problem, options)));
      last = textOf(problem, solver.solveRobustly(problem, options));
      REQUIRE(last == textOf(problem, solveModuloRobustly(problem, options)));
      if (first.empty())
        first = last;
      asked += 2;
    }
  CHECK(first != last);
  CHECK(solver.searches() > 4);
  CHECK(solver.searches() < asked / 2);
}

TEST_CASE("a list is made once for each body", "[modulo]") {
  ModuloProblem problem = parsed(deepLoads);
  ModuloSolver solver;
  const auto isAsListed = [&](std::uint32_t copies) {
    return textOf(problem, solver.list(problem, copies)) ==
           textOf(problem, listModulo(problem, copies));
  };
  CHECK(isAsListed(2));
  problem.sbufRoom /= 2; // A list does not look at room.
  CHECK(isAsListed(2));
  CHECK(solver.searches() == 1);
  CHECK(isAsListed(3));
  CHECK(solver.searches() == 2);
}

TEST_CASE("only what a search depends on makes it another one", "[modulo]") {
  ModuloProblem problem = parsed(deepLoads);
  ModuloSolver solver;
  ModuloOptions options;
  solver.solveRobustly(problem, options);
  options.trips = 7;
  options.usualDepth = 2;
  CHECK(textOf(problem, solver.solveRobustly(problem, options)) ==
        textOf(problem, solveModuloRobustly(problem, options)));
  CHECK(solver.searches() == 1);
  options.mostDepth = 3;
  solver.solveRobustly(problem, options);
  CHECK(solver.searches() == 2);
  problem.edges[0].latency += 1;
  solver.solveRobustly(problem, options);
  CHECK(solver.searches() == 3);
}

TEST_CASE("free places of a stream are found as by trying each", "[modulo]") {
  std::mt19937 random(1);
  const auto below = [&](std::int64_t end) {
    return static_cast<std::int64_t>(random() %
                                     static_cast<std::uint64_t>(end));
  };
  for (unsigned round = 0; round < 3000; ++round) {
    const std::int64_t interval = 1 + below(24);
    StreamTable table(interval);
    std::vector<bool> taken(static_cast<std::size_t>(interval), false);
    const auto isFree = [&](std::int64_t time, std::int64_t length) {
      for (std::int64_t t = time; t < time + length; ++t)
        if (taken[static_cast<std::size_t>((t % interval + interval) %
                                           interval)])
          return false;
      return true;
    };
    std::vector<std::pair<std::int64_t, std::int64_t>> entries;
    for (std::uint32_t node = 0; node < 5; ++node) {
      const std::int64_t length = below(interval / 3 + 2),
                         time = below(90) - 30;
      if (length > interval || !isFree(time, length))
        continue;
      table.add(node, time, length);
      for (std::int64_t t = time; t < time + length; ++t)
        taken[static_cast<std::size_t>((t % interval + interval) % interval)] =
            true;
      if (length > 0)
        entries.push_back({time, length});
    }
    const std::int64_t time = below(90) - 30, length = below(interval + 1);
    CAPTURE(round, interval, time, length);
    std::optional<std::int64_t> earliest, beside, latest;
    for (std::int64_t t = time; t < time + interval && !earliest; ++t)
      if (isFree(t, length))
        earliest = t;
    CHECK(table.earliestFree(time, length) == earliest);
    for (std::int64_t t = time; t < time + interval && !beside; ++t)
      for (const auto &[begin, taken] : entries)
        if (isFree(t, length) && ((t - begin - taken) % interval == 0 ||
                                  (t + length - begin) % interval == 0))
          beside = t;
    if (entries.empty())
      beside = time;
    CHECK(table.earliestBeside(time, length) == beside);
    const std::int64_t first = time - below(2 * interval);
    for (std::int64_t t = time; t >= first && t > time - interval && !latest;
         --t)
      if (isFree(t, length))
        latest = t;
    CHECK(table.latestFree(first, time, length) == latest);
  }
}

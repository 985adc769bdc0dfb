//===- modulo.cpp - Software pipelining as a problem ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "modulo_text.h"

#include "kiln/compiler/solve/ModuloRecurrences.h"
#include "kiln/isa/split_mix.h"

using namespace kiln;
using namespace kiln::problems;

namespace {

/// Scores, a running maximum, exponentials, and their product with the values:
/// two engines take turns on PSUM, and a recurrence runs through a third.
const char *const attention = R"(modulo
room sbuf 60000
room psum 16384
op scores tensor 200
op maximum vector 150
op carry vector 20
op exp scalar 250
op values tensor 200
op sum gpsimd 100
edge 0 1 260 spreads
edge 1 2 160
edge 2 2 40 distance 1
edge 2 3 60 spreads
edge 3 4 320 spreads
edge 4 5 260 spreads
edge 5 5 110 distance 1
buffer s psum 4096 users w0:200 r1:150 r3:250
buffer m sbuf 4 users w2:20 r3:250
buffer p sbuf 1024 users w3:250 r4:200
buffer o psum 2048 users w4:200 r5:100
)";

ModuloSolution solved(const ModuloProblem &problem,
                      const ModuloOptions &options = {}) {
  const std::optional<ModuloSolution> solution = solveModulo(problem, options);
  REQUIRE(solution);
  INFO(print(problem, *solution));
  CHECK(verify(problem, *solution) == std::nullopt);
  CHECK(verifyDataFlow(problem, *solution, 50) == std::nullopt);
  return *solution;
}

/// Small whole numbers, so that all schedules can be tried.
ModuloProblem randomProblem(std::uint64_t seed) {
  std::uint64_t state = seed;
  const auto below = [&](std::uint64_t limit) {
    return static_cast<std::int64_t>(isa::splitMix(state) % limit);
  };
  ModuloProblem problem;
  problem.sbufRoom = problem.psumRoom = 1 << 20;
  const auto size = static_cast<std::uint32_t>(2 + below(3));
  for (std::uint32_t i = 0; i < size; ++i)
    problem.operations.push_back({"op" + std::to_string(i),
                                  static_cast<isa::Engine>(below(2)),
                                  1 + below(3), 0});
  for (std::uint32_t to = 0; to < size; ++to)
    for (std::uint32_t from = 0; from < size; ++from) {
      if (below(2) != 0)
        continue;
      const bool carried = from >= to;
      problem.edges.push_back(
          {from, to, below(5),
           carried ? static_cast<std::uint32_t>(1 + below(2)) : 0, false});
    }
  if (below(2) == 0) {
    problem.edges.push_back({0, size - 1, 1, 0, false});
    problem.buffers.push_back({"b",
                               isa::Space::psum,
                               1,
                               {{0, true, 1}, {size - 1, false, 2}},
                               static_cast<std::uint32_t>(1 + below(2)),
                               1,
                               {}});
  }
  return problem;
}

/// The smallest interval of any schedule, by trying all start times.
class Oracle {
public:
  explicit Oracle(const ModuloProblem &problem) : problem(problem) {}

  std::int64_t interval() {
    for (solution.interval = 1;; ++solution.interval) {
      solution.start.assign(problem.operations.size(), 0);
      solution.copies.clear();
      for (const ModuloBuffer &buffer : problem.buffers)
        solution.copies.push_back(buffer.copies);
      if (place(0))
        return solution.interval;
    }
  }

private:
  bool place(std::size_t operation) {
    if (operation == solution.start.size())
      return !verify(problem, solution);
    // One operation may stay: all times can be moved together.
    const std::int64_t horizon = operation == 0 ? 1 : 24;
    for (std::int64_t time = 0; time < horizon; ++time) {
      solution.start[operation] = time + (operation == 0 ? 12 : 0);
      if (place(operation + 1))
        return true;
    }
    return false;
  }

  const ModuloProblem &problem;
  ModuloSolution solution;
};

} // namespace

TEST_CASE("a modulo problem survives its text", "[modulo]") {
  const ModuloProblem problem = parsed(attention);
  CHECK(print(parsed(print(problem))) == print(problem));
  CHECK(problem.edges[0].spreads);
  CHECK(problem.edges[2].distance == 1);
  CHECK(problem.buffers[0].users[2].release == 250);
  ModuloProblem urgent = problem;
  urgent.operations[3].urgency = -2;
  CHECK(parsed(print(urgent)).operations[3].urgency == -2);
}

TEST_CASE("a modulo problem that makes no sense is refused", "[modulo]") {
  const auto error = [](const std::string &text) {
    return parseModuloProblem(text).error;
  };
  CHECK(error("modulo\n") == "no operations");
  CHECK(error("op a engine 3\n") == "line 1: expected an engine");
  CHECK(error("op a vector 3\nroom sbuf 9\nbuffer b sbuf 4 users u0:2\n")
            .find("nothing writes it first") != std::string::npos);
  CHECK(error("op a vector 3\nedge 0 1 5\n") == "edge 0: operation 1 of 1");
  CHECK(error("op a vector 3\nop b vector 3\nedge 1 0 5\n")
            .find("against the source order") != std::string::npos);
  CHECK(error("op a vector 3\nedge 0 0 5\n").find("against the source order") !=
        std::string::npos);
  CHECK(error("op a vector -3\n").find("negative") != std::string::npos);
  CHECK(error("op a vector 3\nbuffer b sbuf 4 users r0:1\n") ==
        "buffer b: nothing writes it first");
  CHECK(error("op a vector 3\nbuffer b sbuf 4 users w0\n")
            .find("expected a user like") != std::string::npos);
  CHECK(error("op a vector 3 4\n") == "line 1: trailing words");
}

TEST_CASE("bounds of a modulo problem name what binds", "[modulo]") {
  const ModuloBounds bounds = moduloBounds(parsed(attention));
  CHECK(bounds.streams[static_cast<std::size_t>(isa::Engine::tensor)] == 400);
  CHECK(bounds.resource() == 400);
  CHECK(bounds.recurrence == 110);
  CHECK(bounds.cycle == std::vector<std::uint32_t>{6});
  const ModuloBounds slow = moduloBounds(
      parsed("op a vector 3\nop b scalar 4\nedge 0 1 100\nedge 1 0 201 "
             "distance 2\n"));
  CHECK(slow.recurrence == 151); // 301 over two iterations.
  CHECK(slow.bound() == 151);
  CHECK(slow.cycle.size() == 2);
  CHECK(moduloBounds(parsed("op a sync 3 work 70\nop b scalar 4 work 40\n"))
            .bound() == 110);
}

TEST_CASE("recurrences come worst first, with the buffers that close them",
          "[modulo]") {
  // Without copies, the two cycles of the text: 110 and 40 an iteration.
  const ModuloProblem problem = parsed(attention);
  const std::vector<ModuloRecurrence> own =
      moduloRecurrences(problem, {0, 0, 0, 0}, 8);
  REQUIRE(own.size() == 2);
  CHECK(own[0].interval == 110);
  CHECK(own[1].interval == 40);
  for (const ModuloRecurrence &recurrence : own) {
    REQUIRE(recurrence.links.size() == 1);
    CHECK(recurrence.links[0].distance == 1);
    CHECK(!recurrence.links[0].buffer);
  }
  // Two copies of s: scores wait for exp, 260 + 160 + 60 behind them, and that
  // takes 250: 730 in two iterations. The others follow.
  const std::vector<ModuloRecurrence> closed =
      moduloRecurrences(problem, {2, 0, 0, 0}, 8);
  REQUIRE(closed.size() >= 3);
  CHECK(closed[0].interval == 365);
  CHECK(closed[0].links.size() == 4);
  std::size_t closing = 0;
  for (const ModuloRecurrence::Link &link : closed[0].links)
    if (link.buffer) {
      ++closing;
      CHECK(*link.buffer == 0);
      CHECK(link.latency == 250);
      CHECK(link.distance == 2);
    }
  CHECK(closing == 1);
  for (std::size_t i = 1; i < closed.size(); ++i)
    CHECK(closed[i].interval <= closed[i - 1].interval);
  CHECK(moduloRecurrences(problem, {2, 0, 0, 0}, 1).size() == 1);
}

TEST_CASE("a body overlaps itself up to its bound", "[modulo]") {
  const ModuloProblem problem = parsed(attention);
  for (const std::uint32_t unroll : {1u, 2u, 3u}) {
    ModuloOptions options;
    options.unroll = unroll;
    const ModuloSolution solution = solved(problem, options);
    CHECK(solution.interval >= 400 * unroll);
    CHECK(solution.interval <= (unroll < 3 ? 400 : 412) * unroll);
    CHECK(replayModulo(problem, solution, 400).interval <= 412);
  }
  // Bytes of all copies: S needs three banks' pairs, O what is left.
  const ModuloSolution solution = solved(problem);
  CHECK(solution.copies[0] * 4096 + solution.copies[3] * 2048 <= 16384);
}

TEST_CASE("a schedule with margin bears late results", "[modulo]") {
  const ModuloProblem problem = parsed(attention);
  const auto robust = solveModuloRobustly(problem, {});
  REQUIRE(robust);
  CHECK(verify(problem, *robust) == std::nullopt);
  CHECK(robust->interval <= 402);
  ModuloProblem late = problem;
  for (ModuloEdge &edge : late.edges)
    edge.latency += edge.spreads ? 60 : 0;
  CHECK(replayModulo(late, *robust, 200).interval <= 402);
}

TEST_CASE("few trips make a short fill worth more", "[modulo]") {
  const ModuloProblem problem = parsed(attention);
  const auto many = solveModuloRobustly(problem, {});
  REQUIRE(many);
  ModuloProblem late = problem;
  for (ModuloEdge &edge : late.edges)
    edge.latency += edge.spreads ? 60'000 : 0;
  for (const std::uint32_t trips : {2u, 8u, 1000u}) {
    ModuloOptions options;
    options.trips = trips;
    const auto few = solveModuloRobustly(problem, options);
    REQUIRE(few);
    CHECK(verify(problem, *few) == std::nullopt);
    CHECK(replayModulo(late, *few, std::min(trips, 48u)).makespan <=
          replayModulo(late, *many, std::min(trips, 48u)).makespan);
  }
}

TEST_CASE("a nest bounds how many iterations overlap", "[modulo]") {
  const ModuloProblem problem = parsed(attention);
  const auto deep = solveModuloRobustly(problem, {});
  REQUIRE(deep);
  ModuloOptions options;
  options.mostDepth = deep->depth();
  const auto same = solveModuloRobustly(problem, options);
  REQUIRE(same);
  CHECK(same->depth() <= options.mostDepth);
  options.mostDepth = 1; // Its chain takes longer than the bound.
  const auto none = solveModuloRobustly(problem, options);
  CHECK((!none || none->depth() == 1));
}

TEST_CASE("more orders of placement find no longer interval", "[modulo]") {
  const ModuloProblem problem = parsed(attention);
  ModuloOptions options;
  options.unroll = 3;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  for (const unsigned attempts : {1u, 4u, 16u}) {
    options.attempts = attempts;
    const ModuloSolution solution = solved(problem, options);
    CHECK(solution.interval <= last);
    last = solution.interval;
  }
  options.mostInterval = 1;
  CHECK(!solveModulo(problem, options));
}

TEST_CASE("too little room makes a schedule slower, not wrong", "[modulo]") {
  ModuloProblem problem = parsed(attention);
  const std::int64_t roomy = solved(problem).interval;
  problem.psumRoom = 4096 + 2048;
  const ModuloSolution tight = solved(problem);
  CHECK(tight.copies[0] == 1);
  CHECK(tight.interval > roomy);
  problem.sbufRoom = 4 + 1024;
  CHECK(solved(problem).copies[2] == 1);
  problem.psumRoom = 4096;
  CHECK(!solveModulo(problem, {}));
}

TEST_CASE("an urgent operation gets its place first", "[modulo]") {
  // Three operations of one engine that wait for nothing.
  ModuloProblem problem;
  problem.sbufRoom = problem.psumRoom = 1 << 20;
  for (const char *const name : {"a", "b", "c"})
    problem.operations.push_back({name, isa::Engine::vector, 100, 0});
  problem.operations.push_back({"d", isa::Engine::scalar, 100, 0});
  problem.edges.push_back({2, 3, 100, 0, false});
  for (const std::uint32_t urgent : {0u, 1u, 2u}) {
    ModuloProblem wanted = problem;
    wanted.operations[urgent == 2 ? 3 : urgent].urgency = 1;
    const ModuloSolution solution = solved(wanted);
    for (const std::uint32_t other : {0u, 1u, 2u})
      if (other != urgent)
        CHECK(solution.start[urgent] < solution.start[other]);
    // Nor is it moved back towards what reads it.
    CHECK(solution.start[urgent] == 0);
  }
}

TEST_CASE("copies that the program fixed stay", "[modulo]") {
  ModuloProblem problem = parsed(attention);
  problem.buffers[2].copies = 1;
  CHECK(solved(problem).copies[2] == 1);
}

TEST_CASE("two copies of a small buffer take one bank", "[modulo]") {
  ModuloProblem problem = parsed(attention);
  problem.buffers[3].shared = 2;
  CHECK(print(parsed(print(problem))) == print(problem));
  CHECK(problem.buffers[3].taken(0) == 0);
  CHECK(problem.buffers[3].taken(1) == 2048);
  CHECK(problem.buffers[3].taken(2) == 2048);
  CHECK(problem.buffers[3].taken(3) == 3 * 2048);
  // Room for one copy of s, and one bank for all copies of o.
  problem.psumRoom = 4096 + 2048;
  const ModuloSolution solution = solved(problem);
  CHECK(solution.copies[3] == 2);
  ModuloSolution more = solution;
  more.copies[3] = 3;
  CHECK(verify(problem, more).value_or("").find("there is room for") !=
        std::string::npos);
  problem.buffers[3].shared = 0;
  CHECK(problem.check().value_or("").find("no copy in") != std::string::npos);
}

TEST_CASE("timed schedules keep a spare copy where there is room", "[modulo]") {
  ModuloProblem problem = parsed(attention);
  ModuloOptions options;
  const std::vector<std::uint32_t> needed = solved(problem).copies;
  options.isTimed = true;
  const std::vector<std::uint32_t> spare = solved(problem, options).copies;
  for (std::size_t b = 0; b < needed.size(); ++b)
    CHECK(spare[b] ==
          needed[b] + (problem.buffers[b].space == isa::Space::sbuf ? 1 : 0));
  // No more than half of the room, smallest first.
  std::int64_t taken = 0;
  for (std::size_t b = 0; b < needed.size(); ++b)
    if (problem.buffers[b].space == isa::Space::sbuf)
      taken += problem.buffers[b].taken(needed[b]);
  problem.sbufRoom = 2 * taken;
  CHECK(solved(problem, options).copies == needed);
}

TEST_CASE("every fault planted in a schedule is found", "[modulo]") {
  const ModuloProblem problem = parsed(attention);
  const ModuloSolution right = solved(problem);
  const auto wrong = [&](auto change) {
    ModuloSolution solution = right;
    change(solution);
    return verify(problem, solution).value_or("");
  };
  CHECK(wrong([](auto &s) {
          s.start[1] = s.start[0];
        }).find("maximum starts at") != std::string::npos);
  ModuloProblem free = problem;
  free.edges.clear();
  free.buffers.clear();
  ModuloSolution together = solved(free);
  together.start[4] = together.start[0] + 4 * together.interval;
  CHECK(verify(free, together).value_or("").find("in its stream") !=
        std::string::npos);
  CHECK(wrong([](auto &s) { s.copies[0] = 1; }).find("too few") !=
        std::string::npos);
  CHECK(wrong([](auto &s) { s.copies[0] = 9; }).find("there is room for") !=
        std::string::npos);
  CHECK(wrong([](auto &s) { s.copies[1] = 0; }).find("0 copies") !=
        std::string::npos);
  CHECK(wrong([](auto &s) { s.start.pop_back(); }).find("times for") !=
        std::string::npos);
  CHECK(wrong([](auto &s) { s.interval = 0; }).find("interval of 0") !=
        std::string::npos);
  CHECK(wrong([](auto &s) { s.start[0] = -1; }).find("starts at -1") !=
        std::string::npos);
}

TEST_CASE("data flow is checked without the times", "[modulo]") {
  const ModuloProblem problem = parsed(attention);
  ModuloSolution solution = solved(problem);
  // A copy that is taken again before its last reader.
  solution.copies[0] = 1;
  CHECK(verifyDataFlow(problem, solution, 20)
            .value_or("")
            .find("in its copy of s") != std::string::npos);
  solution = solved(problem);
  solution.start[3] = 0; // Before what it needs.
  CHECK(verifyDataFlow(problem, solution, 20).value_or("").find("before") !=
        std::string::npos);
  // An update in place of what the next iteration has overwritten; one that
  // only writes may come at any time.
  const std::string late = R"(modulo
room sbuf 100
op fill gpsimd 2
op update vector 2
buffer b sbuf 10 users w0:2 )";
  solution = {1, 10, {0, 15}, {1}};
  CHECK(verifyDataFlow(parsed(late + "u1:2\n"), solution, 20)
            .value_or("")
            .find("iteration 0 of update finds iteration 1 in its copy of b") !=
        std::string::npos);
  solution.copies = {2};
  CHECK(verifyDataFlow(parsed(late + "u1:2\n"), solution, 20) == std::nullopt);
  // The one that takes the copy is the first to come, whatever the source
  // says; a second write finds what it may not replace.
  solution = {1, 10, {5, 0}, {1}};
  CHECK(verifyDataFlow(parsed(late + "w1:2\n"), solution, 20) == std::nullopt);
  solution.start = {15, 0};
  CHECK(verifyDataFlow(parsed(late + "w1:2\n"), solution, 20)
            .value_or("")
            .find("iteration 0 of fill finds iteration 1") !=
        std::string::npos);
  CHECK(verifyDataFlow(problem, solved(problem), 0) == std::nullopt);
  CHECK(verifyDataFlow(problem, solved(problem), 1) == std::nullopt);
}

TEST_CASE("the order of all executions keeps each dependence", "[modulo]") {
  const ModuloProblem problem = parsed(attention);
  const ModuloSolution solution = solved(problem);
  const std::vector<ModuloInstance> order = moduloOrder(solution, 6, 0, 7);
  CHECK(order.size() == 42);
  CHECK(order.front().operation == 0);
  CHECK(order.back().operation == 5);
  CHECK(order.back().iteration == 6);
}

TEST_CASE("an oracle finds no shorter interval", "[modulo]") {
  unsigned longer = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const ModuloProblem problem = randomProblem(seed);
    INFO("seed " << seed << "\n" << print(problem));
    REQUIRE(problem.check() == std::nullopt);
    const std::int64_t best = Oracle(problem).interval();
    ModuloOptions options;
    const auto solution = solveModulo(problem, options);
    REQUIRE(solution);
    CHECK(verify(problem, *solution) == std::nullopt);
    CHECK(verifyDataFlow(problem, *solution, 30) == std::nullopt);
    CHECK(solution->interval >= best);
    CHECK(solution->interval >= moduloBounds(problem).bound());
    longer += solution->interval > best;
  }
  CHECK(longer <= 3); // Of 300: it is a heuristic.
}

TEST_CASE("replay hands transfers to the engines as they get ready",
          "[modulo]") {
  // The store of one iteration waits for its function; the load of the next
  // does not wait for the store, whatever the order of the schedule says.
  const ModuloProblem problem = parsed(R"(modulo
room sbuf 60000
room psum 16384
op load sync 50 work 400
op exp scalar 900
op store gpsimd 50 work 400
edge 0 1 1000 spreads
edge 1 2 1000 spreads
buffer x sbuf 2048 users w0:400 r1:900
buffer y sbuf 2048 users w1:900 r2:400
)");
  const ModuloSolution listed = listModulo(problem, 2);
  CHECK(listed.copies == std::vector<std::uint32_t>{2, 2});
  const ModuloReport report = replayModulo(problem, listed, 40);
  // Two iterations go round the two copies of x in 1000 + 900.
  CHECK(report.interval == Approx(950).margin(25));
  // With one copy the load waits for the function, and it for the load.
  CHECK(replayModulo(problem, listModulo(problem, 1), 40).interval > 1800);
}

TEST_CASE("list scheduling keeps what one iteration depends on", "[modulo]") {
  const ModuloProblem problem = parsed(attention);
  const ModuloSolution listed = listModulo(problem, 2);
  CHECK(verifyDataFlow(problem, listed, 50) == std::nullopt);
  const ModuloReport before = replayModulo(problem, listed, 64),
                     after = replayModulo(problem, solved(problem), 64);
  INFO(before.interval << " " << after.interval);
  CHECK(after.interval < before.interval);
}

//===- ModuloExact.cpp - Modulo problems as questions to Z3 ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation starts at stage * interval + phase. At a given interval, every
// condition is linear: dependences and buffers compare two starts, and of two
// operations of a stream, one runs before the other in each interval.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/problem/ModuloExact.h"
#include "kiln/isa/rounding.h"

#include <algorithm>
#include <array>
#include <limits>
#include <z3++.h>

namespace kiln::problems {
namespace {

/// Margins that improveExactly() asks for, largest first, in ps.
constexpr std::array<std::int64_t, 5> margins{400'000, 200'000, 140'000, 90'000,
                                              40'000};
/// Part of the interval that is not worth another question.
constexpr std::int64_t finestPart = 256;

class Question {
public:
  Question(const ModuloProblem &problem, std::int64_t interval,
           const ExactOptions &options)
      : problem(problem), interval(interval), options(options),
        solver(z3::tactic(context, "qflia").mk_solver()) {
    z3::params parameters(context);
    parameters.set("rlimit", options.steps);
    parameters.set("random_seed", 0u);
    solver.set(parameters);
  }

  ExactAnswer ask() {
    addOperations();
    for (const ModuloEdge &edge : problem.edges)
      demand(start[edge.from], start[edge.to],
             edge.latency + (edge.spreads ? marginOf(edge.from) : 0),
             number(interval * edge.distance));
    addStreams();
    addBuffers();
    switch (solver.check()) {
    case z3::unsat:
      return {Feasibility::impossible, std::nullopt};
    case z3::sat:
      return {Feasibility::possible, read(solver.get_model())};
    case z3::unknown:
      break;
    }
    return {};
  }

private:
  z3::expr number(std::int64_t value) { return context.int_val(value); }
  z3::expr variable(const char *kind, std::size_t index) {
    return context.int_const((kind + std::to_string(index)).c_str());
  }

  std::int64_t marginOf(std::uint32_t operation) const {
    return options.margin > 0 && problem.operations[operation].work > 0
               ? options.margin + transferMargin
               : options.margin;
  }

  /// `to`, so much later than where it is now, starts `latency` after `from`.
  void demand(const z3::expr &from, const z3::expr &to, std::int64_t latency,
              const z3::expr &later) {
    solver.add(to - from + later >= number(latency));
  }

  /// All starts can move together, so the operation that its stream runs
  /// longest begins the interval.
  void addOperations() {
    std::size_t first = 0;
    for (std::size_t i = 0; i < problem.operations.size(); ++i) {
      phase.push_back(variable("p", i));
      stage.push_back(variable("s", i));
      start.push_back(number(interval) * stage[i] + phase[i]);
      solver.add(phase[i] >= 0 && phase[i] < number(interval));
      if (problem.operations[i].issue > problem.operations[first].issue)
        first = i;
    }
    solver.add(phase[first] == 0);
    solver.add(stage[first] == 0);
    const std::int64_t most = options.mostStages;
    for (std::size_t i = 0; most > 0 && i < stage.size(); ++i)
      for (std::size_t j = 0; j < stage.size(); ++j)
        if (i != j)
          solver.add(stage[i] - stage[j] < number(most));
  }

  void addStreams() {
    const auto issue = [&](std::size_t i) {
      return number(problem.operations[i].issue);
    };
    for (std::size_t i = 0; i < phase.size(); ++i)
      for (std::size_t j = i + 1; j < phase.size(); ++j) {
        if (problem.operations[i].engine != problem.operations[j].engine ||
            problem.operations[i].issue == 0 ||
            problem.operations[j].issue == 0)
          continue;
        solver.add(phase[i] + issue(i) <= phase[j] ||
                   phase[j] + issue(j) <= phase[i]);
        // Neither overlaps the next iteration of the other.
        solver.add(phase[i] + issue(i) <= phase[j] + number(interval));
        solver.add(phase[j] + issue(j) <= phase[i] + number(interval));
      }
  }

  void addBuffers() {
    z3::expr sbuf = number(0), psum = number(0);
    for (std::size_t b = 0; b < problem.buffers.size(); ++b) {
      const ModuloBuffer &buffer = problem.buffers[b];
      copies.push_back(variable("c", b));
      if (buffer.copies)
        solver.add(copies[b] == number(buffer.copies));
      solver.add(copies[b] >= 1);
      z3::expr &taken = buffer.space == isa::Space::psum ? psum : sbuf;
      taken = taken + z3::ite(copies[b] <= number(buffer.shared),
                              number(buffer.bytes),
                              number(buffer.bytes) * copies[b]);
      if (buffer.beside)
        taken = taken - z3::ite(copies[b] == 1 && copies[*buffer.beside] == 1,
                                number(buffer.bytes), number(0));
      for (const ModuloBuffer::User &user : buffer.users)
        for (const ModuloBuffer::User &writer : buffer.users)
          if (writer.writes)
            demand(start[user.operation], start[writer.operation],
                   user.release + marginOf(user.operation),
                   number(interval) * copies[b]);
    }
    solver.add(sbuf <= number(problem.sbufRoom));
    solver.add(psum <= number(problem.psumRoom));
  }

  ModuloSolution read(const z3::model &model) const {
    const auto valueOf = [&](const z3::expr &expression) {
      return model.eval(expression, true).get_numeral_int64();
    };
    ModuloSolution solution;
    solution.interval = interval;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const z3::expr &one : stage)
      least = std::min(least, valueOf(one));
    for (std::size_t i = 0; i < start.size(); ++i)
      solution.start.push_back((valueOf(stage[i]) - least) * interval +
                               valueOf(phase[i]));
    for (const ModuloBuffer &buffer : problem.buffers)
      solution.copies.push_back(copiesOf(buffer, solution));
    return solution;
  }

  /// Only as many as these times need: Z3 may have found any number that fits.
  std::uint32_t copiesOf(const ModuloBuffer &buffer,
                         const ModuloSolution &solution) const {
    std::int64_t needed = std::max<std::int64_t>(1, buffer.copies);
    for (const ModuloBuffer::User &user : buffer.users)
      for (const ModuloBuffer::User &writer : buffer.users)
        if (writer.writes) {
          const std::int64_t until = solution.start[user.operation] +
                                     user.release -
                                     solution.start[writer.operation];
          needed = std::max(needed, isa::ceilDiv(until, interval));
        }
    return static_cast<std::uint32_t>(needed);
  }

  const ModuloProblem &problem;
  std::int64_t interval;
  const ExactOptions &options;
  z3::context context;
  z3::solver solver;
  std::vector<z3::expr> phase, stage, start, copies;
};

} // namespace

ExactAnswer solveAtInterval(const ModuloProblem &problem, std::int64_t interval,
                            const ExactOptions &options) {
  if (interval < std::max<std::int64_t>(1, moduloBounds(problem).resource()))
    return {Feasibility::impossible, std::nullopt};
  try {
    return Question(problem, interval, options).ask();
  } catch (const z3::exception &) {
    return {}; // Out of steps before the search began.
  }
}

ExactOptimum solveExactly(const ModuloProblem &problem,
                          std::int64_t mostInterval, std::int64_t precision,
                          const ExactOptions &options) {
  ExactOptimum optimum;
  optimum.impossible = moduloBounds(problem).bound() - 1;
  std::int64_t low = optimum.impossible; // Impossible, or not known.
  std::int64_t high = mostInterval + 1;  // The next one to find is below.
  optimum.isProved = true;
  // The bound itself first: it is the answer more often than not.
  for (std::int64_t asked = low + 1; asked < high;
       asked = low + (high - low) / 2) {
    ExactAnswer answer = solveAtInterval(problem, asked, options);
    if (answer.feasibility == Feasibility::possible) {
      high = asked;
      optimum.solution = std::move(answer.solution);
    } else {
      low = asked;
      if (answer.feasibility == Feasibility::unknown)
        optimum.isProved = false;
      else if (optimum.isProved)
        optimum.impossible = asked;
    }
    if (high - low <= std::max<std::int64_t>(1, precision))
      break;
  }
  return optimum;
}

ModuloSolution improveExactly(const ModuloProblem &problem,
                              const ModuloSolution &known,
                              const ExactOptions &options) {
  ExactOptions asked = options;
  asked.margin = 0;
  ModuloSolution best = known;
  if (known.unroll != 1)
    return best;
  const ExactOptimum optimum =
      solveExactly(problem, known.interval - known.interval / finestPart,
                   known.interval / finestPart, asked);
  if (!optimum.solution)
    return best;
  best = *optimum.solution;
  for (const std::int64_t margin : margins) {
    asked.margin = margin;
    ExactAnswer answer = solveAtInterval(problem, best.interval, asked);
    if (answer.feasibility == Feasibility::possible)
      return *answer.solution;
  }
  return best;
}

} // namespace kiln::problems

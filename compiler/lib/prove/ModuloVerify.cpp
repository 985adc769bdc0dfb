//===- ModuloVerify.cpp - Checks of a schedule, without the solver ---- ===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Works on the problem itself: no graph, no unrolled edges.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/problem/ModuloProblem.h"

#include <algorithm>
#include <fmt/format.h>

namespace kiln::problems {
namespace {

/// When iteration `iteration` of an operation starts.
class Times {
public:
  Times(const ModuloProblem &problem, const ModuloSolution &solution)
      : size(problem.operations.size()), solution(solution) {}

  std::int64_t operator()(std::uint32_t operation,
                          std::uint64_t iteration) const {
    return solution.start[iteration % solution.unroll * size + operation] +
           static_cast<std::int64_t>(iteration / solution.unroll) *
               solution.interval;
  }

private:
  std::size_t size;
  const ModuloSolution &solution;
};

Problem checkShape(const ModuloProblem &problem,
                   const ModuloSolution &solution) {
  if (solution.unroll == 0 || solution.interval <= 0)
    return fmt::format("an interval of {} ps for {} iterations",
                       solution.interval, solution.unroll);
  if (solution.start.size() != problem.operations.size() * solution.unroll)
    return fmt::format("{} times for {} operations of {} iterations",
                       solution.start.size(), problem.operations.size(),
                       solution.unroll);
  if (solution.copies.size() != problem.buffers.size())
    return fmt::format("copies of {} buffers of {}", solution.copies.size(),
                       problem.buffers.size());
  for (const std::int64_t time : solution.start)
    if (time < 0)
      return fmt::format("an operation starts at {} ps", time);
  return std::nullopt;
}

Problem checkStreams(const ModuloProblem &problem,
                     const ModuloSolution &solution) {
  struct Part {
    std::int64_t begin, end;
    std::uint32_t operation;
  };
  std::array<std::vector<Part>, isa::numEngines> streams;
  const auto size = static_cast<std::uint32_t>(problem.operations.size());
  std::int64_t work = 0;
  for (std::uint32_t node = 0; node < solution.start.size(); ++node) {
    const ModuloOperation &op = problem.operations[node % size];
    work += op.work;
    if (op.issue == 0)
      continue;
    const std::int64_t phase = solution.start[node] % solution.interval;
    streams[static_cast<std::size_t>(op.engine)].push_back(
        {phase, phase + op.issue, node % size});
  }
  if (work > solution.interval)
    return fmt::format("transfers take {} ps of an interval of {}", work,
                       solution.interval);
  for (std::vector<Part> &parts : streams) {
    std::sort(parts.begin(), parts.end(), [](const Part &a, const Part &b) {
      return std::pair(a.begin, a.operation) < std::pair(b.begin, b.operation);
    });
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool last = i + 1 == parts.size();
      const Part &next = parts[last ? 0 : i + 1];
      const std::int64_t begin = next.begin + (last ? solution.interval : 0);
      if (parts[i].end > begin)
        return fmt::format("{} runs until {} ps of the interval, and {} "
                           "starts in its stream at {}",
                           problem.operations[parts[i].operation].name,
                           parts[i].end,
                           problem.operations[next.operation].name, begin);
    }
  }
  return std::nullopt;
}

Problem checkBuffers(const ModuloProblem &problem,
                     const ModuloSolution &solution) {
  const Times at(problem, solution);
  std::int64_t sbuf = 0, psum = 0;
  for (std::size_t b = 0; b < problem.buffers.size(); ++b) {
    const ModuloBuffer &buffer = problem.buffers[b];
    const std::uint32_t copies = solution.copies[b];
    if (copies == 0 || (buffer.copies && buffer.copies != copies))
      return fmt::format("{} copies of {}, but the program says {}", copies,
                         buffer.name, buffer.copies);
    // Of two in one bank the first one counts.
    const bool isBeside = buffer.beside && copies == 1 &&
                          solution.copies[*buffer.beside] == 1 &&
                          problem.laysBeside(solution.copies);
    if (!isBeside)
      (buffer.space == isa::Space::psum ? psum : sbuf) += buffer.taken(copies);
    for (const ModuloBuffer::User &user : buffer.users)
      for (const ModuloBuffer::User &writer : buffer.users)
        for (std::uint32_t i = 0; i < solution.unroll && writer.writes; ++i) {
          const std::int64_t free = at(user.operation, i) + user.release;
          const std::int64_t taken =
              at(writer.operation, std::uint64_t{i} + copies);
          if (free > taken)
            return fmt::format(
                "{} releases {} of iteration {} at {} ps, and {} takes the "
                "copy again at {}: {} copies are too few",
                problem.operations[user.operation].name, buffer.name, i, free,
                problem.operations[writer.operation].name, taken, copies);
        }
  }
  for (const isa::Space space : {isa::Space::sbuf, isa::Space::psum}) {
    const std::int64_t taken = space == isa::Space::psum ? psum : sbuf;
    if (taken > problem.room(space))
      return fmt::format(
          "copies take {} bytes per partition of {}, but there is room for {}",
          taken, isa::name(space), problem.room(space));
  }
  return std::nullopt;
}

} // namespace

Problem verify(const ModuloProblem &problem, const ModuloSolution &solution) {
  if (Problem wrong = checkShape(problem, solution))
    return wrong;
  const Times at(problem, solution);
  for (std::size_t e = 0; e < problem.edges.size(); ++e) {
    const ModuloEdge &edge = problem.edges[e];
    for (std::uint32_t i = 0; i < solution.unroll; ++i) {
      const std::int64_t from = at(edge.from, i);
      const std::int64_t to = at(edge.to, std::uint64_t{i} + edge.distance);
      if (to < from + edge.latency)
        return fmt::format("{} starts at {} ps, {} ps before the result of {} "
                           "that it needs is ready",
                           problem.operations[edge.to].name, to,
                           from + edge.latency - to,
                           problem.operations[edge.from].name);
    }
  }
  if (Problem wrong = checkStreams(problem, solution))
    return wrong;
  return checkBuffers(problem, solution);
}

Problem verifyDataFlow(const ModuloProblem &problem,
                       const ModuloSolution &solution, std::uint32_t trips) {
  if (Problem wrong = checkShape(problem, solution))
    return wrong;
  const auto size = static_cast<std::uint32_t>(problem.operations.size());
  constexpr std::uint32_t nobody = ~std::uint32_t{0};
  std::vector<std::vector<std::uint32_t>> holders;
  for (const std::uint32_t copies : solution.copies)
    holders.emplace_back(copies, nobody);
  struct Use {
    std::uint32_t buffer;
    bool takes; ///< May be the first one of its iteration.
  };
  std::vector<std::vector<Use>> uses(size);
  std::vector<std::vector<std::uint32_t>> into(size);
  std::vector<std::vector<bool>> taken;
  for (std::uint32_t b = 0; b < problem.buffers.size(); ++b) {
    taken.emplace_back(trips, false);
    for (const ModuloBuffer::User &user : problem.buffers[b].users)
      uses[user.operation].push_back({b, user.writes && !user.alsoReads});
  }
  for (std::uint32_t e = 0; e < problem.edges.size(); ++e)
    into[problem.edges[e].to].push_back(e);
  std::vector<bool> done(std::size_t{trips} * size, false);
  for (const ModuloInstance &instance : moduloOrder(solution, size, 0, trips)) {
    for (const std::uint32_t e : into[instance.operation]) {
      const ModuloEdge &edge = problem.edges[e];
      if (edge.distance <= instance.iteration &&
          !done[std::size_t{instance.iteration - edge.distance} * size +
                edge.from])
        return fmt::format("iteration {} of {} comes before iteration {} of {}",
                           instance.iteration,
                           problem.operations[instance.operation].name,
                           instance.iteration - edge.distance,
                           problem.operations[edge.from].name);
    }
    for (const auto &[b, takes] : uses[instance.operation]) {
      std::uint32_t &holder =
          holders[b][instance.iteration % solution.copies[b]];
      if (takes && !taken[b][instance.iteration])
        holder = instance.iteration;
      taken[b][instance.iteration] = true;
      if (holder != instance.iteration)
        return fmt::format(
            "iteration {} of {} finds {} in its copy of {}", instance.iteration,
            problem.operations[instance.operation].name,
            holder == nobody ? std::string("nothing")
                             : fmt::format("iteration {}", holder),
            problem.buffers[b].name);
    }
    done[std::size_t{instance.iteration} * size + instance.operation] = true;
  }
  return std::nullopt;
}

} // namespace kiln::problems

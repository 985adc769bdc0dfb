//===- Cluster.cpp - All cores of a launch --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include "Deadlock.h"
#include "OrderDigest.h"
#include "kiln/isa/split_mix.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::sim {

namespace {

/// Up to this size, memory on chip is allocated at once, which the host handles
/// best.
constexpr std::size_t fewCores = 2;

} // namespace

CoreId Cluster::idOf(std::size_t number) const {
  const auto coresOfRank = static_cast<unsigned>(modules.cores.size());
  return {static_cast<unsigned>(number) / coresOfRank,
          static_cast<unsigned>(number) % coresOfRank, launch.ranks > 1,
          coresOfRank > 1};
}

Cluster::Cluster(const Launch &launch, const RankModules &modules,
                 const isa::Target &target, const Options &options)
    : launch(launch), modules(modules), options(options), pool(options.threads),
      sharesRanks(options.interleaveSeed == 0 && pool.size() > 1 &&
                  launch.ranks >= pool.size()) {
  for (std::size_t i = 0; i < launch.numCores(); ++i) {
    const CoreId id = idOf(i);
    Seat &seat = seats.emplace_back(
        modules.module(id.core), target, options.numerics,
        sharesRanks ? alone : pool, launch.numCores() > fewCores);
    if (options.checks)
      seat.checker = std::make_unique<Checker>(
          modules, id, target, options,
          id.core == 0 ? nullptr : seats[i - id.core].checker.get());
    const Inspection &look = options.inspection;
    schedulers.emplace_back(
        CoreSeat{modules, id, seat.team, seat.checker.get(), rendezvous},
        options,
        look.rank == id.rank && look.core == id.core ? look : elsewhere);
  }
}

std::optional<std::span<const std::uint8_t>>
Cluster::findInput(unsigned rank, const std::string &name) const {
  using Bytes = std::optional<std::span<const std::uint8_t>>;
  const auto find = [&](const auto &all) {
    const auto found =
        std::find_if(all.begin(), all.end(),
                     [&](const auto &data) { return data.name == name; });
    return found == all.end() ? Bytes() : Bytes(found->bytes);
  };
  Bytes own;
  if (rank < launch.viewsOfRank.size())
    own = find(launch.viewsOfRank[rank]);
  if (!own && rank < launch.inputsOfRank.size())
    own = find(launch.inputsOfRank[rank]);
  return own ? own : find(launch.inputs);
}

bool Cluster::bindCore(std::size_t number) {
  const CoreId id = idOf(number);
  const isa::Module &module = modules.module(id.core);
  Memory &memory = seats[number].team.memory;
  const std::string where = nameOf(id).empty() ? "" : " of " + nameOf(id);
  for (std::size_t i = 0; i < module.tensors.size(); ++i) {
    const isa::Tensor &tensor = module.tensors[i];
    const RankModules::Home &home = modules.homes[id.core][i];
    if (!modules.isHome(id.core, i)) {
      memory.share(i, seats[number - id.core + home.core].team.memory,
                   home.tensor);
      continue;
    }
    std::span<const std::uint8_t> bytes = tensor.bytes;
    if (isGiven(tensor.kind)) {
      const auto given = findInput(id.rank, tensor.name);
      if (!given) {
        fault = makeFault(FaultKind::missingArgument, code::argument,
                          fmt::format("input {}{} is missing; it has {} "
                                      "elements of {}",
                                      tensor.name, where, tensor.elements(),
                                      isa::name(tensor.dtype)));
        return false;
      }
      bytes = *given;
    } else if (tensor.kind != isa::TensorKind::constant) {
      memory.allocate(i);
      continue;
    }
    if (bytes.size() != tensor.sizeInBytes()) {
      fault = makeFault(
          FaultKind::missingArgument, code::argument,
          fmt::format("tensor {}{} has <|{}|> bytes, but its type "
                      "and shape need [|{}|]",
                      tensor.name, where, bytes.size(), tensor.sizeInBytes()));
      return false;
    }
    memory.bind(i, bytes.data(), tensor.kind == isa::TensorKind::inout);
  }
  return true;
}

bool Cluster::bind() {
  for (std::size_t i = 0; i < seats.size(); ++i)
    if (!bindCore(i))
      return false;
  return true;
}

void Cluster::run() {
  runAll();
  for (std::size_t i = 0; i < seats.size() && fault; ++i)
    if (seats[i].checker && seats[i].checker->unwritten)
      return findLateWriter(i, *seats[i].checker->unwritten);
  for (std::size_t i = 0; i < seats.size() && !fault && !stopped; ++i)
    fault = schedulers[i].checkTokens();
  for (std::size_t i = 0; i < seats.size() && !fault && !stopped; ++i)
    fault = schedulers[i].core.preparation.findLeft(schedulers[i].core);
  for (std::size_t i = 0; i < seats.size() && !fault && !stopped; ++i)
    if (seats[i].checker)
      fault = seats[i].checker->finish();
}

void Cluster::runAll() {
  if (options.interleaveSeed != 0)
    runSeeded();
  else if (launch.ranks > 1)
    runTogether();
  else
    runInTurn();
}

void Cluster::takeOutcome(Scheduler &scheduler) {
  fault = std::move(scheduler.core.fault);
  stopped = std::move(scheduler.core.stopped);
}

void Cluster::runInTurn() {
  for (bool progress = true, running = true; running;) {
    if (!progress)
      return reportDeadlock();
    progress = running = false;
    for (Scheduler &scheduler : schedulers) {
      if (scheduler.finished())
        continue;
      const auto outcome = scheduler.runUntilBlocked();
      if (outcome == Progress::halted)
        return takeOutcome(scheduler);
      progress |= outcome == Progress::stepped;
      running |= !scheduler.finished();
    }
  }
}

Progress Cluster::runRank(unsigned rank) {
  const std::size_t cores = modules.cores.size();
  Progress whole = Progress::blocked;
  for (std::size_t i = rank * cores; i < (rank + 1) * cores; ++i) {
    if (schedulers[i].finished())
      continue;
    const Progress progress = schedulers[i].runUntilMeeting();
    if (progress == Progress::halted)
      return progress;
    if (progress == Progress::stepped)
      whole = progress;
  }
  return whole;
}

void Cluster::runTogether() {
  std::vector<Progress> came(launch.ranks);
  while (true) {
    if (sharesRanks)
      pool.run(launch.ranks,
               [&](unsigned rank, unsigned) { came[rank] = runRank(rank); });
    else
      for (unsigned rank = 0; rank < launch.ranks; ++rank)
        came[rank] = runRank(rank);
    // The first one by number, whichever halted first.
    for (Scheduler &scheduler : schedulers)
      if (scheduler.core.fault || scheduler.core.stopped)
        return takeOutcome(scheduler);
    bool progress = std::count(came.begin(), came.end(), Progress::stepped) > 0;
    bool running = false;
    for (Scheduler &scheduler : schedulers) {
      const Progress met = scheduler.meet();
      if (met == Progress::halted)
        return takeOutcome(scheduler);
      progress |= met == Progress::stepped;
      running |= !scheduler.finished();
    }
    if (!running)
      return;
    if (!progress)
      return reportDeadlock();
  }
}

void Cluster::runSeeded() {
  std::uint64_t state = ~options.interleaveSeed;
  const std::size_t count = schedulers.size();
  while (true) {
    bool running = false, stepped = false;
    const std::size_t first = count == 1 ? 0 : isa::splitMix(state) % count;
    for (std::size_t i = 0; i < count && !stepped; ++i) {
      Scheduler &scheduler = schedulers[(first + i) % count];
      if (scheduler.finished())
        continue;
      running = true;
      const auto outcome = scheduler.stepSeeded();
      if (outcome == Progress::halted)
        return takeOutcome(scheduler);
      stepped = outcome == Progress::stepped;
    }
    if (!running)
      return;
    if (!stepped)
      return reportDeadlock();
  }
}

void Cluster::reportDeadlock() {
  std::vector<const Scheduler *> cores;
  for (const Scheduler &scheduler : schedulers)
    cores.push_back(&scheduler);
  fault = reportDeadlockOf(cores, static_cast<unsigned>(modules.cores.size()));
}

void Cluster::collect(LaunchExecution &result) {
  for (Scheduler &scheduler : schedulers) {
    result.steps += scheduler.steps;
    result.order = noteInOrder(result.order, scheduler.core.order);
    result.registerLoads.push_back(std::move(scheduler.registerLoads));
    result.sentCounts.push_back(std::move(scheduler.core.sentCounts));
  }
  result.fault = std::move(fault);
  result.stopped = std::move(stopped);
  if (result.fault || result.stopped)
    return;
  for (Seat &seat : seats)
    if (seat.checker)
      for (Fault &remark : seat.checker->takeRemarks())
        result.remarks.push_back(std::move(remark));
  for (Scheduler &scheduler : schedulers)
    if (scheduler.core.book)
      result.values.push_back(scheduler.core.book->take());
  result.outputs.resize(launch.ranks);
  for (std::size_t n = 0; n < seats.size(); ++n) {
    const CoreId id = idOf(n);
    const isa::Module &module = modules.module(id.core);
    for (std::size_t i = 0; i < module.tensors.size(); ++i)
      if (isResult(module.tensors[i].kind) && modules.isHome(id.core, i))
        result.outputs[id.rank].push_back(
            {module.tensors[i].name, seats[n].team.memory.takeTensor(i)});
  }
}

} // namespace kiln::sim

//===- Cluster.h - All cores of a launch ---------------------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_SCHEDULE_CLUSTER_H
#define KILN_SIM_LIB_SCHEDULE_CLUSTER_H

#include "Scheduler.h"

#include "kiln/sim/launch.h"

#include <deque>
#include <memory>

namespace kiln::sim {

/// The cores of all ranks: in a fixed order, each until it blocks, or event by
/// event in the order of a seed. Between two meetings ranks are independent, so
/// threads run several at once; meetings have an order.
class Cluster {
public:
  /// Everything given must outlive it; the modules have been checked.
  Cluster(const Launch &launch, const RankModules &modules,
          const isa::Target &target, const Options &options);

  /// Gives tensors their bytes; false, with `fault` set, if some are missing.
  bool bind();
  /// Runs to the end, to a fault or to where the inspection stops.
  void run();

  std::optional<Fault> fault;
  std::optional<FaultParty> stopped;
  void collect(LaunchExecution &result);
  Memory &memory(unsigned rank, unsigned core) {
    return seats[rank * modules.cores.size() + core].team.memory;
  }

private:
  struct Seat {
    Seat(const isa::Module &module, const isa::Target &target,
         const Numerics &numerics, Pool &pool, bool lazyMemory)
        : team(module, target, numerics, pool, lazyMemory) {}
    Team team;
    std::unique_ptr<Checker> checker;
  };
  CoreId idOf(std::size_t number) const;
  bool bindCore(std::size_t number);
  /// The bytes of an input, if they are given.
  std::optional<std::span<const std::uint8_t>>
  findInput(unsigned rank, const std::string &name) const;
  void runAll();
  void runInTurn();
  /// Several ranks in the fixed order.
  void runTogether();
  /// The cores of a rank, until they reach a meeting.
  Progress runRank(unsigned rank);
  void runSeeded();
  /// Takes the fault or the stop of the core that halted.
  void takeOutcome(Scheduler &scheduler);
  void reportDeadlock();
  void findLateWriter(std::size_t reader, const MemoryRange &unwritten);

  const Launch &launch;
  const RankModules &modules;
  const Options &options;
  const Inspection elsewhere; ///< Of the cores that are not inspected.
  Pool pool;
  /// There are as many ranks as threads: each of these runs ranks of its own,
  /// whose instructions are not shared out.
  const bool sharesRanks;
  Pool alone{1};
  CoreRendezvous rendezvous;
  std::deque<Seat> seats;
  std::deque<Scheduler> schedulers;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_SCHEDULE_CLUSTER_H

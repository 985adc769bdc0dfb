//===- launch.h - Several cores and ranks at once -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rank is a logical core. It has one or two cores, each with its own module,
// on-chip memories and streams; the cores of a rank share its tensors in HBM.
// Ranks share nothing: they exchange data by collectives.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LAUNCH_H
#define KILN_SIM_LAUNCH_H

#include "kiln/sim/executor.h"
#include "kiln/sim/sent_counts.h"
#include "kiln/sim/timing.h"
#include "kiln/sim/values.h"

#include <span>
#include <vector>

namespace kiln::sim {

inline constexpr unsigned maxCores = 2;

/// The modules and inputs that run. All of them must outlive the run: inputs
/// are read in place, so that data for all ranks exist only once.
struct Launch {
  std::span<const isa::Module> modules; ///< Per core; the same for all ranks.
  unsigned ranks = 1;
  std::span<const TensorData> inputs; ///< Those of every rank, by name.
  /// Per rank; used instead of `inputs` of the same name. The list may end
  /// early.
  std::vector<std::span<const TensorData>> inputsOfRank;
  /// Per rank, too: bytes that ranks may share. Used instead of both.
  std::vector<std::span<const TensorView>> viewsOfRank = {};

  /// Cores are numbered rank by rank.
  std::size_t numCores() const { return ranks * modules.size(); }
};

/// The result of the function part of a launch.
struct LaunchExecution {
  std::optional<Fault> fault;
  std::optional<FaultParty> stopped; ///< The inspection stopped here.
  Dumps dumps;
  std::vector<std::vector<TensorData>> outputs; ///< Per rank.
  std::vector<Fault> remarks; ///< Rank by rank, if there is no fault.
  std::vector<RegisterLoads> registerLoads; ///< Per core.
  std::vector<SentCounts> sentCounts;       ///< Per core.
  std::vector<CoreValues> values; ///< Per core, if Options::values asks.
  std::uint64_t steps = 0;        ///< Instructions executed, of all cores.
  /// Digest of the instructions that issued and the transfers that moved data,
  /// in order, core by core. Equal runs have equal digests.
  std::uint64_t order = 0;
};

/// Computes values: between two meetings, ranks run on several threads; or in
/// the order of `options.interleaveSeed`. Never throws, exits or aborts.
LaunchExecution executeLaunch(const Launch &launch, const isa::Target &target,
                              const Options &options);

struct LaunchTimingOptions {
  bool trace = false;
  /// Per core; see TimingOptions. May be empty.
  std::vector<RegisterLoads> registerLoads;
  /// Per core. If it is empty, all_gather_v and all_to_all_v move as much as
  /// their buffers can hold: an upper bound.
  std::vector<SentCounts> sentCounts;
  std::uint64_t maxSteps = 4'000'000'000;   ///< Over all cores.
  Picoseconds patience = 1'000'000'000'000; ///< See TimingOptions.
  /// For every rank; at most one per instruction.
  std::span<const CostChange> changes;
};

struct LaunchTiming {
  Picoseconds makespan = 0;
  std::vector<Timing> cores; ///< Each accounts for the whole makespan.

  /// If it is not 0, the makespan is an upper bound; see Timing.
  std::uint64_t fullBuffersAssumed() const {
    std::uint64_t sum = 0;
    for (const Timing &core : cores)
      sum += core.fullBuffersAssumed;
    return sum;
  }
};

/// Times a launch; its inputs are ignored. Fails as simulateTiming does.
isa::Expected<LaunchTiming>
simulateLaunch(const Launch &launch, const isa::Target &target,
               const LaunchTimingOptions &options = {});

struct LaunchResult {
  std::optional<Fault> fault;
  std::optional<FaultParty> stopped;
  Dumps dumps;
  std::vector<std::vector<TensorData>> outputs; ///< Per rank.
  std::optional<LaunchTiming> timing;
  std::vector<CoreValues> values;     ///< As in LaunchExecution.
  LaunchTimingOptions timedWith;      ///< To time it again.
  std::vector<Fault> remarks;         ///< As in LaunchExecution.
  std::uint64_t steps = 0, order = 0; ///< As in LaunchExecution.
};

/// Values, times or both, as `options` asks.
LaunchResult runLaunch(const Launch &launch, const isa::Target &target,
                       const Options &options);

} // namespace kiln::sim

#endif // KILN_SIM_LAUNCH_H

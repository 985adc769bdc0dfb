//===- Run.cpp - The entry points of the executor -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchChecks.h"
#include "schedule/Cluster.h"
#include "schedule/Inspect.h"

#include <cfenv>
#include <new>

namespace kiln::sim {

namespace {

/// Round to nearest and subnormals, whatever the caller had set.
class DefaultFloatingPoint {
public:
  DefaultFloatingPoint() {
    std::fegetenv(&saved);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatingPoint() { std::fesetenv(&saved); }
  DefaultFloatingPoint(const DefaultFloatingPoint &) = delete;
  DefaultFloatingPoint &operator=(const DefaultFloatingPoint &) = delete;

private:
  std::fenv_t saved;
};

void executeInto(const Launch &launch, const isa::Target &target,
                 const Options &options, LaunchExecution &result) {
  if ((result.fault = checkLaunch(launch, target, options)))
    return;
  const Inspection &inspection = options.inspection;
  if (inspection.rank >= launch.ranks ||
      inspection.core >= launch.modules.size()) {
    result.fault = makeFault(FaultKind::missingArgument, code::argument,
                             "the rank or core to look at does not exist");
    return;
  }
  const DefaultFloatingPoint environment;
  const RankModules modules(launch.modules);
  Cluster cluster(launch, modules, target, options);
  if (!cluster.bind()) {
    result.fault = std::move(cluster.fault);
    return;
  }
  Memory &memory = cluster.memory(inspection.rank, inspection.core);
  std::vector<MemoryRange> ranges = inspection.dump;
  if (inspection.onWrite)
    ranges.push_back(*inspection.onWrite);
  for (const MemoryRange &range : ranges)
    if (const auto problem =
            checkRange(range, modules.module(inspection.core), memory)) {
      result.fault =
          makeFault(FaultKind::missingArgument, code::argument,
                    "the range to look at does not exist: " + *problem);
      return;
    }
  cluster.run();
  for (const MemoryRange &range : inspection.dump)
    result.dumps.push_back(readRange(range, memory));
  cluster.collect(result);
}

Fault hostOutOfMemory() {
  return makeFault(FaultKind::outOfMemory, code::memoryLimit,
                   "this computer has too little memory for the tensors of "
                   "the module; run a smaller size");
}

/// How a run ended, which all results tell.
template <class To, class From> To takeCommon(From &from) {
  To result;
  result.fault = std::move(from.fault);
  result.stopped = std::move(from.stopped);
  result.dumps = std::move(from.dumps);
  result.remarks = std::move(from.remarks);
  return result;
}
/// Of a launch with one rank.
template <class To, class Launch> To onlyRank(Launch &all) {
  To result = takeCommon<To>(all);
  if (!all.outputs.empty())
    result.outputs = std::move(all.outputs.front());
  return result;
}

} // namespace

LaunchExecution executeLaunch(const Launch &launch, const isa::Target &target,
                              const Options &options) {
  LaunchExecution result;
  try {
    executeInto(launch, target, options, result);
  } catch (const std::bad_alloc &) {
    result.fault = hostOutOfMemory();
  }
  return result;
}

LaunchResult runLaunch(const Launch &launch, const isa::Target &target,
                       const Options &options) {
  LaunchResult result;
  LaunchTimingOptions timing;
  timing.trace = options.trace;
  timing.maxSteps = options.maxSteps;
  if (options.function) {
    LaunchExecution execution = executeLaunch(launch, target, options);
    result = takeCommon<LaunchResult>(execution);
    result.outputs = std::move(execution.outputs);
    result.values = std::move(execution.values);
    result.steps = execution.steps;
    result.order = execution.order;
    timing.registerLoads = std::move(execution.registerLoads);
    timing.sentCounts = std::move(execution.sentCounts);
  } else {
    result.fault = checkLaunch(launch, target, options);
  }
  if (result.fault || result.stopped || !options.timing)
    return result;
  try {
    auto times = simulateLaunch(launch, target, timing);
    if (times)
      result.timing = std::move(*times);
    else
      result.fault = makeFault(FaultKind::invalidModule,
                               times.error().code.c_str(), times.error().text);
    result.timedWith = std::move(timing);
  } catch (const std::bad_alloc &) {
    result.fault = hostOutOfMemory();
  }
  return result;
}

Execution execute(const isa::Module &module, const isa::Target &target,
                  const std::vector<TensorData> &inputs,
                  const Options &options) {
  LaunchExecution all =
      executeLaunch({{&module, 1}, 1, inputs, {}}, target, options);
  auto result = onlyRank<Execution>(all);
  if (!all.registerLoads.empty())
    result.registerLoads = std::move(all.registerLoads.front());
  result.steps = all.steps;
  return result;
}

Result run(const isa::Module &module, const isa::Target &target,
           const std::vector<TensorData> &inputs, const Options &options) {
  LaunchResult all = runLaunch({{&module, 1}, 1, inputs, {}}, target, options);
  auto result = onlyRank<Result>(all);
  if (all.timing)
    result.timing = std::move(all.timing->cores.front());
  return result;
}

} // namespace kiln::sim

//===- Run.cpp - The entry points of the executor -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Faults.h"
#include "Inspect.h"
#include "Scheduler.h"

#include "kiln/isa/checks.h"
#include "kiln/sim/executor.h"
#include "kiln/sim/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfenv>
#include <memory>
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

std::optional<Fault> checkSizes(const isa::Module &module,
                                const Options &options) {
  std::uint64_t total = 0;
  for (const isa::Tensor &tensor : module.tensors) {
    std::uint64_t bytes = isa::sizeInBytes(tensor.dtype);
    for (const std::int64_t extent : tensor.shape)
      if (extent < 0 || __builtin_mul_overflow(
                            bytes, static_cast<std::uint64_t>(extent), &bytes))
        return makeFault(FaultKind::invalidModule, code::invalidModule,
                         fmt::format("tensor {} has an impossible extent {}",
                                     tensor.name, extent));
    if (__builtin_add_overflow(total, bytes, &total) ||
        total > options.maxHbmBytes)
      return makeFault(
          FaultKind::outOfMemory, code::memoryLimit,
          fmt::format("the tensors up to {} take more than the limit of {} "
                      "bytes; raise the limit or run a smaller size",
                      tensor.name, options.maxHbmBytes));
  }
  return std::nullopt;
}

std::optional<Fault> checkWrites(const isa::Module &module) {
  std::vector<isa::OperandAccess> operands;
  for (std::size_t e = 0; e < isa::numEngines; ++e)
    for (std::uint32_t i = 0; i < module.streams[e].size(); ++i) {
      operands.clear();
      isa::collectAccesses(module.streams[e][i].body, operands);
      for (const isa::OperandAccess &operand : operands) {
        if (operand.effect == isa::Effect::read ||
            operand.access->space != isa::Space::hbm)
          continue;
        const isa::Tensor &tensor = module.tensors[operand.access->tensor];
        if (tensor.kind != isa::TensorKind::input &&
            tensor.kind != isa::TensorKind::constant)
          continue;
        const FaultParty party =
            partyOf(module, static_cast<isa::Engine>(e), i);
        Fault fault =
            makeFault(FaultKind::invalidModule, code::invalidModule,
                      fmt::format("{} writes tensor {}, which may only be read",
                                  nameOf(party), tensor.name));
        fault.parties.push_back(party);
        return fault;
      }
    }
  return std::nullopt;
}

std::optional<Fault> checkModule(const isa::Module &module,
                                 const isa::Target &target,
                                 const Options &options) {
  if (auto fault = checkSizes(module, options))
    return fault;
  if (module.generation != target.generation)
    return makeFault(
        FaultKind::invalidModule, code::invalidModule,
        fmt::format("the module was compiled for {}, not for {}; compile it "
                    "for the target that runs it",
                    isa::target(module.generation).name, target.name));
  if (const auto problem = isa::checkModule(module, target))
    return makeFault(FaultKind::invalidModule, code::invalidModule,
                     "the module breaks a rule of the instruction set: " +
                         problem->str());
  for (const auto &stream : module.streams)
    for (const isa::Instruction &instruction : stream)
      if (!Machine::understands(instruction.body))
        return makeFault(
            FaultKind::invalidModule, code::invalidModule,
            fmt::format("the executor has no meaning for {}; use a version of "
                        "it that knows the instruction",
                        isa::mnemonic(isa::opcode(instruction.body))));
  return checkWrites(module);
}

/// Gives inputs and constants their bytes.
std::optional<Fault> bindTensors(const isa::Module &module,
                                 const std::vector<TensorData> &inputs,
                                 Memory &memory) {
  for (std::size_t i = 0; i < module.tensors.size(); ++i) {
    const isa::Tensor &tensor = module.tensors[i];
    const std::vector<std::uint8_t> *bytes = &tensor.bytes;
    if (tensor.kind == isa::TensorKind::output ||
        tensor.kind == isa::TensorKind::internal)
      continue;
    if (tensor.kind != isa::TensorKind::constant) {
      const auto given = std::find_if(
          inputs.begin(), inputs.end(),
          [&](const TensorData &data) { return data.name == tensor.name; });
      if (given == inputs.end())
        return makeFault(FaultKind::missingArgument, code::argument,
                         fmt::format("input {} is missing; it has {} elements "
                                     "of {}",
                                     tensor.name, tensor.elements(),
                                     isa::name(tensor.dtype)));
      bytes = &given->bytes;
    }
    if (bytes->size() != tensor.sizeInBytes())
      return makeFault(FaultKind::missingArgument, code::argument,
                       fmt::format("tensor {} has {} bytes, but its type and "
                                   "shape need {}",
                                   tensor.name, bytes->size(),
                                   tensor.sizeInBytes()));
    memory.bind(i, bytes->data(), tensor.kind == isa::TensorKind::inout);
  }
  return std::nullopt;
}

void executeInto(const isa::Module &module, const isa::Target &target,
                 const std::vector<TensorData> &inputs, const Options &options,
                 Execution &result) {
  if ((result.fault = checkModule(module, target, options)))
    return;
  const DefaultFloatingPoint environment;
  Team team(module, target, options.numerics, options.threads);
  if ((result.fault = bindTensors(module, inputs, team.memory)))
    return;
  const Inspection &inspection = options.inspection;
  std::vector<MemoryRange> ranges = inspection.dump;
  if (inspection.onWrite)
    ranges.push_back(*inspection.onWrite);
  for (const MemoryRange &range : ranges)
    if (const auto problem = checkRange(range, module, team.memory)) {
      result.fault =
          makeFault(FaultKind::missingArgument, code::argument,
                    "the range to look at does not exist: " + *problem);
      return;
    }
  std::unique_ptr<Checker> checker;
  if (options.checks)
    checker = std::make_unique<Checker>(module, target);
  Scheduler scheduler(module, options, team, checker.get());
  result.fault = scheduler.run();
  result.steps = scheduler.steps;
  result.registerLoads = std::move(scheduler.registerLoads);
  result.stopped = std::move(scheduler.stopped);
  if (!result.fault && !result.stopped && checker)
    result.fault = checker->finish();
  for (const MemoryRange &range : inspection.dump)
    result.dumps.push_back(readRange(range, team.memory));
  if (result.fault || result.stopped)
    return;
  for (std::size_t i = 0; i < module.tensors.size(); ++i) {
    const isa::Tensor &tensor = module.tensors[i];
    if (tensor.kind == isa::TensorKind::output ||
        tensor.kind == isa::TensorKind::inout)
      result.outputs.push_back({tensor.name, team.memory.takeTensor(i)});
  }
}

Fault hostOutOfMemory() {
  return makeFault(FaultKind::outOfMemory, code::memoryLimit,
                   "this computer has too little memory for the tensors of "
                   "the module; run a smaller size");
}

} // namespace

Execution execute(const isa::Module &module, const isa::Target &target,
                  const std::vector<TensorData> &inputs,
                  const Options &options) {
  Execution result;
  try {
    executeInto(module, target, inputs, options, result);
  } catch (const std::bad_alloc &) {
    result.fault = hostOutOfMemory();
  }
  return result;
}

Result run(const isa::Module &module, const isa::Target &target,
           const std::vector<TensorData> &inputs, const Options &options) {
  Result result;
  TimingOptions timing;
  timing.trace = options.trace;
  timing.maxSteps = options.maxSteps;
  if (options.function) {
    Execution execution = execute(module, target, inputs, options);
    result.outputs = std::move(execution.outputs);
    result.fault = std::move(execution.fault);
    result.stopped = std::move(execution.stopped);
    result.dumps = std::move(execution.dumps);
    timing.registerLoads = std::move(execution.registerLoads);
  } else {
    result.fault = checkModule(module, target, options);
  }
  if (result.fault || result.stopped || !options.timing)
    return result;
  try {
    auto times = simulateTiming(module, target, timing);
    if (times)
      result.timing = std::move(*times);
    else
      result.fault = makeFault(FaultKind::invalidModule,
                               times.error().code.c_str(), times.error().text);
  } catch (const std::bad_alloc &) {
    result.fault = hostOutOfMemory();
  }
  return result;
}

} // namespace kiln::sim

//===- LaunchChecks.cpp - What can be said before a launch ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchChecks.h"

#include "Faults.h"
#include "StreamCursor.h"
#include "function/Transfer.h"
#include "peers/PeerOp.h"

#include "kiln/isa/checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::sim {

bool hasMeaning(const isa::Body &body) {
  const isa::InstructionInfo &info = isa::info(isa::opcode(body));
  if (info.isControl)
    return StreamCursor::understands(body);
  return !info.isDma || isTransfer(body) || meetsAsTransfer(body);
}

namespace {

std::optional<Fault> checkSizes(const isa::Module &module, unsigned ranks,
                                const Options &options, std::uint64_t &total) {
  for (const isa::Tensor &tensor : module.tensors) {
    std::uint64_t bytes = isa::sizeInBytes(tensor.dtype);
    for (const std::int64_t extent : tensor.shape)
      if (extent < 0 || __builtin_mul_overflow(
                            bytes, static_cast<std::uint64_t>(extent), &bytes))
        return makeFault(
            FaultKind::invalidModule, code::invalidModule,
            fmt::format("tensor {} has an impossible extent <|{}|>",
                        tensor.name, extent));
    // Inputs are read in place; of the rest every rank has its own.
    const bool isOnce = tensor.kind == isa::TensorKind::input ||
                        tensor.kind == isa::TensorKind::constant;
    if (!isOnce && __builtin_mul_overflow(bytes, std::uint64_t{ranks}, &bytes))
      bytes = ~std::uint64_t{0};
    if (__builtin_add_overflow(total, bytes, &total) ||
        total > options.maxHbmBytes)
      return makeFault(
          FaultKind::outOfMemory, code::memoryLimit,
          fmt::format("the tensors up to {} take more than the limit of [|{}|] "
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
        involve(fault, party);
        return fault;
      }
    }
  return std::nullopt;
}

std::optional<Fault> checkOneModule(const isa::Module &module,
                                    const isa::Target &target) {
  if (module.generation != target.generation)
    return makeFault(
        FaultKind::invalidModule, code::invalidModule,
        fmt::format(
            "the module was compiled for <|{}|>, not for [|{}|]; compile it "
            "for the target that runs it",
            isa::target(module.generation).name.view(), target.name.view()));
  if (const auto problem = isa::checkModule(module, target)) {
    Fault fault = makeFault(
        FaultKind::invalidModule, code::invalidModule,
        "the module breaks a rule of the instruction set: " + problem->str());
    fault.found = problem->found;
    fault.allowed = problem->allowed;
    return fault;
  }
  for (const auto &stream : module.streams)
    for (const isa::Instruction &instruction : stream)
      if (!hasMeaning(instruction.body))
        return makeFault(
            FaultKind::invalidModule, code::invalidModule,
            fmt::format(
                "the executor does not support {}; use a version that does",
                isa::mnemonic(isa::opcode(instruction.body))));
  return checkWrites(module);
}

/// Every rank that an instruction names must exist.
std::optional<Fault> checkRanks(const isa::Module &module, const CoreId &id,
                                unsigned ranks) {
  for (std::size_t e = 0; e < isa::numEngines; ++e)
    for (std::uint32_t i = 0; i < module.streams[e].size(); ++i) {
      const isa::RankLists *lists = rankListsOf(module.streams[e][i].body);
      if (!lists)
        continue;
      for (const auto &list : *lists)
        for (const std::int32_t rank : list)
          if (rank < 0 || static_cast<unsigned>(rank) >= ranks) {
            CoreId core = id;
            core.severalRanks = false;
            const FaultParty party =
                partyOf(module, static_cast<isa::Engine>(e), i, core);
            Fault fault = makeFault(
                FaultKind::invalidLaunch, code::launch,
                fmt::format(
                    "{} names rank <|{}|>, but this launch has ranks [|0 to "
                    "{}|]; launch more ranks, or correct the list",
                    nameOf(party), rank, ranks - 1));
            involve(fault, party);
            return fault;
          }
    }
  return std::nullopt;
}

std::optional<Fault> wrongLaunch(std::string text) {
  return makeFault(FaultKind::invalidLaunch, code::launch, std::move(text));
}

} // namespace

std::optional<Fault> checkLaunch(const Launch &launch,
                                 const isa::Target &target,
                                 const Options &options) {
  if (launch.modules.empty() || launch.modules.size() > maxCores)
    return wrongLaunch(fmt::format("{} modules for the cores of a rank, "
                                   "expected 1 or {}",
                                   launch.modules.size(), maxCores));
  if (launch.ranks == 0 || launch.ranks > isa::maxRanks)
    return wrongLaunch(
        fmt::format("{} ranks, expected 1 to {}", launch.ranks, isa::maxRanks));
  std::uint64_t bytes = 0;
  for (const isa::Module &module : launch.modules)
    if (auto fault = checkSizes(module, launch.ranks, options, bytes))
      return fault;
  const auto cores = static_cast<unsigned>(launch.modules.size());
  for (unsigned c = 0; c < cores; ++c) {
    const isa::Module &module = launch.modules[c];
    if (auto fault = checkOneModule(module, target))
      return fault;
    if (module.cores() != cores || module.core() != c)
      return wrongLaunch(fmt::format(
          "the module of core {} was compiled as core {} of {}, but the launch "
          "has {}; give all cores that the kernel was compiled for, in order",
          c, module.core(), module.cores(), cores));
    if (auto fault = checkRanks(module, {0, c, false, cores > 1}, launch.ranks))
      return fault;
    for (std::size_t e = 0; e < isa::numEngines; ++e) {
      const StreamPlan plan(module.streams[e]);
      if (plan.error())
        return makeFault(FaultKind::invalidModule, code::invalidModule,
                         fmt::format("the {} stream is malformed: {}",
                                     isa::name(static_cast<isa::Engine>(e)),
                                     *plan.error()));
    }
  }
  if (cores > 1)
    if (const auto problem = isa::checkCores(launch.modules))
      return makeFault(FaultKind::invalidModule, code::invalidModule,
                       "the modules are not the cores of one kernel: " +
                           problem->str());
  return std::nullopt;
}

} // namespace kiln::sim

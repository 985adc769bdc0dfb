//===- SyncProblem.cpp - Which tokens order the streams -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/problem/SyncProblem.h"

#include <array>
#include <cstdlib>
#include <fmt/format.h>

namespace kiln::problems {

LoopId SyncProblem::openLoop(std::optional<std::uint64_t> trips,
                             std::uint64_t minTrips) {
  LoopId loop = static_cast<LoopId>(loops.size());
  loops.push_back({open.empty() ? noLoop : open.back(), trips, minTrips});
  items.push_back({SyncItem::Kind::loopBegin, loop});
  open.push_back(loop);
  return loop;
}

void SyncProblem::closeLoop() {
  if (open.empty())
    return; // check() finds the text unbalanced.
  items.push_back({SyncItem::Kind::loopEnd, open.back()});
  open.pop_back();
}

std::uint32_t SyncProblem::add(SyncInstruction instruction) {
  std::uint32_t index = static_cast<std::uint32_t>(instructions.size());
  instructions.push_back(std::move(instruction));
  items.push_back({SyncItem::Kind::instruction, index});
  return index;
}

namespace {

Problem checkFootprint(const Footprint &bytes,
                       const std::vector<LoopId> &around) {
  auto encloses = [&](LoopId loop) {
    for (LoopId at : around)
      if (at == loop)
        return true;
    return false;
  };
  if (bytes.run == 0)
    return "an access of no bytes";
  // Beyond it, sums of offsets could overflow.
  constexpr std::int64_t most = std::int64_t{1} << 46;
  const auto isSane = [](std::int64_t number) {
    return -most <= number && number <= most;
  };
  bool sane = isSane(bytes.offset) && bytes.run <= most;
  for (const ByteDim &dim : bytes.dims)
    sane &= isSane(dim.stride) && dim.count <= most &&
            (dim.stride == 0 || static_cast<std::int64_t>(dim.count) <=
                                    most / std::abs(dim.stride));
  for (const LoopTerm &term : bytes.terms)
    sane &= isSane(term.bytes);
  if (bytes.ring)
    sane &=
        isSane(bytes.ring->slotBytes) && bytes.ring->slotBytes <= most / 4096;
  if (!sane)
    return fmt::format("an access at byte {}, of which {} are contiguous; that "
                       "is larger than any memory",
                       bytes.offset, bytes.run);
  if (bytes.dims.size() > 5)
    return fmt::format("{} dimensions, at most 5 are allowed",
                       bytes.dims.size());
  for (const ByteDim &dim : bytes.dims)
    if (dim.count == 0)
      return "a dimension of extent 0";
  if (bytes.space == isa::Space::hbm ? bytes.partitions != 0
                                     : bytes.partitions == 0)
    return bytes.space == isa::Space::hbm ? "HBM has no partitions"
                                          : "no partitions";
  if (bytes.partition + bytes.partitions > isa::maxPartitions)
    return fmt::format("partitions [{}, {}) of {}", bytes.partition,
                       bytes.partition + bytes.partitions, isa::maxPartitions);
  for (const LoopTerm &term : bytes.terms)
    if (!encloses(term.loop))
      return fmt::format("a term of loop {}, which is not around it",
                         term.loop);
  if (bytes.ring) {
    if (!encloses(bytes.ring->loop))
      return fmt::format("a ring of loop {}, which is not around it",
                         bytes.ring->loop);
    if (bytes.ring->slots == 0 || bytes.ring->slots > 4096)
      return fmt::format("a ring of {} slots, 1 to 4096 are allowed",
                         bytes.ring->slots);
    if (bytes.ring->scope != noLoop &&
        (!encloses(bytes.ring->scope) || bytes.ring->scope >= bytes.ring->loop))
      return "a ring whose scope does not enclose its loop";
  }
  return std::nullopt;
}

} // namespace

Problem SyncProblem::check() const {
  std::vector<LoopId> around;
  std::uint32_t nextInstruction = 0, nextLoop = 0;
  std::array<std::optional<isa::Engine>, isa::dmaQueues> feeders;
  for (const SyncItem &item : items) {
    switch (item.kind) {
    case SyncItem::Kind::loopBegin:
      if (item.index != nextLoop++ || item.index >= loops.size())
        return "loops must be numbered in program order";
      if (loops[item.index].parent != (around.empty() ? noLoop : around.back()))
        return fmt::format("loop {} names another parent than the text",
                           item.index);
      around.push_back(item.index);
      break;
    case SyncItem::Kind::loopEnd:
      if (around.empty() || around.back() != item.index)
        return fmt::format("the end of loop {} closes another loop",
                           item.index);
      around.pop_back();
      break;
    case SyncItem::Kind::instruction: {
      if (item.index != nextInstruction++ || item.index >= instructions.size())
        return "instructions must be numbered in program order";
      const SyncInstruction &instruction = instructions[item.index];
      if (instruction.queue >= static_cast<std::int32_t>(isa::dmaQueues))
        return fmt::format("DMA queue {} of {}", instruction.queue,
                           isa::dmaQueues);
      if (instruction.queue >= 0) {
        auto &feeder = feeders[static_cast<std::size_t>(instruction.queue)];
        if (feeder && *feeder != instruction.engine)
          return fmt::format("DMA queue {} is fed by {} and by {}",
                             instruction.queue, isa::name(*feeder),
                             isa::name(instruction.engine));
        feeder = instruction.engine;
      }
      for (const SyncAccess &access : instruction.accesses)
        if (Problem wrong = checkFootprint(access.bytes, around))
          return fmt::format("instruction {} ({}): {}", item.index,
                             instruction.name, *wrong);
      break;
    }
    }
  }
  if (!around.empty())
    return fmt::format("loop {} is not closed", around.back());
  if (nextInstruction != instructions.size() || nextLoop != loops.size())
    return "instructions or loops that the text does not mention";
  return std::nullopt;
}

std::size_t SyncSolution::numWaits() const {
  std::size_t count = 0;
  for (const SyncTokens &tokens : instructions)
    count += tokens.waits.size();
  for (const SyncFence &fence : fences)
    count += fence.tokens.waits.size();
  return count;
}

std::size_t SyncSolution::numSignals() const {
  std::size_t count = 0;
  for (const SyncTokens &tokens : instructions)
    count += tokens.signals.size();
  for (const SyncFence &fence : fences)
    count += fence.tokens.signals.size();
  return count;
}

} // namespace kiln::problems

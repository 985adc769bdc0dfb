//===- TimingPlan.cpp - A module as the timing part sees it ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimingPlan.h"

#include "StallSites.h"

#include <map>

namespace kiln::sim::timing {

namespace {

struct Place {
  std::size_t engine = 0;
  std::uint32_t index = 0;
};

/// By semaphore: its producers.
std::map<std::uint16_t, std::vector<Place>> signallers(const isa::Module &m) {
  std::map<std::uint16_t, std::vector<Place>> all;
  for (std::size_t e = 0; e < isa::numEngines; ++e)
    for (std::uint32_t i = 0; i < m.streams[e].size(); ++i)
      for (const isa::Signal &signal : m.streams[e][i].signals)
        all[signal.semaphore].push_back({e, i});
  return all;
}

/// Tokens for buffers that are free from the start: nothing precedes it that
/// has operands or opens a loop.
bool isCredit(const PlannedStream &stream, std::uint32_t index) {
  for (std::uint32_t i = 0; i <= index; ++i)
    if (stream.op(i).kind != OpKind::semaphore)
      return false;
  return true;
}

} // namespace

void TimingPlan::applyChanges(std::span<const CostChange> changes) {
  std::map<std::uint16_t, std::vector<Place>> givers;
  for (const CostChange &change : changes) {
    const auto e = static_cast<std::size_t>(change.engine);
    if (change.cost)
      planned[e].setCost(change.index, *change.cost);
    if (change.transfer)
      planned[e].setTransfer(change.index, *change.transfer);
    if (!change.ignoresBuffers)
      continue;
    if (givers.empty())
      givers = signallers(module);
    std::vector<std::uint16_t> ignored;
    for (const isa::Wait &wait : module.streams[e][change.index].waits) {
      bool frees = false, others = false;
      for (const Place &giver : givers[wait.semaphore]) {
        if (isCredit(planned[giver.engine], giver.index))
          continue;
        const WaitKind kind = leastRelation(planned[giver.engine], giver.index,
                                            planned[e], change.index);
        (kind == WaitKind::buffer ? frees : others) = true;
      }
      if (frees && !others)
        ignored.push_back(wait.semaphore);
    }
    planned[e].ignoreWaits(change.index, std::move(ignored));
  }
}

} // namespace kiln::sim::timing

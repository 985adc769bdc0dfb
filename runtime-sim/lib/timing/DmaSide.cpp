//===- DmaSide.cpp - Transfers from their trigger to their tokens ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DmaSide.h"

#include "LanePipe.h"
#include "kiln/machine/fetch.h"

#include <algorithm>

namespace kiln::sim::timing {

DmaSide::DmaSide(const CoreSettings &settings, HbmStack &stack,
                 Accounts &accounts, PeerWaits &peerWaits)
    : target(settings.target), core(settings.number), accounts(accounts),
      peerWaits(peerWaits), model(target, stack),
      startTime(machine::nanoseconds(target.dma_start_ns)),
      doneTime(machine::nanoseconds(target.dma_done_ns)) {}

/// A tag for a transfer.
std::uint32_t DmaSide::pend(const Producer &by, Picoseconds issued) {
  if (freeTags.empty()) {
    freeTags.push_back(static_cast<std::uint32_t>(pending.size()));
    pending.emplace_back();
  }
  const std::uint32_t tag = freeTags.back();
  freeTags.pop_back();
  pending[tag] = {by, issued, std::nullopt};
  return tag;
}

void DmaSide::submit(const Producer &by, const machine::DmaPlan &plan,
                     Picoseconds time, const Describer &describer) {
  accounts.countTransfer(plan);
  const std::uint32_t tag = pend(by);
  Picoseconds described = time;
  if (plan.mode == isa::DgeMode::hwdge) {
    generators[by.engine] = time + plan.generation;
    generatorUsers[by.engine] = by;
  } else if (plan.mode == isa::DgeMode::swdge) {
    if (describer.pipe.isBehind()) {
      const std::uint32_t held = model.hold(time, plan.queue, tag);
      describer.pipe.describeLater(describer.index, by, time, plan, held);
      return;
    }
    described =
        describer.pipe.describe(describer.index, by, time, plan.generation);
  }
  model.submit(time, described + startTime, plan, tag);
}

void DmaSide::startHeld(std::uint32_t held, Picoseconds now,
                        Picoseconds described, const machine::DmaPlan &plan) {
  model.submitHeld(held, now, described + startTime, plan);
}

/// A packet on the stream's own ring of one DMA engine after the other.
void DmaSide::fetch(isa::Engine engine, std::uint32_t block, Picoseconds time) {
  machine::DmaPlan plan;
  plan.queue = static_cast<unsigned>(isa::dmaQueues + numberOf(engine));
  plan.bytes = static_cast<std::uint64_t>(target.dma_packet_bytes);
  plan.hbmRead = plan.bytes;
  Picoseconds &work = plan.work[block % machine::dmaEngines(target)];
  work = machine::fetchWork(target);
  plan.hbmBytesPerWork =
      static_cast<double>(plan.bytes) / static_cast<double>(work);
  accounts.countFetched(plan.bytes);
  model.submit(time, time + startTime, plan,
               pend(instructionAt(engine, block)));
}

DmaSide::Held DmaSide::hold(const Producer &by, unsigned queue,
                            Picoseconds time) {
  const std::uint32_t tag = pend(by, time);
  return {model.hold(time, queue, tag), tag};
}

void DmaSide::release(const Held &held, const MeetingStart &start,
                      Picoseconds now, Picoseconds ready,
                      const machine::DmaPlan &touch) {
  pending[held.tag].start = start;
  model.release(held.place, now, ready, touch);
  accounts.countTransfer(touch);
}

Token DmaSide::complete(const DmaModel::Done &transfer) {
  const Pending &from = pending[transfer.tag];
  Token token;
  token.reason = StallReason::waitDma;
  token.producer = from.by;
  token.way = doneTime;
  token.arrival = transfer.end + doneTime;
  if (from.start && from.start->last.core != core)
    token.meeting = peerWaits.add(from.issued, *from.start);
  lastVisible = std::max(lastVisible, token.arrival);
  accounts.draw(static_cast<std::uint8_t>(isa::numEngines + transfer.queue),
                from.by, from.start ? from.start->time : transfer.start,
                transfer.end, token.arrival);
  return token;
}

} // namespace kiln::sim::timing

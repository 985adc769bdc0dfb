//===- DmaModel.cpp - DMA engines, their queues, and the HBM limit -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DmaModel.h"

#include "kiln/machine/instruction_cost.h"

#include <tuple>
#include <utility>

namespace kiln::sim::timing {

namespace {

/// From a call that starts a transfer to its arrival at an engine.
Picoseconds shortestStart(const isa::Target &target) {
  return machine::nanoseconds(std::max(
      0.0, std::min({target.dma_start_ns, target.collective_launch_hbm_ns,
                     target.collective_launch_sbuf_ns, target.collective_hop_ns,
                     target.node_hop_ns,
                     target.core_barrier_ns + target.dma_start_ns,
                     target.sendrecv_gpsimd_ns})));
}

} // namespace

DmaModel::DmaModel(const isa::Target &target, HbmStack &stack)
    : stack(stack), engineCount(machine::dmaEngines(target)),
      depth(static_cast<unsigned>(std::max(1, target.dma_queue_depth))),
      gap(machine::nanoseconds(target.dma_queue_gap_ns)),
      turnaround(machine::nanoseconds(target.dma_queue_turnaround_ns)),
      skew(machine::dmaSkew(target)),
      ahead(std::max<Picoseconds>(0, shortestStart(target) - 1)),
      oneWay(target.dma_engine_bytes_per_ns / 1000),
      engines(engineCount, DmaEngine(target.dma_queues_share)),
      lag((engineCount - 1) * skew) {
  united = engineCount > 1 && lag <= ahead;
  lastStart.fill(never);
  nextOf.fill(never);
  stack.add(*this);
}

/// A transfer at the end of a queue; it has no pieces yet.
std::uint32_t DmaModel::take(Picoseconds now, unsigned queue,
                             std::uint32_t tag) {
  std::uint32_t id;
  if (freeTransfers.empty()) {
    id = static_cast<std::uint32_t>(transfers.size());
    transfers.emplace_back();
  } else {
    id = freeTransfers.back();
    freeTransfers.pop_back();
  }
  transfers[id] = {};
  transfers[id].tag = tag;
  transfers[id].queue = queue;
  transfers[id].triggered = now;
  lastTrigger = std::max(lastTrigger, now);
  order[queue].push(id);
  ++live;
  ++unfinished;
  return id;
}

/// True if it keeps all engines moving from the start of the first to the end
/// of the last, each with the same work.
bool DmaModel::isEven(const machine::DmaPlan &plan) const {
  const Picoseconds first = plan.work[0];
  if (plan.queue >= isa::dmaQueues || first < skew || first <= 0)
    return false;
  Picoseconds differs = 0; // No early end: the host compares several at once.
  for (unsigned e = 1; e < engineCount; ++e)
    differs |= plan.work[e] ^ first;
  return differs == 0;
}

void DmaModel::separate() {
  if (!united)
    return;
  united = false;
  for (unsigned e = 1; e < engineCount; ++e) {
    engines[e].copyLater(engines[0], e * skew, [this](std::uint32_t transfer) {
      ++transfers[transfer].pieces;
    });
    nextOf[e] = engines[e].next();
  }
  isMeasured = false;
}

/// True if no engine has state that the others do not share.
bool DmaModel::mayUnite() const {
  return engineCount > 1 && lag <= ahead &&
         std::all_of(engines.begin(), engines.end(),
                     [&](const DmaEngine &engine) {
                       return engine.isFreeBy(reached + ahead, turnaround);
                     });
}

/// Gives each engine its part.
void DmaModel::spread(std::uint32_t id, Picoseconds ready,
                      const machine::DmaPlan &plan) {
  Transfer &transfer = transfers[id];
  const unsigned queue = plan.queue;
  // A little more is the rounding of times.
  transfer.isDense = plan.hbmBytesPerWork > 1.001 * oneWay;
  dense += transfer.isDense;
  const bool even = !transfer.isDense && isEven(plan);
  if (!even)
    separate();
  else if (!united && mayUnite())
    united = true;
  for (unsigned e = 0; e < engineCount; ++e)
    work[e] += plan.work[e];
  for (unsigned e = 0; e < (united ? 1 : engineCount); ++e) {
    if (plan.work[e] == 0)
      continue;
    ++transfer.pieces;
    const Picoseconds start = queue < isa::dmaQueues ? ready + e * skew : ready;
    engines[e].push(queue,
                    {id, start, plan.work[e] * fullRate, plan.hbmBytesPerWork});
    nextOf[e] = engines[e].next();
    next = std::min(next, nextOf[e]);
  }
}

/// When the next transfer of `queue` starts, at `ready` or after a gap.
Picoseconds DmaModel::spaced(unsigned queue, Picoseconds ready) {
  if (lastStart[queue] != never && queue < isa::dmaQueues)
    ready = std::max(ready, lastStart[queue] + gap);
  return lastStart[queue] = ready;
}

void DmaModel::submit(Picoseconds now, Picoseconds ready,
                      const machine::DmaPlan &plan, std::uint32_t tag) {
  ready = spaced(plan.queue, ready);
  spread(take(now, plan.queue, tag), ready, plan);
  noteWaiting(now);
}

void DmaModel::submitHeld(std::uint32_t held, Picoseconds now,
                          Picoseconds ready, const machine::DmaPlan &plan) {
  release(held, now, spaced(plan.queue, ready), plan);
}

std::uint32_t DmaModel::hold(Picoseconds now, unsigned queue,
                             std::uint32_t tag) {
  const std::uint32_t id = take(now, queue, tag);
  transfers[id].pieces = 1; // Not finished before it is released.
  noteWaiting(now);
  return id;
}

void DmaModel::release(std::uint32_t held, Picoseconds now, Picoseconds ready,
                       const machine::DmaPlan &plan) {
  transfers[held].pieces = 0;
  spread(held, ready, plan);
  noteWaiting(now);
}

void DmaModel::endChunk(std::uint32_t id, Picoseconds time) {
  Transfer &transfer = transfers[id];
  transfer.end = std::max(transfer.end, united ? time + lag : time);
  if (--transfer.pieces == 0)
    touched |= 1u << transfer.queue;
}

/// Runs what happens at `now`, and what follows from it alone.
bool DmaModel::runEngines(Picoseconds now) {
  const bool tight = stack.isTight();
  if (tight)
    separate();
  const Picoseconds until = tight    ? now
                            : united ? now + ahead - lag
                                     : now + ahead;
  Book book{*this};
  // Whether one engine moves data all the time.
  bool throughout = false;
  spans.clear();
  for (unsigned e = 0; e < (united ? 1 : engineCount); ++e) {
    if (nextOf[e] > until) {
      throughout |= engines[e].isMoving();
      continue;
    }
    engines[e].run(until, scale, turnaround, book);
    nextOf[e] = engines[e].next();
  }
  if (united)
    for (Span &span : spans)
      span.end = span.end == never ? never : span.end + lag;
  queueDone();
  if (!throughout)
    noteMoves();
  moving |= throughout;
  isMeasured = false;
  return tight && stack.rebalance(now, *this);
}

/// What engines have ended counts once all before it in its queue has ended.
void DmaModel::queueDone() {
  const std::size_t known = done.size();
  for (std::uint32_t set = touched; set != 0; set &= set - 1) {
    const auto q = static_cast<unsigned>(std::countr_zero(set));
    while (settled[q] < order[q].count) {
      const Transfer &transfer = transfers[order[q].at(settled[q])];
      if (transfer.pieces > 0)
        break;
      ++settled[q];
      --unfinished;
      lastEnd[q] = std::max(lastEnd[q], transfer.end);
      done.push_back({transfer.tag, q, transfer.start, lastEnd[q]});
    }
  }
  touched = 0;
  // A few at most; those of one queue stay in their order.
  for (std::size_t i = known + 1; i < done.size(); ++i)
    for (std::size_t at = i;
         at > known && std::tie(done[at].end, done[at].queue) <
                           std::tie(done[at - 1].end, done[at - 1].queue);
         --at)
      std::swap(done[at], done[at - 1]);
}

void DmaModel::deliver(Picoseconds now, std::vector<Done> &finished) {
  for (; delivered < done.size() && done[delivered].end <= now; ++delivered) {
    const Done &transfer = done[delivered];
    const unsigned q = transfer.queue;
    const std::uint32_t id = order[q].front();
    if (isFull(q))
      room[q] = now;
    order[q].pop();
    --settled[q];
    finished.push_back(transfer);
    dense -= transfers[id].isDense;
    freeTransfers.push_back(id);
    --live;
  }
  if (delivered == done.size()) {
    done.clear();
    delivered = 0;
  }
}

/// A transfer has arrived: it waits if nothing moves.
void DmaModel::noteWaiting(Picoseconds now) {
  if (moving)
    return;
  const Picoseconds since = std::max(now, stoppedAt);
  waitingSince = isWaiting ? std::min(waitingSince, since) : since;
  isWaiting = true;
}

/// Since when one of the transfers that have yet to end is triggered, but not
/// before `since`: streams trigger what they must hold back a little later.
Picoseconds DmaModel::firstTrigger(Picoseconds since) const {
  if (lastTrigger <= since)
    return since;
  Picoseconds first = lastTrigger;
  for (unsigned q = 0; q < numRings; ++q)
    for (std::size_t i = settled[q]; i < order[q].count; ++i)
      first = std::min(first, transfers[order[q].at(i)].triggered);
  return std::max(first, since);
}

/// Adds up the gaps between the times in which any engine moved data; what
/// moves after a gap was there before it.
void DmaModel::noteMoves() {
  for (std::size_t i = 1; i < spans.size(); ++i) {
    const Span span = spans[i];
    std::size_t at = i;
    for (; at > 0 && spans[at - 1].begin > span.begin; --at)
      spans[at] = spans[at - 1];
    spans[at] = span;
  }
  Picoseconds reach = spans.front().begin;
  if (isWaiting)
    waitingTime += std::max<Picoseconds>(0, reach - waitingSince);
  for (const Span &span : spans) {
    waitingTime += std::max<Picoseconds>(0, span.begin - reach);
    reach = std::max(reach, span.end);
  }
  moving = reach == never;
  isWaiting = !moving && unfinished > 0;
  stoppedAt = moving ? 0 : reach;
  waitingSince = isWaiting ? firstTrigger(reach) : 0;
}

/// When an engine has something to do next.
Picoseconds DmaModel::nextOfEngines() const {
  Picoseconds soonest = nextOf[0];
  if (!united) // Otherwise the others have no events of their own.
    for (unsigned e = 1; e < engineCount; ++e)
      soonest = std::min(soonest, nextOf[e]);
  return soonest;
}

void DmaModel::findNext() {
  next = std::min(nextOfEngines(),
                  delivered < done.size() ? done[delivered].end : never);
}

bool DmaModel::step(std::vector<Done> &finished) {
  const Picoseconds now = reached = next;
  bool others = false;
  if (nextOfEngines() <= now)
    others = runEngines(now);
  deliver(now, finished);
  findNext();
  return others;
}

double DmaModel::mostDemand() const {
  if (dense > 0)
    return std::numeric_limits<double>::infinity();
  return live > 0 ? engineCount * oneWay : 0;
}

double DmaModel::demand() {
  if (!isMeasured) {
    current = 0;
    for (const DmaEngine &engine : engines)
      engine.addDemand(current);
    isMeasured = true;
  }
  return current;
}

bool DmaModel::changeScale(Picoseconds now, std::int64_t wanted) {
  if (demand() == 0)
    wanted = fullRate;
  if (wanted == scale)
    return false;
  scale = wanted;
  for (unsigned e = 0; e < engineCount; ++e) {
    engines[e].changeRate(now, scale);
    nextOf[e] = engines[e].next();
  }
  findNext();
  return true;
}

} // namespace kiln::sim::timing

//===- DmaModel.cpp - DMA engines, their queues, and the HBM limit -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DmaModel.h"

#include "InstructionCost.h"

#include <algorithm>
#include <bit>

namespace kiln::sim::timing {

namespace {
constexpr std::int64_t one = 65536; ///< Rate 1 in fixed point.
} // namespace

DmaModel::DmaModel(const isa::Target &target)
    : engineCount(std::clamp(static_cast<unsigned>(target.dma_engines), 1u,
                             maxDmaEngines)),
      depth(static_cast<unsigned>(std::max(1, target.dma_queue_depth))),
      gap(nanoseconds(target.dma_queue_gap_ns)),
      turnaround(nanoseconds(target.dma_queue_turnaround_ns)),
      stackRate(target.hbm_bytes_per_ns / 1000 /
                (1 + target.hbm_busy_neighbours)),
      skew(engineCount > 1 ? nanoseconds(target.dma_skew_ns) / (engineCount - 1)
                           : 0),
      engines(engineCount),
      tight(engineCount * target.dma_engine_bytes_per_ns > stackRate * 1000) {
  lastStart.fill(never);
  nextOf.fill(never);
}

/// A transfer at the end of a queue; it has no pieces yet.
std::uint32_t DmaModel::take(unsigned queue, std::uint32_t tag) {
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
  order[queue].push(id);
  ++live;
  return id;
}

/// Gives each engine its part.
void DmaModel::spread(std::uint32_t id, Picoseconds ready,
                      const DmaPlan &plan) {
  Transfer &transfer = transfers[id];
  const unsigned queue = plan.queue;
  transfer.sharesHbm = plan.hbmRead > 0 && plan.hbmWritten > 0;
  if (transfer.sharesHbm)
    ++hbmSharers;
  for (unsigned e = 0; e < engineCount; ++e) {
    if (plan.work[e] == 0)
      continue;
    ++transfer.pieces;
    Engine &engine = engines[e];
    engine.work += plan.work[e];
    const Picoseconds start = queue < isa::dmaQueues ? ready + e * skew : ready;
    engine.queues[queue].push(
        {id, start, plan.work[e] * one, plan.hbmBytesPerWork});
    if (engine.queues[queue].count == 1)
      await(engine, queue);
  }
}

void DmaModel::submit(Picoseconds now, Picoseconds ready, const DmaPlan &plan,
                      std::uint32_t tag) {
  const unsigned queue = plan.queue;
  if (lastStart[queue] != never && queue < isa::dmaQueues)
    ready = std::max(ready, lastStart[queue] + gap);
  lastStart[queue] = ready;
  spread(take(queue, tag), ready, plan);
  noteActivity(now);
  findNext();
}

std::uint32_t DmaModel::hold(Picoseconds now, unsigned queue,
                             std::uint32_t tag) {
  const std::uint32_t id = take(queue, tag);
  transfers[id].pieces = 1; // Not finished before it is released.
  noteActivity(now);
  return id;
}

void DmaModel::release(std::uint32_t held, Picoseconds now, Picoseconds ready,
                       const DmaPlan &plan) {
  transfers[held].pieces = 0;
  spread(held, ready, plan);
  noteActivity(now);
  findNext();
}

/// The head of `queue` starts when it is available and the one before it is
/// acknowledged.
void DmaModel::await(Engine &engine, unsigned queue) {
  Chunk &head = engine.queues[queue].front();
  head.available = std::max(head.available, engine.acknowledged[queue]);
  engine.waiting |= 1u << queue;
  soonest(engine) = std::min(soonest(engine), head.available);
}

/// Moves the active heads forward to `now`.
void DmaModel::settle(Engine &engine, Picoseconds now) {
  if (engine.active != 0) {
    const std::int64_t moved = (now - engine.updated) * engine.rate;
    for (std::uint32_t set = engine.active; set != 0; set &= set - 1)
      engine.queues[std::countr_zero(set)].front().remaining -= moved;
  }
  engine.updated = now;
}

/// Shares the engine out anew and finds its next event.
void DmaModel::plan(Engine &engine, Picoseconds now) {
  Picoseconds &soon = soonest(engine);
  soon = never;
  if (engine.active != 0) {
    engine.rate =
        std::max<std::int64_t>(1, scale / std::popcount(engine.active));
    for (std::uint32_t set = engine.active; set != 0; set &= set - 1) {
      const std::int64_t left = std::max<std::int64_t>(
          0, engine.queues[std::countr_zero(set)].front().remaining);
      soon = std::min(soon, now + (left + engine.rate - 1) / engine.rate);
    }
  }
  for (std::uint32_t set = engine.waiting; set != 0; set &= set - 1)
    soon = std::min(
        soon,
        std::max(now, engine.queues[std::countr_zero(set)].front().available));
}

bool DmaModel::finishChunks(Engine &engine, Picoseconds now) {
  bool transferEnded = false;
  for (std::uint32_t set = engine.active; set != 0; set &= set - 1) {
    const int q = std::countr_zero(set);
    Fifo<Chunk> &queue = engine.queues[q];
    if (queue.front().remaining > 0)
      continue;
    transferEnded |= --transfers[queue.front().transfer].pieces == 0;
    queue.pop();
    engine.active &= ~(1u << q);
    engine.acknowledged[static_cast<unsigned>(q)] = now + turnaround;
    if (queue.count > 0)
      await(engine, static_cast<unsigned>(q));
  }
  return transferEnded;
}

void DmaModel::startChunks(Engine &engine, Picoseconds now) {
  for (std::uint32_t set = engine.waiting; set != 0; set &= set - 1) {
    const int q = std::countr_zero(set);
    const Chunk &head = engine.queues[q].front();
    if (head.available > now)
      continue;
    Transfer &transfer = transfers[head.transfer];
    transfer.start = std::min(transfer.start, now);
    engine.waiting &= ~(1u << q);
    engine.active |= 1u << q;
  }
}

/// The rate at which the stack's bandwidth is not exceeded.
void DmaModel::rebalance(Picoseconds now) {
  double demand = 0; // bytes per ps
  for (const Engine &engine : engines)
    if (engine.active != 0)
      for (std::uint32_t set = engine.active; set != 0; set &= set - 1)
        demand += engine.queues[std::countr_zero(set)].front().hbmBytesPerWork /
                  std::popcount(engine.active);
  const double allowed = stackRate;
  const std::int64_t wanted =
      demand > allowed
          ? std::max<std::int64_t>(
                1, static_cast<std::int64_t>(static_cast<double>(one) *
                                             allowed / demand))
          : one;
  if (wanted == scale)
    return;
  for (Engine &engine : engines)
    settle(engine, now);
  scale = wanted;
  for (Engine &engine : engines)
    plan(engine, now);
}

/// Keeps account of the time in which transfers are pending and none moves.
void DmaModel::noteActivity(Picoseconds now) {
  const bool moving = movingEngines > 0;
  const bool exposed = live > 0 && !moving;
  if (exposed == exposedNow)
    return;
  if (exposedNow)
    waitingTime += std::max<Picoseconds>(0, now - exposedSince);
  exposedNow = exposed;
  exposedSince = now;
}

void DmaModel::findNext() {
  next = never;
  for (const Picoseconds soon : nextOf)
    next = std::min(next, soon);
}

void DmaModel::step(std::vector<Done> &finished) {
  const Picoseconds now = next;
  bool ended = false;
  for (unsigned e = 0; e < engineCount; ++e) {
    if (nextOf[e] > now)
      continue;
    Engine &engine = engines[e];
    settle(engine, now);
    const bool moved = engine.active != 0;
    ended |= finishChunks(engine, now);
    startChunks(engine, now);
    movingEngines += (engine.active != 0) - moved;
    plan(engine, now);
  }
  if (ended)
    for (unsigned q = 0; q < order.size(); ++q) {
      Fifo<std::uint32_t> &queue = order[q];
      while (queue.count > 0 && transfers[queue.front()].pieces == 0) {
        const std::uint32_t id = queue.front();
        if (isFull(q))
          room[q] = now;
        queue.pop();
        finished.push_back({transfers[id].tag, q, transfers[id].start, now});
        if (transfers[id].sharesHbm)
          --hbmSharers;
        freeTransfers.push_back(id);
        --live;
      }
    }
  if (hbmSharers > 0 || tight || scale != one)
    rebalance(now);
  noteActivity(now);
  findNext();
}

Picoseconds DmaModel::busiest() const {
  Picoseconds most = 0;
  for (const Engine &engine : engines)
    most = std::max(most, engine.work);
  return most;
}

} // namespace kiln::sim::timing

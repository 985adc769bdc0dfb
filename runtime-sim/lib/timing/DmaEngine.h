//===- DmaEngine.h - One DMA engine and the queues it serves -- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_DMAENGINE_H
#define KILN_SIM_LIB_TIMING_DMAENGINE_H

#include "Fifo.h"

#include "kiln/machine/dma_plan.h"
#include "kiln/sim/trace.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

namespace kiln::sim::timing {

/// The queues that programs use, and a ring for each stream's instructions.
inline constexpr unsigned numRings = isa::dmaQueues + isa::numEngines;
inline constexpr Picoseconds never = std::numeric_limits<Picoseconds>::max();
using machine::fullRate; // The fixed point of work and rates.

/// A queue runs its transfers in order. Of several queues with work, the engine
/// takes the one whose transfer could start first and finishes it; or it
/// divides its rate equally among them, which models round-robin over packets.
class DmaEngine {
public:
  explicit DmaEngine(bool shares) : shares(shares) {}

  /// The work of one transfer on the engine.
  struct Chunk {
    std::uint32_t transfer = 0;
    Picoseconds available = 0;
    std::int64_t remaining = 0; ///< Work in 1/65536 ps.
    double hbmBytesPerWork = 0;
  };

  void push(unsigned queue, const Chunk &chunk) {
    queues[queue].push(chunk);
    if (queues[queue].count == 1)
      await(queue);
  }

  /// When a chunk starts or ends next.
  Picoseconds next() const { return soonest; }
  bool isMoving() const { return active != 0; }

  /// Handles all events up to `until` at a constant `scale`. Calls
  /// `book.started(transfer, time)`, `book.ended(transfer, time)` for chunks
  /// and `book.moved(since, until)` for times in which data moved.
  template <class Book>
  void run(Picoseconds until, std::int64_t scale, Picoseconds turnaround,
           Book &book) {
    Picoseconds since = 0; // Of what moves now; 0: from before.
    while (soonest <= until) {
      const Picoseconds now = soonest;
      const bool moved = active != 0;
      if (!moved && scale == fullRate && runAlone(until, turnaround, book))
        continue;
      settle(now);
      finish(now, turnaround, book);
      start(now, book);
      if (moved && active == 0)
        book.moved(since, now);
      else if (!moved)
        since = now;
      plan(now, scale);
    }
    if (active != 0)
      book.moved(since, never);
  }

  /// Goes on at another `scale` from `now` on.
  void changeRate(Picoseconds now, std::int64_t scale) {
    settle(now);
    plan(now, scale);
  }

  /// Adds what moves now to and from HBM to `demand`, in bytes a picosecond.
  void addDemand(double &demand) const {
    int sharers = 0;
    for (std::uint32_t set = active; set != 0; set &= set - 1)
      ++sharers;
    for (std::uint32_t set = active; set != 0; set &= set - 1)
      demand += queues[static_cast<std::size_t>(std::countr_zero(set))]
                    .front()
                    .hbmBytesPerWork /
                sharers;
  }

  /// Has nothing to do, and acknowledged its last transfer before `time`.
  bool isFreeBy(Picoseconds time, Picoseconds turnaround) const {
    return (active | waiting) == 0 && updated + turnaround <= time;
  }

  /// Becomes what `other` is, all of it `later`; calls `visit(transfer)` for
  /// each chunk.
  template <class Visit>
  void copyLater(const DmaEngine &other, Picoseconds later, Visit visit) {
    const auto move = [later](Picoseconds time) {
      return time == never ? never : time + later;
    };
    soonest = move(other.soonest);
    waiting = other.waiting;
    active = other.active;
    updated = move(other.updated);
    rate = other.rate;
    for (unsigned q = 0; q < numRings; ++q) {
      acknowledged[q] = move(other.acknowledged[q]);
      queues[q].clear();
      for (std::size_t i = 0; i < other.queues[q].count; ++i) {
        Chunk chunk = other.queues[q].at(i);
        visit(chunk.transfer);
        chunk.available = move(chunk.available);
        queues[q].push(chunk);
      }
    }
  }

private:
  /// The head of `queue` starts when it is available and the one before it is
  /// acknowledged.
  void await(unsigned queue) {
    Chunk &head = queues[queue].front();
    head.available = std::max(head.available, acknowledged[queue]);
    waiting |= 1u << queue;
    if (shares || active == 0)
      soonest = std::min(soonest, head.available);
  }

  /// Of the waiting heads, the one that is available first.
  unsigned firstWaiting() const {
    auto first = static_cast<unsigned>(std::countr_zero(waiting));
    for (std::uint32_t set = waiting & (waiting - 1); set != 0;
         set &= set - 1) {
      const auto q = static_cast<unsigned>(std::countr_zero(set));
      if (queues[q].front().available < queues[first].front().available)
        first = q;
    }
    return first;
  }

  /// The usual case: nothing else moves, and a queue ends its chunk
  /// undisturbed.
  template <class Book>
  bool runAlone(Picoseconds until, Picoseconds turnaround, Book &book) {
    if (shares && (waiting & (waiting - 1)) != 0)
      return false;
    const unsigned q = firstWaiting();
    Fifo<Chunk> &queue = queues[q];
    const Chunk &head = queue.front();
    const Picoseconds begin = soonest;
    const Picoseconds end = begin + (head.remaining + fullRate - 1) / fullRate;
    if (end > until)
      return false;
    book.started(head.transfer, begin);
    book.ended(head.transfer, end);
    book.moved(begin, end);
    queue.pop();
    waiting &= ~(1u << q);
    updated = end;
    acknowledged[q] = end + turnaround;
    if (queue.count > 0)
      await(q);
    soonest = waiting == 0
                  ? never
                  : std::max(end, queues[firstWaiting()].front().available);
    return true;
  }

  /// Moves the active heads forward to `now`.
  void settle(Picoseconds now) {
    if (active != 0) {
      const std::int64_t moved = (now - updated) * rate;
      for (std::uint32_t set = active; set != 0; set &= set - 1)
        queues[static_cast<std::size_t>(std::countr_zero(set))]
            .front()
            .remaining -= moved;
    }
    updated = now;
  }

  template <class Book>
  void finish(Picoseconds now, Picoseconds turnaround, Book &book) {
    for (std::uint32_t set = active; set != 0; set &= set - 1) {
      const auto q = static_cast<unsigned>(std::countr_zero(set));
      Fifo<Chunk> &queue = queues[q];
      if (queue.front().remaining > 0)
        continue;
      book.ended(queue.front().transfer, now);
      queue.pop();
      active &= ~(1u << q);
      acknowledged[q] = now + turnaround;
      if (queue.count > 0)
        await(q);
    }
  }

  template <class Book> void start(Picoseconds now, Book &book) {
    if (!shares) {
      if (active != 0 || waiting == 0)
        return;
      const unsigned q = firstWaiting();
      const Chunk &head = queues[q].front();
      if (head.available > now)
        return;
      book.started(head.transfer, now);
      waiting &= ~(1u << q);
      active |= 1u << q;
      return;
    }
    for (std::uint32_t set = waiting; set != 0; set &= set - 1) {
      const auto q = static_cast<unsigned>(std::countr_zero(set));
      const Chunk &head = queues[q].front();
      if (head.available > now)
        continue;
      book.started(head.transfer, now);
      waiting &= ~(1u << q);
      active |= 1u << q;
    }
  }

  /// Divides the engine again and finds its next event.
  void plan(Picoseconds now, std::int64_t scale) {
    soonest = never;
    if (active != 0) {
      std::int64_t least = never;
      std::int64_t sharers = 0;
      for (std::uint32_t set = active; set != 0; set &= set - 1, ++sharers)
        least = std::min(least,
                         queues[static_cast<std::size_t>(std::countr_zero(set))]
                             .front()
                             .remaining);
      rate = sharers == 1 ? scale : std::max<std::int64_t>(1, scale / sharers);
      least = std::max<std::int64_t>(0, least);
      soonest = now + (rate == fullRate ? (least + fullRate - 1) / fullRate
                                        : (least + rate - 1) / rate);
    }
    if (!shares && active != 0)
      return; // The others continue at its end.
    for (std::uint32_t set = waiting; set != 0; set &= set - 1)
      soonest = std::min(
          soonest,
          std::max(now, queues[static_cast<std::size_t>(std::countr_zero(set))]
                            .front()
                            .available));
  }

  bool shares;
  Picoseconds soonest = never;
  std::uint32_t waiting = 0; ///< Queues with chunks, the head not started.
  std::uint32_t active = 0;  ///< Queues whose head moves data.
  Picoseconds updated = 0;
  std::int64_t rate = 0; ///< Of each active head, in 1/65536.
  std::array<Fifo<Chunk>, numRings> queues;
  /// When the last transfer of a queue is acknowledged.
  std::array<Picoseconds, numRings> acknowledged{};
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_DMAENGINE_H

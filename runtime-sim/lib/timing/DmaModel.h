//===- DmaModel.h - DMA engines, their queues, and the HBM limit ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_DMAMODEL_H
#define KILN_SIM_LIB_TIMING_DMAMODEL_H

#include "DmaPlan.h"

#include <limits>
#include <vector>

namespace kiln::sim::timing {

/// The queues that programs use, and a ring for each stream's instructions.
inline constexpr unsigned numRings = isa::dmaQueues + isa::numEngines;
inline constexpr Picoseconds never = std::numeric_limits<Picoseconds>::max();

/// Events of the DMA engines. Queues that have work on an engine share it
/// equally, which is what round-robin over packets amounts to; a queue works
/// its transfers off in order. While HBM to HBM transfers could ask for more
/// than the stack gives, all transfers slow down alike.
class DmaModel {
public:
  /// A finished transfer.
  struct Done {
    std::uint32_t tag = 0; ///< As submitted.
    unsigned queue = 0;
    Picoseconds start = 0; ///< First byte moved.
    Picoseconds end = 0;   ///< Last byte landed, and all before it.
  };

  explicit DmaModel(const isa::Target &target);

  /// Starts a transfer triggered at `now`, whose descriptors are ready no
  /// sooner than `ready`. Times of calls never decrease.
  void submit(Picoseconds now, Picoseconds ready, const DmaPlan &plan,
              std::uint32_t tag);

  /// Takes a place in `queue` for a transfer that others have yet to join;
  /// returns the number to release it with.
  std::uint32_t hold(Picoseconds now, unsigned queue, std::uint32_t tag);
  /// Lets it move, like one submitted now.
  void release(std::uint32_t held, Picoseconds now, Picoseconds ready,
               const DmaPlan &plan);

  Picoseconds nextEvent() const { return next; }
  /// Handles the event at nextEvent(); appends what finished.
  void step(std::vector<Done> &finished);

  bool isFull(unsigned queue) const { return order[queue].count >= depth; }
  /// When it was last full no more.
  Picoseconds roomSince(unsigned queue) const { return room[queue]; }
  bool isIdle() const { return live == 0; }
  Picoseconds busiest() const; ///< Work of the busiest engine.
  Picoseconds exposed() const { return waitingTime; }

private:
  /// First in, first out, without freeing memory.
  template <class T> struct Fifo {
    std::vector<T> slots;
    std::size_t head = 0;
    std::size_t count = 0;
    T &front() { return slots[head]; }
    const T &front() const { return slots[head]; }
    void pop() {
      head = (head + 1) & (slots.size() - 1);
      --count;
    }
    void push(const T &value) {
      if (count == slots.size())
        grow();
      slots[(head + count++) & (slots.size() - 1)] = value;
    }
    void grow() {
      std::vector<T> larger(slots.empty() ? 4 : 2 * slots.size());
      for (std::size_t i = 0; i < count; ++i)
        larger[i] = slots[(head + i) & (slots.size() - 1)];
      slots = std::move(larger);
      head = 0;
    }
  };
  /// What one transfer asks of one engine.
  struct Chunk {
    std::uint32_t transfer = 0;
    Picoseconds available = 0;
    std::int64_t remaining = 0; ///< Work in 1/65536 ps.
    double hbmBytesPerWork = 0;
  };
  struct Engine {
    std::array<Fifo<Chunk>, numRings> queues;
    /// When the last transfer of a queue is acknowledged.
    std::array<Picoseconds, numRings> acknowledged{};
    std::uint32_t waiting = 0; ///< Queues with chunks, the head not started.
    std::uint32_t active = 0;  ///< Queues whose head moves data.
    Picoseconds updated = 0;
    std::int64_t rate = 0; ///< Of each active head, in 1/65536.
    Picoseconds work = 0;
  };
  struct Transfer {
    std::uint32_t tag = 0;
    unsigned pieces = 0; ///< Chunks not finished.
    bool sharesHbm = false;
    Picoseconds start = never;
  };

  Picoseconds &soonest(const Engine &engine) {
    return nextOf[static_cast<std::size_t>(&engine - engines.data())];
  }
  std::uint32_t take(unsigned queue, std::uint32_t tag);
  void spread(std::uint32_t id, Picoseconds ready, const DmaPlan &plan);
  void await(Engine &engine, unsigned queue);
  void settle(Engine &engine, Picoseconds now);
  void plan(Engine &engine, Picoseconds now);
  bool finishChunks(Engine &engine, Picoseconds now);
  void startChunks(Engine &engine, Picoseconds now);
  void rebalance(Picoseconds now);
  void noteActivity(Picoseconds now);
  void findNext();

  unsigned engineCount;
  unsigned depth;
  Picoseconds gap;        ///< Between the starts of transfers of a queue.
  Picoseconds turnaround; ///< From the end of one to the start of the next.
  double stackRate;       ///< HBM bytes in a picosecond.
  Picoseconds skew;       ///< Between the starts of neighbouring engines.
  std::vector<Engine> engines;
  std::array<Picoseconds, maxDmaEngines> nextOf; ///< Next event, by engine.
  int movingEngines = 0;
  std::array<Fifo<std::uint32_t>, numRings> order;
  std::array<Picoseconds, numRings> lastStart;
  std::array<Picoseconds, numRings> room{};
  std::vector<Transfer> transfers;
  std::vector<std::uint32_t> freeTransfers;
  unsigned live = 0;
  bool tight; ///< One-way traffic alone may exceed the stack's bandwidth.
  unsigned hbmSharers = 0; ///< Live HBM to HBM transfers.
  std::int64_t scale = 65536;
  Picoseconds next = never;
  bool exposedNow = false;
  Picoseconds exposedSince = 0;
  Picoseconds waitingTime = 0;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_DMAMODEL_H

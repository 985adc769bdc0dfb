//===- DmaModel.h - DMA engines, their queues, and the HBM limit ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_DMAMODEL_H
#define KILN_SIM_LIB_TIMING_DMAMODEL_H

#include "DmaEngine.h"
#include "HbmStack.h"

namespace kiln::sim::timing {

/// Events of the DMA engines of a core. What is submitted reaches an engine
/// only after the time that a transfer takes to start, so each engine may run
/// that far ahead by itself; while HBM could be the limit, all engines of all
/// cores of the stack advance in one order of time instead. While every
/// transfer gives all engines the same work, they do the same one after the
/// other, and the first one represents all.
class DmaModel {
public:
  /// A finished transfer.
  struct Done {
    std::uint32_t tag = 0; ///< As submitted.
    unsigned queue = 0;
    Picoseconds start = 0; ///< First byte moved.
    Picoseconds end = 0;   ///< Last byte landed, and all before it.
  };

  DmaModel(const isa::Target &target, HbmStack &stack);
  DmaModel(const DmaModel &) = delete; // Its stack points to it.

  /// Starts a transfer triggered at `now`, whose descriptors are ready no
  /// sooner than `ready`. Times of calls never decrease.
  void submit(Picoseconds now, Picoseconds ready, const machine::DmaPlan &plan,
              std::uint32_t tag);

  /// Takes a place in `queue` for a transfer that others have yet to join;
  /// returns the number to release it with.
  std::uint32_t hold(Picoseconds now, unsigned queue, std::uint32_t tag);
  /// Submits it, if it has waited for its descriptors.
  void submitHeld(std::uint32_t held, Picoseconds now, Picoseconds ready,
                  const machine::DmaPlan &plan);
  /// Lets it move, like one submitted now.
  void release(std::uint32_t held, Picoseconds now, Picoseconds ready,
               const machine::DmaPlan &plan);

  Picoseconds nextEvent() const { return next; }
  /// Handles the event at nextEvent(); appends what finished. Returns whether
  /// other cores of the stack go on at another speed.
  bool step(std::vector<Done> &finished);

  bool isFull(unsigned queue) const { return order[queue].count >= depth; }
  /// When it was last full no more.
  Picoseconds roomSince(unsigned queue) const { return room[queue]; }
  bool isIdle() const { return live == 0; }
  const std::array<Picoseconds, machine::maxDmaEngines> &workOfEngines() const {
    return work;
  }
  Picoseconds exposed() const { return waitingTime; }

  // For the stack.

  /// From now on every engine is on its own.
  void separate();
  bool isThrottled() const { return scale != fullRate; }
  /// No more HBM traffic than this can be under way, in bytes a picosecond.
  double mostDemand() const;
  /// HBM traffic that is under way, in bytes a picosecond.
  double demand();
  /// Goes on at this part of the full rate if it has HBM traffic, else at the
  /// full one. Returns whether that is another one than before.
  bool changeScale(Picoseconds now, std::int64_t wanted);

private:
  struct Transfer {
    std::uint32_t tag = 0;
    unsigned queue = 0;
    unsigned pieces = 0; ///< Chunks not finished.
    Picoseconds triggered = 0;
    bool isDense = false; ///< More HBM traffic than one direction allows.
    Picoseconds start = never;
    Picoseconds end = 0;
  };
  /// Data moved.
  struct Span {
    Picoseconds begin = 0; ///< 0: from before.
    Picoseconds end = 0;   ///< never: it still does.
  };
  /// What engines report.
  struct Book {
    DmaModel &model;
    void started(std::uint32_t transfer, Picoseconds time) {
      Picoseconds &start = model.transfers[transfer].start;
      start = std::min(start, time);
    }
    void ended(std::uint32_t transfer, Picoseconds time) {
      model.endChunk(transfer, time);
    }
    void moved(Picoseconds begin, Picoseconds end) {
      model.spans.push_back({begin, end});
    }
  };

  std::uint32_t take(Picoseconds now, unsigned queue, std::uint32_t tag);
  Picoseconds spaced(unsigned queue, Picoseconds ready);
  void spread(std::uint32_t id, Picoseconds ready,
              const machine::DmaPlan &plan);
  bool isEven(const machine::DmaPlan &plan) const;
  bool mayUnite() const;
  void endChunk(std::uint32_t transfer, Picoseconds time);
  bool runEngines(Picoseconds now);
  void queueDone();
  void deliver(Picoseconds now, std::vector<Done> &finished);
  void noteWaiting(Picoseconds now);
  void noteMoves();
  Picoseconds firstTrigger(Picoseconds since) const;
  Picoseconds nextOfEngines() const;
  void findNext();

  HbmStack &stack;
  unsigned engineCount;
  unsigned depth;
  Picoseconds gap;        ///< Between the starts of transfers of a queue.
  Picoseconds turnaround; ///< From the end of one to the start of the next.
  Picoseconds skew;       ///< Between the starts of neighbouring engines.
  Picoseconds ahead;      ///< From a submission to its effect, at least.
  double oneWay;          ///< Bytes that an engine moves in a picosecond.
  std::vector<DmaEngine> engines;
  /// The first engine represents all: each does the same `skew` later.
  bool united = true;
  Picoseconds lag; ///< Of the last engine behind the first.
  std::array<Picoseconds, machine::maxDmaEngines>
      nextOf; ///< Next event, by engine.
  std::array<Picoseconds, machine::maxDmaEngines> work{};
  bool moving = false; ///< Some engine moves data.
  std::array<Fifo<std::uint32_t>, numRings> order;
  std::array<std::size_t, numRings> settled{}; ///< Of `order`: in `done`.
  std::array<Picoseconds, numRings> lastEnd{};
  std::array<Picoseconds, numRings> lastStart;
  std::array<Picoseconds, numRings> room{};
  std::uint32_t touched = 0; ///< Queues of which a transfer has ended.
  std::vector<Transfer> transfers;
  std::vector<std::uint32_t> freeTransfers;
  unsigned live = 0;       ///< Transfers that are not delivered.
  unsigned unfinished = 0; ///< Transfers that are not in `done` either.
  unsigned dense = 0;      ///< Live transfers that are.
  std::int64_t scale = fullRate;
  double current = 0;      ///< HBM traffic under way.
  bool isMeasured = false; ///< `current` is what it was after the last event.
  /// Finished, by time; from `delivered` on not known outside.
  std::vector<Done> done;
  std::size_t delivered = 0;
  Picoseconds next = never;
  Picoseconds reached = 0; ///< Nothing is submitted before this any more.
  // The time in which transfers are pending and none moves.
  std::vector<Span> spans; ///< Of the events handled now.
  Picoseconds lastTrigger = 0;
  bool isWaiting = false;
  Picoseconds waitingSince = 0;
  Picoseconds stoppedAt = 0; ///< When data last moved.
  Picoseconds waitingTime = 0;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_DMAMODEL_H

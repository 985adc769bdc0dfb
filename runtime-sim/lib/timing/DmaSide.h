//===- DmaSide.h - Transfers from their trigger to their tokens -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_DMASIDE_H
#define KILN_SIM_LIB_TIMING_DMASIDE_H

#include "Accounts.h"
#include "DmaModel.h"
#include "PeerWaits.h"
#include "Tokens.h"

#include <array>
#include <optional>
#include <vector>

namespace kiln::sim::timing {

class LanePipe;

/// The interface of a core's streams to the DMA engines: it has descriptors
/// generated, keeps the owner of each transfer, and reports when one is
/// complete.
class DmaSide {
public:
  DmaSide(const CoreSettings &settings, HbmStack &stack, Accounts &accounts,
          PeerWaits &peerWaits);

  // For a sequencer whose next instruction is a transfer.

  bool isFull(unsigned queue) const { return model.isFull(queue); }
  /// When `queue` was last full no more.
  Picoseconds roomSince(unsigned queue) const { return model.roomSince(queue); }
  /// Since when the stream's hardware generator is free.
  Picoseconds generatorFree(isa::Engine engine) const {
    return generators[numberOf(engine)];
  }

  /// The transfer that it made descriptors for last.
  const Producer &generatorUser(isa::Engine engine) const {
    return generatorUsers[numberOf(engine)];
  }

  /// GpSimd, whose software makes descriptors for any stream, and its current
  /// instruction.
  struct Describer {
    LanePipe &pipe;
    std::uint32_t index;
  };
  /// Starts the transfer of instruction `by`, triggered at `time`.
  void submit(const Producer &by, const machine::DmaPlan &plan,
              Picoseconds time, const Describer &describer);
  /// The descriptors of one that waited for them are begun at `described`.
  void startHeld(std::uint32_t held, Picoseconds now, Picoseconds described,
                 const machine::DmaPlan &plan);
  /// Asks for a block of the instructions of `engine`.
  void fetch(isa::Engine engine, std::uint32_t block, Picoseconds time);

  /// A transfer in its queue that others have yet to join.
  struct Held {
    std::uint32_t place = 0, tag = 0;
  };
  Held hold(const Producer &by, unsigned queue, Picoseconds time);
  /// All have joined it; it may move from `ready` on.
  void release(const Held &held, const MeetingStart &start, Picoseconds now,
               Picoseconds ready, const machine::DmaPlan &touch);

  Picoseconds nextEvent() const { return model.nextEvent(); }
  /// Handles what happens at nextEvent(). Tells `book`
  ///   fetched(engine, block, time): a block of instructions is there;
  ///   completed(token): a transfer is, and `token` tells of it;
  ///   foundRoom(): after them, that queues may have room.
  /// Returns whether other cores of the stack go on at another speed.
  template <class Book> bool step(Book &&book);

  /// Nothing is under way, nor held for peers that never came.
  bool isIdle() const { return model.isIdle(); }
  /// When the last transfer so far was complete.
  Picoseconds lastTime() const { return lastVisible; }
  Accounts::DmaUse use() const {
    return {model.workOfEngines(), model.exposed()};
  }

private:
  /// The owner of a transfer that is not complete.
  struct Pending {
    Producer by; ///< The index of a block if it fetches one.
    Picoseconds issued = 0;
    std::optional<MeetingStart> start; ///< It met others, and one came later.
  };

  std::uint32_t pend(const Producer &by, Picoseconds issued = 0);
  Token complete(const DmaModel::Done &transfer);

  const isa::Target &target;
  const std::size_t core; ///< Its number in the launch.
  Accounts &accounts;
  PeerWaits &peerWaits;
  DmaModel model;
  Picoseconds startTime;
  Picoseconds doneTime;
  std::array<Picoseconds, isa::numEngines> generators{};
  std::array<Producer, isa::numEngines> generatorUsers{};
  std::vector<Pending> pending; ///< By tag.
  std::vector<std::uint32_t> freeTags;
  std::vector<DmaModel::Done> finished; ///< For the time of a call.
  Picoseconds lastVisible = 0;
};

template <class Book> bool DmaSide::step(Book &&book) {
  finished.clear();
  const bool concernsOthers = model.step(finished);
  for (const DmaModel::Done &transfer : finished) {
    freeTags.push_back(transfer.tag);
    if (transfer.queue < isa::dmaQueues) {
      book.completed(complete(transfer));
      continue;
    }
    const Producer by = pending[transfer.tag].by;
    book.fetched(static_cast<isa::Engine>(by.engine), by.index,
                 transfer.end + doneTime);
  }
  if (!finished.empty())
    book.foundRoom();
  return concernsOthers;
}

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_DMASIDE_H

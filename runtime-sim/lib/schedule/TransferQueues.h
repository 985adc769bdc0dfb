//===- TransferQueues.h - DMA between issue and completion ------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transfers of a queue complete in its order but move their data at any time in
// between. One that meets other cores moves when all have arrived.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_SCHEDULE_TRANSFERQUEUES_H
#define KILN_SIM_LIB_SCHEDULE_TRANSFERQUEUES_H

#include "CoreContext.h"
#include "IndexedPlaces.h"

#include "../peers/PeerOp.h"

#include <array>
#include <deque>
#include <memory>
#include <vector>

namespace kiln::sim {

/// A DMA between its issue and its completion.
struct IssuedTransfer {
  isa::Engine engine = isa::Engine::sync;
  std::uint32_t index = 0;
  TransferViews views;
  std::vector<PlacedAccess> accesses;
  Checker::Transfer check;
  bool moved = false;
  std::unique_ptr<PeerOp> peer;         ///< Meets other cores; then no views.
  std::shared_ptr<CoreMeeting> meeting; ///< Where it meets them.
};

/// The DMA queues of a core.
class TransferQueues {
public:
  explicit TransferQueues(CoreContext &core) : core(core) {}
  TransferQueues(const TransferQueues &) = delete; // Meetings refer to it.

  /// The head of a stream, whose operands are `accesses`, goes to its queue,
  /// and the stream continues. Without a seed its data moves at once if it can.
  Progress issue(StreamCursor &cursor, isa::Engine engine,
                 const std::vector<PlacedAccess> &accesses);
  /// Completes what has moved, in the order of the queue.
  Progress drain(unsigned queue);
  /// Completes what other cores may have moved; true if there was some.
  bool drainJoined(Progress &progress);
  /// One random event of a queue that is not empty.
  Progress advance(unsigned queue);
  /// Moves and completes whatever it can.
  void flush();
  bool isEmpty() const;

  /// For others at a meeting: it reads what it sends, writes what it gets.
  Progress readSources(IssuedTransfer &transfer);
  Progress writeTargets(IssuedTransfer &transfer);

  using Queue = std::deque<IssuedTransfer>;
  const std::array<Queue, isa::dmaQueues> &all() const { return queues; }

private:
  Progress join(IssuedTransfer &transfer);
  /// Whether it has something to do: what meets others may have to wait.
  bool canMove(const IssuedTransfer &transfer) const;
  static bool mayReadAlone(const PeerOp &op);
  Progress move(IssuedTransfer &transfer);
  Progress moveMember(IssuedTransfer &transfer);
  void noteMove(const IssuedTransfer &transfer);
  Progress complete(unsigned queue);

  CoreContext &core;
  std::array<Queue, isa::dmaQueues> queues;
  std::size_t joined = 0; ///< Transfers in the queues that meet others.
  IndexedPlaces indexedPlaces;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_SCHEDULE_TRANSFERQUEUES_H

//===- Scheduler.h - Streams, queues and semaphores -------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the streams of a core in some legal order. The fixed order runs each
// stream until it blocks and moves the data of a DMA when it issues. A seed
// picks another legal order: streams in turn at random, transfers at any time
// until a wait needs them. Either all orders give the same bits, or the
// checker reports a race. What meets other cores waits until all have come.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_SCHEDULER_H
#define KILN_SIM_LIB_SCHEDULER_H

#include "IndexedPlaces.h"
#include "StreamCursor.h"
#include "checks/Checker.h"
#include "function/Team.h"
#include "peers/Meetings.h"
#include "peers/PeerOp.h"

#include "kiln/sim/executor.h"
#include "kiln/sim/sent_counts.h"

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace kiln::sim {

class Scheduler;

/// A DMA between its issue and its completion.
struct IssuedTransfer {
  isa::Engine engine = isa::Engine::sync;
  std::uint32_t index = 0;
  TransferViews views;
  std::vector<PlacedAccess> accesses;
  Checker::Transfer check;
  bool moved = false;
  std::unique_ptr<PeerOp> peer; ///< Meets other cores; then no views.
};

/// What a core leaves at a meeting.
struct Arrival {
  Scheduler *core = nullptr;
  IssuedTransfer *transfer = nullptr; ///< None at a barrier.
  isa::Engine engine = isa::Engine::sync;
  std::uint32_t index = 0;
  Knowledge knows; ///< When it comes, if it is checked.
};
using CoreMeetings = Meetings<Arrival>;

/// One core of a launch, and what it works with.
struct CoreSeat {
  const RankModules &rank;
  CoreId id;
  Team &team;
  Checker *checker = nullptr; ///< May be null.
  CoreMeetings &meetings;
};

class Scheduler {
public:
  Scheduler(const CoreSeat &seat, const Options &options,
            const Inspection &inspection);

  /// `halted`: a fault, or the inspection stops.
  enum class Outcome : std::uint8_t { blocked, stepped, halted };

  /// Runs in the fixed order as far as it comes alone.
  Outcome runUntilBlocked();
  /// One event in the order of the seed.
  Outcome stepSeeded();
  bool finished() const;
  /// After the end of all cores: every semaphore must be 0.
  std::optional<Fault> checkTokens() const;

  RegisterLoads registerLoads;
  SentCounts sentCounts;
  std::optional<Fault> fault;
  std::optional<FaultParty> stopped; ///< By the inspection.
  std::uint64_t steps = 0;
  std::uint64_t order = 0; ///< Digest of what issued and moved, in order.
  std::uint64_t stepLimit;
  std::uint64_t idleSteps = 0; ///< Control instructions since the last other.

  // LateWriter.cpp
  /// From now on runs without checks, and not for long, until it writes bytes
  /// of the range.
  void watchFor(const std::optional<MemoryRange> &range,
                std::uint64_t patience);
  /// Leaves out the engine instruction that was refused.
  void leaveOut(const FaultParty &refused);

  // Deadlock.cpp
  friend class DeadlockReport;

private:
  /// Seeds take turns: data as late as allowed, as early, at any time.
  enum class Hurry : std::uint8_t { late, early, any };
  Hurry hurry() const { return static_cast<Hurry>(options.interleaveSeed % 3); }

  using Stream = PlannedModule::Stream;
  using Transfer = IssuedTransfer;
  using Meeting = std::shared_ptr<CoreMeetings::Meeting>;

  Outcome runAlone();
  /// Executes the head of a stream if its waits hold.
  Outcome step(isa::Engine engine);
  const isa::Wait *unmetWait(const isa::Instruction &head) const;
  Outcome dispatch(isa::Engine engine);
  void place(isa::Engine engine);
  Outcome checkBounds(isa::Engine engine, std::uint32_t index);
  Outcome issue(isa::Engine engine);
  /// One random event of a queue that is not empty.
  Outcome advanceQueue(unsigned queue);
  Outcome move(Transfer &transfer);
  void noteMove(const Transfer &transfer);
  Outcome complete(unsigned queue);
  /// Completes what has moved, in the order of the queue.
  Outcome drain(unsigned queue);
  Outcome signal(const isa::Instruction &instruction, isa::Engine engine,
                 std::uint32_t index, const Checker::Transfer *transfer);
  Outcome fail(FaultKind kind, const char *code, const std::string &what,
               isa::Engine engine, std::uint32_t index);

  /// Whether the inspection stops before this instruction.
  bool stopsBefore(isa::Engine engine, std::uint32_t index);
  /// Runs `work`, which executes `accesses`, under the eyes of NaN search and
  /// inspection.
  template <class Work>
  Outcome watched(const std::vector<PlacedAccess> &accesses, isa::Engine engine,
                  std::uint32_t index, Work &&work);

  // Peers.cpp
  Outcome join(Transfer &transfer);
  Outcome disagree(const Arrival &other, const std::string &how,
                   isa::Engine engine, std::uint32_t index);
  /// The head is a barrier: arrives, and passes when the other core is there.
  Outcome meetAtBarrier(isa::Engine engine);

  // Together.cpp
  /// Whether it has something to do: what meets others may have to wait.
  bool canMove(const Transfer &transfer) const;
  static bool mayReadAlone(const PeerOp &op);
  Outcome moveMember(Transfer &transfer);
  Outcome readSources(Transfer &transfer);
  Outcome makeTogether(CoreMeetings::Meeting &meeting);
  Outcome readMetadata(CoreMeetings::Meeting &meeting,
                       std::span<PeerOp *const> members,
                       std::vector<CountedPiece> &pieces);
  static void shareKnowledge(CoreMeetings::Meeting &meeting, bool withinRank);
  Outcome writeTargets(Transfer &transfer);
  Outcome haltedBy(Scheduler &other);

  // Deadlock.cpp
  std::optional<std::uint32_t> futureSignal(isa::Engine engine,
                                            unsigned semaphore) const;
  Fault describeLeftTokens(unsigned semaphore) const;

  FaultParty party(isa::Engine engine, std::uint32_t index) const {
    return partyOf(module, engine, index, id);
  }
  std::uint64_t random();

  const CoreId id;
  const isa::Module &module;
  const std::vector<Stream> &streams;
  const Options &options;
  const Inspection &inspection;
  Team &team;
  Checker *checker;
  CoreMeetings &meetings;
  std::vector<StreamCursor> cursors; ///< By engine.
  std::array<std::deque<Transfer>, isa::dmaQueues> queues;
  /// By transfer that meets others, and by engine that waits at a barrier.
  std::map<const Transfer *, Meeting> pending;
  std::array<Meeting, isa::numEngines> barriers;
  std::array<std::uint32_t, isa::numSemaphores> semaphores{};
  std::vector<Event> owners; ///< Of what it reads, while looking for NaN.
  std::optional<MemoryRange> watchedRange;
  std::vector<PlacedAccess> placed; ///< Operands of the current instruction.
  IndexedPlaces indexedPlaces;
  std::uint64_t randomState;
  std::uint64_t visits = 0; ///< Of the inspection's instruction.
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_SCHEDULER_H

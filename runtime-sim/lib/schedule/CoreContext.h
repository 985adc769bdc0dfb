//===- CoreContext.h - What the parts of a core share -----------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_SCHEDULE_CORECONTEXT_H
#define KILN_SIM_LIB_SCHEDULE_CORECONTEXT_H

#include "OrderDigest.h"
#include "Preparation.h"
#include "Semaphores.h"

#include "../Faults.h"
#include "../PlacedAccess.h"
#include "../RankModules.h"
#include "../checks/Checker.h"
#include "../function/Team.h"
#include "../function/ValueBook.h"
#include "../peers/Rendezvous.h"

#include "kiln/sim/executor.h"
#include "kiln/sim/sent_counts.h"

#include <optional>
#include <string>
#include <vector>

namespace kiln::sim {

/// How far something came. `halted`: a fault, or the inspection stops.
enum class [[nodiscard]] Progress : std::uint8_t { blocked, stepped, halted };

struct CoreContext;
struct IssuedTransfer;
class TransferQueues;

/// What a core brings to a meeting.
struct Arrival {
  CoreContext *core = nullptr;
  TransferQueues *queues = nullptr;
  IssuedTransfer *transfer = nullptr; ///< None at a barrier.
  isa::Engine engine = isa::Engine::sync;
  std::uint32_t index = 0;
  Knowledge knows; ///< When it comes, if it is checked.
};
using CoreRendezvous = Rendezvous<Arrival>;
using CoreMeeting = CoreRendezvous::Meeting;

/// One core of a launch, and what it works with.
struct CoreSeat {
  const RankModules &rank;
  CoreId id;
  Team &team;
  Checker *checker = nullptr; ///< May be null.
  CoreRendezvous &rendezvous;
};

/// Where the parts of a core meet: its machine, and why it halted.
struct CoreContext {
  CoreContext(const CoreSeat &seat, const Options &options,
              const Inspection &inspection);

  const CoreId id;
  const isa::Module &module;
  const std::vector<PlannedModule::Stream> &streams; ///< By engine.
  const Options &options;
  const Inspection &inspection;
  Team &team;
  Checker *checker;
  CoreRendezvous &rendezvous;

  Semaphores semaphores;
  SentCounts sentCounts;
  Preparation preparation;
  std::uint64_t order = 0; ///< Digest of what issued and moved, in order.
  std::uint64_t randomState;
  std::optional<MemoryRange> watchedRange;
  std::optional<ValueBook> book; ///< If values are counted.

  std::optional<Fault> fault;
  std::optional<FaultParty> stopped; ///< By the inspection.

  /// Seeds alternate: data as late as allowed, as early, at any time.
  enum class Hurry : std::uint8_t { late, early, any };
  bool isSeeded() const { return options.interleaveSeed != 0; }
  Hurry hurry() const { return static_cast<Hurry>(options.interleaveSeed % 3); }
  std::uint64_t random();

  const isa::Instruction &instruction(isa::Engine engine,
                                      std::uint32_t index) const {
    return module.streams[static_cast<std::size_t>(engine)][index];
  }
  FaultParty party(isa::Engine engine, std::uint32_t index) const {
    return partyOf(module, engine, index, id);
  }
  Progress fail(FaultKind kind, const char *code, const std::string &what,
                isa::Engine engine, std::uint32_t index);
  /// The current instruction and `other` have met, but they do not match.
  Progress disagree(const Arrival &other, const std::string &how,
                    isa::Engine engine, std::uint32_t index);
  Progress stop(isa::Engine engine, std::uint32_t index) {
    stopped = party(engine, index);
    return Progress::halted;
  }
  /// Takes over why another core halted.
  Progress haltedBy(CoreContext &other);

  /// Gives the tokens of an instruction that has completed; of a transfer, as
  /// `transfer`.
  Progress signal(isa::Engine engine, std::uint32_t index,
                  const Checker::Transfer *transfer = nullptr);

  /// Runs `work`, which executes `accesses`, with NaN search, inspection and
  /// value statistics. `writers`: of what it reads, if NaN is searched.
  /// `cursor`: of an engine's instruction, with its registers.
  template <class Work>
  Progress watched(const std::vector<PlacedAccess> &accesses,
                   const std::vector<Event> &writers, isa::Engine engine,
                   std::uint32_t index, const StreamCursor *cursor,
                   Work &&work) {
    const bool clean = options.findNaN && holdsNoNaN(accesses);
    if (book)
      book->before(engine, index, accesses, cursor);
    if (work() == Progress::halted)
      return Progress::halted;
    if (book) {
      team.settle();
      book->after(engine, index, accesses);
    }
    return inspect(accesses, clean, writers, engine, index);
  }

private:
  bool holdsNoNaN(const std::vector<PlacedAccess> &accesses);
  Progress inspect(const std::vector<PlacedAccess> &accesses, bool wasClean,
                   const std::vector<Event> &writers, isa::Engine engine,
                   std::uint32_t index);
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_SCHEDULE_CORECONTEXT_H

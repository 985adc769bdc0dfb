//===- Simulator.h - Five streams, sixteen queues, one clock -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_SIMULATOR_H
#define KILN_SIM_LIB_TIMING_SIMULATOR_H

#include "../Faults.h"
#include "../StreamCursor.h"
#include "CollectiveCost.h"
#include "DmaModel.h"
#include "Fetch.h"
#include "PlannedStream.h"
#include "Ports.h"
#include "StallBook.h"
#include "TimingPlan.h"
#include "Tokens.h"
#include "kiln/machine/warm_up.h"
#include "kiln/sim/register_loads.h"
#include "kiln/sim/sent_counts.h"
#include "kiln/sim/timing.h"

#include <memory>

namespace kiln::sim::timing {

class World;

/// How long the latest transfers waited for other cores, and for which one.
class PeerWaits {
public:
  struct Wait {
    std::uint16_t id = 0; ///< 0: none.
    Picoseconds since = 0, until = 0;
    Producer peer;
  };
  std::uint16_t add(Picoseconds since, Picoseconds until, Producer peer) {
    if (latest.empty())
      latest.resize(size);
    last = static_cast<std::uint16_t>(last == 65535 ? 1 : last + 1);
    latest[last % size] = {last, since, until, peer};
    return last;
  }
  /// Null if that was too long ago.
  const Wait *find(std::uint16_t id) const {
    return !latest.empty() && latest[id % size].id == id ? &latest[id % size]
                                                         : nullptr;
  }

private:
  static constexpr std::size_t size = 1024;
  std::vector<Wait> latest;
  std::uint16_t last = 0;
};

/// One core of a launch.
struct CoreSettings {
  CoreId id;
  std::size_t number = 0;
  bool trace = false;
  const RegisterLoads *registerLoads = nullptr;
  const SentCounts *sentCounts = nullptr; ///< Null: not known.
  std::uint64_t maxSteps = 0;
  Picoseconds patience = 0;
};

/// One core. The stream whose head can act first acts next, or the DMA engines
/// do, so shared things are taken in the order of time. Sequencers run a few
/// instructions ahead of their engines; what an instruction costs is settled
/// when its sequencer hands it on, unless it, or one before it on its engine,
/// may meet another engine at a memory port: then when its elements are
/// through.
class Simulator {
public:
  Simulator(TimingPlan &plan, const isa::Target &target,
            const CoreSettings &settings, World &world, HbmStack &stack);

  /// Finds what is wrong with the module, or gets ready.
  std::optional<isa::Diagnostic> start();
  /// When something can happen next; `never` if only another core can help.
  Picoseconds nextTime() const;
  /// Handles events up to `limit`, at least one, but none after one that
  /// concerns other cores.
  std::optional<isa::Diagnostic> runUntil(Picoseconds limit);
  bool hasEnded() const;
  bool isStuck() const { return nextTime() == never && !hasEnded(); }
  /// Its own end.
  Picoseconds lastTime() const;
  /// Accounts for all the time up to `makespan`.
  Timing finish(Picoseconds makespan);
  isa::Diagnostic deadlock() const;

  /// A meeting has all its members: since when, and who came last.
  struct Start {
    Picoseconds time = 0;
    Producer last;
  };
  void passBarrier(std::uint8_t engine, const Start &start);
  /// The transfer that it held may move from `ready` on.
  void release(std::uint32_t held, std::uint32_t tag, const Start &start,
               Picoseconds now, Picoseconds ready,
               const machine::DmaPlan &touch);

private:
  enum class State : std::uint8_t { ready, blocked, ended };

  /// A result on its way: later reads of it wait.
  struct InFlight {
    Picoseconds complete = 0;
    std::uint32_t index = 0; ///< Of its producer.
    machine::Box box;
    std::int64_t shift = 0;
  };
  /// Something that a data path does after an instruction at the ports.
  struct Handed {
    enum class Kind : std::uint8_t { instruction, signals, idle, descriptors };
    Kind kind = Kind::instruction;
    StallReason reason = StallReason::control; ///< Of `idle`.
    std::uint16_t ports = 0;                   ///< Of `instruction`.
    std::uint32_t index = 0;
    /// When it was handed on; of `idle`, the end; of `signals`, the earliest.
    Picoseconds time = 0;
    Producer producer; ///< Of `idle`; who wants `descriptors`.
    const machine::DmaPlan *plan =
        nullptr;            ///< Of the transfer that waits for them.
    std::uint32_t held = 0; ///< Its place in its queue.
  };
  static constexpr std::size_t flightDepth = 8;
  static constexpr std::size_t maxQueueDepth = 64;

  struct Stream {
    isa::Engine engine = isa::Engine::sync;
    PlannedStream *planned = nullptr;
    std::unique_ptr<StreamCursor> cursor;
    std::unique_ptr<Fetch> fetch;
    std::unique_ptr<StallBook> book;
    State state = State::ready;
    Picoseconds estimate = 0;  ///< When the head can act.
    Picoseconds sequencer = 0; ///< Sequencer free.
    Picoseconds free = 0;      ///< Data path free.
    Picoseconds complete = 0;  ///< Last completion; they are in order.
    Picoseconds accounted = 0; ///< Up to here busy or stalled.
    Picoseconds generator = 0; ///< Descriptor generator free.
    Picoseconds turnaround = 0;
    Picoseconds fetched = 0; ///< When the head had arrived.
    std::array<Picoseconds, maxQueueDepth> starts{};
    std::size_t issued = 0; ///< Instructions handed on to the data path.
    std::size_t begun = 0;  ///< Those of them that have a start.
    std::array<InFlight, flightDepth> flight;
    std::size_t flights = 0;
    std::size_t loads = 0;
    std::size_t tables = 0; ///< Collectives with tables so far.
    std::uint8_t table = 0;
    /// TensorE: the parts of the PE array that tiles may occupy one by one; a
    /// stream without tiles has but one part.
    struct Cell {
      Picoseconds free = 0;
      Picoseconds loadFree = 0;
      Picoseconds shadowFree = 0; ///< For the next stationary operand.
    };
    std::array<Cell, 16> cells;
    bool hasTiles = false;
    /// Since when it has waited for the other core; it is at a barrier.
    std::optional<Picoseconds> barrier;
    Picoseconds lastStart = 0;
    Picoseconds hiddenFree = 0; ///< Transposes in the background.
    Fifo<Handed> handed;        ///< The first one is at the ports.
    /// Where registers put their operands, one for each operand of those that
    /// have such.
    Fifo<std::int64_t> shifts;
  };

  /// A transfer that has not signalled.
  struct Pending {
    std::uint8_t stream = 0;
    std::uint32_t index = 0; ///< Of an instruction; of a block if it fetches.
    Picoseconds issued = 0;
    std::optional<Start> start; ///< It met others, and one came later.
  };
  struct Ready {
    Picoseconds time = 0;
    Producer producer;
  };

  std::optional<isa::Diagnostic> check() const;
  void estimate(Stream &stream);
  void step(Stream &stream);
  Picoseconds takeTokens(Stream &stream);
  void runControl(Stream &stream, const PlannedOp &op, Picoseconds time);
  void runDma(Stream &stream, const PlannedOp &op, Picoseconds time);
  void runBarrier(Stream &stream, Picoseconds time);
  void meet(Stream &stream, const machine::DmaPlan &own, Picoseconds time,
            std::uint32_t tag);
  void countTransfer(const machine::DmaPlan &transfer);
  void runTensor(Stream &stream, const PlannedOp &op, Picoseconds time);
  void runLane(Stream &stream, const PlannedOp &op, Picoseconds time);
  void occupy(Stream &stream, std::uint32_t index, Picoseconds start,
              Picoseconds end, Picoseconds complete);
  void handOn(Stream &stream, const Handed &next);
  void workOff(Stream &stream, Picoseconds now);
  void submit(Stream &stream, const machine::DmaPlan &plan, Picoseconds time,
              std::uint32_t tag);
  Picoseconds describe(Stream &gpsimd, const Handed &wanted);
  void stepDma();
  void stepPorts();
  void give(std::span<const isa::Signal> signals, Picoseconds time,
            const Token &token);
  Token tokenOf(const Stream &stream, std::uint32_t index) const;
  /// Books the time up to `until` that the head kept its engine idle.
  void idle(Stream &stream, StallReason reason, Picoseconds until,
            Producer producer = {}) {
    if (until <= stream.accounted)
      return;
    if (stream.handed.count == 0)
      account(stream, stream.cursor->index(), reason, until, producer);
    else
      idleLater(stream, reason, until, producer);
  }
  void idleLater(Stream &stream, StallReason reason, Picoseconds until,
                 Producer producer);
  /// The same for any instruction, and at once.
  void account(Stream &stream, std::uint32_t index, StallReason reason,
               Picoseconds until, Producer producer = {});
  void book(Stream &stream, std::uint32_t index, StallReason reason,
            Picoseconds begin, Picoseconds time, Producer producer = {});
  void draw(const Stream &track, Producer who, Picoseconds begin,
            Picoseconds end, Picoseconds visible);
  void noteMoves(Stream &stream, const PlannedOp &op);
  using Shifts = std::span<const std::int64_t>;
  Shifts shiftsOfHead(const Stream &stream, const PlannedOp &op);
  Ready resultsReady(const Stream &stream, const PlannedOp &op, Shifts shifts,
                     Picoseconds from);
  bool needsUnsettled(const Stream &stream, const PlannedOp &op);
  Shifts shiftsOfHanded(const Stream &stream, const PlannedOp &op,
                        std::size_t first);
  Picoseconds beginLane(Stream &stream, std::uint32_t index,
                        const PlannedOp &op, Picoseconds time, Shifts shifts);
  void endLane(Stream &stream, std::uint32_t index, const PlannedOp &op,
               Picoseconds start, Picoseconds lost, Shifts shifts);
  std::uint32_t pend(const Stream &stream, std::uint32_t index);
  void fetchAhead(Stream &stream);
  void count(Stream &stream, const PlannedOp &op);
  bool moveOn(Stream &stream, std::int32_t loaded = 0);
  isa::Diagnostic fault(const Stream &stream, std::string code,
                        std::string text) const;
  void collectStallSites();

  std::size_t number(const Stream &stream) const {
    return static_cast<std::size_t>(stream.engine);
  }
  EngineTime &times(const Stream &stream) {
    return result.engines[number(stream)];
  }

  TimingPlan &plan;
  const isa::Module &module;
  const isa::Target &target;
  const CoreSettings options;
  World &world;
  PeerWaits peerWaits;
  bool concernsOthers = false; ///< What happened since `runUntil` was called.
  std::array<Stream, isa::numEngines> streams;
  std::vector<TokenQueue> semaphores;
  DmaModel dma;
  Ports ports;
  machine::WarmUp warmUp;
  std::vector<std::int64_t> headShifts;   ///< For the time of a call.
  std::vector<std::int64_t> handedShifts; ///< The same.
  std::vector<Pending> pending;
  std::vector<std::uint32_t> freePending;
  std::vector<DmaModel::Done> finished;
  std::optional<isa::Diagnostic> error;
  std::uint64_t steps = 0;
  Picoseconds progress = 0; ///< When something but control last executed.
  Picoseconds semaphoreTime;
  Picoseconds waitTime;
  Picoseconds controlTime;
  Picoseconds loopTime;
  std::size_t queueDepth;
  Timing result;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_SIMULATOR_H

//===- Scheduler.h - Streams, queues and semaphores -------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the streams of a module in some legal order. The fixed order runs each
// stream until it blocks and moves the data of a DMA when it issues. A seed
// picks another legal order: streams in turn at random, transfers at any time
// until a wait needs them. Either all orders give the same bits, or the
// checker reports a race.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_SCHEDULER_H
#define KILN_SIM_LIB_SCHEDULER_H

#include "StreamCursor.h"
#include "checks/Checker.h"
#include "function/Team.h"

#include "kiln/sim/executor.h"

#include <array>
#include <deque>
#include <optional>
#include <vector>

namespace kiln::sim {

class Scheduler {
public:
  /// `checker` may be null.
  Scheduler(const isa::Module &module, const Options &options, Team &team,
            Checker *checker);

  std::optional<Fault> run();

  RegisterLoads registerLoads;
  std::optional<FaultParty> stopped; ///< By the inspection.
  std::uint64_t steps = 0;

private:
  struct Stream {
    explicit Stream(const std::vector<isa::Instruction> &instructions);
    StreamPlan plan;
    StreamCursor cursor;
    std::vector<isa::OperandAccess> operands;
    std::vector<std::uint32_t> firstOperand;
  };
  /// A DMA between its issue and its completion.
  struct Transfer {
    isa::Engine engine;
    std::uint32_t index;
    TransferViews views;
    std::vector<PlacedAccess> accesses;
    Checker::Transfer check;
    bool moved = false;
  };
  /// `halted`: a fault, or the inspection stops.
  enum class Outcome : std::uint8_t { blocked, stepped, halted };

  void runStreams();
  void runInTurn();
  void runSeeded();
  bool finished() const;

  /// Executes the head of a stream if its waits hold.
  Outcome step(isa::Engine engine);
  const isa::Wait *unmetWait(const isa::Instruction &head) const;
  Outcome dispatch(isa::Engine engine, Stream &stream);
  void place(const Stream &stream, const StreamCursor &cursor);
  Outcome checkBounds(isa::Engine engine, std::uint32_t index);
  Outcome issue(isa::Engine engine, Stream &stream);
  /// One random event of a queue that is not empty.
  Outcome advanceQueue(unsigned queue);
  Outcome move(Transfer &transfer);
  Outcome complete(unsigned queue);
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

  // LateWriter.cpp
  /// Completes the report of a read of unwritten bytes: runs on, unchecked,
  /// until something writes them.
  void findLateWriter(const MemoryRange &unwritten);

  // Deadlock.cpp
  Fault describeDeadlock() const;
  std::optional<std::uint32_t> futureSignal(isa::Engine engine,
                                            unsigned semaphore) const;
  Fault describeLeftTokens(unsigned semaphore) const;

  std::uint64_t random();

  const isa::Module &module;
  const Options &options;
  Team &team;
  Checker *checker;
  std::vector<Stream> streams;
  std::array<std::deque<Transfer>, isa::dmaQueues> queues;
  std::array<std::uint32_t, isa::numSemaphores> semaphores{};
  std::vector<Event> owners; ///< Of what it reads, while looking for NaN.
  std::optional<MemoryRange> watchedRange;
  std::vector<PlacedAccess> placed; ///< Operands of the current instruction.
  std::uint64_t randomState;
  std::uint64_t stepLimit;
  std::uint64_t visits = 0; ///< Of the inspection's instruction.
  std::optional<Fault> fault;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_SCHEDULER_H

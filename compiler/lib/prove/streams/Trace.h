//===- Trace.h - What the checker plays -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checker works in three steps, each on its own: the interpreter walks
// every stream by itself (control flow does not depend on tokens) and lists
// its dynamic instructions with concrete addresses; the replay matches tokens
// and gives each a clock; the race finder goes through them in the order of
// the sequential program.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PROVE_STREAMS_TRACE_H
#define KILN_COMPILER_LIB_PROVE_STREAMS_TRACE_H

#include "Decisions.h"
#include "Plan.h"

#include "kiln/compiler/prove/OrderPromises.h"

#include <array>
#include <unordered_map>
#include <vector>

namespace kiln::problems::checker {

using VectorClock = std::array<std::uint32_t, numExecutors>;

/// Where the first byte of an access is: one place if both are equal, else an
/// unknown place between them.
struct Place {
  std::int64_t low = 0, high = 0;
  bool isKnown() const { return low == high; }
};

/// Of a place that registers decide: their sum, and what is known beside it.
struct OpenPlace {
  std::uint64_t identity = 0; ///< Equal ones are equal.
  std::int64_t known = 0;
};

/// One execution of an instruction.
struct Step {
  std::uint32_t instruction = 0; ///< In its stream.
  std::uint8_t engine = 0;
  std::uint8_t executor = 0;
  std::uint32_t frame = 0;      ///< Iteration that it belongs to.
  std::uint32_t firstPlace = 0; ///< Of its patterns, in `places`, if any moves.
  std::uint32_t number = 0;     ///< In its executor, from 1.
};

/// One iteration of one loop, shared by all streams.
struct Frame {
  std::uint32_t parent = 0;
  std::uint32_t loopPosition = 0;
  std::uint64_t iteration = 0;
  std::int64_t counter = 0; ///< From 0 if it is unknown where it begins,
  std::uint32_t origin = 0; ///< which is at this position then.
  struct Item {
    std::uint32_t position;
    std::uint32_t index; ///< Of the frame or step.
    std::uint64_t iteration : 63;
    bool frame : 1;
  };
  std::vector<Item> items;
};

struct Trace {
  const Code *code = nullptr;
  const Plan *plan = nullptr;
  /// Conditions and trip counts that come from memory.
  Decisions *decisions = nullptr;
  const SourceOrder *source = nullptr; ///< If it is known.
  bool cut = false;                    ///< A loop was cut.
  bool openBounds = false;             ///< A loop has bounds in registers.
  std::vector<Step> steps;
  Pieces<VectorClock> clocks; ///< By step: what was complete at its issue.
  std::vector<Place> places;
  std::unordered_map<std::uint32_t, OpenPlace> openPlaces; ///< Of some places.
  std::vector<Frame> frames{Frame{}}; ///< [0]: outside all loops.
  std::array<std::vector<std::uint32_t>, isa::numEngines> streams; ///< Steps.

  const isa::Module &module() const { return *code->module; }
  const isa::Instruction &instruction(const Step &step) const {
    return module().streams[step.engine][step.instruction];
  }
  const StaticInstruction &entry(const Step &step) const {
    return code->instructions[step.engine][step.instruction];
  }
  const VectorClock &clockOf(const Step &step) const {
    return clocks[static_cast<std::size_t>(&step - steps.data())];
  }
  /// `before` is complete when `after` issues, or in front of it in its engine.
  bool complete(const Step &before, const Step &after) const {
    if (before.executor == after.executor && before.executor < isa::numEngines)
      return before.number < after.number;
    return clockOf(after)[before.executor] >= before.number;
  }
  /// Bytes of a memory (of one partition).
  std::int64_t sizeOf(std::uint32_t memory) const;
};

/// Of the loops around a step and their iterations, in any play.
std::uint64_t identityOfFrame(const Trace &trace, std::uint32_t frame);

/// "vector[12] activation (kernel.cpp:34)", with its iterations.
std::string describe(const Trace &trace, const Step &step);
SyncParty party(const Trace &trace, const Step &step);

std::optional<SyncReport> interpret(const CheckOptions &options, Trace &trace);
std::optional<SyncReport> replay(Trace &trace);
std::optional<SyncReport> findRaces(Trace &trace);
std::optional<SyncReport> findBroken(const Trace &trace,
                                     const OrderPromises &promises);

} // namespace kiln::problems::checker

#endif // KILN_COMPILER_LIB_PROVE_STREAMS_TRACE_H

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

#ifndef KILN_COMPILER_PROBLEMS_CHECKER_TRACE_H
#define KILN_COMPILER_PROBLEMS_CHECKER_TRACE_H

#include "checker/Decisions.h"

#include "kiln/compiler/Problems/SynchronisationChecker.h"

#include <array>
#include <limits>
#include <map>
#include <vector>

namespace kiln::problems::checker {

inline constexpr unsigned numExecutors = isa::numEngines + isa::dmaQueues;
using VectorClock = std::array<std::uint32_t, numExecutors>;

/// A memory operand of a static instruction, brought to a normal form: `run`
/// contiguous bytes at each sum of dims, all strides positive and larger than
/// `run`, largest first.
struct Pattern {
  struct Stride {
    std::int64_t bytes;
    std::int64_t count;
  };
  bool write = false;
  bool read = false;
  bool anywhere = false;    ///< Its places come from an index in memory.
  std::uint32_t memory = 0; ///< 0 SBUF, 1 PSUM, 2 + tensor.
  std::uint32_t partition = 0, partitionEnd = 1;
  std::int64_t base = 0; ///< Added to the run-time terms.
  std::int64_t run = 1;
  std::int64_t extent = 1; ///< From the first byte to past the last.
  std::vector<Stride> strides;
  const isa::Access *access = nullptr;
};

Pattern normalise(const isa::Access &access, isa::Effect effect);

struct StaticInstruction {
  std::uint8_t executor = 0;
  bool isDma = false;
  std::uint32_t firstPattern = 0, endPattern = 0;
};

/// In place of an address that depends on memory: anywhere.
inline constexpr std::int64_t unknownAddress =
    std::numeric_limits<std::int64_t>::min();

/// One execution of an instruction.
struct Step {
  std::uint32_t instruction = 0; ///< In its stream.
  std::uint8_t engine = 0;
  std::uint8_t executor = 0;
  std::uint32_t frame = 0;        ///< Iteration that it belongs to.
  std::uint32_t firstAddress = 0; ///< Of its patterns, in `addresses`.
  std::uint32_t number = 0;       ///< In its executor, from 1.
  VectorClock clock{};            ///< What had completed when it issued.
};

/// One iteration of one loop, shared by all streams.
struct Frame {
  std::uint32_t parent = 0;
  std::uint32_t loopPosition = 0;
  std::uint64_t iteration = 0;
  struct Item {
    std::uint32_t position;
    std::uint64_t iteration;
    bool frame;
    std::uint32_t index; ///< Of the frame or step.
  };
  std::vector<Item> items;
};

struct Trace {
  const isa::Module *module = nullptr;
  /// Instructions have positions in a sequential program. Without them any
  /// order of two accesses that conflict will do, but one there must be.
  bool numbered = true;
  bool playLast = false;   ///< Of a loop that is cut, the last iterations.
  bool cut = false;        ///< A loop was cut.
  bool openBounds = false; ///< A loop has bounds in registers.
  /// Conditions and trip counts that come from memory.
  Decisions *decisions = nullptr;
  std::vector<Pattern> patterns;
  std::array<std::vector<StaticInstruction>, isa::numEngines> instructions;
  std::vector<Step> steps;
  std::vector<std::int64_t> addresses;
  std::vector<Frame> frames{Frame{}}; ///< [0]: outside all loops.
  std::array<std::vector<std::uint32_t>, isa::numEngines> streams; ///< Steps.
};

/// Of the loops around a step and their iterations, in any play.
std::uint64_t identityOfFrame(const Trace &trace, std::uint32_t frame);

/// "vector[12] activation (kernel.cpp:34)", with its iterations.
std::string describe(const Trace &trace, const Step &step);
SyncParty party(const Trace &trace, const Step &step);

std::optional<SyncReport> interpret(const isa::Module &module,
                                    const CheckOptions &options, Trace &trace);
std::optional<SyncReport> replay(Trace &trace);
std::optional<SyncReport> findRaces(Trace &trace);
std::optional<SyncReport> findBroken(const Trace &trace,
                                     const OrderPromises &promises);

} // namespace kiln::problems::checker

#endif // KILN_COMPILER_PROBLEMS_CHECKER_TRACE_H

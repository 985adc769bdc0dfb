//===- StreamCursor.h - The sequencer of one engine -------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks one stream: program counter, registers, loop stack. The function part
// and the timing part step the same cursor, so they cannot disagree on control
// flow or addresses.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_STREAMCURSOR_H
#define KILN_SIM_LIB_STREAMCURSOR_H

#include "kiln/isa/module.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kiln::sim {

/// What is known about a stream before it runs; shared by all of its cursors.
class StreamPlan {
public:
  /// Matches what opens a body with what closes it; if some of it does not
  /// match, `error()` is set.
  explicit StreamPlan(std::span<const isa::Instruction> instructions);

  const std::optional<std::string> &error() const { return problem; }
  std::span<const isa::Instruction> instructions() const { return body; }
  /// Index of the other end of the body at `index`. The partner of an if is its
  /// else, if it has one, whose partner is the end_if.
  std::uint32_t partner(std::uint32_t index) const { return partners[index]; }
  /// Executes in the sequencer (Base.td: IsControl).
  bool isControl(std::uint32_t index) const { return flags[index] & control; }
  /// Runs on a DMA queue after it issued (Base.td: IsDma).
  bool isDma(std::uint32_t index) const { return flags[index] & dma; }

private:
  static bool closes(isa::Opcode closer, const isa::Body &opener);

  enum Flag : std::uint8_t { control = 1, dma = 2 };
  std::span<const isa::Instruction> body;
  std::vector<std::uint32_t> partners;
  std::vector<std::uint8_t> flags;
  std::optional<std::string> problem;
};

/// The state of one sequencer.
///
/// Use: while (!cursor.atEnd()) { look at cursor.head(), wait for its
/// semaphores, do what it says; cursor.advance(); }. `advance` performs the
/// register and loop effect of control instructions, so a caller need not know
/// them. A register_load needs its value: advance(value).
class StreamCursor {
public:
  /// `rank`: whose core it is.
  explicit StreamCursor(const StreamPlan &plan, unsigned rank = 0);

  /// True if a control instruction has a meaning here.
  static bool understands(const isa::Body &body);

  bool atEnd() const { return pc >= plan->instructions().size(); }
  /// Index of the head in the stream.
  std::uint32_t index() const { return pc; }
  const isa::Instruction &head() const { return plan->instructions()[pc]; }
  bool headIsControl() const { return plan->isControl(pc); }
  bool headIsDma() const { return plan->isDma(pc); }
  const isa::RegisterLoad *headAsLoad() const {
    return std::get_if<isa::RegisterLoad>(&head().body);
  }

  /// Performs the head's effect on registers and control flow, and moves on.
  /// False if it cannot; then error() says why and the cursor stays.
  bool advance(std::int32_t loaded = 0);

  /// Byte offset of `access` with its register terms added.
  std::int64_t byteOffset(const isa::Access &access) const {
    std::int64_t offset = access.offset;
    for (unsigned i = 0; i < access.numTerms; ++i)
      offset += std::int64_t{read(access.terms[i].reg)} * access.terms[i].scale;
    return offset;
  }
  std::int32_t value(const isa::RegisterOrInt &operand) const {
    if (const auto *reg = std::get_if<isa::Register>(&operand.value))
      return read(*reg);
    return std::get<std::int32_t>(operand.value);
  }

  /// How often the innermost open loop, if data decide how long it runs, has
  /// started its body again, and its place.
  struct Turns {
    std::uint64_t count = 0;
    std::uint32_t index = 0;
  };
  Turns turns() const {
    if (loops.empty() || !loops.back().isOpenEnded)
      return {};
    return {loops.back().turns, loops.back().begin};
  }

  /// Set once a register was read before it was written, a divisor was zero, a
  /// loop step was not positive, or the own rank is in no list. Reads of
  /// undefined registers give 0.
  const std::optional<std::string> &error() const { return problem; }

private:
  struct Loop {
    std::uint32_t begin;  ///< Index of the loop instruction.
    bool tests;           ///< A while: continues if `reg` is not 0.
    std::int64_t counter; ///< Wider than a register: no wrap at the end.
    std::int64_t end;
    std::int64_t step;
    std::uint8_t reg;
    bool isOpenEnded;        ///< Data decide how long it runs.
    std::uint64_t turns = 0; ///< How often it went on.
  };

  std::int32_t read(isa::Register reg) const {
    const unsigned index = reg.index % isa::registersPerEngine;
    if (!(defined >> index & 1))
      reportUndefined(index);
    return registers[index];
  }
  void write(isa::Register reg, std::int32_t value) {
    const unsigned index = reg.index % isa::registersPerEngine;
    registers[index] = value;
    defined |= std::uint64_t{1} << index;
  }
  void reportUndefined(unsigned index) const;
  void enterLoop(const isa::LoopBegin &loop);
  void enterWhile(const isa::While &loop);
  void closeLoop();
  void branch(const isa::If &branch);
  void alu(const isa::RegisterAlu &op);
  void rankAtHand(const isa::CurrentProcessingRankId &op);

  const StreamPlan *plan;
  std::int32_t rank;
  std::uint32_t pc = 0;
  std::array<std::int32_t, isa::registersPerEngine> registers{};
  std::uint64_t defined = 0;
  std::vector<Loop> loops;
  mutable std::optional<std::string> problem;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_STREAMCURSOR_H

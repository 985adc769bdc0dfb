//===- Code.h - The streams, read once --------------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all plays of a module share: the operands of each instruction in a
// normal form, where bodies end, and the tree of loops.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PROVE_STREAMS_CODE_H
#define KILN_COMPILER_LIB_PROVE_STREAMS_CODE_H

#include "support/Pieces.h"

#include "Shape.h"

#include "kiln/compiler/prove/SynchronisationChecker.h"

#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kiln::problems::checker {

inline constexpr unsigned numExecutors = isa::numEngines + isa::dmaQueues;

/// Streams that no play can follow.
inline SyncReport structure(std::string text) {
  return {SyncReport::Kind::structure, std::move(text), {}};
}

/// A memory operand of an instruction.
struct Pattern {
  const isa::Access *access = nullptr;
  std::int64_t base = 0;    ///< Added to the run-time terms.
  std::uint32_t shape = 0;  ///< In the module's Shapes.
  std::uint32_t memory = 0; ///< 0 SBUF, 1 PSUM, 2 + tensor.
  std::uint16_t partition = 0, partitionEnd = 1;
  std::uint16_t object = 0; ///< Of the source, which shares bytes in time.
  bool write : 1 = false;
  bool read : 1 = false;
  bool anywhere : 1 = false; ///< Its places come from an index in memory.
};

/// As a wait or as a signal.
struct Token {
  std::uint16_t semaphore = 0, value = 0;
};

/// What plays need of an instruction that they do not execute: the module is
/// too large to go through it once more for each step of each play.
struct StaticInstruction {
  std::uint8_t executor = 0;
  bool isPlain = true; ///< Registers and control flow stay as they are.
  bool isWork = false; ///< See isWork().
  bool moves = false;  ///< Places of patterns differ from time to time.
  std::uint32_t firstPattern = 0, endPattern = 0;
  std::uint32_t firstWait = 0, firstSignal = 0, endSignal = 0; ///< Tokens.
  std::uint32_t position = 0; ///< In the sequential program, if it is known.
};

/// A loop of the program, which several streams may hold.
struct LoopInfo {
  std::uint32_t parent = ~0u;
  std::uint32_t depth = 0;    ///< Loops around it.
  std::uint64_t turns = 2;    ///< To play: its rings wrap, its tokens return.
  std::uint64_t most = ~0ull; ///< Trips, where its text says so.
  std::uint64_t own = 0; ///< Instructions that stand in it, no loop between.
};

struct Code {
  const isa::Module *module = nullptr;
  /// Instructions have positions in a sequential program. Without them, any
  /// order of two conflicting accesses is accepted, but they must be ordered.
  bool numbered = true;
  Shapes shapes;
  Pieces<Pattern> patterns;
  std::vector<Token> tokens;
  bool hasMeetings = false; ///< Something meets other cores or ranks.
  std::array<std::vector<StaticInstruction>, isa::numEngines> instructions;
  /// Of each that opens or ends a body: the other end.
  std::array<std::vector<std::uint32_t>, isa::numEngines> partner;
  std::vector<LoopInfo> loops;                   ///< Outer ones first.
  std::map<std::uint32_t, std::uint32_t> loopAt; ///< By position.
  std::uint64_t outside = 0; ///< Instructions outside of all loops.

  /// In the sequential program; without one, each stream is by itself.
  std::uint32_t positionOf(unsigned engine, std::uint32_t index) const {
    return numbered ? instructions[engine][index].position
                    : engine << 28 | index;
  }
  std::span<const Token> waitsOf(const StaticInstruction &entry) const {
    return {tokens.data() + entry.firstWait, tokens.data() + entry.firstSignal};
  }
  std::span<const Token> signalsOf(const StaticInstruction &entry) const {
    return {tokens.data() + entry.firstSignal, tokens.data() + entry.endSignal};
  }
};

/// Not arithmetic for an address, which shares the position of its user.
bool isWork(const isa::Instruction &instruction);

std::optional<SyncReport> readCode(const isa::Module &module, Code &code);

} // namespace kiln::problems::checker

#endif // KILN_COMPILER_LIB_PROVE_STREAMS_CODE_H

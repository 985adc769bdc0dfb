//===- SyncProblem.h - Which tokens order the streams ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Insertion of synchronisation between asynchronous processors, without what
// is redundant by transitivity (Midkiff and Padua, "Compiler Algorithms for
// Synchronization", IEEE Trans. Computers 1987; Li and Abu-Sufah, "On Reducing
// Data Synchronization in Multiprocessed Loops", ibid.).
//
// The input is the sequential program with physical footprints; the output is
// semaphore tokens. Every conflicting pair of accesses on decoupled streams is
// ordered as in the sequential program, by a protocol that is the same in every
// iteration and correct for any trip count, including zero.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_PROBLEM_SYNCPROBLEM_H
#define KILN_COMPILER_PROBLEM_SYNCPROBLEM_H

#include "kiln/compiler/problem/Common.h"
#include "kiln/isa/limits.h"
#include "kiln/isa/optional.h"

#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::problems {

using LoopId = std::uint32_t;
inline constexpr LoopId noLoop = ~LoopId{0}; ///< The top level.

/// `count` copies, `stride` bytes apart (any sign; 0 repeats).
struct ByteDim {
  std::int64_t stride = 0;
  std::uint64_t count = 1;
  friend bool operator==(const ByteDim &, const ByteDim &) = default;
};

/// `bytes` per iteration of `loop`, iterations counted from 0 at each entry.
/// For an induction variable with begin b, step s and coefficient c: give
/// c * s here, and add c * b to the offset (or, where b is affine in outer
/// loops, c * b's terms to the terms of those loops).
struct LoopTerm {
  LoopId loop = noLoop;
  std::int64_t bytes = 0;
  friend bool operator==(const LoopTerm &, const LoopTerm &) = default;
};

/// The address advances by `slotBytes` each iteration of `loop`, modulo
/// `slots`. The ring is set to slot 0 at the start of each iteration of
/// `scope`, an enclosing loop of `loop`; noLoop: once, before the outermost
/// loop. A ring that continues across entries of its loop (scope further out
/// than the parent of `loop`) never needs to be drained between them, so prefer
/// noLoop.
struct RingTerm {
  LoopId loop = noLoop;
  std::uint32_t slots = 1;
  std::int64_t slotBytes = 0;
  LoopId scope = noLoop;
  friend bool operator==(const RingTerm &, const RingTerm &) = default;
};

/// The bytes of one access: in each of the partitions (HBM: once) `run`
/// contiguous bytes from offset + terms + ring + sum(stride_k * i_k).
struct Footprint {
  isa::Space space = isa::Space::sbuf;
  std::uint32_t tensor = 0; ///< HBM only.
  std::uint32_t partition = 0;
  std::uint32_t partitions = 0; ///< 0 in HBM.
  std::int64_t offset = 0;
  std::uint64_t run = 1;
  // A problem holds millions of these lists, most of them short.
  absl::InlinedVector<ByteDim, 1> dims;   ///< At most five; empty: contiguous.
  absl::InlinedVector<LoopTerm, 1> terms; ///< Enclosing loops only.
  isa::Optional<RingTerm> ring;
  friend bool operator==(const Footprint &, const Footprint &) = default;
};

struct SyncAccess {
  bool write = false;
  Footprint bytes;
  friend bool operator==(const SyncAccess &, const SyncAccess &) = default;
};

/// An instruction that reads and writes one footprint has two accesses.
struct SyncInstruction {
  isa::Engine engine = isa::Engine::sync; ///< The stream that issues it.
  std::int32_t queue = -1;                ///< DMA queue, or -1.
  std::vector<SyncAccess> accesses;
  std::string name; ///< For messages only.

  ExecutionStream execution() const { return executionStream(engine, queue); }
  friend bool operator==(const SyncInstruction &,
                         const SyncInstruction &) = default;
};

struct SyncLoop {
  LoopId parent = noLoop;
  std::optional<std::uint64_t> trips; ///< If it is one constant.
  std::uint64_t minTrips = 0;         ///< If it is not: a lower bound.
  friend bool operator==(const SyncLoop &, const SyncLoop &) = default;
};

struct SyncItem {
  enum class Kind : std::uint8_t { instruction, loopBegin, loopEnd };
  Kind kind = Kind::instruction;
  std::uint32_t index = 0; ///< The instruction or loop.
  friend bool operator==(const SyncItem &, const SyncItem &) = default;
};

/// The sequential program. `items` is its text, with loops bracketed; streams
/// execute their projection of it.
struct SyncProblem {
  std::vector<SyncItem> items;
  std::vector<SyncInstruction> instructions;
  std::vector<SyncLoop> loops;

  // Builder: calls come in program order.
  LoopId openLoop(std::optional<std::uint64_t> trips = std::nullopt,
                  std::uint64_t minTrips = 0);
  void closeLoop();
  std::uint32_t add(SyncInstruction instruction);

  Problem check() const;
  friend bool operator==(const SyncProblem &, const SyncProblem &) = default;

private:
  std::vector<LoopId> open;
};

/// As a wait: needs `value` and subtracts it. As a signal: adds it at
/// completion.
struct Token {
  std::uint16_t semaphore = 0;
  std::uint16_t value = 1;
  friend bool operator==(const Token &, const Token &) = default;
};

using TokenList = absl::InlinedVector<Token, 4>;

struct SyncTokens {
  TokenList waits;
  TokenList signals;
  friend bool operator==(const SyncTokens &, const SyncTokens &) = default;
};

/// A `semaphore` instruction next to a loop in one stream.
struct SyncFence {
  isa::Engine engine = isa::Engine::sync;
  LoopId loop = 0;
  bool after = false; ///< After end_loop; else before loop.
  SyncTokens tokens;
  friend bool operator==(const SyncFence &, const SyncFence &) = default;
};

struct SyncSolution {
  std::vector<SyncTokens> instructions; ///< One per instruction.
  /// Fences at one place (engine, loop, after) are emitted in this order. The
  /// stream holds the loop, because it holds an instruction of its body.
  std::vector<SyncFence> fences;
  std::uint32_t semaphores = 0; ///< Ids 0 .. semaphores - 1 are in use.

  /// Waits and signals in the text.
  std::size_t numWaits() const;
  std::size_t numSignals() const;
  friend bool operator==(const SyncSolution &, const SyncSolution &) = default;
};

/// Semaphores that the compiler numbers: the rest are the program's own.
inline constexpr std::size_t compilerSemaphores =
    isa::numSemaphores - isa::userSemaphores;

/// The solution, or why there is none: more than `semaphores` are needed. A
/// program with few semaphores shares them, and then its loops wait more.
Parsed<SyncSolution> solveSync(const SyncProblem &problem,
                               std::size_t semaphores = compilerSemaphores);

/// Independent of the solver: simulates the streams with every loop cut to a
/// few iterations, several times with other trip counts. Requires that each
/// conflicting pair of accesses is ordered as in the program, that all
/// semaphores end at 0 and that no stream waits forever.
Problem verify(const SyncProblem &problem, const SyncSolution &solution);

std::string print(const SyncProblem &problem);
Parsed<SyncProblem> parseSyncProblem(std::string_view text);
/// The program with waits, signals and fences in place; for people.
std::string print(const SyncProblem &problem, const SyncSolution &solution);

} // namespace kiln::problems

#endif // KILN_COMPILER_PROBLEM_SYNCPROBLEM_H

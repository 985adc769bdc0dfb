//===- SpaceProblem.h - Where each tile lives -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dynamic storage allocation in two dimensions (one dimension: Garey and
// Johnson, "Computers and Intractability", 1979, problem SR2, NP-complete).
//
// Rectangles (partitions x bytes) with live ranges are placed in SBUF or PSUM
// so that no two that live at the same time share a byte.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_PROBLEM_SPACEPROBLEM_H
#define KILN_COMPILER_PROBLEM_SPACEPROBLEM_H

#include "kiln/compiler/problem/Common.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::problems {

/// A place that the user has fixed.
struct SpacePin {
  std::uint32_t partition = 0;
  std::uint64_t offset = 0; ///< Bytes.
};

/// Bytes of each partition that a rectangle has to stay in.
struct SpaceLimit {
  std::uint64_t begin = 0, end = 0; ///< `end` is not part of it.
  std::uint64_t bytes() const { return end - begin; }
  friend bool operator==(const SpaceLimit &, const SpaceLimit &) = default;
};

/// One buffer. A ring takes `slots` consecutive slots of `slotBytes()`.
struct SpaceRectangle {
  std::string name;
  std::uint32_t partitions = isa::maxPartitions;
  std::uint64_t bytes = 0;     ///< Per slot and partition.
  std::uint32_t alignment = 1; ///< For the first byte and every slot.
  std::uint32_t begin = 0;     ///< First program position that needs it.
  std::uint32_t end = 0;       ///< Last one, inclusive.
  std::uint32_t slots = 1;     ///< Copies (ring).
  /// PSUM: each slot starts a bank of its own (a TensorE destination). Other
  /// PSUM rectangles of at most a bank stay within one bank.
  bool wholeBank = false;
  std::optional<SpacePin> pin;
  std::optional<SpaceLimit> within;

  /// Distance between slots: `bytes` rounded up to the alignment, or to banks
  /// with `wholeBank`.
  std::uint64_t slotBytes() const;
  /// Its first partition is a multiple of this. It depends on the number of
  /// partitions that an operand touches.
  std::uint32_t partitionUnit() const;
  std::uint64_t totalBytes() const { return slotBytes() * slots; }
};

struct SpaceProblem {
  isa::Space space = isa::Space::sbuf; ///< sbuf or psum.
  std::uint64_t capacity = 0;          ///< Bytes per partition.
  std::vector<SpaceRectangle> rectangles;
  /// Prefer the bytes (in PSUM, the bank) that have been free for longest,
  /// because a new user of bytes waits for the previous one. Otherwise the
  /// lowest peak.
  bool spread = false;

  Problem check() const;
  /// "tile 'scores'", or "tile 3" where it has no name.
  std::string title(std::size_t index) const;
};

struct SpacePlace {
  std::uint32_t partition = 0;
  std::uint64_t offset = 0; ///< Bytes; of the first slot.
  friend bool operator==(const SpacePlace &, const SpacePlace &) = default;
};

struct SpaceSolution {
  std::vector<SpacePlace> places; ///< One per rectangle.
  std::uint64_t peakBytes = 0;    ///< Highest byte used, plus one.
};

/// Why there was no room: the position with the most live bytes, and what was
/// live there.
struct SpaceFailure {
  std::uint32_t position = 0;
  std::uint64_t liveBytes = 0;     ///< At `position`, per partition.
  std::uint32_t rectangle = 0;     ///< The one that found no place.
  std::vector<std::uint32_t> live; ///< Indices, largest first.
};

struct SpaceResult {
  std::optional<SpaceSolution> solution;
  SpaceFailure failure;  ///< If there is no solution.
  bool isSpread = false; ///< As the problem prefers it.
};

/// Bytes per partition that are live at once in the worst position: no
/// placement needs fewer, unless rectangles share partitions side by side.
std::uint64_t spaceBound(const SpaceProblem &problem);

/// The same for the rectangles that have to stay in `limit`, or in a part of
/// it.
std::uint64_t spaceBound(const SpaceProblem &problem, const SpaceLimit &limit);

/// False if solveSpace cannot find a solution: all unpinned rectangles start at
/// partition 0, and at some position they exceed the memory.
bool mayHaveRoom(const SpaceProblem &problem);

/// Independent of the solver: checks that rectangles are inside the memory,
/// aligned and in banks, pinned where they must be, inside of their limits, and
/// that no two live ones
/// share a byte.
Problem verify(const SpaceProblem &problem, const SpaceSolution &solution);

/// Best fit by size and lifetime. Deterministic, near-linear.
SpaceResult solveSpace(const SpaceProblem &problem);

/// "What was live": a table, largest first, for the error message.
std::string describeFailure(const SpaceProblem &problem,
                            const SpaceFailure &failure);

std::string print(const SpaceProblem &problem);
Parsed<SpaceProblem> parseSpaceProblem(std::string_view text);

} // namespace kiln::problems

#endif // KILN_COMPILER_PROBLEM_SPACEPROBLEM_H

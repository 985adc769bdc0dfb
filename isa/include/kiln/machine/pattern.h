//===- pattern.h - What a time model must know of an access --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_MACHINE_PATTERN_H
#define KILN_MACHINE_PATTERN_H

#include "kiln/isa/access.h"

namespace kiln::machine {

/// The bytes of an on-chip access, simplified: a partition range times a byte
/// range, or times the ranges that repeat with one outer stride.
struct Box {
  isa::Space space = isa::Space::sbuf;
  unsigned partitionBegin = 0;
  unsigned partitionEnd = 0;
  std::int64_t begin = 0; ///< Without the register terms.
  std::int64_t end = 0;
  std::int64_t period = 0; ///< Outer stride in bytes; 0 = one solid range.
  std::int64_t width = 0;  ///< Bytes used of each period.
};

Box makeBox(const isa::Access &access);

/// May `a`, moved by `shiftA` bytes, touch a byte of `b` moved by `shiftB`?
/// Never wrongly false.
bool overlap(const Box &a, std::int64_t shiftA, const Box &b,
             std::int64_t shiftB);

/// Bits of the PSUM banks that the box touches.
std::uint8_t psumBanks(const Box &box, std::int64_t shift);

/// Stride of the innermost dimension that has more than one element, in
/// elements; 1 if there is none.
std::int32_t innermostStride(const isa::Access &access);

/// The number of elements that are contiguous in memory, starting at the first
/// one; on chip, never more than those of a partition.
std::uint64_t contiguousElements(const isa::Access &access);

} // namespace kiln::machine

#endif // KILN_MACHINE_PATTERN_H

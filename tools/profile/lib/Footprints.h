//===- Footprints.h - The bytes on chip that a run touches ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_FOOTPRINTS_H
#define KILN_PROFILE_LIB_FOOTPRINTS_H

#include "Binary.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace kiln::profile {

/// A memory, cut where some operand of a run begins or ends: an operand touches
/// a cell, in a group of partitions, wholly or not at all.
struct Cells {
  std::vector<std::int64_t> bytes;  ///< Where they begin; then where they end.
  std::vector<unsigned> partitions; ///< The same of groups.
  std::size_t count() const { return bytes.empty() ? 0 : bytes.size() - 1; }
  std::size_t groups() const {
    return partitions.empty() ? 0 : partitions.size() - 1;
  }
  std::int64_t size(std::size_t cell) const {
    return bytes[cell + 1] - bytes[cell];
  }
};

/// Where an operand is once registers have moved it.
struct Footprint {
  std::int64_t firstByte = 0, endByte = 0;
  unsigned firstPartition = 0, endPartition = 0;
  /// [begin, end) of cells, and of groups.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cells;
  std::uint32_t firstGroup = 0, endGroup = 0;
};

/// The operands on chip of each execution of an instruction that has any.
class Footprints {
public:
  Footprints(const Binary &binary, const sim::Timing &timing,
             const isa::Target &target);

  struct Use {
    sim::Picoseconds start = 0, visible = 0;
    std::uint32_t number = 0; ///< In Binary::all.
    std::uint32_t first = 0, end = 0;
  };
  struct Operand {
    const isa::OperandAccess *access = nullptr;
    std::uint32_t footprint = 0;
  };
  /// By start; its operands are operands[first .. end).
  std::vector<Use> uses;
  std::vector<Operand> operands;
  std::vector<Footprint> all;
  Cells sbuf, psum;

  Cells &of(isa::Space space) {
    return space == isa::Space::psum ? psum : sbuf;
  }

private:
  void collect(const Binary &binary, const sim::Timing &timing);
  void cut(const isa::Target &target, std::uint64_t mostPieces);
  std::uint64_t work() const;

  struct Placed {
    const isa::Access *access = nullptr;
    std::int64_t shift = 0;
  };
  std::vector<Placed> placed; ///< By footprint.
};

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_FOOTPRINTS_H

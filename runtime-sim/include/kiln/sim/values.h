//===- values.h - What only a run with data can tell ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_VALUES_H
#define KILN_SIM_VALUES_H

#include "kiln/isa/dtype.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace kiln::sim {

/// Some values of a tile or a tensor.
struct ValueCounts {
  std::uint64_t values = 0;
  std::uint64_t zeros = 0, infinities = 0, nans = 0;
  /// Small floats, of 8 bits or less, that are as large as their type allows,
  /// or beyond: infinite, or NaN.
  std::uint64_t saturated = 0;
  /// Only finite values count; if there are none, `least` is above `most`.
  float least = std::numeric_limits<float>::infinity();
  float most = -std::numeric_limits<float>::infinity();

  bool hasFinite() const { return least <= most; }
  ValueCounts &operator+=(const ValueCounts &other) {
    values += other.values;
    zeros += other.zeros;
    infinities += other.infinities;
    nans += other.nans;
    saturated += other.saturated;
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    return *this;
  }
  friend bool operator==(const ValueCounts &, const ValueCounts &) = default;
};

/// Part of a whole, in elements.
struct PartCount {
  std::uint64_t all = 0, part = 0;
  PartCount &operator+=(const PartCount &other) {
    all += other.all;
    part += other.part;
    return *this;
  }
  friend bool operator==(const PartCount &, const PartCount &) = default;
};

/// The values of an instruction in all its runs.
struct InstructionValues {
  ValueCounts written; ///< All that it wrote.
  /// Blocks of 8 lanes and 4 packed values that it wrote: those with a
  /// saturated value.
  PartCount blocks;
  /// Elements that a mask put a number in the place of.
  PartCount masked;
  /// Results of exp that are 0: what they stand for does not count.
  PartCount vanished;
  /// Multiplications of a product that have a 0 as an operand.
  PartCount idle;

  InstructionValues &operator+=(const InstructionValues &other) {
    written += other.written;
    blocks += other.blocks;
    masked += other.masked;
    vanished += other.vanished;
    idle += other.idle;
    return *this;
  }
  friend bool operator==(const InstructionValues &,
                         const InstructionValues &) = default;
};

/// The first NaN that an instruction wrote, in the order of the run.
struct FirstNaN {
  isa::Engine engine = isa::Engine::sync;
  std::uint32_t index = 0; ///< In its stream.
  std::uint64_t run = 1;   ///< The run of the instruction, from 1.
  std::string operand;
  unsigned lane = 0;
  std::uint64_t element = 0; ///< Within the lane.
  bool made = false;         ///< No float that it read is a NaN.
  friend bool operator==(const FirstNaN &, const FirstNaN &) = default;
};

/// The values of one core.
struct CoreValues {
  /// Per stream and index.
  std::array<std::vector<InstructionValues>, isa::numEngines> instructions;
  std::optional<FirstNaN> firstNaN;
  /// Per tensor of the module, at the end of the run; only inputs and outputs.
  std::vector<ValueCounts> tensors;
  friend bool operator==(const CoreValues &, const CoreValues &) = default;
};

} // namespace kiln::sim

#endif // KILN_SIM_VALUES_H

//===- InFlight.h - Results that are on their way to memory ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_INFLIGHT_H
#define KILN_SIM_LIB_TIMING_INFLIGHT_H

#include "PlannedStream.h"

#include <array>
#include <span>

namespace kiln::sim::timing {

/// How far registers move each operand of an instruction; empty if they move
/// none.
using Shifts = std::span<const std::int64_t>;

inline std::int64_t shiftOf(Shifts shifts, std::size_t operand) {
  return shifts.empty() ? 0 : shifts[operand];
}

/// The latest results of an engine: what it runs later waits to read them.
class InFlight {
public:
  /// Who reads a result acts `turnaround` after it is complete.
  InFlight(isa::Engine engine, Picoseconds turnaround)
      : engine(static_cast<std::uint8_t>(engine)), turnaround(turnaround) {}

  /// What instruction `index` writes is complete at `complete`.
  void add(std::uint32_t index, std::span<const PlannedOperand> operands,
           Shifts shifts, Picoseconds complete) {
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (operands[i].writes)
        results[added++ % depth] = {complete, index, operands[i].box,
                                    shiftOf(shifts, i)};
  }

  struct Ready {
    Picoseconds time = 0; ///< 0: nothing is in the way.
    Producer producer;
  };
  /// When the last result is there, and whose, that an instruction with these
  /// operands must wait for if it could act from `from` on.
  Ready readyFor(std::span<const PlannedOperand> operands, Shifts shifts,
                 Picoseconds from) const;

private:
  struct Result {
    Picoseconds complete = 0;
    std::uint32_t index = 0; ///< Of its producer.
    machine::Box box;
    std::int64_t shift = 0;
  };
  static constexpr std::size_t depth = 8;

  std::uint8_t engine;
  Picoseconds turnaround;
  std::array<Result, depth> results;
  std::size_t added = 0;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_INFLIGHT_H

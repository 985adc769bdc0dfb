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

#include <algorithm>
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
  /// A reader of a result acts `turnaround` after it is complete.
  explicit InFlight(Picoseconds turnaround) : turnaround(turnaround) {}

  /// What instruction `who` writes is complete at `complete`.
  void add(const Producer &who, std::span<const PlannedOperand> operands,
           Shifts shifts, Picoseconds complete) {
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (operands[i].writes)
        results[added++ % depth] = {complete, who, operands[i].box,
                                    shiftOf(shifts, i)};
  }

  struct Ready {
    Picoseconds time = 0; ///< 0: nothing is in the way.
    Producer producer;
  };
  /// The last result, with its time and producer, that an instruction with
  /// these operands must wait for if it could act from `from` on.
  Ready readyFor(std::span<const PlannedOperand> operands, Shifts shifts,
                 Picoseconds from) const;
  /// Calls `visit(Ready)` for each result, among the latest, that it reads.
  template <class Visitor>
  void forEachRead(std::span<const PlannedOperand> operands, Shifts shifts,
                   Visitor visit) const {
    for (std::size_t i = 0; i < std::min(added, depth); ++i)
      for (std::size_t j = 0; j < operands.size(); ++j)
        if (operands[j].reads &&
            machine::overlap(operands[j].box, shiftOf(shifts, j),
                             results[i].box, results[i].shift))
          visit(Ready{results[i].complete + turnaround, results[i].producer});
  }

private:
  struct Result {
    Picoseconds complete = 0;
    Producer producer;
    machine::Box box;
    std::int64_t shift = 0;
  };
  static constexpr std::size_t depth = 8;

  Picoseconds turnaround;
  std::array<Result, depth> results;
  std::size_t added = 0;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_INFLIGHT_H

//===- Outcome.h - How an instruction ended ---------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_OUTCOME_H
#define KILN_SIM_LIB_FUNCTION_OUTCOME_H

#include <cstdint>
#include <string_view>

namespace kiln::sim {

/// Reasons in data or in the state of an engine for which an instruction has no
/// result; everything else is checked before a run.
enum class [[nodiscard]] Outcome : std::uint8_t {
  done,
  undefinedAccumulator,
  indexOutsidePartition,
  indexOutsideScales,
  indexOutsideTile,
  laneOutsideTile,
};

/// Why there is no result; continues the name of the instruction.
constexpr std::string_view reasonOf(Outcome outcome) {
  switch (outcome) {
  case Outcome::undefinedAccumulator:
    return "uses a reduction register that no reset has initialised";
  case Outcome::indexOutsidePartition:
    return "has an index that leaves the partition, or misses one";
  case Outcome::indexOutsideScales:
    return "has an index that leaves the partition of the scales";
  case Outcome::indexOutsideTile:
    return "has an index that lies outside the tile it reads";
  case Outcome::laneOutsideTile:
    return "selects a lane that src does not have";
  case Outcome::done:
    break;
  }
  return "";
}

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_OUTCOME_H

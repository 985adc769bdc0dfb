//===- Accumulator.h - Hidden reduction registers ---------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_ACCUMULATOR_H
#define KILN_SIM_LIB_FUNCTION_ACCUMULATOR_H

#include "kiln/isa/enums.h"

#include <array>
#include <limits>

namespace kiln::sim {

/// The reduction registers of the Scalar or of the Vector engine: one fp32
/// number per lane that outlives its instruction.
struct Accumulator {
  std::array<float, isa::maxPartitions> value{};
  std::array<bool, isa::maxPartitions> defined{};
};

/// Those from one lane on.
class AccumulatorLanes {
public:
  static constexpr const char *undefined =
      "uses a reduction register that no reset has initialised";

  AccumulatorLanes(Accumulator &accumulator, unsigned first)
      : value(accumulator.value.data() + first),
        defined(accumulator.defined.data() + first) {}

  float *values() const { return value; }
  float &operator[](unsigned lane) const { return value[lane]; }

  void start(unsigned lane, float x) const {
    value[lane] = x;
    defined[lane] = true;
  }
  void forget(unsigned lane) const { defined[lane] = false; }
  bool allDefined(unsigned lanes) const {
    for (unsigned lane = 0; lane < lanes; ++lane)
      if (!defined[lane])
        return false;
    return true;
  }

private:
  float *value;
  bool *defined;
};

constexpr bool resets(isa::ReduceCommand command) {
  return command == isa::ReduceCommand::reset ||
         command == isa::ReduceCommand::reset_reduce;
}
constexpr bool accumulates(isa::ReduceCommand command) {
  return command == isa::ReduceCommand::reduce ||
         command == isa::ReduceCommand::reset_reduce ||
         command == isa::ReduceCommand::load_reduce;
}

/// The initial value of a fold with `op`.
constexpr float identityOf(isa::AluOp op) {
  switch (op) {
  case isa::AluOp::multiply:
  case isa::AluOp::logical_and:
    return 1.0f;
  case isa::AluOp::maximum:
    return -std::numeric_limits<float>::infinity();
  case isa::AluOp::minimum:
  case isa::AluOp::abs_min:
    return std::numeric_limits<float>::infinity();
  default:
    return 0.0f;
  }
}

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_ACCUMULATOR_H

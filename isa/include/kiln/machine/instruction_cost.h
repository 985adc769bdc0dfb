//===- instruction_cost.h - Cycles of an instruction, as data ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_MACHINE_INSTRUCTIONCOST_H
#define KILN_MACHINE_INSTRUCTIONCOST_H

#include "kiln/isa/instruction.h"
#include "kiln/isa/target.h"
#include "kiln/machine/time.h"

namespace kiln::machine {

/// How fast the PE array multiplies operands of a kind.
enum class ProductRate : std::uint8_t {
  f32,       ///< Several passes.
  full,      ///< 8- and 16-bit and tf32.
  doubleRow, ///< Two rows of 8-bit operands in each PE.
  packed,    ///< Four, with MX scales.
  packedFp4, ///< Four of 4 bits.
};
inline constexpr std::size_t numProductRates = 5;

/// The time that an instruction needs on its engine if nothing delays it. All
/// parts are known before the module runs: no cost depends on a register.
struct InstructionCost {
  static constexpr unsigned cellSize = 32;
  static constexpr unsigned cellsInRow = isa::maxPartitions / cellSize;
  static constexpr std::uint16_t allCells = 0xFFFF;

  Picoseconds lead = 0;     ///< Start-up before the first element.
  Picoseconds stream = 0;   ///< While elements pass the ports.
  Picoseconds interval = 0; ///< Until the next instruction may start.
  Picoseconds latency = 0;  ///< Until the results are visible.
  /// TensorE: loading the stationary operand, and when after the start of the
  /// multiplication the next load may begin (one shadow buffer).
  Picoseconds weights = 0;
  Picoseconds weightsLatency = 0; ///< Until the operand has arrived.
  Picoseconds shadowFree = 0;
  /// The 32 x 32 cells of the PE array that it uses, row by row.
  std::uint16_t cells = allCells;
  std::uint8_t table = 0;  ///< ScalarE function table; 0 = every table has it.
  std::uint8_t mode = 1;   ///< Elements a lane moves in a cycle.
  std::uint64_t flops = 0; ///< Only of matrix products.
  ProductRate rate = ProductRate::full;
  bool transposes = false; ///< TensorE used for data movement.
};

/// `addressIsData`: a register that places an operand holds what a
/// register_load read.
InstructionCost costOf(const isa::Body &body, isa::Engine engine,
                       const isa::Target &target, bool addressIsData = false);

} // namespace kiln::machine

#endif // KILN_MACHINE_INSTRUCTIONCOST_H

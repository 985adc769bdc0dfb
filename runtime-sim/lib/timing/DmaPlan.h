//===- DmaPlan.h - What a DMA instruction asks of each DMA engine --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_DMAPLAN_H
#define KILN_SIM_LIB_TIMING_DMAPLAN_H

#include "kiln/isa/instruction.h"
#include "kiln/isa/target.h"
#include "kiln/sim/trace.h"

#include <array>

namespace kiln::sim::timing {

inline constexpr unsigned maxDmaEngines = 16;

/// The work of a transfer; it depends on shapes, not on addresses.
struct DmaPlan {
  std::array<Picoseconds, maxDmaEngines> work{}; ///< 0: engine not used.
  std::uint64_t bytes = 0;                       ///< Written.
  std::uint64_t hbmRead = 0;
  std::uint64_t hbmWritten = 0;
  double hbmBytesPerWork = 0; ///< HBM traffic for a picosecond of work.
  std::uint64_t rows = 0;     ///< Contiguous pieces.
  unsigned queue = 0;
  isa::DgeMode mode = isa::DgeMode::none;
  Picoseconds generation = 0; ///< Time the descriptor generator is occupied.
};

/// `instruction` runs on a DMA queue.
DmaPlan planDma(const isa::Instruction &instruction, isa::Engine engine,
                const isa::Target &target);

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_DMAPLAN_H

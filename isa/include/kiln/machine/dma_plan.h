//===- dma_plan.h - What a DMA instruction asks of each DMA engine -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_MACHINE_DMAPLAN_H
#define KILN_MACHINE_DMAPLAN_H

#include "kiln/isa/instruction.h"
#include "kiln/isa/target.h"
#include "kiln/machine/time.h"

#include <array>

namespace kiln::machine {

inline constexpr unsigned maxDmaEngines = 16;

/// An engine's rate in units of 1/65536, so that times add up exactly.
inline constexpr std::int64_t fullRate = 65536;

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

/// `body` runs on a DMA queue, and the stream of `engine` issues it.
DmaPlan planDma(const isa::Body &body, isa::Engine engine,
                const isa::Target &target);

/// DMA engines of a core: 1 to maxDmaEngines.
unsigned dmaEngines(const isa::Target &target);

/// The delay from the start of one engine to that of the next.
Picoseconds dmaSkew(const isa::Target &target);

/// True if transfers transpose fast enough; otherwise the tensor engine
/// transposes.
inline bool transposesByDma(const isa::Target &target) {
  return target.dma_transpose_efficiency_hbm >= 0.25;
}

/// Bytes per picosecond of an HBM stack that `cores` of a launch get together.
/// Its other cores each take a share if they are busy.
double hbmRate(const isa::Target &target, unsigned cores);

/// The time from the start of the first engine to the end of the last one. This
/// many `cores` of the HBM stack do the same at the same time; nothing else
/// uses it or the engines.
Picoseconds movingTime(const DmaPlan &plan, const isa::Target &target,
                       unsigned cores = 1);

} // namespace kiln::machine

#endif // KILN_MACHINE_DMAPLAN_H

//===- Cost.h - How long an instruction takes, for decisions -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_NC_COST_H
#define KILN_COMPILER_NC_COST_H

#include "kiln/isa/instruction.h"
#include "kiln/isa/target.h"

namespace kiln::compiler::nc {

/// In picoseconds. The executor's timing model decides; this estimate only
/// ranks alternatives, from the same target parameters.
struct Cost {
  std::int64_t issue = 0;     ///< In the issuing stream; DMA only.
  std::int64_t occupancy = 0; ///< For which the engine or queue is busy.
  std::int64_t latency = 0;   ///< Until the result is usable.
};

/// The cost of moving a chain to another engine, for each side of the change:
/// the token, and the empty pipeline of the engine that waited.
inline constexpr double engineChangePicoseconds = 400'000;

Cost estimateCost(const isa::Body &body, isa::Engine engine,
                  const isa::Target &target);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_NC_COST_H

//===- Terms.h - Cost terms, from the formulas themselves -----*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_MACHINE_TERMS_H
#define KILN_LIB_MACHINE_TERMS_H

#include "kiln/machine/cost_terms.h"
#include "kiln/machine/dma_plan.h"
#include "kiln/machine/instruction_cost.h"
#include "kiln/machine/meeting_cost.h"

#include <array>
#include <string_view>
#include <vector>

namespace kiln::machine {

/// Part of a sum of cycles or nanoseconds.
struct Part {
  std::string_view name;
  std::string_view parameter;
  double amount = 0;
};
using Parts = std::vector<Part>;

/// What costOf() adds up, in cycles of the engine.
struct CostParts {
  Parts occupancy, latency, beside;
};

/// As costOf(); `parts` may be null.
InstructionCost costOf(const isa::Body &body, isa::Engine engine,
                       const isa::Target &target, bool addressIsData,
                       CostParts *parts);

/// What planDma() adds up for each DMA engine, in nanoseconds.
using DmaParts = std::array<Parts, maxDmaEngines>;

/// As planDma(); `parts` may be null.
DmaPlan planDma(const isa::Body &body, isa::Engine engine,
                const isa::Target &target, DmaParts *parts);

/// One meeting of an instruction.
struct Meeting {
  MeetingCost cost;
  unsigned cores = 1; ///< That move for it on one HBM stack.
};

/// Of each list of ranks, with all cores of `coresOfRank` alike.
std::vector<Meeting> meetingsOf(const isa::Body &body, isa::Engine engine,
                                const isa::Target &target,
                                unsigned coresOfRank);

} // namespace kiln::machine

#endif // KILN_LIB_MACHINE_TERMS_H

//===- cost_terms.h - What an instruction's time consists of --*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The times of costOf(), planDma() and timesOf(), term by term: each term comes
// from the formula that computes the sum, and the terms add up to it exactly.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_MACHINE_COSTTERMS_H
#define KILN_MACHINE_COSTTERMS_H

#include "kiln/machine/instruction_times.h"

#include <string_view>
#include <vector>

namespace kiln::machine {

/// Part of a time.
struct CostTerm {
  std::string_view name;      ///< "stream", "start", "descriptors", ...
  std::string_view parameter; ///< In isa::Target; empty: the clock alone.
  Picoseconds time = 0;       ///< Not 0.
  friend bool operator==(const CostTerm &, const CostTerm &) = default;
};

Picoseconds sumOf(const std::vector<CostTerm> &terms);

struct CostTerms {
  /// While its engine is occupied: InstructionCost::interval, the work of the
  /// busiest DMA engine, or, for control, the time in its sequencer. Empty for
  /// meetings, which share links.
  std::vector<CostTerm> occupancy;
  /// From its start to its result: InstructionCost::latency, or that of a
  /// transfer in InstructionTimes.
  std::vector<CostTerm> latency;
  /// Work at the same time: the load of a stationary operand, the generation of
  /// descriptors.
  std::vector<CostTerm> beside;
};

CostTerms termsOf(const isa::Body &body, isa::Engine engine,
                  const isa::Target &target,
                  const InstructionSetting &setting = {});

} // namespace kiln::machine

#endif // KILN_MACHINE_COSTTERMS_H

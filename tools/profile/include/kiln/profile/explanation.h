//===- explanation.h - All about one instruction --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_EXPLANATION_H
#define KILN_PROFILE_EXPLANATION_H

#include "kiln/isa/source_loops.h"
#include "kiln/machine/cost_terms.h"
#include "kiln/profile/causes.h"
#include "kiln/profile/render.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::profile {

/// An instruction of a core, by its place in the binary.
struct InstructionName {
  std::size_t core = 0; ///< In the launch.
  isa::Engine engine = isa::Engine::tensor;
  std::uint32_t index = 0; ///< In its stream.
};

/// Another instruction that has to do with it.
struct RelatedInstruction {
  std::string name; ///< "vector:12", or "core 1 vector:12".
  std::string assembly;
  std::string source; ///< "file:line", or empty.
};

/// Time in which it kept its engine idle.
struct ExplainedWait {
  std::string_view reason; ///< One of sim::stallReasonNames.
  std::string_view kind;   ///< One of sim::waitKindNames.
  std::optional<RelatedInstruction> producer;
  sim::Picoseconds time = 0;
  std::uint64_t count = 0;
};

/// One of its executions.
struct ExplainedRun {
  std::uint64_t number = 1;   ///< Counted from 1.
  sim::Picoseconds acted = 0; ///< Its stream executed it or handed it on.
  /// On its engine or its DMA queue; one that has none ends when its stream
  /// went on.
  sim::Picoseconds start = 0, end = 0, visible = 0;
  bool hasEvent = false;
  std::vector<ExplainedWait> waits; ///< In order of time.
  /// The last event before its start, and why it matters: "busy", or a reason.
  std::optional<RelatedInstruction> followed;
  std::string_view followedFor;
  std::optional<sim::Picoseconds> slack; ///< Only if the run has an event.
  sim::Picoseconds critical = 0; ///< How much of it is on the critical path.

  sim::Picoseconds waited() const;
};

struct ExplainedOperand {
  std::string_view name;
  std::string_view effect; ///< "reads", "writes" or "reads, writes".
  std::string access;      ///< As in assembly.
  std::string_view doc;    ///< From its record.
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
};

/// An instruction's meaning, its costs and its waits.
struct Explanation {
  InstructionName name;
  std::string core;   ///< "rank 1 core 0", or empty.
  std::string kernel; ///< And the target, for the head line.
  std::string target;
  std::string assembly;
  std::string_view kind; ///< "matmul", "dma_in", ...
  std::string_view summary, equation;
  isa::SourceLocation place;
  std::string operation; ///< On tiles, that the instruction is for.
  std::vector<isa::SourceLoop> loops; ///< Around it in the source.
  std::vector<isa::SourceLocation>
      callers;            ///< Calls of a helper, innermost first.
  std::string sourceText; ///< That line; the caller knows the files.
  std::vector<ExplainedOperand> operands;
  machine::CostTerms cost;
  std::uint64_t bytes = 0; ///< Bytes that a transfer moves.
  std::uint64_t rows = 0;  ///< Contiguous pieces of them.
  unsigned dmaEngines = 0; ///< The number that moves them.
  std::uint64_t flops = 0;
  unsigned elementsInCycle = 1; ///< Per lane.
  std::uint64_t runs = 0;
  std::vector<ExplainedWait> waits; ///< Those of all runs, longest first.
  /// In all runs: on its track, or, for control, in its sequencer.
  sim::Picoseconds busy = 0;
  sim::Picoseconds critical = 0;
  sim::Picoseconds makespan = 0;
  std::optional<ExplainedRun> run; ///< Nothing if it never ran.
};

/// The launch was run with `trace`, and `name` exists. `run` counts from 1 and
/// is at most the number of its runs; without, the run that waited longest.
Explanation explain(const LaunchProfile &launch, const InstructionName &name,
                    std::optional<std::uint64_t> run);

std::string toText(const Explanation &explanation);
/// The shape of docs/explain.schema.json.
std::string toJson(const Explanation &explanation);

} // namespace kiln::profile

#endif // KILN_PROFILE_EXPLANATION_H

//===- Labels.h - What a trace says about an instruction -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_LABELS_H
#define KILN_PROFILE_LIB_LABELS_H

#include "kiln/isa/module.h"
#include "kiln/sim/trace.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kiln::profile {

/// The user's name of the instruction, else its mnemonic.
std::string labelOf(const isa::Instruction &instruction,
                    const isa::Module &module);

/// "file.cpp:12", or empty if unknown.
std::string sourceOf(const isa::Instruction &instruction,
                     const isa::Module &module);

const isa::SourceLocation &placeOf(const isa::Instruction &instruction,
                                   const isa::Module &module);

/// "wait_dma", "table", ...
std::string_view nameOf(sim::StallReason reason);

/// An event that lost time to this is longer than its work.
constexpr bool isLost(sim::StallReason reason) {
  return reason == sim::StallReason::throttle ||
         reason == sim::StallReason::port || reason == sim::StallReason::bank;
}

/// "scores kernel.cpp:12": an instruction of a stream; "end" behind its end.
std::string placeText(const isa::Module &module, unsigned engine,
                      std::uint32_t index);

/// The place of the instruction that a wait was for; empty if there is none.
/// `modules` are those of the cores of a rank.
std::string producerText(const sim::TraceWait &wait, const isa::Module &own,
                         std::span<const isa::Module> modules);

/// The parameters that the kernel was compiled with, by name.
std::vector<std::pair<std::string, std::string>>
parametersOf(const isa::Module &module);

inline double inMicroseconds(sim::Picoseconds time) {
  return static_cast<double>(time) / 1e6;
}

/// "TensorE", "DMA queue 3", "TensorE loads", ...
std::string trackName(unsigned track);

/// The instruction of an event; null if the event is not of this module.
const isa::Instruction *instructionOf(const sim::TraceEvent &event,
                                      const isa::Module &module);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_LABELS_H

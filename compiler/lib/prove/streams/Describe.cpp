//===- Describe.cpp - Names of steps and frames -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trace.h"

#include <algorithm>
#include <fmt/format.h>

namespace kiln::problems::checker {

std::int64_t Trace::sizeOf(std::uint32_t memory) const {
  if (memory < 2)
    return std::int64_t{1} << 18; // More than any target has.
  const auto &tensors = module().tensors;
  const std::size_t tensor = memory - 2;
  return tensor < tensors.size()
             ? static_cast<std::int64_t>(tensors[tensor].sizeInBytes())
             : 0;
}

std::uint64_t identityOfFrame(const Trace &trace, std::uint32_t frame) {
  std::uint64_t identity = 0;
  for (; frame != 0; frame = trace.frames[frame].parent)
    identity = mix(mix(identity, trace.frames[frame].loopPosition),
                   trace.frames[frame].iteration);
  return identity;
}

std::string describe(const Trace &trace, const Step &step) {
  const isa::Instruction &instruction = trace.instruction(step);
  std::string_view mnemonic = isa::info(isa::opcode(instruction.body)).mnemonic;
  std::string out = fmt::format("{}[{}] {}", isa::engineNames[step.engine],
                                step.instruction, mnemonic);
  if (instruction.location < trace.module().locations.size() &&
      instruction.location != 0) {
    const isa::SourceLocation &place =
        trace.module().locations[instruction.location];
    out += fmt::format(" ({}:{}{}{})", place.file, place.line,
                       place.name.empty() ? "" : " ", place.name);
  }
  std::vector<std::uint64_t> iterations = party(trace, step).iterations;
  if (!iterations.empty())
    out += fmt::format(" in iteration [{}]", fmt::join(iterations, ", "));
  return out;
}

SyncParty party(const Trace &trace, const Step &step) {
  SyncParty out;
  out.engine = static_cast<isa::Engine>(step.engine);
  out.index = step.instruction;
  for (std::uint32_t at = step.frame; at != 0; at = trace.frames[at].parent)
    out.iterations.push_back(trace.frames[at].iteration);
  std::reverse(out.iterations.begin(), out.iterations.end());
  return out;
}

} // namespace kiln::problems::checker

//===- checks.h - Is this a program the machine can run? ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The limits of a single operand come from the instruction's record (memories,
// element types) and the target (capacities). Conditions between operands are
// the named checks of the record. The container's reader calls these checks;
// the assembler does not.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_CHECKS_H
#define KILN_ISA_CHECKS_H

#include "kiln/isa/diagnostic.h"
#include "kiln/isa/module.h"
#include "kiln/isa/target.h"

#include <optional>
#include <span>
#include <vector>

namespace kiln::isa {

/// The first rule that `instruction` breaks as an instruction of `stream`, if
/// any. `module` supplies the tensors and the source locations. Addresses with
/// register terms are checked only as far as they are known.
std::optional<Diagnostic> check(const Instruction &instruction, Engine stream,
                                const Module &module, const Target &target);

/// Checks the tensors, every instruction and the structure of the streams:
/// loops are closed, no body writes the counter of a loop around it, and one
/// stream feeds each DMA queue.
std::optional<Diagnostic> checkModule(const Module &module,
                                      const Target &target);

/// Uses the target of the module's own generation.
std::optional<Diagnostic> checkModule(const Module &module);

/// A problem, with the instruction and the stream that it is in.
struct Finding {
  Diagnostic diagnostic;
  std::optional<Engine> stream; ///< Unset: the module as a whole.
  std::uint32_t index = 0;
};

/// All problems: the first one in the module's tables or, if there is none, the
/// first rule that each instruction breaks.
std::vector<Finding> checkAll(const Module &module);

/// Checks that the modules form one program for the cores of a rank: what they
/// share must be equal. Each module passes checkModule on its own.
std::optional<Diagnostic> checkCores(std::span<const Module> cores);

/// Checks that the barriers and exchanges of two cores match. Compares the n-th
/// barrier of one core with the n-th of the other, and exchanges pipe by pipe,
/// as far as loops have constant bounds. The message names the lines of both.
std::optional<Diagnostic> checkMeetings(std::span<const Module> cores);

/// Bytes [begin, end) that a pattern reaches in a partition (HBM: in the
/// tensor), without its register terms. Empty if the numbers overflow.
struct ByteRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  friend bool operator==(const ByteRange &, const ByteRange &) = default;
};
std::optional<ByteRange> byteRange(const Access &access);

} // namespace kiln::isa

#endif // KILN_ISA_CHECKS_H

//===- checks.h - Is this a program the machine can run? ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits of single operands come from the record (memories, element types) and
// the target (capacities); conditions between operands are the named checks of
// the record. The assembler does not call these, the container's reader does.
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
/// register terms are only checked as far as they are known.
std::optional<Diagnostic> check(const Instruction &instruction, Engine stream,
                                const Module &module, const Target &target);

/// Checks the tensors, every instruction, and the structure of the streams:
/// loops close and keep their counters, one stream feeds a DMA queue.
std::optional<Diagnostic> checkModule(const Module &module,
                                      const Target &target);

/// With the target of the module's own generation.
std::optional<Diagnostic> checkModule(const Module &module);

/// What is wrong, and with which instruction of which stream.
struct Finding {
  Diagnostic diagnostic;
  std::optional<Engine> stream; ///< None: the module as a whole.
  std::uint32_t index = 0;
};

/// All that is wrong: the module's tables, or else the first rule that each
/// instruction breaks.
std::vector<Finding> checkAll(const Module &module);

/// Do these modules make one program for the cores of a rank? Each passes
/// checkModule on its own; what they share must be equal.
std::optional<Diagnostic> checkCores(std::span<const Module> cores);

/// Do the barriers and exchanges of two cores meet? The n-th barrier of one is
/// compared with the n-th of the other, exchanges pipe by pipe, as far as loops
/// have constant bounds. The message names the lines of both.
std::optional<Diagnostic> checkMeetings(std::span<const Module> cores);

/// Bytes [begin, end) that a pattern reaches in a partition (HBM: in the
/// tensor), register terms left out. Empty if the numbers overflow.
struct ByteRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  friend bool operator==(const ByteRange &, const ByteRange &) = default;
};
std::optional<ByteRange> byteRange(const Access &access);

} // namespace kiln::isa

#endif // KILN_ISA_CHECKS_H

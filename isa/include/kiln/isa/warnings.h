//===- warnings.h - Legal, but perhaps not meant --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warnings about code that a machine runs without complaint, but with effects
// that a user may not expect: numbers that lose bits, slow transfers and
// operands, lost accumulators.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_WARNINGS_H
#define KILN_ISA_WARNINGS_H

#include "kiln/isa/diagnostic.h"
#include "kiln/isa/module.h"
#include "kiln/isa/target.h"

#include <optional>
#include <vector>

namespace kiln::isa {

/// Only KILN-W101: 32-bit integers that `stream` computes in fp32.
std::optional<Diagnostic> warnWideIntegers(const Instruction &instruction,
                                           Engine stream, const Module &module,
                                           const Target &target);

/// The warnings of a module that passed checkModule, in stream order. If
/// several have the same code at the same place in the source, only the first.
std::vector<Diagnostic> warnings(const Module &module, const Target &target);

} // namespace kiln::isa

#endif // KILN_ISA_WARNINGS_H

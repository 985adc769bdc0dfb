//===- warnings.h - Legal, but perhaps not meant
//------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a machine runs without complaint and a user may not expect: numbers that
// lose bits, transfers and operands that are slow, accumulators that are lost.
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

/// KILN-W101 alone: integers of 32 bits that `stream` computes in fp32.
std::optional<Diagnostic> warnWideIntegers(const Instruction &instruction,
                                           Engine stream, const Module &module,
                                           const Target &target);

/// The warnings of a module that passed checkModule, in the order of its
/// streams; of those with one code at one place in the source, the first.
std::vector<Diagnostic> warnings(const Module &module, const Target &target);

} // namespace kiln::isa

#endif // KILN_ISA_WARNINGS_H

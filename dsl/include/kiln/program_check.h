//===- program_check.h - Is a Program well formed? ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Program that was parsed from text may say anything. This checks what every
// reader relies on: ids are in range, definitions come before uses, shapes fit
// their operation, and views stay inside their value, as far as that is known
// without running loops.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROGRAM_CHECK_H
#define KILN_PROGRAM_CHECK_H

#include "kiln/isa/diagnostic.h"
#include "kiln/program.h"

#include <optional>
#include <string>

namespace kiln::program {

/// The first thing wrong with a Program, if any, at the user's line: KILN-P010
/// structure, P011 shapes, P012 bounds; those of checkCall.
std::optional<isa::Diagnostic> checkProgram(const Program &program);

/// The first mistake in the call `op`, of an instruction or an apply. The
/// record of the instruction (kiln/isa/info.h) is its schema: KILN-P110 no such
/// instruction, P111 its operands.
std::optional<isa::Diagnostic> checkCall(const Op &op);

} // namespace kiln::program

#endif // KILN_PROGRAM_CHECK_H

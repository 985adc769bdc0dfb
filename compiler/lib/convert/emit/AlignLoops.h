//===- AlignLoops.h - Loops that stay in the instruction buffer -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_CONVERT_EMIT_ALIGNLOOPS_H
#define KILN_COMPILER_LIB_CONVERT_EMIT_ALIGNLOOPS_H

#include "kiln/isa/instruction.h"
#include "kiln/isa/target.h"

#include <vector>

namespace kiln::compiler {

/// Moves loops of a stream to the start of a block of instructions, if the
/// buffer of the stream then holds them and did not before. The instructions
/// that fill the space do nothing. A stream that fits as a whole is not
/// changed.
std::vector<isa::Instruction> alignLoops(std::vector<isa::Instruction> stream,
                                         const isa::Target &target);

} // namespace kiln::compiler

#endif // KILN_COMPILER_LIB_CONVERT_EMIT_ALIGNLOOPS_H

//===- InstructionParser.h - One line of assembly to an instruction -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_LIB_INSTRUCTIONPARSER_H
#define KILN_ISA_LIB_INSTRUCTIONPARSER_H

#include "LineScanner.h"
#include "kiln/isa/module.h"

#include <functional>
#include <map>

namespace kiln::isa {

/// From the name of a tensor to its index.
using TensorNames = std::map<std::string, std::uint16_t, std::less<>>;

/// Parses the line up to its comment; false = the scanner holds the error.
bool parseInstruction(LineScanner &scanner, const TensorNames &tensors,
                      Instruction &out);

} // namespace kiln::isa

#endif // KILN_ISA_LIB_INSTRUCTIONPARSER_H

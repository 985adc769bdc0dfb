//===- Instructions.h - The generated operations of the nc dialect --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One class per instruction: twenty thousand lines, slow to parse. The rest of
// the compiler avoids them through the interface NcInstruction (Nc.h).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_INSTRUCTIONS_H
#define KILN_COMPILER_DIALECT_NC_INSTRUCTIONS_H

#include "kiln/compiler/dialect/nc/Nc.h"

#define GET_OP_CLASSES
#include "kiln/compiler/dialect/nc/NcInstructions.h.inc"

#endif // KILN_COMPILER_DIALECT_NC_INSTRUCTIONS_H

//===- NcRegister.cpp - The operations of the nc dialect ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/Nc/Instructions.h"
#include "kiln/compiler/Nc/Registers.h"

using namespace mlir;
using namespace kiln::compiler::nc;

#include "kiln/compiler/Nc/NcInterfaces.cpp.inc"

void NcDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "kiln/compiler/Nc/NcOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "kiln/compiler/Nc/NcInstructions.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "kiln/compiler/Nc/NcRegisters.cpp.inc"
      >();
}

//===- NcRegister.cpp - The operations of the nc dialect ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Instructions.h"
#include "kiln/compiler/dialect/nc/Registers.h"

using namespace mlir;
using namespace kiln::compiler::nc;

#include "kiln/compiler/dialect/nc/NcInterfaces.cpp.inc"

void NcDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "kiln/compiler/dialect/nc/NcOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "kiln/compiler/dialect/nc/NcInstructions.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "kiln/compiler/dialect/nc/NcRegisters.cpp.inc"
      >();
}

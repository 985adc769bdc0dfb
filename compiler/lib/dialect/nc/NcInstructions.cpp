//===- NcInstructions.cpp - The generated operations ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Instructions.h"
#include "kiln/compiler/dialect/nc/Verify.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "kiln/compiler/dialect/nc/NcInstructions.cpp.inc"

namespace kiln::compiler::nc {

#include "kiln/compiler/dialect/nc/NcBuild.cpp.inc"

} // namespace kiln::compiler::nc

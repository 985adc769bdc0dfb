//===- Registers.h - Register instructions of the nc dialect --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_REGISTERS_H
#define KILN_COMPILER_DIALECT_NC_REGISTERS_H

#include "kiln/compiler/dialect/nc/Nc.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#define GET_OP_CLASSES
#include "kiln/compiler/dialect/nc/NcRegisters.h.inc"

#endif // KILN_COMPILER_DIALECT_NC_REGISTERS_H

//===- Create.h - Instructions by their mnemonic --------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_CREATE_H
#define KILN_COMPILER_DIALECT_NC_CREATE_H

#include "kiln/compiler/dialect/nc/Nc.h"

namespace kiln::compiler::nc {

/// "nc.tensor_copy": the operation of an instruction.
inline std::string operationName(llvm::StringRef mnemonic) {
  return ("nc." + mnemonic).str();
}

/// Says which operands are present, if several may be absent: bit i of
/// `present` is the i-th operand of the instruction that is a value.
void addOperandGroups(mlir::OperationState &state, llvm::StringRef mnemonic,
                      uint32_t present);

/// An instruction such as "tensor_copy" with its operands that are values, in
/// the order of the instruction set; those that are absent are null or, at the
/// end, left out.
NcInstruction
createInstruction(mlir::OpBuilder &builder, mlir::Location where,
                  llvm::StringRef mnemonic,
                  llvm::ArrayRef<mlir::Value> operands,
                  llvm::ArrayRef<mlir::NamedAttribute> attributes);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_DIALECT_NC_CREATE_H

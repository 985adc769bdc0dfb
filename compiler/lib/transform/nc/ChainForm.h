//===- ChainForm.h - Chains of VectorE as passes of GpSimd ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_CHAINFORM_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_CHAINFORM_H

#include "kiln/compiler/dialect/nc/Nc.h"

namespace kiln::compiler::nc {

/// Columns of one number, which operators on tiles read in the place of an
/// immediate. They are filled once, in front of the outermost loop.
class ConstantColumns {
public:
  /// A view of `rows` rows of a column of `value`, in front of `op`.
  ViewOp at(mlir::OpBuilder &builder, mlir::Operation *op, int64_t rows,
            float value);
  /// Erases the unused ones.
  void eraseUnused();

private:
  struct Column {
    float value;
    mlir::Attribute scope; ///< Of its memory.
    AllocOp alloc;
  };
  llvm::SmallVector<Column> columns;
};

/// True for (data op0 a) op1 b of fp32, where a and b are tiles, columns or
/// numbers, which rounds after each operator: two tensor_tensor compute the
/// same bits. The user did not choose its engine.
bool isDivisibleChain(NcInstruction op);

/// Replaces it by two tensor_tensor, which GpSimd runs as well, and a copy of
/// each operand in PSUM, which GpSimd cannot access.
void divideChain(NcInstruction op, ConstantColumns &constants);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_CHAINFORM_H

//===- Verify.h - What generated verifiers of nc operations call ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_VERIFY_H
#define KILN_COMPILER_DIALECT_NC_VERIFY_H

#include "kiln/compiler/dialect/nc/Nc.h"
#include "kiln/isa/checks.h"

namespace kiln::compiler::nc {

/// Builds the instruction with unknown addresses and runs the checks of
/// kiln::isa.
mlir::LogicalResult verifyInstruction(NcInstruction op);

/// The engines that may hold the instruction with these operands, in order.
llvm::SmallVector<isa::Engine, 4> legalEngines(NcInstruction op);
/// Those of them that compute the same result, because it must not depend on
/// which engine is idle.
llvm::SmallVector<isa::Engine, 4> equalEngines(NcInstruction op);

/// The engine whose stream holds it, which nc-choose-engines must have chosen
/// before `what` runs; it is an error if not.
mlir::FailureOr<isa::Engine> engineBefore(llvm::StringRef what,
                                          NcInstruction op);

/// Warns if the user's instruction computes 32-bit integers in fp32, on its
/// engine or on the best one that nc-choose-engines may give it.
void warnOfWideIntegers(NcInstruction op);

/// Checks that at most one of tile and immediate is given; exactly one if
/// required.
mlir::LogicalResult checkScalarOrTile(mlir::Operation *op,
                                      llvm::StringRef operand, mlir::Value view,
                                      bool hasImmediate, bool required);
mlir::LogicalResult checkIndexPattern(mlir::Operation *op,
                                      llvm::StringRef operand,
                                      llvm::ArrayRef<int64_t> steps,
                                      llvm::ArrayRef<int64_t> sizes);
mlir::LogicalResult emitWrongCount(mlir::Operation *op, llvm::StringRef operand,
                                   size_t found, size_t wanted);
/// A float, or an integer for a bitwise operator.
isa::ScalarOrTile makeImmediate(mlir::Attribute value);
isa::RankLists rankListsOf(mlir::ArrayAttr lists);
isa::IndexPattern makeIndexPattern(llvm::ArrayRef<int64_t> steps,
                                   llvm::ArrayRef<int64_t> sizes);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_DIALECT_NC_VERIFY_H

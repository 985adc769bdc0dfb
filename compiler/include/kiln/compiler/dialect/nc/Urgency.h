//===- Urgency.h - What the user would rather have first -------*- C++ -*--===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on tiles carry it on their location, as they do promises;
// instructions carry it as an attribute. It is a wish: an operation that has it
// may still be hoisted and jammed.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_URGENCY_H
#define KILN_COMPILER_DIALECT_NC_URGENCY_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace kiln::compiler::nc {

/// Among the instructions that could run, the largest runs first.
inline constexpr llvm::StringLiteral urgencyAttrName = "nc.urgency";

/// 0 if the instruction has none.
inline int64_t urgencyOf(mlir::Operation *op) {
  auto urgency = mlir::dyn_cast_if_present<mlir::IntegerAttr>(
      op->getDiscardableAttr(urgencyAttrName));
  return urgency ? urgency.getInt() : 0;
}

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_DIALECT_NC_URGENCY_H

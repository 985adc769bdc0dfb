//===- Nc.h - The nc dialect ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_NC_H
#define KILN_COMPILER_DIALECT_NC_NC_H

#include "kiln/isa/argument_kind.h"
#include "kiln/isa/instruction.h"
#include "kiln/isa/target.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace kiln::compiler::nc {

/// Gives the addresses of views and the values of indices while an operation
/// builds its instruction. Verifiers use a resolver that knows nothing;
/// emission uses one that knows addresses and registers.
class OperandResolver {
public:
  virtual ~OperandResolver();
  virtual isa::Access access(mlir::Value view) = 0;
  /// A register operand: `value` (if not null) + `constant`.
  virtual isa::RegisterOrInt index(mlir::Value value,
                                   std::int32_t constant) = 0;
};

} // namespace kiln::compiler::nc

#include "kiln/compiler/dialect/nc/NcDialect.h.inc"
#include "kiln/compiler/dialect/nc/NcEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "kiln/compiler/dialect/nc/NcAttributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "kiln/compiler/dialect/nc/NcInterfaces.h.inc"
#include "kiln/compiler/dialect/nc/NcTypes.h.inc"
#define GET_OP_CLASSES
#include "kiln/compiler/dialect/nc/NcOps.h.inc"

namespace kiln::compiler::nc {

/// The attribute of the case `spelling` of the enumeration isa::`enumName`;
/// null if there is none.
mlir::Attribute enumAttribute(mlir::MLIRContext *context,
                              std::string_view enumName,
                              std::string_view spelling);

/// The tokens of a list, as `nc.waits` holds it; none if it is null.
llvm::SmallVector<TokenAttr, 2> tokensOf(mlir::Attribute list);

/// The MLIR type of an element type, and back. i32 is `i32`, u8 is `ui8`.
mlir::Type elementType(mlir::MLIRContext *context, isa::DType dtype);
std::optional<isa::DType> dtypeOf(mlir::Type type);

/// The memory space of a memref; memrefs of the nc level always have one.
std::optional<Space> spaceOf(mlir::MemRefType type);
mlir::MemRefType memoryType(mlir::MLIRContext *context,
                            llvm::ArrayRef<int64_t> shape, isa::DType dtype,
                            Space space);
inline isa::Space toIsa(Space space) { return static_cast<isa::Space>(space); }
inline Space fromIsa(isa::Space space) { return static_cast<Space>(space); }

/// Everything about `view` except its address: space, dtype, partitions, dims.
isa::Access accessShape(mlir::Value view);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_DIALECT_NC_NC_H

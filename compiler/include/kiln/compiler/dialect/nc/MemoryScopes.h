//===- MemoryScopes.h - Where the user wants memory to lie -----*- C++ -*--===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is recorded in an allocate_in has its memory there. Operations on tiles
// carry the scope on their location, as they do promises; instructions and
// buffers carry it as an attribute. A pass that makes a buffer for an operation
// gives it the scope of the operation.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_MEMORYSCOPES_H
#define KILN_COMPILER_DIALECT_NC_MEMORYSCOPES_H

#include "kiln/compiler/dialect/nc/Nc.h"

#include <cstdint>
#include <optional>

namespace kiln::compiler::nc {

/// The scope: {sbuf = {begin, end, name}, psum = {..}}, in bytes of each
/// partition, where `end` is not part of it. Either may be absent.
inline constexpr llvm::StringLiteral withinAttrName = "nc.within";

struct MemoryLimit {
  llvm::StringRef name; ///< Of the scope.
  std::uint64_t begin = 0, end = 0;
};

mlir::NamedAttribute memoryLimit(mlir::MLIRContext *context, Space space,
                                 const MemoryLimit &limit);
/// For the memory that the buffer is in.
std::optional<MemoryLimit> limitOf(AllocOp alloc);

/// The scope of an operation, or null.
mlir::Attribute memoryScopeOf(mlir::Operation *op);
/// The scope at a location, or null.
mlir::Attribute memoryScopeAt(mlir::Location location);
/// Whether a buffer in it has to lie in a part of its memory.
bool usesMemoryScope(mlir::Operation *op);
/// The buffer, made for something with this scope, lies there, too.
void setMemoryScope(AllocOp alloc, mlir::Attribute scope);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_DIALECT_NC_MEMORYSCOPES_H

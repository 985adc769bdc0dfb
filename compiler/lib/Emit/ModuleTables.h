//===- ModuleTables.h - Tensors, locations and facts of a module ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_EMIT_MODULETABLES_H
#define KILN_COMPILER_LIB_EMIT_MODULETABLES_H

#include "kiln/compiler/Nc/Footprints.h"
#include "kiln/isa/module.h"

namespace kiln::compiler {

/// A place of the user's source from `NameLoc("scopes#name", file:line:col)`.
isa::SourceLocation sourceLocation(mlir::Location location);

/// Where an instruction or a loop stands: in the sequential program, and in
/// the user's text.
struct Place {
  std::uint32_t position = 0;
  std::uint32_t location = 0;
};

/// Numbers instructions and loops, and their locations; fills the module's
/// table of those.
llvm::DenseMap<mlir::Operation *, Place> numberPlaces(mlir::func::FuncOp func,
                                                      isa::Module &module);

/// Numbers the buffers on chip; fills the module's table.
llvm::DenseMap<mlir::Value, std::uint16_t>
numberBuffers(mlir::func::FuncOp func, isa::Module &module);

mlir::LogicalResult addTensors(mlir::func::FuncOp func,
                               const nc::TensorNumbers &tensors,
                               isa::Module &module);
void addFacts(mlir::func::FuncOp func, isa::Module &module);

} // namespace kiln::compiler

#endif // KILN_COMPILER_LIB_EMIT_MODULETABLES_H

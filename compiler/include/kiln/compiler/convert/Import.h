//===- Import.h - From a recorded program to the tile dialect -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_CONVERT_IMPORT_H
#define KILN_COMPILER_CONVERT_IMPORT_H

#include "kiln/isa/target.h"
#include "kiln/program.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace kiln::compiler {

/// The dialects that imported modules use.
void registerImportDialects(mlir::DialectRegistry &registry);

/// One module with one func.func. Its arguments are those of the program, with
/// the attributes `nc.name` and `nc.kind`. The function has `nc.flops` and the
/// dictionary `nc.parameters`. Locations are FileLineColLoc, inside a NameLoc
/// `scopes` or `scopes#name` where the program has scopes or names.
///
/// Instructions are checked against `target`, which the module then names, or
/// against trn2.
///
/// Returns null, with diagnostics (KILN-P1xx), if the program is not well
/// formed.
mlir::OwningOpRef<mlir::ModuleOp>
importProgram(const program::Program &program, mlir::MLIRContext &context,
              const isa::Target *target = nullptr);

} // namespace kiln::compiler

#endif // KILN_COMPILER_CONVERT_IMPORT_H

//===- Emit.h - From nc IR to the module that the machine runs -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_EMIT_EMIT_H
#define KILN_COMPILER_EMIT_EMIT_H

#include "kiln/compiler/Problems/SynchronisationChecker.h"
#include "kiln/isa/module.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace kiln::compiler {

/// Splits the sequential program into streams. The module holds one func.func
/// with engines, addresses, waits and signals. Loops stay loops: each stream
/// that takes part in one has a copy with registers of its own. The IR is used
/// up: a stream that is made is taken out of it.
///
/// The result has passed isa::checkModule and the independent synchronisation
/// checker; what they refuse is an internal error, KILN-C900. Only streams that
/// are too long to be checked are the user's: KILN-C175.
mlir::FailureOr<isa::Module>
emitModule(mlir::ModuleOp module, const problems::CheckOptions &proof = {});

} // namespace kiln::compiler

#endif // KILN_COMPILER_EMIT_EMIT_H

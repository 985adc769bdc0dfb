//===- Emit.h - From nc IR to the module that the machine runs -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_CONVERT_EMIT_H
#define KILN_COMPILER_CONVERT_EMIT_H

#include "kiln/compiler/prove/SynchronisationChecker.h"
#include "kiln/isa/diagnostic.h"
#include "kiln/isa/module.h"
#include "kiln/isa/target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>

namespace kiln::compiler {

/// A module that is not proved yet, with the data that the proof needs. The
/// proof needs no IR.
struct Emitted {
  isa::Module module;
  isa::Target target;
  problems::OrderPromises promises;
};

/// Splits the sequential program into streams. The module holds one func.func
/// with engines, addresses, waits and signals. Loops stay loops: each stream
/// that participates in one gets a copy with its own registers. The IR is
/// consumed: each stream is removed from it once it is emitted.
mlir::FailureOr<Emitted> emitStreams(mlir::ModuleOp module);

/// The problem that isa::checkModule or the independent synchronisation checker
/// finds, with its code. It is an internal error, KILN-C900. Only streams that
/// are too long to be checked are the user's fault: KILN-C175.
std::optional<isa::Diagnostic>
prove(const Emitted &emitted, const problems::CheckOptions &options = {});

/// Emits the streams and proves them.
mlir::FailureOr<isa::Module>
emitModule(mlir::ModuleOp module, const problems::CheckOptions &proof = {});

} // namespace kiln::compiler

#endif // KILN_COMPILER_CONVERT_EMIT_H

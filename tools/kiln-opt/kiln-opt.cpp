//===- kiln-opt.cpp - Runs passes on MLIR text ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All passes and dialects of both levels; `--kiln` is the whole pipeline,
// `--emit-assembly` prints what would run.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/convert/Emit.h"
#include "kiln/compiler/pipeline/Pipeline.h"
#include "kiln/isa/assembly.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstdio>
#include <cstdlib>

namespace {

/// Emits the module and prints its assembly; for tests of emission.
class PrintAssembly
    : public mlir::PassWrapper<PrintAssembly,
                               mlir::OperationPass<mlir::ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintAssembly)

  llvm::StringRef getArgument() const override { return "emit-assembly"; }
  llvm::StringRef getDescription() const override {
    return "emits the kernel and prints its assembly on stderr";
  }
  void runOnOperation() override {
    // Emission consumes the IR, but it is printed after this pass.
    mlir::OwningOpRef<mlir::ModuleOp> copy = getOperation().clone();
    mlir::FailureOr<kiln::isa::Module> module =
        kiln::compiler::emitModule(*copy);
    if (mlir::failed(module))
      return signalPassFailure();
    llvm::errs() << kiln::isa::printAssembly(*module);
  }
};

} // namespace

/// Errors that the libraries cannot handle, above all a full disk, are reported
/// as the tools report them.
static void onFatalError(void *, const char *reason, bool) {
  std::fprintf(stderr, "kiln-opt: error: %s [KILN-T002]\n", reason);
  std::_Exit(1);
}

int main(int argc, char **argv) {
  llvm::install_fatal_error_handler(onFatalError);
  mlir::DialectRegistry registry;
  kiln::compiler::registerDialects(registry);
  kiln::compiler::registerPasses();
  mlir::PassRegistration<PrintAssembly>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Kiln pass driver\n", registry));
}

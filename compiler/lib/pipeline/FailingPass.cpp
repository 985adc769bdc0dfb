//===- FailingPass.cpp - An internal error on demand ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a user sees when Kiln fails must be tested, too, although no input is
// known that makes Kiln fail.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/pipeline/Pipeline.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using kiln::compiler::Code;

namespace {

class Fail : public PassWrapper<Fail, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Fail)

  StringRef getArgument() const override { return "test-internal-error"; }
  StringRef getDescription() const override {
    return "reports an internal error, for tests of how Kiln handles one";
  }
  void runOnOperation() override {
    getOperation().emitError()
        << Code{"KILN-C900"} << "internal: this error was asked for";
    signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> kiln::compiler::createFailingPass() {
  return std::make_unique<Fail>();
}

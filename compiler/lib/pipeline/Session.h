//===- Session.h - One compilation: context, diagnostics, dumps ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PIPELINE_SESSION_H
#define KILN_COMPILER_LIB_PIPELINE_SESSION_H

#include "kiln/compiler/compile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <ctime>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace kiln::compiler {

class RemarkCollector;

class Session {
public:
  Session(const CompileOptions &options, CompileResult &result);
  ~Session();

  mlir::MLIRContext *context() { return mlirContext.get(); }
  mlir::ModuleOp module() { return *ir; }

  /// False if the program is refused.
  bool import(const program::Program &program);
  /// Runs one step and dumps behind it. False if it failed.
  bool run(mlir::PassManager &manager, const std::string &name);
  std::string print(bool withPlaces = false);
  std::vector<IrLine> lines();
  /// Steps that have succeeded.
  size_t finished() const { return stepsDone; }
  /// Names what runs now. `passes` is what kiln-opt is to run on a module.
  void stage(std::string name, std::string passes);
  /// Notes how long what runs now took.
  void endStage();
  /// Decides from the diagnostics whose fault a failure is.
  void fail();
  /// The same for a text with its code that belongs to no line.
  void fail(isa::Diagnostic told);
  /// What the passes remarked on, beside their IR.
  void dumpRemarks();
  /// Keeps the module and what is known so far. Instead of what was kept
  /// before.
  void keep();
  bool hasKept() const { return kept.has_value(); }
  /// Takes both up again, as if nothing had run since; any number of times.
  void goBack();
  /// Nobody will go back.
  void forget() { kept.reset(); }
  /// Nothing uses the IR or the context again: frees their memory.
  void releaseIr();
  void crash(const std::string &what);
  /// The Program, `before`, which is the IR in front of the failing step, and
  /// how to run that.
  void writeReproducer(const program::Program &program,
                       const std::string &before);

private:
  void collect(mlir::Diagnostic &diagnostic);
  void dump(const std::string &name);
  void writeDump(const std::string &file, const std::string &text);
  void internalError(std::string text);
  void blameKiln();

  const CompileOptions &options;
  CompileResult &result;
  std::unique_ptr<mlir::MLIRContext> mlirContext;
  std::unique_ptr<mlir::ScopedDiagnosticHandler> handler;
  RemarkCollector *remarks = nullptr; ///< Of the context; null: none listens.
  mlir::OwningOpRef<mlir::ModuleOp> ir;
  std::string current = "import";
  std::string pipeline; ///< Of the failing step, for kiln-opt.
  std::set<std::string> warned;
  unsigned dumps = 0;
  bool dumpFailed = false; ///< No more are written.
  size_t stepsDone = 0;
  std::clock_t stageBegin = std::clock();
  struct Kept {
    mlir::OwningOpRef<mlir::ModuleOp> ir;
    CompileResult result;
    std::set<std::string> warned;
    std::string current;
    unsigned dumps;
    size_t stepsDone;
    std::clock_t spent; ///< On the stage.
  };
  std::optional<Kept> kept;
};

} // namespace kiln::compiler

#endif // KILN_COMPILER_LIB_PIPELINE_SESSION_H

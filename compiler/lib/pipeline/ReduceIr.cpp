//===- ReduceIr.cpp - The smallest IR that still fails --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-reduce runs a script in a new process for every question, and leaves
// operands without definitions. Here, an operation is removed with its users,
// so most candidates are valid IR, and the question is a function call.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/reduce_ir.h"

#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/pipeline/Pipeline.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace mlir;

namespace kiln::compiler {
namespace {

/// A context that knows our dialects and collects errors.
class Reader {
public:
  Reader()
      : context(registryOfDialects(), MLIRContext::Threading::DISABLED),
        handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            errors += diagnostic.str() + "\n";
          if (firstCode.empty())
            firstCode = toldBy(diagnostic).code;
        }) {
    static std::once_flag once;
    std::call_once(once, [] { registerPasses(); });
  }

  OwningOpRef<ModuleOp> read(const std::string &ir,
                             PassReproducerOptions *own) {
    ParserConfig config(&context);
    if (own)
      own->attachResourceParser(config);
    return parseSourceString<ModuleOp>(ir, config);
  }

  MLIRContext context;
  std::string errors;
  std::string firstCode; ///< Of the first error that has one.

private:
  static DialectRegistry registryOfDialects() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  ScopedDiagnosticHandler handler;
};

/// The resources behind the module, which name the passes of a reproducer.
std::string resourcesOf(const std::string &ir) {
  const std::size_t at = ir.rfind("\n{-#");
  return at == std::string::npos ? "" : ir.substr(at);
}

/// What may go: all but the module, functions, and what ends a body.
SmallVector<Operation *> candidates(ModuleOp module) {
  SmallVector<Operation *> all;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != module && !mlir::isa<FunctionOpInterface>(op) &&
        !op->hasTrait<OpTrait::IsTerminator>())
      all.push_back(op);
  });
  return all;
}

/// Erases operations and what uses their results. False if a terminator does.
bool eraseWithUsers(ArrayRef<Operation *> ops) {
  SetVector<Operation *> gone;
  SmallVector<Operation *> work(ops);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (op->hasTrait<OpTrait::IsTerminator>() && op->getNumOperands() > 0)
      return false;
    if (!gone.insert(op))
      continue;
    op->walk([&](Operation *nested) {
      for (Operation *user : nested->getUsers())
        if (!gone.contains(user))
          work.push_back(user);
    });
  }
  // Innermost first, each once: operations inside another one are removed with
  // it.
  SmallVector<Operation *> outermost;
  for (Operation *op : gone) {
    bool inside = false;
    for (Operation *parent = op->getParentOp(); parent;
         parent = parent->getParentOp())
      inside |= gone.contains(parent);
    if (!inside)
      outermost.push_back(op);
  }
  for (Operation *op : outermost)
    op->dropAllReferences();
  for (Operation *op : outermost) {
    op->dropAllUses();
    op->erase();
  }
  return true;
}

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

} // namespace

IrOutcome runPasses(const std::string &ir, const std::string &passes) {
  Reader reader;
  PassReproducerOptions own;
  OwningOpRef<ModuleOp> module =
      reader.read(ir, passes.empty() ? &own : nullptr);
  IrOutcome outcome;
  if (!module) {
    outcome.text = reader.errors;
    return outcome;
  }
  PassManager manager(&reader.context);
  std::string wrong;
  llvm::raw_string_ostream stream(wrong);
  if (passes.empty()) {
    if (failed(own.apply(manager)) || manager.empty()) {
      outcome.text = reader.errors + "it names no passes to run";
      return outcome;
    }
  } else {
    FailureOr<OpPassManager> pipeline = parsePassPipeline(passes, stream);
    if (failed(pipeline)) {
      outcome.text = wrong;
      return outcome;
    }
    static_cast<OpPassManager &>(manager) = std::move(*pipeline);
  }
  outcome.readable = true;
  outcome.failed = failed(manager.run(*module));
  outcome.text = reader.errors;
  outcome.code = reader.firstCode;
  return outcome;
}

std::string
reduceIr(const std::string &ir,
         const std::function<bool(const std::string &)> &stillFails) {
  const std::string resources = resourcesOf(ir);
  Reader reader;
  OwningOpRef<ModuleOp> best = reader.read(ir, nullptr);
  if (!best)
    return ir;
  const auto leavesOut = [&](std::size_t begin, std::size_t end) {
    OwningOpRef<ModuleOp> candidate = cast<ModuleOp>(best->clone());
    const SmallVector<Operation *> all = candidates(*candidate);
    if (end > all.size() ||
        !eraseWithUsers(ArrayRef(all).slice(begin, end - begin)) ||
        failed(verify(*candidate)) ||
        !stillFails(print(*candidate) + resources))
      return false;
    best = std::move(candidate);
    return true;
  };
  for (bool again = true; again;) {
    again = false;
    std::size_t chunk = std::max<std::size_t>(candidates(*best).size() / 2, 1);
    for (;; chunk /= 2) {
      // From the end: users in front of what they use.
      for (std::size_t end = candidates(*best).size(); end > 0;) {
        const std::size_t begin = end > chunk ? end - chunk : 0;
        again |= leavesOut(begin, end);
        end = std::min(begin, candidates(*best).size());
      }
      if (chunk <= 1)
        break;
    }
  }
  return print(*best) + resources;
}

std::size_t countIrOperations(const std::string &ir) {
  Reader reader;
  OwningOpRef<ModuleOp> module = reader.read(ir, nullptr);
  return module ? candidates(*module).size() : 0;
}

} // namespace kiln::compiler

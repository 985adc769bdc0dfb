//===- Tool.cpp - kiln-import: program text to the tile dialect -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kiln-import FILE [--passes=PIPELINE]: reads the text form of a Program and
// prints the imported module, or what the pipeline makes of it. For tests, and
// to inspect the front end; kiln-opt runs further passes on the result.

#include "kiln/compiler/convert/Import.h"
#include "kiln/compiler/transform/tile/Passes.h"
#include "kiln/program_text.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
namespace cl = llvm::cl;

int main(int argc, char **argv) {
  cl::opt<std::string> input(cl::Positional, cl::init("-"),
                             cl::desc("<program text>"));
  cl::opt<std::string> passes("passes", cl::desc("pipeline on the module"));
  cl::opt<bool> locations("locations", cl::desc("print locations"));
  cl::ParseCommandLineOptions(argc, argv, "Kiln program importer\n");
  kiln::compiler::tile::registerTilePasses();
  registerTransformsPasses();

  auto file = llvm::MemoryBuffer::getFileOrSTDIN(input);
  if (!file) {
    llvm::errs() << input << ": " << file.getError().message() << "\n";
    return 1;
  }
  auto parsed = kiln::program::parseProgram(
      std::string_view((*file)->getBufferStart(), (*file)->getBufferSize()));
  if (!parsed) {
    llvm::errs() << input << ":" << parsed.error.line << ":"
                 << parsed.error.column << ": " << parsed.error.code << ": "
                 << parsed.error.text << "\n";
    return 1;
  }
  DialectRegistry registry;
  kiln::compiler::registerImportDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = kiln::compiler::importProgram(*parsed.program, context);
  if (!module)
    return 1;
  if (!passes.empty()) {
    PassManager manager(&context);
    if (failed(parsePassPipeline(passes, manager)) ||
        failed(manager.run(*module)))
      return 1;
  }
  OpPrintingFlags flags;
  if (locations)
    flags.enableDebugInfo(true, /*prettyForm=*/false);
  module->print(llvm::outs(), flags);
  return 0;
}

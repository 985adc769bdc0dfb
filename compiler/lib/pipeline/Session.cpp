//===- Session.cpp - One compilation: context, diagnostics, dumps --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "RemarkCollector.h"

#include "kiln/compiler/convert/Import.h"
#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Blame.h"
#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/Locations.h"
#include "kiln/compiler/pipeline/Pipeline.h"
#include "kiln/program_text.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;

static constexpr StringLiteral internalCode = "KILN-C900";
/// Codes of the import for a Program that makes no sense.
static constexpr StringLiteral malformedCode = "KILN-P120";

Session::Session(const CompileOptions &options, CompileResult &result)
    : options(options), result(result),
      mlirContext(
          std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED)) {
  DialectRegistry registry;
  registerDialects(registry);
  mlirContext->appendDialectRegistry(registry);
  mlirContext->loadAllAvailableDialects();
  mlirContext->printOpOnDiagnostic(false);
  handler = std::make_unique<ScopedDiagnosticHandler>(
      mlirContext.get(), [this](Diagnostic &diagnostic) {
        collect(diagnostic);
        return success();
      });
  if (options.keepRemarks || options.keepSchedule || !options.dumpDir.empty())
    remarks = RemarkCollector::listen(*mlirContext, result.remarks);
}

Session::~Session() = default;

/// A party for each call that leads to `location`.
static void noteCalls(Location location, isa::Diagnostic &told) {
  for (auto call = callerOf(location); call; call = callerOf(*call)) {
    const isa::SourceLocation place = sourceLocation(*call);
    if (!place.file.empty())
      told.parties.push_back({"called here", "", place.file, place.line});
  }
}

void Session::collect(Diagnostic &diagnostic) {
  const bool isWarning =
      diagnostic.getSeverity() == DiagnosticSeverity::Warning;
  if (!isWarning && diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return;
  isa::Diagnostic entry = toldBy(diagnostic);
  entry.blame = blameOf(diagnostic, current != "import");
  noteCalls(diagnostic.getLocation(), entry);
  for (Diagnostic &note : diagnostic.getNotes()) {
    isa::Diagnostic told = toldBy(note);
    entry.parties.push_back({std::move(told.text),
                             {},
                             std::move(told.file),
                             told.line,
                             told.column});
  }
  // A line that is recorded a thousand times gets one warning.
  if (isWarning && !warned.insert(entry.str()).second)
    return;
  result.diagnostics.push_back(std::move(entry));
}

bool Session::import(const program::Program &program) {
  ir = importProgram(program, *mlirContext, &options.target);
  if (!ir) {
    // Mistakes in a Program are not Kiln's fault.
    for (isa::Diagnostic &diagnostic : result.diagnostics)
      if (diagnostic.severity == isa::Severity::error &&
          diagnostic.code.empty())
        diagnostic.code = malformedCode;
    fail();
    return false;
  }
  dump("import");
  return true;
}

bool Session::run(PassManager &manager, const std::string &name) {
  std::string passes;
  llvm::raw_string_ostream stream(passes);
  manager.printAsTextualPipeline(stream);
  stage(name, passes);
  if (failed(manager.run(*ir))) {
    fail();
    dump(name + "-failed");
    return false;
  }
  ++stepsDone;
  dump(name);
  return true;
}

void Session::endStage() {
  std::clock_t now = std::clock();
  result.stages.push_back(
      {current, static_cast<double>(now - stageBegin) / CLOCKS_PER_SEC});
  stageBegin = now;
}

void Session::stage(std::string name, std::string passes) {
  endStage();
  current = std::move(name);
  pipeline = std::move(passes);
}

std::string Session::print(bool withPlaces) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  if (withPlaces)
    flags.enableDebugInfo();
  ir->print(stream, flags);
  return text;
}

std::vector<IrLine> Session::lines() {
  AsmState::LocationMap placeOf;
  AsmState state(*ir, OpPrintingFlags(), &placeOf);
  std::string text;
  llvm::raw_string_ostream stream(text);
  ir->print(stream, state);
  SmallVector<StringRef> printed;
  StringRef(text).split(printed, '\n');
  std::vector<IrLine> all;
  ir->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto at = placeOf.find(op);
    if (at == placeOf.end() || at->second.first > printed.size())
      return;
    IrLine one;
    one.text = printed[at->second.first - 1].str();
    if (auto source = op->getLoc()->findInstanceOf<FileLineColLoc>()) {
      one.file = source.getFilename().str();
      one.line = source.getLine();
    }
    all.push_back(std::move(one));
  });
  return all;
}

void Session::blameKiln() {
  result.fault = Fault::internal;
  for (isa::Diagnostic &diagnostic : result.diagnostics)
    diagnostic.blame = isa::Blame::kiln;
}

void Session::internalError(std::string text) {
  result.diagnostics.push_back({internalCode.str(), std::move(text)});
  blameKiln();
}

void Session::fail() {
  for (const isa::Diagnostic &diagnostic : result.diagnostics) {
    if (diagnostic.severity == isa::Severity::warning)
      continue;
    // MLIR's own diagnostics, of broken IR, have no code.
    if (diagnostic.code.empty() || diagnostic.code == internalCode ||
        diagnostic.blame == isa::Blame::kiln)
      return blameKiln();
    result.fault = Fault::user;
  }
  if (result.fault == Fault::none)
    internalError("stage '" + current + "' failed and gave no reason");
}

void Session::fail(isa::Diagnostic told) {
  result.diagnostics.push_back(std::move(told));
  fail();
}

void Session::keep() {
  const std::clock_t spent = std::clock() - stageBegin;
  kept = Kept{OwningOpRef<ModuleOp>(ir->clone()),
              result,
              warned,
              current,
              dumps,
              stepsDone,
              spent};
}

void Session::goBack() {
  ir = kept->ir->clone();
  result = kept->result;
  if (remarks)
    remarks->keepFirst(result.remarks.size());
  warned = kept->warned;
  dumps = kept->dumps;
  current = kept->current;
  stepsDone = kept->stepsDone;
  stageBegin = std::clock() - kept->spent;
}

void Session::releaseIr() {
  kept.reset();
  ir = nullptr;
  handler.reset();
  mlirContext.reset();
}

void Session::crash(const std::string &what) {
  internalError("stage '" + current + "' stopped: " + what);
}

static bool writeFile(const std::string &directory, const std::string &name,
                      const std::string &text) {
  if (llvm::sys::fs::create_directories(directory))
    return false;
  SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (error)
    return false;
  file << text;
  file.close();
  if (!file.has_error())
    return true;
  // The disk is full. Unread, the error would end the process.
  file.clear_error();
  llvm::sys::fs::remove(path);
  return false;
}

void Session::dump(const std::string &name) {
  if (options.dumpDir.empty() && !options.keepPasses)
    return;
  const std::clock_t begin = std::clock();
  std::string text = print();
  if (!options.dumpDir.empty())
    writeDump(llvm::formatv("{0,0+2}-{1}.mlir", dumps++, name), text);
  if (options.keepPasses)
    result.passes.push_back({name, std::move(text)});
  stageBegin += std::clock() - begin; // The pass did not do this.
}

void Session::dumpRemarks() {
  if (options.dumpDir.empty())
    return;
  std::string text;
  for (const CompileRemark &remark : result.remarks)
    text += remark.str() + "\n";
  writeDump("remarks.txt", text);
}

void Session::writeDump(const std::string &file, const std::string &text) {
  if (dumpFailed)
    return;
  dumpFailed = !writeFile(options.dumpDir, file, text);
  if (dumpFailed && result.ok()) {
    result.fault = Fault::user;
    result.diagnostics.push_back(
        {"KILN-C003",
         "cannot write '" + file + "' to '" + options.dumpDir + "'"});
  }
}

void Session::writeReproducer(const program::Program &program,
                              const std::string &before) {
  std::string text = "// Kiln stopped in stage '" + current + "', target " +
                     std::string(options.target.name) + ":\n";
  for (const isa::Diagnostic &diagnostic : result.diagnostics) {
    const std::string told = diagnostic.str();
    StringRef rest = told;
    while (!rest.empty()) {
      auto [line, tail] = rest.split('\n');
      text += "//   " + line.str() + "\n";
      rest = tail;
    }
  }
  if (!before.empty()) {
    text += "// Replay: kiln-opt --run-reproducer FILE\n\n" + before;
    llvm::raw_string_ostream stream(text);
    // What --run-reproducer reads.
    stream << "\n{-#\n  external_resources: {\n    mlir_reproducer: {\n"
           << "      pipeline: \"" << pipeline << "\",\n"
           << "      disable_threading: true,\n      verify_each: true\n"
           << "    }\n  }\n#-}\n";
  }
  std::string base = "kiln-crash-" + program.kernel;
  if (writeFile(options.reproducerDir, base + ".mlir", text) &&
      writeFile(options.reproducerDir, base + ".program",
                program::printProgram(program))) {
    SmallString<128> path(options.reproducerDir);
    llvm::sys::path::append(path, base + ".mlir");
    result.reproducer = std::string(path);
  }
}

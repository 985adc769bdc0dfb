//===- compile.h - From a Program to a module, in one call ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No MLIR here: a tool that compiles kernels needs only this header.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_COMPILE_H
#define KILN_COMPILER_COMPILE_H

#include "kiln/isa/module.h"
#include "kiln/isa/target.h"
#include "kiln/program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kiln::compiler {

struct CompileOptions {
  isa::Target target = isa::trn2;
  /// If set: a directory that gets one numbered file per pass. It is created.
  std::string dumpDir;
  /// Stop after the pass of this name, or after its n-th run ("pass:n"). The
  /// result then holds the IR and no module.
  std::string stopAfter;
  /// Where an internal error leaves its reproducer; "" = nowhere.
  std::string reproducerDir;
  /// For tests of internal errors: this pass reports one.
  std::string failIn;
  /// For tests of the limit: the maximum number of instructions that the proof
  /// of the streams simulates; 0 = its own limit.
  std::uint64_t proofLimit = 0;
  bool keepTileIr = false; ///< Fill CompileResult::tileIr.
  bool keepNcIr = false;   ///< Fill CompileResult::ncIr.
};

/// The party at fault. It decides the tool's exit code: 1 or 70.
enum class Fault : std::uint8_t { none, user, internal };

struct CompileDiagnostic {
  std::string code; ///< "KILN-C101".
  std::string text;
  std::string file; ///< Of the user's source; may be empty.
  std::uint32_t line = 0;
  std::uint32_t column = 0; ///< 0 for a recorded line, which has none.
  bool isNote = false;      ///< Belongs to the entry before it.
  bool isWarning = false;   ///< The kernel is compiled nevertheless.

  /// "file:line: error: text [code]".
  std::string str() const;
};

/// CPU time of one stage: a pass, "import" or "emission".
struct StageTime {
  std::string name;
  double seconds = 0;
};

struct CompileResult {
  std::optional<isa::Module> module;
  Fault fault = Fault::none;
  std::vector<CompileDiagnostic> diagnostics;
  std::vector<StageTime> stages; ///< In the order they ran.
  std::string tileIr;            ///< After the last tile pass.
  std::string ncIr;              ///< As it was emitted.
  std::string stoppedIr;         ///< With stopAfter.
  std::string reproducer;        ///< Path of the file, if one was written.

  bool ok() const { return fault == Fault::none; }
};

CompileResult compile(const program::Program &program,
                      const CompileOptions &options = {});

/// The passes that `compile` runs, in order; names for stopAfter.
std::vector<std::string> passNames();

} // namespace kiln::compiler

#endif // KILN_COMPILER_COMPILE_H

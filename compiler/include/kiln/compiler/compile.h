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

#include "kiln/compiler/schedule_report.h"
#include "kiln/isa/diagnostic.h"
#include "kiln/isa/module.h"
#include "kiln/isa/target.h"
#include "kiln/program.h"
#include "kiln/schedule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kiln::compiler {

struct CompileOptions {
  isa::Target target = isa::trn2;
  /// If set: a directory that gets one numbered file per pass. It is created.
  std::string dumpDir;
  /// Stop after the pass of this name, or after its n-th run ("pass:n"). The
  /// result then holds the IR and no module.
  std::string stopAfter;
  /// Passes to leave out, of optionalPassNames().
  std::vector<std::string> without;
  /// Where an internal error leaves its reproducer; "" = nowhere.
  std::string reproducerDir;
  /// For tests of internal errors: this pass reports one.
  std::string failIn;
  /// For tests of the limit: the maximum number of instructions that the proof
  /// of the streams simulates; 0 = its own limit.
  std::uint64_t proofLimit = 0;
  /// Also schedules loops with the exact solver, which may take this many steps
  /// per question; 0 = the iterative solver alone.
  std::uint32_t exactSteps = 0;
  /// Text of decisions to take instead of the compiler's own, of all cores (see
  /// kiln/schedule.h); empty: that of the Program, if it is for this target.
  std::string schedule;
  std::string scheduleFile;   ///< For messages about it.
  bool keepDecisions = false; ///< Fill CompileResult::decisions.
  bool keepRemarks = false;   ///< Fill CompileResult::remarks; the next one
                              ///< and dumpDir do, too.
  bool keepSchedule = false;  ///< Fill CompileResult::schedule.
  bool keepProblems = false;  ///< Fill CompileResult::loopProblems.
  bool keepTileIr = false;    ///< Fill CompileResult::tileIr.
  bool keepNcIr = false;      ///< Fill CompileResult::ncIr.
  bool keepNcLines = false;   ///< Fill CompileResult::ncLines.
  bool keepPasses = false;    ///< Fill CompileResult::passes.
};

/// The party at fault. It decides the tool's exit code: 1 or 70.
enum class Fault : std::uint8_t { none, user, internal };

/// A pass changed something (passed), declined to for a reason (missed), or
/// reports a result (analysis).
enum class RemarkKind : std::uint8_t { passed, missed, analysis };

/// "passed", "missed" or "analysis".
std::string_view name(RemarkKind kind);

struct CompileRemark {
  /// A number or a name in the text, by itself.
  struct Value {
    std::string key;    ///< "interval_ns".
    std::string value;  ///< "512".
    bool isSum = false; ///< Its sum over a kernel is meaningful.
  };
  RemarkKind kind = RemarkKind::analysis;
  std::string pass; ///< "nc-pipeline-loops".
  std::string name; ///< "Pipelined": see docs/remarks.md.
  std::string text; ///< With the values.
  std::vector<Value> values = {};
  std::string file = {}; ///< The user's source; may be empty.
  std::uint32_t line = 0;
  std::uint64_t times = 1; ///< The same, at the same line.

  /// "file:line: remark: text [pass: name]".
  std::string str() const;
};

/// All remarks of a pass of the same name.
struct PassStatistic {
  std::string pass, name;
  std::uint64_t times = 0;
  /// Keys and sums, in the order in which the keys appear.
  std::vector<std::pair<std::string, std::int64_t>> sums = {};
};

/// In the order in which the passes first remarked on something.
std::vector<PassStatistic>
statisticsOf(const std::vector<CompileRemark> &remarks);

/// CPU time of one stage: a pass, "import" or "emission".
struct StageTime {
  std::string name;
  double seconds = 0;
};

/// The first line of an operation of the IR, and the source that it is from.
struct IrLine {
  std::string text;
  std::string file; ///< May be empty.
  std::uint32_t line = 0;
};

/// The IR after a pass, or after the import.
struct PassIr {
  std::string name;
  std::string text;
};

struct CompileResult {
  std::optional<isa::Module> module;
  Fault fault = Fault::none;
  /// A note of MLIR is a party of the entry that it belongs to. With
  /// Fault::internal, Kiln is to blame for all of them.
  std::vector<isa::Diagnostic> diagnostics;
  std::vector<CompileRemark> remarks; ///< In the order of the passes.
  ScheduleReport schedule;            ///< Only of a kernel that is compiled.
  /// The decisions for each loop, in the form of a schedule to attach.
  schedule::Schedule decisions;
  /// The loops that can be software pipelined, as texts for
  /// problems::parseModuloProblem.
  std::vector<std::string> loopProblems;
  std::vector<StageTime> stages; ///< In the order they ran.
  std::vector<PassIr> passes;    ///< The same.
  std::string tileIr;            ///< After the last tile pass.
  std::string ncIr;              ///< As it was emitted.
  std::vector<IrLine> ncLines;   ///< Of the IR behind the last pass.
  std::string stoppedIr;         ///< With stopAfter.
  std::string reproducer;        ///< Path of the file, if one was written.

  bool ok() const { return fault == Fault::none; }
};

CompileResult compile(const program::Program &program,
                      const CompileOptions &options = {});

/// The passes that `compile` runs, in order; names for stopAfter.
std::vector<std::string> passNames();

/// Those that only make the result faster: any of them can be left out.
std::vector<std::string> optionalPassNames();

} // namespace kiln::compiler

#endif // KILN_COMPILER_COMPILE_H

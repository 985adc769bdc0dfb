//===- Attempt.h - One run of the pipeline over a program -------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PIPELINE_ATTEMPT_H
#define KILN_COMPILER_LIB_PIPELINE_ATTEMPT_H

#include "Session.h"

#include "kiln/compiler/pipeline/Pipeline.h"
#include "kiln/compiler/transform/nc/Schedules.h"

#include <optional>
#include <string>
#include <vector>

namespace kiln::compiler {

/// The number of steps to run, or nothing if there is no such pass.
std::optional<size_t> stepsUntil(const std::vector<PipelineStep> &steps,
                                 const std::string &stop);

/// The attached schedule, if there is one. The kernel's own is for one target;
/// on others, the compiler decides.
std::string scheduleText(const program::Program &program,
                         const CompileOptions &options);

/// A program on its way through the steps. If nc-allocate may find too little
/// room, the module is kept in front of nc-order, from where the steps can run
/// again with other settings.
class Attempt {
public:
  Attempt(const program::Program &program, const CompileOptions &options);

  /// All steps, from the import on. Once.
  CompileResult run(const std::vector<PipelineStep> &steps);
  /// Whether SBUF was too small, in a module that was kept.
  bool mayRunAgain() const { return session.hasKept(); }
  /// What run() would give for these steps, which are the same up to nc-order.
  CompileResult runAgain(const std::vector<PipelineStep> &steps);

private:
  void runFrom(size_t first, const std::vector<PipelineStep> &steps);
  CompileResult finish(const std::vector<PipelineStep> &steps);
  void readLoops(const std::string &pass);
  bool mayLackSbuf();

  const program::Program &program;
  const CompileOptions &options;
  CompileResult result;
  Session session;
  nc::ScheduleWriter writer;
};

/// The IR of the first steps, of which the last one has several settings.
class BlockChoices {
public:
  /// Runs all of `steps` but the last.
  BlockChoices(const program::Program &program, const CompileOptions &options,
               llvm::ArrayRef<PipelineStep> steps);

  /// Runs `last` behind them. Whether the IR is another one than after the
  /// call before; there is none after a step that fails.
  bool changeWith(const PipelineStep &last);

private:
  CompileOptions options;
  CompileResult result;
  Session session;
  mlir::OwningOpRef<mlir::ModuleOp> latest;
};

} // namespace kiln::compiler

#endif // KILN_COMPILER_LIB_PIPELINE_ATTEMPT_H

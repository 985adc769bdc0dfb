//===- Pipeline.h - The passes in order, and their registration ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_PIPELINE_PIPELINE_H
#define KILN_COMPILER_PIPELINE_PIPELINE_H

#include "kiln/compiler/transform/nc/SharedSolver.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kiln::compiler {

struct PipelineStep {
  std::string name;
  std::function<void(mlir::OpPassManager &)> add; ///< To a module's manager.
  bool lastOfTile = false;                        ///< The IR after it is nc.
  bool makesNc = false;                           ///< It makes instructions.
  bool isOptional = false; ///< It only makes the result faster.
};

/// Settings of the steps, beside the IR.
struct PipelineChoices {
  /// Bytes of an SBUF partition that tile-stream plans for; 0 = all of them.
  std::int64_t streamBudget = 0;
  /// Of SBUF that nc-order fills with what runs ahead; see its options.
  unsigned aheadPercent = 75;
  std::uint32_t exactSteps = 0; ///< See CompileOptions.
  /// Software pipelining of loops with buffers in memory scopes.
  bool overlapsInScopes = true;
  bool keepProblems = false;
  nc::SharedSolver solver; ///< Of pipelines on one thread, if they share one.
};

/// Everything between the imported program and emission.
std::vector<PipelineStep> pipelineSteps(const PipelineChoices &choices = {});

/// A pass that does nothing but report an internal error, for tests.
std::unique_ptr<mlir::Pass> createFailingPass();

/// All dialects of both levels, and every pass, for tools.
void registerDialects(mlir::DialectRegistry &registry);
void registerPasses();

} // namespace kiln::compiler

#endif // KILN_COMPILER_PIPELINE_PIPELINE_H

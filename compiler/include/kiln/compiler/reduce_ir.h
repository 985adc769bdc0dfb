//===- reduce_ir.h - The smallest IR that still fails ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No MLIR here. IR is text, as `--dump-dir` and reproducers hold it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_REDUCE_IR_H
#define KILN_COMPILER_REDUCE_IR_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace kiln::compiler {

/// The outcome of running passes on IR.
struct IrOutcome {
  bool readable = false; ///< It parses, verifies, and there are passes to run.
  bool failed = false;
  std::string code; ///< The first error's, "KILN-C900".
  std::string text; ///< All errors.
};

/// Runs `passes` on the IR, in the syntax of `kiln-opt --pass-pipeline`. If
/// they are empty, runs the passes that the reproducer itself names.
IrOutcome runPasses(const std::string &ir, const std::string &passes);

/// Removes operations, with those that use their results, as long as
/// `stillFails` returns true. It is given only IR that verifies.
std::string
reduceIr(const std::string &ir,
         const std::function<bool(const std::string &)> &stillFails);

/// Operations of the IR, or 0 if it cannot be read.
std::size_t countIrOperations(const std::string &ir);

} // namespace kiln::compiler

#endif // KILN_COMPILER_REDUCE_IR_H

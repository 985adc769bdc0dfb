//===- CompilerRemarks.h - What the compiler did and declined - -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_COMPILERREMARKS_H
#define KILN_TOOLS_KILN_COMPILERREMARKS_H

#include "Compiler.h"

#include "kiln/compiler/compile.h"

#include <string>
#include <vector>

namespace kiln::tool {

/// On the standard error stream, a line or a JSON object each; of one pass
/// only, if `pass` is not empty.
void tellRemarks(const std::vector<compiler::CompileRemark> &remarks,
                 const std::string &pass);

/// As a JSON array of such objects, on one line.
std::string remarksAsJson(const std::vector<compiler::CompileRemark> &remarks);

/// What each pass did: its time, what it changed in the IR in front of it, and
/// what it remarked on; of one core. As a JSON array, on one line.
std::string passesAsJson(const KeptPasses &kept);

/// The lines of a pass, as a JSON array on one line.
std::string linesAsJson(const std::vector<compiler::IrLine> &lines);

/// A table, or a JSON object for each row of it.
void tellStatistics(const std::vector<compiler::PassStatistic> &statistics);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_COMPILERREMARKS_H

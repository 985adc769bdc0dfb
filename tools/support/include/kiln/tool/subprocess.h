//===- subprocess.h - Running another program ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOL_SUBPROCESS_H
#define KILN_TOOL_SUBPROCESS_H

#include <string>
#include <vector>

namespace kiln::tool {

struct ProcessResult {
  int exitCode = 0;   ///< 128 + signal if a signal ended it.
  std::string output; ///< Standard output and standard error together.
};

/// Runs `words[0]`, found on PATH, without a shell and with no standard input.
/// Failure KILN-T004 if it cannot be started.
ProcessResult runProcess(const std::vector<std::string> &words);

} // namespace kiln::tool

#endif // KILN_TOOL_SUBPROCESS_H

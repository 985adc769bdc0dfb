//===- Command.h - What a subcommand is ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_COMMAND_H
#define KILN_TOOLS_KILN_COMMAND_H

#include "kiln/tool/command_line.h"

#include <span>

namespace kiln::tool {

/// A subcommand: its words and the function that does it. The function returns
/// an exit code or throws a Failure.
struct Command {
  CommandSpec spec;
  int (*run)(const CommandLine &);
};

// One file each.
extern const Command listCommand;
extern const Command compileCommand;
extern const Command runCommand;
extern const Command profileCommand;
extern const Command asmCommand;
extern const Command disasmCommand;
extern const Command verifyCommand;
extern const Command reduceCommand;
extern const Command tuneCommand;
extern const Command explainCommand;

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_COMMAND_H

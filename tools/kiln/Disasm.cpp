//===- Disasm.cpp - kiln disasm: .kbin to text --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Crash.h"
#include "ModuleFile.h"

#include "kiln/isa/assembly.h"
#include "kiln/tool/files.h"

#include <iostream>

namespace kiln::tool {

static int runDisasm(const CommandLine &line) {
  const std::vector<isa::Module> cores = loadKbinCores(line.arguments[0]);
  enterPhase("disassembling '" + line.arguments[0] + "'");
  std::string text = isa::printAssembly(cores);
  if (std::optional<std::string> output = line.value("-o"))
    writeTextFile(*output, text);
  else
    std::cout << text;
  return success;
}

const Command disasmCommand{{"disasm",
                             "IN.kbin",
                             "prints the instructions of a .kbin as text",
                             "",
                             {{"-o", "OUT.kasm",
                               "a file instead of the "
                               "terminal"}},
                             false,
                             1,
                             1},
                            runDisasm};

} // namespace kiln::tool

//===- Asm.cpp - kiln asm: text to .kbin --------------------------------===//
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
#include "kiln/isa/checks.h"
#include "kiln/tool/files.h"

#include <iostream>

namespace kiln::tool {

static int runAsm(const CommandLine &line) {
  const std::string &input = line.arguments[0];
  std::optional<std::string> output = line.value("-o");
  if (!output)
    throw Failure("KILN-T020", "missing '-o OUT.kbin' (see 'kiln asm --help')",
                  usageError);
  std::string text = readTextFile(input);
  enterPhase("assembling '" + input + "'");
  const isa::Expected<std::vector<isa::Module>> cores =
      isa::parseAssemblyCores(text, input);
  if (!cores)
    throw failureOf(cores.error(), input);
  for (const isa::Module &module : *cores)
    if (std::optional<isa::Diagnostic> broken = isa::checkModule(module))
      throw failureOf(*broken, input);
  if (std::optional<isa::Diagnostic> broken = isa::checkCores(*cores))
    throw failureOf(*broken, input);
  saveKbin(*output, *cores);
  std::cerr << "wrote " << *output << ": " << describe(*cores) << "\n";
  return success;
}

const Command asmCommand{
    {"asm",
     "IN.kasm",
     "assembles a text file into a .kbin",
     "The text is checked against every rule of the instruction set.\n"
     "asm and disasm are inverse to each other.",
     {{"-o", "OUT.kbin", "the file to write"}},
     false,
     1,
     1},
    runAsm};

} // namespace kiln::tool

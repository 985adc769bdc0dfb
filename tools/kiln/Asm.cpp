//===- Asm.cpp - kiln asm: text to .kbin --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Crash.h"
#include "Messages.h"
#include "ModuleFile.h"

#include "kiln/isa/assembly.h"
#include "kiln/isa/checks.h"
#include "kiln/tool/files.h"

#include <utility>

namespace kiln::tool {

namespace {

/// At the line of the assembly, with the stream and the place in it; where the
/// instruction was compiled from a kernel's line, with that too.
isa::Diagnostic diagnosticOf(const isa::Finding &finding,
                             const isa::StreamLines &lines,
                             const std::string &file) {
  isa::Diagnostic told = finding.diagnostic;
  std::string text = std::string(isa::name(*finding.stream)) + " instruction " +
                     std::to_string(finding.index);
  if (!told.file.empty())
    text += " (" + told.file + ":" + std::to_string(told.line) + ")";
  told.text = text + ": " + told.text;
  told.file = file;
  told.line = lines[static_cast<std::size_t>(*finding.stream)][finding.index];
  told.column = 0;
  return told;
}

/// As values and as they are printed.
struct Mistakes {
  std::vector<isa::Diagnostic> diagnostics;
  std::string text;

  void add(const isa::Diagnostic &diagnostic) {
    diagnostics.push_back(diagnostic);
    text += diagnostic.str() + "\n";
  }
};

/// Every mistake of the text, or none.
Mistakes mistakes(const isa::Assembly &assembly, const std::string &file) {
  Mistakes all;
  for (const isa::Diagnostic &error : assembly.errors)
    all.add(error);
  if (!all.diagnostics.empty())
    return all;
  for (std::size_t core = 0; core < assembly.cores.size(); ++core) {
    const isa::Module &module = assembly.cores[core];
    if (module.kernel.empty())
      throw Failure("KILN-I044", "'" + file + "' names no kernel" +
                                     (core > 0 ? " for core 1" : "") +
                                     "; a module begins with '.kernel NAME'");
    for (const isa::Finding &finding : isa::checkAll(module)) {
      if (finding.stream) {
        all.add(diagnosticOf(finding, assembly.lines[core], file));
        continue;
      }
      const isa::Diagnostic &told = finding.diagnostic;
      all.diagnostics.push_back(told);
      all.text += "kiln: error: '" + file + "': " + told.text + " [" +
                  told.code + "]\n";
    }
  }
  return all;
}

} // namespace

static int runAsm(const CommandLine &line) {
  const std::string &input = line.arguments[0];
  std::optional<std::string> output = line.value("-o");
  if (!output)
    throw Failure("KILN-T020", "missing '-o OUT.kbin' (see 'kiln asm --help')",
                  usageError);
  std::string text = readTextFile(input);
  enterPhase("assembling '" + input + "'");
  const isa::Assembly assembly = isa::parseWholeAssembly(text, input);
  if (Mistakes all = mistakes(assembly, input); !all.diagnostics.empty())
    throw Failure(std::move(all.diagnostics), std::move(all.text));
  if (std::optional<isa::Diagnostic> broken = isa::checkCores(assembly.cores))
    throw failureOf(*broken, input);
  saveKbin(*output, assembly.cores);
  tellProgress("wrote " + *output + ": " + describe(assembly.cores) + "\n");
  return success;
}

const Command asmCommand{
    {"asm",
     "IN.kasm",
     "assembles a text file into a .kbin",
     "The text is checked against every rule of the instruction set.\n"
     "asm and disasm are inverses of each other.",
     {{"-o", "OUT.kbin", "the file to write"}},
     false,
     1,
     1},
    runAsm};

} // namespace kiln::tool

//===- Verify.cpp - kiln verify: is this binary sound? ------------------===//
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

#include "kiln/compiler/prove/SynchronisationChecker.h"
#include "kiln/isa/checks.h"
#include "kiln/isa/warnings.h"

#include <iostream>

namespace kiln::tool {

static int runVerify(const CommandLine &line) {
  const std::string &path = line.arguments[0];
  // Reading checks the container and every rule of the instruction set.
  const std::vector<isa::Module> cores = loadKbinCores(path);
  enterPhase("verifying '" + path + "'");
  for (const isa::Module &module : cores) {
    if (std::optional<problems::SyncReport> report =
            problems::checkSynchronisation(module))
      throw Failure(report->kind == problems::SyncReport::Kind::limit
                        ? "KILN-C175"
                        : "KILN-T050",
                    "'" + path + "': " + report->text);
    for (isa::Diagnostic warning :
         isa::warnings(module, targetOfBinary(module, path))) {
      warning.severity = isa::Severity::warning;
      std::string text = "kiln: warning: ";
      if (!warning.file.empty())
        text += warning.file + ":" + std::to_string(warning.line) + ": ";
      tell({&warning, 1}, text + warning.text + " [" + warning.code + "]\n");
    }
  }
  if (std::optional<isa::Diagnostic> wrong = isa::checkMeetings(cores))
    throw failureOf(*wrong, path);
  std::cout << "sound: " << describe(cores) << "\n";
  return success;
}

const Command verifyCommand{
    {"verify",
     "IN.kbin",
     "checks a .kbin without running it",
     "Checks the container, and every rule of the instruction set. Checks "
     "that every\n"
     "hazard is ordered, that tokens balance, and that nothing waits "
     "forever.\nWarns about code that runs but may lose precision or speed.",
     {},
     false,
     1,
     1},
    runVerify};

} // namespace kiln::tool

//===- Main.cpp - The driver: kiln COMMAND ... --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallSites.h"
#include "Command.h"
#include "Crash.h"
#include "Messages.h"
#include "Version.h"

#include <absl/strings/str_join.h>
#include <cstdio>
#include <iostream>
#include <new>

namespace kiln::tool {
namespace {

const Command *const commands[] = {
    &listCommand, &compileCommand, &runCommand,    &profileCommand,
    &asmCommand,  &disasmCommand,  &verifyCommand, &reduceCommand,
    &tuneCommand, &explainCommand};

std::string overview() {
  std::string text = "kiln: compiles tile kernels for Trainium-like "
                     "accelerators and runs them on any host\n\n"
                     "usage: kiln COMMAND ...\n\n";
  for (const Command *command : commands) {
    const CommandSpec &spec = command->spec;
    text += "  " + spec.name + std::string(10 - spec.name.size(), ' ') +
            spec.summary + "\n";
  }
  text += "\n'kiln COMMAND --help' describes a command; 'kiln --version' "
          "prints the version. With '--diagnostics=json', a command writes\n"
          "its errors and warnings as JSON, one per line.\nKERNEL is a library "
          "kernel, FILE.cpp[:NAME] or "
          "LIB.so[:NAME].\n";
  return text;
}

int dispatch(std::span<const std::string> words) {
  if (words.empty()) {
    std::cerr << overview();
    return usageError;
  }
  const std::string &name = words[0];
  if (name == "--help" || name == "-h" || name == "help") {
    std::cout << overview();
    return success;
  }
  if (name == "--version") {
    std::cout << "kiln " << versionText() << "\n";
    return success;
  }
  std::vector<std::string> known;
  for (const Command *command : commands) {
    known.push_back(command->spec.name);
    if (command->spec.name != name)
      continue;
    CommandLine line = CommandLine::parse(command->spec, words.subspan(1));
    if (line.help) {
      std::cout << "usage: " << usageText(command->spec);
      return success;
    }
    return command->run(line);
  }
  throw Failure("KILN-T020",
                "unknown command '<|" + name + "|>'" + suggestion(name, known) +
                    " (there are [|" + absl::StrJoin(known, ", ") +
                    "|]; see 'kiln --help')",
                usageError);
}

int internalFailure(const std::string &what) {
  isa::Diagnostic diagnostic{"KILN-T070", what};
  diagnostic.blame = isa::Blame::kiln;
  std::string text = "kiln: internal error: " + what + " [KILN-T070]\n";
  if (const std::string path = writeReproducer(what); !path.empty()) {
    diagnostic.fix = "please report it; a reproducer is in '" + path + "'";
    text += "kiln: a reproducer is in '" + path + "'; please report it\n";
  }
  tell({&diagnostic, 1}, text);
  return internalError;
}

/// Every mistake ends here and is reported once.
int guarded(std::span<const std::string> words) {
  try {
    const std::vector<std::string> command = takeMessageForm(words);
    enterPhase("reading the command line");
    const int code = dispatch(command);
    std::cout.flush();
    // Only stdout shows that output of printf was lost.
    if (!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout))
      throw Failure("KILN-T002", "cannot write to standard output");
    return code;
  } catch (const Failure &failure) {
    if (failure.exitCode == internalError)
      return internalFailure(failure.diagnostics.front().text);
    tell(failure.diagnostics,
         failure.text + (failure.text.ends_with('\n') ? "" : "\n"));
    return failure.exitCode;
  } catch (const std::bad_alloc &) {
    const isa::Diagnostic diagnostic{
        "KILN-T003", "out of memory; the kernel or its tensors are too large "
                     "for this machine"};
    tell({&diagnostic, 1},
         "kiln: error: " + diagnostic.text + " [" + diagnostic.code + "]\n");
    return userError;
  } catch (const std::exception &unexpected) {
    return internalFailure(unexpected.what());
  }
}

} // namespace
} // namespace kiln::tool

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  kiln::tool::installCrashHandler(words);
  kiln::tool::recordCallSites();
  return kiln::tool::guarded(words);
}

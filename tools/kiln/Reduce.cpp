//===- Reduce.cpp - kiln reduce: what fails, made small -----------------===//
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
#include "ModuleInput.h"

#include "kiln/compiler/reduce_ir.h"
#include "kiln/program_check.h"
#include "kiln/program_text.h"
#include "kiln/tool/files.h"
#include "kiln/tool/subprocess.h"
#include "kiln/trial/isolated.h"
#include "kiln/trial/reduce.h"

#include <absl/strings/str_split.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <unistd.h>

namespace kiln::tool {
namespace {

unsigned secondsOf(const CommandLine &line) {
  const std::uint64_t seconds = line.number("--timeout").value_or(20);
  if (seconds == 0 || seconds > 3600)
    throw Failure("KILN-T020",
                  "'--timeout <|" + std::to_string(seconds) +
                      "|>': expected [|1 to 3600|] seconds",
                  usageError);
  return static_cast<unsigned>(seconds);
}

[[noreturn]] void failWithout(const std::string &path,
                              const std::string &what) {
  throw Failure("KILN-T046", "'" + path + "' does not fail: " + what);
}

/// The user's test: exit code 0 means that it still fails.
class OwnCommand {
public:
  explicit OwnCommand(std::string words) : words(std::move(words)) {
    path = std::filesystem::temp_directory_path() /
           ("kiln-reduce-" + std::to_string(getpid()));
  }
  ~OwnCommand() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  OwnCommand(const OwnCommand &) = delete;
  OwnCommand &operator=(const OwnCommand &) = delete;

  bool stillFails(const std::string &text) const {
    writeTextFile(path, text);
    return runProcess({"/bin/sh", "-c", words + " \"$0\"", path.string()})
               .exitCode == 0;
  }

private:
  std::string words;
  std::filesystem::path path;
};

void tell(const std::string &what) { tellProgress("kiln: " + what + "\n"); }

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

trial::Programs readPrograms(const std::vector<std::string> &paths) {
  trial::Programs programs;
  for (const std::string &path : paths) {
    const program::ParseResult parsed =
        program::parseProgram(readTextFile(path));
    if (!parsed) {
      isa::Diagnostic wrong = parsed.error;
      wrong.file = path;
      throw failureOf(wrong, path);
    }
    if (std::optional<isa::Diagnostic> wrong =
            program::checkProgram(*parsed.program)) {
      wrong->text = "'" + path + "': " + wrong->text;
      throw Failure(std::move(*wrong));
    }
    programs.push_back(*parsed.program);
  }
  return programs;
}

std::string textOf(const trial::Programs &programs) {
  std::string text;
  for (const program::Program &program : programs)
    text += program::printProgram(program);
  return text;
}

trial::Settings settingsOf(const CommandLine &line,
                           const program::Program &program) {
  trial::Settings settings;
  for (const program::Parameter &parameter : program.parameters) {
    if (parameter.name == "target")
      settings.target =
          isa::findTarget(parameter.value).value_or(settings.target);
    if (parameter.name == "without")
      settings.without = absl::StrSplit(parameter.value, ',');
    if (parameter.name == "seed")
      settings.inputSeed = std::strtoull(parameter.value.c_str(), nullptr, 10);
  }
  if (line.has("--target"))
    settings.target = chosenTarget(line);
  if (const auto seed = line.number("--random-seed"))
    settings.inputSeed = *seed;
  return settings;
}

std::vector<std::string> reducePrograms(const CommandLine &line) {
  const unsigned seconds = secondsOf(line);
  const trial::Programs programs = readPrograms(line.arguments);
  const trial::Settings settings = settingsOf(line, programs.front());
  std::optional<OwnCommand> own;
  if (const auto words = line.value("--command"))
    own.emplace(*words);
  std::string key;
  if (own) {
    if (!own->stillFails(textOf(programs)))
      failWithout(line.arguments[0], "the command does not end with 0");
  } else {
    const trial::Outcome outcome =
        trial::tryIsolated(programs, settings, seconds);
    if (!trial::isFailure(outcome.kind))
      failWithout(line.arguments[0],
                  std::string(trial::name(outcome.kind)) + " on " +
                      std::string(settings.target.name) + ", random seed " +
                      std::to_string(settings.inputSeed));
    key = outcome.key();
    tell(key + ": " + outcome.text);
  }
  const trial::Reduced reduced = trial::reducePrograms(
      programs,
      [&](const trial::Programs &candidate) {
        return own ? own->stillFails(textOf(candidate))
                   : trial::tryIsolated(candidate, settings, seconds).key() ==
                         key;
      },
      [](std::size_t left) { tell(std::to_string(left) + " operations"); });
  tell(std::to_string(reduced.trials) + " Programs tried");
  std::vector<std::string> texts;
  for (const program::Program &program : reduced.programs)
    texts.push_back(program::printProgram(program));
  return texts;
}

//===----------------------------------------------------------------------===//
// IR
//===----------------------------------------------------------------------===//

std::string reduceIr(const CommandLine &line) {
  const std::string &path = line.arguments[0];
  const std::string ir = readTextFile(path);
  const std::string passes = line.value("--passes").value_or("");
  const unsigned seconds = secondsOf(line);
  if (const auto words = line.value("--command")) {
    const OwnCommand own(*words);
    if (!own.stillFails(ir))
      failWithout(path, "the command does not end with 0");
    return compiler::reduceIr(
        ir, [&](const std::string &text) { return own.stillFails(text); });
  }
  // The answer of a child: readable or not, then the code of its error.
  const auto outcomeOf = [&](const std::string &text) {
    const trial::Answer answer = trial::askIsolated(seconds, [&] {
      const compiler::IrOutcome outcome = compiler::runPasses(text, passes);
      if (!outcome.readable)
        return "unreadable " + outcome.text;
      return outcome.failed ? "error " + outcome.code : std::string("no error");
    });
    return answer.ended.empty() ? answer.text : answer.ended;
  };
  const std::string wanted = outcomeOf(ir);
  if (wanted == "no error")
    failWithout(path, "its passes end without an error");
  if (wanted.starts_with("unreadable "))
    throw Failure("KILN-T046", "'" + path + "' cannot be tried: " +
                                   wanted.substr(wanted.find(' ') + 1) +
                                   " (--passes names them)");
  tell(wanted + ", " + std::to_string(compiler::countIrOperations(ir)) +
       " operations");
  std::string reduced = compiler::reduceIr(
      ir, [&](const std::string &text) { return outcomeOf(text) == wanted; });
  tell(std::to_string(compiler::countIrOperations(reduced)) + " operations");
  return reduced;
}

int runReduce(const CommandLine &line) {
  const std::string &path = line.arguments[0];
  std::string out = line.value("-o").value_or("reduced");
  if (out.ends_with(".kprog") || out.ends_with(".mlir"))
    out.resize(out.rfind('.'));
  enterPhase("reducing '" + path + "'");
  if (path.ends_with(".mlir")) {
    if (line.arguments.size() > 1)
      throw Failure("KILN-T020", "IR is reduced one file at a time",
                    usageError);
    const std::string file = out + ".mlir";
    writeTextFile(file, reduceIr(line));
    std::cout << "wrote '" << file << "'\n";
    return success;
  }
  const std::vector<std::string> texts = reducePrograms(line);
  for (std::size_t core = 0; core < texts.size(); ++core) {
    const std::string file =
        out + (texts.size() > 1 ? "-core" + std::to_string(core) : "") +
        ".kprog";
    writeTextFile(file, texts[core]);
    std::cout << "wrote '" << file << "'\n";
  }
  return success;
}

} // namespace

const Command reduceCommand{
    {"reduce",
     "FILE",
     "shrinks a failing Program or IR",
     "FILE is the text of a Program ('kiln compile --emit program'), or one "
     "for\n"
     "each core, or IR (.mlir). The result fails in the same way: a Program\n"
     "with the same class and code when it is compiled, run with all checks "
     "and\n"
     "compared with its meaning; IR with the same code in the passes that its\n"
     "reproducer or --passes names. Crashes and hangs count.",
     {{"-o", "OUT", "OUT.kprog or OUT.mlir (default: reduced)"},
      {"--target", "NAME|FILE", "target (default: the Program's, trn2)"},
      {"--random-seed", "N", "seed of the inputs (default: the Program's, 1)"},
      {"--passes", "PIPELINE", "passes for IR, as kiln-opt --pass-pipeline"},
      {"--command", "COMMAND",
       "run 'COMMAND FILE': exit code 0 means that it still fails"},
      {"--timeout", "SECONDS", "longest time of an attempt (default 20)"}},
     false,
     1,
     2},
    runReduce};

} // namespace kiln::tool

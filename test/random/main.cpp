//===- main.cpp - Programs of chance, each through everything -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   random-programs --seeds 1..300 [--jobs 2] [--target trn1|trn2|trn3]
//                   [--save DIR] [--timeout SECONDS] [--known FILE] [--print]
//
// A line for each seed that fails, with its class, and the text of its Program
// in DIR. Without --target the seed chooses one. FILE has a line for each seed
// that is known to fail, as it is printed: `seed 12 trn2: crash signal 11`; in
// another way it must not fail, and one that passes is told. --print shows the
// Program of the first seed and stops. Seeds run in other processes, so that
// one that crashes or hangs is told by name.
//
//===----------------------------------------------------------------------===//

#include "choices.h"
#include "generator.h"
#include "workers.h"

#include "kiln/compiler/compile.h"
#include "kiln/isa/target.h"
#include "kiln/program_text.h"
#include "kiln/record_error.h"
#include "kiln/trial/trial.h"

#include <absl/strings/str_join.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

namespace kiln::test {
namespace {

struct Command {
  std::uint64_t first = 1, last = 300;
  unsigned jobs = 1, timeout = 60;
  std::string target; ///< Empty: by seed.
  std::string save = ".";
  std::map<std::uint64_t, std::string> known; ///< Class and code by seed.
  bool print = false;
};

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::runtime_error("no number: '" + std::string(text) + "'");
  return value;
}

/// Lines `seed 12 trn2: CLASS CODE`; others are comments.
std::map<std::uint64_t, std::string> readKnown(const std::string &path) {
  std::map<std::uint64_t, std::string> known;
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error("cannot read '" + path + "'");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (!line.starts_with("seed ") || colon == std::string::npos)
      continue;
    const std::size_t end = line.find(' ', 5);
    known[number(std::string_view(line).substr(5, end - 5))] =
        line.substr(colon + 2);
  }
  return known;
}

Command parse(int argc, char **argv) {
  Command command;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--print") {
      command.print = true;
      continue;
    }
    if (i + 1 == argc)
      throw std::runtime_error("'" + option + "' is unknown or has no value");
    const std::string value = argv[++i];
    if (option == "--seeds") {
      const std::size_t dots = value.find("..");
      command.first = number(value.substr(0, dots));
      command.last = dots == std::string::npos ? command.first
                                               : number(value.substr(dots + 2));
    } else if (option == "--jobs") {
      command.jobs = static_cast<unsigned>(number(value));
    } else if (option == "--timeout") {
      command.timeout = static_cast<unsigned>(number(value));
    } else if (option == "--target") {
      command.target = value;
    } else if (option == "--known") {
      command.known = readKnown(value);
    } else if (option == "--save") {
      command.save = value;
    } else {
      throw std::runtime_error("unknown option '" + option + "'");
    }
  }
  if (!command.target.empty() && !isa::findTarget(command.target))
    throw std::runtime_error("no target '" + command.target + "'");
  return command;
}

std::string targetOf(const Command &command, std::uint64_t seed) {
  static constexpr const char *targets[] = {"trn2", "trn1", "trn3"};
  return command.target.empty() ? targets[seed % 3] : command.target;
}

/// The optional passes that a seed leaves out: some for every second one.
std::vector<std::string> passesWithout(std::uint64_t seed) {
  std::vector<std::string> passes;
  Choices choices(seed);
  if (choices.percent(50))
    for (const std::string &pass : compiler::optionalPassNames())
      if (choices.percent(25))
        passes.push_back(pass);
  return passes;
}

/// The programs of a seed, of each core.
std::vector<program::Program> programsOf(const Command &command,
                                         std::uint64_t seed) {
  const std::string target = targetOf(command, seed);
  ProgramSettings settings;
  settings.seed = seed;
  settings.generation = isa::findTarget(target)->generation;
  settings.cores = randomCores(seed, settings.generation);
  std::vector<program::Program> programs;
  for (settings.core = 0; settings.core < settings.cores; ++settings.core) {
    programs.push_back(randomProgram(settings));
    programs.back().parameters.push_back({"target", target});
    if (const auto passes = passesWithout(seed); !passes.empty())
      programs.back().parameters.push_back(
          {"without", absl::StrJoin(passes, ",")});
  }
  return programs;
}

trial::Outcome tryOne(const Command &command, std::uint64_t seed) {
  try {
    trial::Settings settings;
    settings.target = *isa::findTarget(targetOf(command, seed));
    settings.without = passesWithout(seed);
    settings.inputSeed = seed;
    return trial::tryProgram(programsOf(command, seed), settings);
  } catch (const RecordError &error) {
    trial::Outcome wrong;
    wrong.kind = trial::Class::malformed;
    wrong.code = error.code;
    wrong.text = std::string("the generator: ") + error.what();
    return wrong;
  }
}

void saveProgram(const Command &command, std::uint64_t seed) {
  // A generator that crashes must not end the run.
  inOtherProcess(command.timeout, [&] {
    try {
      std::filesystem::create_directories(command.save);
      const auto programs = programsOf(command, seed);
      for (const program::Program &program : programs) {
        std::string path = command.save + "/" + std::to_string(seed);
        if (programs.size() > 1)
          path += "-core" + std::to_string(program.core);
        std::ofstream(path + ".kprog") << program::printProgram(program);
      }
    } catch (const std::exception &error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
  });
}

int runSeeds(const Command &command) {
  std::map<std::string, std::uint64_t> classes;
  std::uint64_t failures = 0, compared = 0, elements = 0;
  const auto work = [&](std::uint64_t seed) {
    const trial::Outcome outcome = tryOne(command, seed);
    Report report;
    report.kind = static_cast<std::uint32_t>(outcome.kind);
    report.compared = outcome.compared;
    report.elements = outcome.elements;
    report.text = outcome.key() + "\n" + outcome.text;
    return report;
  };
  const auto done = [&](std::uint64_t seed, const Report &report) {
    const auto kind = static_cast<trial::Class>(report.kind);
    const std::size_t line = report.text.find('\n');
    std::string key = report.text.substr(0, line);
    if (kind == trial::Class::crash || kind == trial::Class::timeout)
      key = report.text;
    ++classes[key];
    compared += report.compared;
    elements += report.elements;
    const auto known = command.known.find(seed);
    if (!trial::isFailure(kind)) {
      if (known != command.known.end())
        std::printf("seed %llu passes: it is no longer to be known\n",
                    static_cast<unsigned long long>(seed));
      return;
    }
    if (known != command.known.end() && known->second == key)
      return;
    ++failures;
    std::string rest =
        line == std::string::npos ? "" : report.text.substr(line + 1, 900);
    std::printf("seed %llu %s: %s: %s\n", static_cast<unsigned long long>(seed),
                targetOf(command, seed).c_str(), key.c_str(), rest.c_str());
    std::fflush(stdout);
    saveProgram(command, seed);
  };
  runWorkers({command.first, command.last, command.jobs, command.timeout}, work,
             done);
  for (const auto &[key, count] : classes)
    std::printf("%8llu %s\n", static_cast<unsigned long long>(count),
                key.c_str());
  std::printf("%llu of %llu elements have a finite bound\n",
              static_cast<unsigned long long>(compared),
              static_cast<unsigned long long>(elements));
  return failures > 0;
}

} // namespace
} // namespace kiln::test

int main(int argc, char **argv) {
  try {
    const kiln::test::Command command = kiln::test::parse(argc, argv);
    if (!command.print)
      return kiln::test::runSeeds(command);
    for (const auto &program : kiln::test::programsOf(command, command.first))
      std::fputs(kiln::program::printProgram(program).c_str(), stdout);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "random-programs: %s\n", error.what());
    return 2;
  }
}

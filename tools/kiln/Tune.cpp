//===- Tune.cpp - kiln tune: the fastest parameters of a kernel -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every point is a run of `kiln profile` in a process of its own: they use all
// cores, and a crash of one does not end the search. The recorded program of a
// point, the machine and the tool itself are the key of its time in the cache.
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Compiler.h"
#include "Execute.h"
#include "KernelBuild.h"
#include "Messages.h"
#include "ModuleInput.h"
#include "Progress.h"
#include "TuneOutput.h"

#include "kiln/isa/target_file.h"
#include "kiln/program_text.h"
#include "kiln/tool/files.h"
#include "kiln/tool/sha256.h"
#include "kiln/tool/subprocess.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>

namespace kiln::tool {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

constexpr std::uint64_t usualBudget = 64, mostBudget = 100'000;

std::string selfPath() { return fs::read_symlink("/proc/self/exe").string(); }

class Tuner {
public:
  explicit Tuner(const CommandLine &line)
      : line(line), kernel(findKernel(line.arguments[0], buildOptions(line))),
        target(chosenTarget(line)), cores(chosenCores(line, target)),
        fixed(parameterValues(kernel, line.parameters)) {
    (void)passesWithout(line);
    addParameters();
    if (line.has("--schedule"))
      addPasses();
    if (result.axes.empty())
      throw Failure(
          "KILN-T047",
          "kernel '" + std::string(kernel.name) +
              "' has nothing to tune: [|describe()|] declares no tunable "
              "parameter that the command line leaves open; give '--schedule' "
              "to search the compiler's optional passes");
    Sha256 own;
    own.field(readTextFile(selfPath()));
    // A custom target may share every number with another generation.
    own.field(std::to_string(static_cast<int>(target.generation)));
    own.field(isa::printParameters(target));
    own.field(std::to_string(cores) + " cores, " + ranksText() + " ranks");
    base = own.finish();
  }

  TuneResult run(std::size_t budget) {
    result.kernel = kernel.name;
    result.target = target.name;
    result.points = tune::pointsOf(space);
    {
      Progress progress("tuning " + result.kernel);
      const std::vector<tune::Trial> trials = tune::search(
          space, budget, [&](const std::vector<tune::Point> &points) {
            return measure(points);
          });
      result.best = tune::best(trials);
    }
    if (result.best) {
      result.command = "kiln profile " + line.arguments[0];
      for (const std::string &word :
           commandOptions(result.entries[*result.best].words))
        result.command.append(" ").append(word);
    }
    return std::move(result);
  }

private:
  /// Those that the command line leaves open; the search begins at the default.
  void addParameters() {
    for (const KernelParameter &parameter : parametersOf(kernel)) {
      if (parameter.tunable.empty() || isGiven(parameter.name))
        continue;
      TuneAxis axis{parameter.name, parameter.tunable};
      auto start = std::find(axis.values.begin(), axis.values.end(),
                             parameter.defaultValue);
      if (start == axis.values.end())
        start = axis.values.insert(axis.values.begin(), parameter.defaultValue);
      const auto number = static_cast<std::size_t>(start - axis.values.begin());
      add(std::move(axis), number);
    }
  }
  bool isGiven(const std::string &name) const {
    return std::any_of(fixed.begin(), fixed.end(), [&](const auto &given) {
      std::string dashed = given.first;
      std::replace(dashed.begin(), dashed.end(), '_', '-');
      return dashed == name;
    });
  }

  void addPasses() {
    const std::vector<std::string> out = passesWithout(line);
    for (const std::string &pass : compiler::optionalPassNames())
      if (std::find(out.begin(), out.end(), pass) == out.end())
        add({pass, {"with", "without"}, true}, 0);
  }

  void add(TuneAxis axis, std::size_t start) {
    space.sizes.push_back(axis.values.size());
    space.start.push_back(start);
    result.axes.push_back(std::move(axis));
  }

  /// How a point differs from the start.
  std::vector<std::string> wordsOf(const tune::Point &point) const {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < point.size(); ++i) {
      const TuneAxis &axis = result.axes[i];
      if (point[i] == space.start[i])
        continue;
      words.push_back(axis.isPass
                          ? "--without=" + axis.name
                          : "--" + axis.name + "=" + axis.values[point[i]]);
    }
    return words;
  }

  /// As the user would give them, after the words of the command line.
  std::vector<std::string>
  commandOptions(const std::vector<std::string> &words) const {
    std::vector<std::string> all;
    for (const auto &[name, value] : line.parameters)
      all.push_back(absl::StrCat("--", name, "=", value));
    for (const char *option : {"--target", "--machine", "--cores", "--ranks"})
      if (const std::optional<std::string> value = line.value(option))
        all.push_back(std::string(option) + "=" + *value);
    for (const std::string &pass : line.values("--without"))
      all.push_back("--without=" + pass);
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }

  std::string ranksText() const { return line.value("--ranks").value_or("1"); }

  std::vector<tune::Cost> measure(const std::vector<tune::Point> &points) {
    std::vector<TuneEntry> entries(points.size());
    std::vector<fs::path> kept(points.size());
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < points.size(); ++i) {
      entries[i].words = wordsOf(points[i]);
      if (!findKept(points[i], entries[i], kept[i]))
        open.push_back(i);
    }
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i; (i = next++) < open.size();)
        profile(entries[open[i]]);
    };
    std::vector<std::thread> threads;
    const std::size_t hands = std::min<std::size_t>(
        std::max(1u, std::thread::hardware_concurrency()), open.size());
    for (std::size_t i = 0; i < hands; ++i)
      threads.emplace_back(work);
    for (std::thread &thread : threads)
      thread.join();
    for (const std::size_t i : open)
      keep(entries[i], kept[i]);

    std::vector<tune::Cost> costs;
    for (TuneEntry &entry : entries) {
      costs.push_back(entry.cost);
      result.entries.push_back(std::move(entry));
    }
    return costs;
  }

  /// True if there is nothing to run: it was run before, or the kernel refuses
  /// the parameters while it records.
  bool findKept(const tune::Point &point, TuneEntry &entry, fs::path &path) {
    ParameterValues values = fixed;
    Sha256 key;
    key.field(base);
    for (std::size_t i = 0; i < point.size(); ++i) {
      const TuneAxis &axis = result.axes[i];
      if (!axis.isPass)
        values[axis.name] = axis.values[point[i]];
      else if (point[i] != 0)
        key.field(axis.name);
    }
    for (const std::string &pass : line.values("--without"))
      key.field(pass);
    try {
      for (unsigned core = 0; core < cores; ++core)
        key.field(program::printProgram(
            recordKernel(kernel, values, {core, cores, target.generation})));
    } catch (const Failure &failure) {
      refuse(entry, failure.diagnostics.front());
      return true;
    }
    path = cacheFolder() / "tune" / (key.finish() + ".json");
    std::error_code failed;
    if (line.has("--no-cache") || !fs::is_regular_file(path, failed))
      return false;
    const json known = json::parse(readTextFile(path.string()), nullptr, false);
    if (!known.is_object())
      return false;
    if (known.value("ps", json()).is_number_unsigned())
      entry.cost = known["ps"].get<std::uint64_t>();
    else if (known.value("refused", json()).is_string())
      entry.refusal = known["refused"];
    return entry.cost || !entry.refusal.empty();
  }

  /// A cache that cannot be written is not used.
  void keep(const TuneEntry &entry, const fs::path &path) {
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    const json known = entry.cost ? json{{"ps", *entry.cost}}
                                  : json{{"refused", entry.refusal}};
    try {
      if (!failed)
        writeTextFile(path.string(), known.dump() + "\n");
    } catch (const Failure &) {
    }
  }

  static void refuse(TuneEntry &entry, const isa::Diagnostic &reason) {
    const std::string text = reason.text.substr(0, reason.text.find('\n'));
    entry.refusal = text + " [" + reason.code + "]";
  }

  void profile(TuneEntry &entry) {
    std::vector<std::string> words{selfPath(), "profile", line.arguments[0]};
    for (std::string &word : commandOptions(entry.words))
      words.push_back(std::move(word));
    words.insert(words.end(), {"--json", "/dev/stdout", "--diagnostics=json"});
    const ProcessResult done = runProcess(words);
    json told = json::parse(done.output, nullptr, false);
    if (done.exitCode == success && told.is_object()) {
      entry.cost = static_cast<std::uint64_t>(
          std::llround(told["makespan_ns"].get<double>() * 1e3));
      return;
    }
    // One diagnostic a line; the first error says why.
    for (std::size_t begin = 0; begin < done.output.size();) {
      const std::size_t end =
          std::min(done.output.find('\n', begin), done.output.size());
      told =
          json::parse(done.output.substr(begin, end - begin), nullptr, false);
      begin = end + 1;
      if (told.is_object() && told.value("severity", "") == "error") {
        refuse(entry,
               isa::makeError(told.value("code", ""), told.value("text", "")));
        return;
      }
    }
    entry.refusal =
        "'kiln profile' ended with " + std::to_string(done.exitCode);
  }

  const CommandLine &line;
  const KernelEntry &kernel;
  isa::Target target;
  unsigned cores;
  ParameterValues fixed;
  tune::SearchSpace space;
  TuneResult result;
  std::string base; ///< Of all keys.
};

int runTune(const CommandLine &line) {
  const std::uint64_t budget = line.number("--budget").value_or(usualBudget);
  if (budget < 1 || budget > mostBudget)
    throw Failure("KILN-T020",
                  "'--budget <|" + std::to_string(budget) +
                      "|>': expected [|1 to " + std::to_string(mostBudget) +
                      "|] evaluations",
                  usageError);
  const std::uint64_t rows = line.number("--top").value_or(10);
  (void)chosenRanks(line);
  const TuneResult result = Tuner(line).run(budget);
  const std::optional<std::string> json = line.value("--json");
  if (json)
    writeTextFile(*json, tuneJson(result));
  if (const std::optional<std::string> plot = line.value("--plot"))
    writeTextFile(*plot, tunePlot(result));
  if (!json || *json != "/dev/stdout")
    std::cout << tuneTable(result, rows);
  if (!result.best)
    throw Failure("KILN-T048", "none of the <|" +
                                   std::to_string(result.entries.size()) +
                                   "|> points that were tried can be compiled");
  return success;
}

std::vector<Option> options() {
  std::vector<Option> all = kernelOptions();
  all.push_back({"--schedule", "",
                 "also search which of the compiler's optional passes to leave "
                 "out"});
  all.push_back({"--budget", "N", "try at most N points (default 64)"});
  all.push_back({"--top", "N", "print the N fastest points (default 10)"});
  all.push_back({"--ranks", "N", "launch N ranks, 1 to 64 (default 1)"});
  all.push_back({"--json", "FILE", "all points tried, as JSON"});
  all.push_back({"--plot", "FILE", "time by trial, as an SVG picture"});
  return all;
}

} // namespace

const Command tuneCommand{
    {"tune", "KERNEL", "finds the fastest parameters of a kernel",
     "Searches the parameters that describe() declares as tunable, and times "
     "each\npoint with the model. A parameter that you set does not change. "
     "The same\ncommand finds the same answer in every run.",
     options(), true, 1, 1},
    runTune};

} // namespace kiln::tool

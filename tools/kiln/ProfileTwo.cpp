//===- ProfileTwo.cpp - kiln profile --compare: two runs ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileTwo.h"

#include "ModuleFile.h"
#include "ProfileDocument.h"
#include "Screen.h"
#include "Timed.h"

#include "kiln/profile/comparison.h"
#include "kiln/profile/document.h"
#include "kiln/tool/files.h"

#include <filesystem>
#include <iostream>

namespace kiln::tool {
namespace {

/// Options for a separate run: none that writes files.
CommandSpec runOfTwo() {
  CommandSpec spec{
      "profile", "X.kbin|KERNEL", "", "", schedulingOptions(), true, 0, 1};
  const std::vector<Option> timing = timingOptions();
  spec.options.insert(spec.options.end(), timing.begin(), timing.end());
  return spec;
}

CommandLine lineOf(const CommandLine &line, const std::string &base) {
  std::error_code ignored;
  CommandLine own;
  own.arguments = {base};
  const bool isOneWord = !base.starts_with("-") &&
                         (base.find_first_of(" \t") == std::string::npos ||
                          std::filesystem::exists(base, ignored));
  if (isOneWord)
    return own.over(line);
  const auto words = splitWords(base);
  if (!words)
    throw Failure("KILN-T020",
                  "option '--compare' has [|a quote without an end|] in '<|" +
                      base + "|>'",
                  usageError);
  own = CommandLine::parse(runOfTwo(), *words);
  if (own.arguments.empty())
    return own.over(line);
  if (words->size() > 1 && own.arguments.front().ends_with(".json"))
    throw Failure("KILN-T020",
                  "option '--compare' takes no options beside [|a JSON file|]",
                  usageError);
  return own;
}

struct Run {
  std::string name;     ///< For messages.
  std::string document; ///< JSON of `kiln profile`.
  std::optional<profile::PageData> events;
};

/// What a JSON file holds, or a binary or kernel takes.
Run timedRun(CommandLine line, bool withEvents) {
  const std::string &what = line.arguments.front();
  if (what.ends_with(".json"))
    return {"'" + what + "'", readTextFile(what), std::nullopt};
  if (isKbinName(what))
    line.parameters.clear();
  const Timed made = timed(line, true);
  const profile::LaunchProfile launch(made.input.cores, *made.result.timing,
                                      made.input.target, made.input.compileMs);
  profile::Document document = describe(made.input, line);
  document.command = line.textOf(runOfTwo());
  Run run{"the run of '" + what + "'",
          profile::toJson(launch, document, profile::Detail::instructions),
          std::nullopt};
  if (withEvents)
    run.events = profile::pageDataOf(launch, document);
  return run;
}

} // namespace

int compareRuns(const CommandLine &line, const std::string &base) {
  for (const char *other :
       {"--csv", "--trace", "--chakra", "--events", "--what-if", "--sweep"})
    if (line.has(other))
      throw Failure("KILN-T020",
                    "option '<|" + std::string(other) +
                        "|>' is about one run; with '--compare' there are "
                        "[|'--json' and '--html'|]",
                    usageError);
  const std::optional<std::string> json = line.value("--json"),
                                   html = line.value("--html");
  const Run before = timedRun(lineOf(line, base), html.has_value());
  const Run after = timedRun(line, html.has_value());
  const auto comparison = profile::compareProfiles(
      {before.document, before.name}, {after.document, after.name});
  if (!comparison)
    throw Failure(comparison.error());
  if (json)
    writeTextFile(*json, profile::toJson(*comparison));
  if (html)
    writeTextFile(*html,
                  profile::toHtml(*comparison, before.events, after.events));
  if (!json || *json != "/dev/stdout")
    std::cout << shownOn(standardOutput(), profile::toTable(*comparison));
  return success;
}

} // namespace kiln::tool

//===- Profile.cpp - kiln profile: where the time goes ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "ModuleFile.h"
#include "ProfileDocument.h"
#include "ProfileTwo.h"
#include "Screen.h"
#include "Timed.h"

#include "kiln/profile/document.h"
#include "kiln/profile/parts.h"
#include "kiln/tool/files.h"

#include <iostream>

namespace kiln::tool {
namespace {

constexpr std::size_t shownCards = 3;
constexpr std::size_t shownRows = 12;

/// An option for a file that was not requested.
void refuseAlone(const CommandLine &line, const char *option,
                 std::initializer_list<const char *> files,
                 const std::string &allowed) {
  for (const char *file : files)
    if (line.has(file))
      return;
  if (line.has(option))
    throw Failure("KILN-T020",
                  "option '<|" + std::string(option) +
                      "|>' is about what is written; give [|" + allowed +
                      "|], too",
                  usageError);
}

profile::Sweep swept(const profile::Retimer &retimer, const std::string &text) {
  if (text.find('=') == std::string::npos)
    throw Failure("KILN-T020",
                  "option '--sweep' takes [|PARAMETER=VALUE,VALUE,..|], found "
                  "'<|" +
                      text + "|>'",
                  usageError);
  auto sweep = profile::sweep(retimer, text);
  if (!sweep)
    throw failureOf(sweep.error(), "--sweep");
  return std::move(*sweep);
}

int runProfile(const CommandLine &line) {
  if (const auto base = line.value("--compare"))
    return compareRuns(line, *base);
  refuseAlone(line, "--events", {"--json"}, "'--json'");
  refuseAlone(line, "--figures", {"--json"}, "'--json'");
  const bool tellsFigures = line.has("--figures");
  if (tellsFigures && line.has("--events"))
    throw Failure("KILN-T020", "give '--figures' or '--events', not both",
                  usageError);
  refuseAlone(line, "--passes", {"--json", "--html"}, "'--json' or '--html'");
  const std::optional<std::string> json = line.value("--json");
  const std::optional<std::string> trace = line.value("--trace");
  const std::optional<std::string> html = line.value("--html");
  const std::optional<std::string> csv = line.value("--csv");
  const std::optional<std::string> chakra = line.value("--chakra");
  for (const auto &file : {json, trace, html, csv})
    if (file)
      checkWritable(*file);
  if (chakra)
    checkWritable(*chakra + ".0.et");
  const Timed made = timed(line, json || trace || html || csv || chakra);
  const ModuleInput &input = made.input;

  profile::LaunchProfile launch(input.cores, *made.result.timing, input.target,
                                input.compileMs);
  launch.values = made.result.values;
  const sim::Launch launched = made.tensors.launch(input);
  const profile::Retimer retimer(launched, input.target, made.result.timedWith);
  profile::Document document = describe(input, line);
  if (!line.has("--no-insights"))
    document.insights = profile::findInsights(launch, retimer);
  const bool asksWhatIf = line.has("--what-if");
  if (asksWhatIf)
    document.whatIf = profile::whatIf(retimer, launch.timing.makespan);
  for (const std::string &text : line.values("--sweep"))
    document.sweeps.push_back(swept(retimer, text));

  if (json)
    writeTextFile(*json, profile::toJson(launch, document,
                                         tellsFigures ? profile::Detail::figures
                                         : line.has("--events")
                                             ? profile::Detail::events
                                             : profile::Detail::instructions));
  if (csv)
    writeTextFile(*csv, profile::toCsv(launch));
  if (trace)
    writeTextFile(*trace, profile::toTrace(launch));
  const std::size_t ranks = launch.reports.size() / launch.modules.size();
  for (std::size_t rank = 0; chakra && rank < ranks; ++rank)
    writeTextFile(*chakra + "." + std::to_string(rank) + ".et",
                  profile::toChakra(launch, rank));
  if (html)
    writeTextFile(*html, profile::toHtml(launch, document));
  // With --json /dev/stdout, only JSON is printed.
  if (json && *json == "/dev/stdout")
    return success;
  const sim::LaunchTiming traced = tracedForTable(input, launched, made.result);
  const profile::LaunchProfile shown(input.cores, traced, input.target,
                                     input.compileMs);
  std::string parts = profile::toPartsTable(shown);
  const std::string cards =
      profile::toCards(document.insights, launch, shownCards);
  if (!parts.empty() && !cards.empty())
    parts += "\n";
  std::string text =
      profile::toTable(shown, parts + cards) + profile::toValuesTable(launch);
  if (asksWhatIf)
    text +=
        profile::toTable(document.whatIf, launch.timing.makespan, shownRows);
  for (const profile::Sweep &sweep : document.sweeps)
    text += profile::toTable(sweep);
  std::cout << shownOn(standardOutput(), text);
  return success;
}

std::vector<Option> profileOptions() {
  std::vector<Option> all = schedulingOptions();
  all.push_back({"--json", "FILE", "the numbers, as JSON"});
  all.push_back(
      {"--trace", "FILE", "the timeline, as Chrome trace-event JSON"});
  all.push_back({"--html", "FILE", "the report, as a page"});
  all.push_back({"--csv", "FILE", "a line for each executed instruction"});
  all.push_back({"--chakra", "PREFIX",
                 "an execution trace of each rank: PREFIX.RANK.et"});
  all.push_back({"--events", "", "with --json: each executed instruction"});
  all.push_back({"--figures", "",
                 "with --json: no instructions, lines or places; quick"});
  all.push_back(
      {"--passes", "", "with --html and --json: what each compiler pass did"});
  all.push_back({"--what-if", "", "how much faster a better machine would be"});
  all.push_back({"--sweep", "PARAMETER=VALUE,..",
                 "the makespan for values of a --machine parameter", true});
  all.push_back({"--compare", "X.json|X.kbin|KERNEL|'WORDS'",
                 "what differs from that run, by line, scope and reason; "
                 "WORDS are options, such as '--target=trn3'"});
  all.push_back({"--no-insights", "", "do not look for improvements"});
  const std::vector<Option> timing = timingOptions();
  all.insert(all.end(), timing.begin(), timing.end());
  return all;
}

} // namespace

const Command profileCommand{
    {"profile", "X.kbin|KERNEL", "times a kernel and shows what limits it",
     "Needs no input values, because the time of a kernel does not depend on "
     "them\nunless its control flow reads them. With values, it also shows "
     "ranges and NaN.\ndocs/timing.md says what is modelled.",
     profileOptions(), true, 1, 1},
    runProfile};

} // namespace kiln::tool

//===- Profile.cpp - kiln profile: where the time goes ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Execute.h"
#include "PageContext.h"
#include "Tensors.h"

#include "kiln/profile/render.h"
#include "kiln/tool/files.h"

#include <iostream>

namespace kiln::tool {
namespace {

int runProfile(const CommandLine &line) {
  const std::optional<std::string> json = line.value("--json");
  const std::optional<std::string> trace = line.value("--trace");
  const std::optional<std::string> html = line.value("--html");
  const std::vector<KeyValue> in = line.pairs("--in");
  const std::optional<std::uint64_t> seed = line.number("--random-seed");

  const unsigned ranks = chosenRanks(line);
  ModuleInput input = loadModule(line);
  // Time does not depend on values, unless they steer the control flow: then
  // the user gives some, and the values are computed along with the time.
  const bool withValues = !in.empty() || seed;
  RankTensors tensors;
  tensors.own.resize(ranks);
  if (withValues)
    tensors = gatherInputs(input, in, seed, ranks);

  sim::Options options;
  options.function = withValues;
  options.checks = withValues;
  options.timing = true;
  options.maxTurns = chosenMaxTurns(line);
  options.trace = trace || html;
  sim::LaunchResult result = execute(input, tensors, options);
  if (!result.timing)
    throw Failure("KILN-T070", "the executor gave no timing", internalError);

  const profile::LaunchProfile launch(input.cores, *result.timing, input.target,
                                      input.compileMs);
  if (json)
    writeTextFile(*json, profile::toJson(launch));
  if (trace)
    writeTextFile(*trace, profile::toTrace(launch));
  if (html)
    writeTextFile(*html, profile::toHtml(launch, pageContext(input, line)));
  // With --json /dev/stdout the terminal holds JSON and nothing else.
  if (!json || *json != "/dev/stdout")
    std::cout << profile::toTable(launch);
  return success;
}

std::vector<Option> options() {
  std::vector<Option> all = kernelOptions();
  all.push_back({"--json", "FILE", "the numbers, as JSON"});
  all.push_back(
      {"--trace", "FILE", "the timeline, as Chrome trace-event JSON"});
  all.push_back({"--html", "FILE", "the report, as a page"});
  all.push_back({"--ranks", "N", "launch N ranks, 1 to 64 (default 1)"});
  all.push_back({"--in", "NAME[@RANK]=FILE.npy",
                 "values, for kernels whose control flow reads them", true});
  all.push_back({"--random-seed", "N", "random values, for the same"});
  all.push_back(maxTurnsOption());
  return all;
}

} // namespace

const Command profileCommand{{"profile", "X.kbin|KERNEL",
                              "times a kernel and shows what bounds it",
                              "Needs no input values: a kernel's time does not "
                              "depend on them, unless\nits control flow reads "
                              "them. docs/timing.md says what is modelled.",
                              options(), true, 1, 1},
                             runProfile};

} // namespace kiln::tool

//===- Timed.cpp - A launch that was timed --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Timed.h"

#include "ModuleFile.h"

namespace kiln::tool {

/// Instructions of a run whose trace is made for the table alone.
static constexpr std::uint64_t mostTraced = 1'000'000;

Timed timed(const CommandLine &line, bool trace) {
  const std::vector<KeyValue> in = line.pairs("--in");
  const std::optional<std::uint64_t> seed = line.number("--random-seed");
  const unsigned ranks = chosenRanks(line);
  Timed made;
  made.input = loadModule(line);
  // Time does not depend on values, unless they steer the control flow: then
  // the user gives some, and the values are computed along with the time.
  const bool withValues = !in.empty() || seed;
  made.tensors.own.resize(ranks);
  if (withValues)
    made.tensors = gatherInputs(made.input, in, seed, ranks);

  sim::Options options;
  options.function = withValues;
  options.checks = withValues;
  options.values = withValues;
  options.numerics.saturate = line.has("--saturate");
  if (options.numerics.saturate && !withValues)
    throw Failure("KILN-T020",
                  "'--saturate' is about values; give '--in' or "
                  "'--random-seed', too",
                  usageError);
  options.timing = true;
  options.maxTurns = chosenMaxTurns(line);
  options.trace = trace;
  made.result = execute(made.input, made.tensors, options);
  if (!made.result.timing)
    throw Failure("KILN-T070", "the executor gave no timing", internalError);
  return made;
}

sim::LaunchTiming tracedForTable(const ModuleInput &input,
                                 const sim::Launch &launched,
                                 const sim::LaunchResult &result) {
  std::uint64_t executed = 0;
  for (const sim::Timing &core : result.timing->cores)
    executed += core.instructions();
  if (!result.timing->cores.front().runs.empty() || executed > mostTraced)
    return *result.timing;
  sim::LaunchTimingOptions options = result.timedWith;
  options.trace = true;
  auto traced = sim::simulateLaunch(launched, input.target, options);
  if (!traced)
    throw failureOf(traced.error(), input.module().kernel);
  return std::move(*traced);
}

std::vector<Option> timingOptions() {
  return {
      {"--ranks", "N", "launch N ranks, 1 to 64 (default 1)"},
      {"--in", "NAME[@RANK]=FILE",
       "values of an input, if control flow reads them or to show their ranges",
       true},
      {"--random-seed", "N", "random values for inputs without a file"},
      {"--saturate", "",
       "overflow gives the largest finite number of the type"},
      maxTurnsOption()};
}

} // namespace kiln::tool

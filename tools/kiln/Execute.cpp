//===- Execute.cpp - The executor's answer, as the tool tells it --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute.h"

#include "Crash.h"
#include "Progress.h"

#include "kiln/isa/scopes.h"

namespace kiln::tool {
namespace {

std::string place(const isa::SourceLocation &location) {
  if (location.file.empty())
    return "";
  std::string text = location.file + ":" + std::to_string(location.line);
  if (!location.scopes.empty())
    text += " in " + isa::scopesText(location.scopes);
  return text;
}

} // namespace

std::string faultText(const sim::Fault &fault, const char *severity) {
  std::string text = std::string("kiln: ") + severity + ": " + fault.text +
                     " [" + fault.code + "]\n";
  std::size_t at = 0;
  for (const sim::FaultParty &party : fault.instructions) {
    text += "  " + fault.parties[at].role + ": " + party.instruction + "\n";
    if (std::string where = place(party.location); !where.empty())
      text += "    from " + where + "\n";
    for (const isa::SourceLocation &call : party.callers)
      text += "    called from " + place(call) + "\n";
    at += 1 + party.callers.size();
  }
  return text;
}

unsigned chosenRanks(const CommandLine &line) {
  const std::uint64_t ranks = line.number("--ranks").value_or(1);
  if (ranks == 0 || ranks > isa::maxRanks)
    throw Failure("KILN-T020",
                  "'--ranks <|" + std::to_string(ranks) +
                      "|>': expected [|1 to " + std::to_string(isa::maxRanks) +
                      "|]",
                  usageError);
  return static_cast<unsigned>(ranks);
}

Option maxTurnsOption() {
  return {"--max-turns", "N",
          "iterations of a loop bounded by data (default " +
              std::to_string(sim::Options().maxTurns) + ")"};
}

std::uint64_t chosenMaxTurns(const CommandLine &line) {
  const std::uint64_t turns =
      line.number("--max-turns").value_or(sim::Options().maxTurns);
  if (turns == 0)
    throw Failure("KILN-T020", "'--max-turns <|0|>': expected [|1 or more|]",
                  usageError);
  return turns;
}

sim::LaunchResult attempt(const ModuleInput &input, const RankTensors &tensors,
                          const sim::Options &options) {
  enterPhase("running '" + input.module().kernel + "'");
  Progress progress("running " + input.module().kernel);
  return sim::runLaunch(tensors.launch(input), input.target, options);
}

void throwFault(const sim::LaunchResult &result) {
  if (result.fault)
    throw Failure({*result.fault}, faultText(*result.fault));
}

sim::LaunchResult execute(const ModuleInput &input, const RankTensors &tensors,
                          const sim::Options &options) {
  sim::LaunchResult result = attempt(input, tensors, options);
  throwFault(result);
  return result;
}

} // namespace kiln::tool

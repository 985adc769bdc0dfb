//===- PageData.cpp - The data of the page --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PageData.h"

#include "Json.h"
#include "Labels.h"
#include "TimelineColumns.h"
#include "WorkKind.h"

#include "kiln/isa/assembly.h"
#include "kiln/machine/dma_plan.h"
#include "kiln/machine/instruction_cost.h"

#include <algorithm>
#include <map>

namespace kiln::profile {

using json = nlohmann::ordered_json;

namespace {

/// [[name, value], ..]
json parametersOf(const isa::Module &module) {
  json parameters = json::array();
  constexpr std::string_view prefix = "param.";
  for (const auto &[name, value] : module.facts)
    if (name.starts_with(prefix))
      parameters.push_back({name.substr(prefix.size()), value});
  return parameters;
}

json placesOf(const isa::Module &module) {
  json places = json::array();
  for (const isa::SourceLocation &place : module.locations)
    places.push_back({{"file", place.file},
                      {"line", place.line},
                      {"scopes", place.scopes},
                      {"name", place.name}});
  return places;
}

json instructionOf(const isa::Instruction &instruction, unsigned stream,
                   std::size_t index, const isa::Module &module,
                   const isa::Target &target) {
  const auto engine = static_cast<isa::Engine>(stream);
  const isa::Opcode opcode = isa::opcode(instruction.body);
  const isa::InstructionInfo &info = isa::info(opcode);
  json out{{"engine", isa::name(engine)},
           {"index", index},
           {"op", isa::mnemonic(opcode)},
           {"kind", workKindOf(instruction, engine, target)},
           {"place", instruction.location},
           {"asm", isa::printInstruction(instruction, module)}};
  if (info.isDma && info.state != isa::HiddenState::peers)
    out["bytes"] = machine::planDma(instruction.body, engine, target).bytes;
  else if (info.cost == isa::CostClass::matmul)
    out["flops"] = machine::costOf(instruction.body, engine, target).flops;
  return out;
}

json binaryOf(const isa::Module &module, const isa::Target &target) {
  json binary = json::array();
  for (unsigned stream = 0; stream < isa::numEngines; ++stream)
    for (std::size_t i = 0; i < module.streams[stream].size(); ++i)
      binary.push_back(
          instructionOf(module.streams[stream][i], stream, i, module, target));
  return binary;
}

/// By core the first one that does the same at the same times: those share a
/// timeline.
std::vector<std::size_t> alikeOf(const LaunchProfile &launch) {
  const std::size_t coresOfRank = launch.modules.size();
  std::vector<std::size_t> alike(launch.reports.size());
  std::map<std::size_t, std::vector<std::size_t>> different;
  for (std::size_t core = 0; core < alike.size(); ++core) {
    std::vector<std::size_t> &candidates = different[core % coresOfRank];
    const sim::Timing &own = launch.timing.cores[core];
    const auto same =
        std::find_if(candidates.begin(), candidates.end(), [&](auto other) {
          return launch.timing.cores[other].events == own.events &&
                 launch.timing.cores[other].waits == own.waits;
        });
    alike[core] = same == candidates.end() ? core : *same;
    if (alike[core] == core)
      candidates.push_back(core);
  }
  return alike;
}

json timelineOf(std::size_t core, const LaunchProfile &launch,
                Columns &columns) {
  json out = jsonOf(launch.reports[core]);
  out["module"] = core % launch.modules.size();
  json tracks = json::array();
  for (const unsigned track :
       addTimeline(columns, launch.module(core), launch.modules,
                   launch.timing.cores[core]))
    tracks.push_back(trackName(track));
  out["tracks"] = std::move(tracks);
  return out;
}

} // namespace

PageData pageDataOf(const LaunchProfile &launch, const PageContext &context) {
  json modules = json::array();
  for (const isa::Module &module : launch.modules)
    modules.push_back({{"places", placesOf(module)},
                       {"binary", binaryOf(module, launch.target)}});
  const std::vector<std::size_t> alike = alikeOf(launch);
  std::map<std::size_t, std::size_t> timelineOfCore;
  json names = json::array(), timelines = json::array();
  Columns columns;
  for (std::size_t core = 0; core < alike.size(); ++core) {
    const auto [line, isNew] =
        timelineOfCore.try_emplace(alike[core], timelineOfCore.size());
    names.push_back({launch.name(core), line->second});
    if (isNew)
      timelines.push_back(timelineOf(core, launch, columns));
  }
  json sources = json::object();
  for (const auto &[file, text] : context.sources)
    sources[file] = text;
  const sim::ProfileReport &report = launch.reports[launch.busiest()];
  json head{{"kernel", report.kernel},
            {"target", report.target},
            {"kiln_version", context.version},
            {"command", context.command},
            {"parameters", parametersOf(launch.modules.front())},
            {"makespan_ps", launch.timing.makespan},
            {"busiest", launch.busiest()},
            {"names", std::move(names)},
            {"reasons", sim::stallReasonNames},
            {"wait_kinds", sim::waitKindNames},
            {"hbm_bytes_per_ns", launch.target.hbm_bytes_per_ns},
            {"sources", std::move(sources)},
            {"modules", std::move(modules)},
            {"cores", std::move(timelines)}};
  for (const auto &[key, text] : context.more)
    head[key] = json::parse(text);
  return {dumped(head), columns.text()};
}

} // namespace kiln::profile

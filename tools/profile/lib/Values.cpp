//===- Values.cpp - What a run with data adds to a profile ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "Labels.h"
#include "kiln/profile/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kiln::profile {

using json = nlohmann::ordered_json;

namespace {

std::uint64_t numberOf(const isa::Module &module, isa::Engine engine,
                       std::uint32_t index) {
  std::uint64_t number = index;
  for (std::size_t e = 0; e < static_cast<std::size_t>(engine); ++e)
    number += module.streams[e].size();
  return number;
}

double share(const sim::PartCount &count) {
  return count.all == 0
             ? 0
             : static_cast<double>(count.part) / static_cast<double>(count.all);
}

json jsonOf(const sim::PartCount &count) {
  return {{"all", count.all}, {"part", count.part}, {"share", share(count)}};
}

json jsonOf(const sim::ValueCounts &counts) {
  json out = {{"values", counts.values},
              {"zeros", counts.zeros},
              {"infinities", counts.infinities},
              {"nans", counts.nans},
              {"saturated", counts.saturated},
              {"least", nullptr},
              {"most", nullptr}};
  if (counts.hasFinite()) {
    out["least"] = counts.least;
    out["most"] = counts.most;
  }
  return out;
}

void addParts(json &out, const sim::InstructionValues &values) {
  out["masked"] = jsonOf(values.masked);
  out["vanished"] = jsonOf(values.vanished);
  out["idle_multiplications"] = jsonOf(values.idle);
  out["saturated_blocks"] = jsonOf(values.blocks);
}

json jsonOf(const sim::FirstNaN &nan, const isa::Module &module) {
  const auto engine = static_cast<std::size_t>(nan.engine);
  return {{"instruction", numberOf(module, nan.engine, nan.index)},
          {"engine", isa::name(nan.engine)},
          {"index", nan.index},
          {"source", sourceOf(module.streams[engine][nan.index], module)},
          {"run", nan.run},
          {"operand", nan.operand},
          {"lane", nan.lane},
          {"element", nan.element},
          {"made", nan.made}};
}

std::string percent(const sim::PartCount &count, std::string_view what) {
  return fmt::format("{:.1f} % of {} {}", 100 * share(count), count.all, what);
}

/// "  NAME  1024 values, -1.5 to 2, 3 NaN".
std::string rowOf(const std::string &name, const sim::ValueCounts &counts) {
  std::string text = fmt::format("  {:<28} {:>10} {:>13} {:>13}", name,
                                 counts.values, "-", "-");
  if (counts.hasFinite())
    text = fmt::format("  {:<28} {:>10} {:>13.6g} {:>13.6g}", name,
                       counts.values, counts.least, counts.most);
  std::string_view gap = "  ";
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) {
      text += fmt::format("{}{} {}", gap, count, what);
      gap = ", ";
    }
  };
  add(counts.nans, "NaN");
  add(counts.infinities, "inf");
  add(counts.saturated, "saturated");
  return text + "\n";
}

/// With the name of the file alone.
std::string shortened(const std::string &source) {
  const std::size_t slash = source.rfind('/');
  return slash == std::string::npos ? source : source.substr(slash + 1);
}

} // namespace

ValueSums::ValueSums(const sim::CoreValues &values, const isa::Module &module) {
  std::map<std::tuple<std::string, std::uint32_t>, Line> byLine;
  for (std::size_t e = 0; e < isa::numEngines; ++e)
    for (std::uint32_t i = 0; i < values.instructions[e].size(); ++i) {
      const sim::InstructionValues &own = values.instructions[e][i];
      if (own.written.values == 0)
        continue;
      const isa::Instruction &instruction = module.streams[e][i];
      const isa::SourceLocation &place = placeOf(instruction, module);
      Line &line = byLine[{place.file, place.line}];
      line.source = sourceOf(instruction, module);
      line.values += own;
      line.instructions.push_back(
          numberOf(module, static_cast<isa::Engine>(e), i));
      all += own;
    }
  for (auto &[place, line] : byLine)
    lines.push_back(std::move(line));
}

json valuesJson(const sim::CoreValues &values, const isa::Module &module) {
  const ValueSums sums(values, module);
  json out;
  out["first_nan"] = nullptr;
  if (values.firstNaN)
    out["first_nan"] = jsonOf(*values.firstNaN, module);
  addParts(out, sums.all);
  out["instructions"] = json::array();
  for (std::size_t e = 0; e < isa::numEngines; ++e)
    for (std::uint32_t i = 0; i < values.instructions[e].size(); ++i) {
      const sim::InstructionValues &own = values.instructions[e][i];
      if (own.written.values == 0)
        continue;
      json entry = {
          {"instruction", numberOf(module, static_cast<isa::Engine>(e), i)},
          {"written", jsonOf(own.written)}};
      addParts(entry, own);
      out["instructions"].push_back(std::move(entry));
    }
  out["lines"] = json::array();
  for (const ValueSums::Line &line : sums.lines) {
    json entry = {{"source", line.source},
                  {"instructions", line.instructions},
                  {"written", jsonOf(line.values.written)}};
    addParts(entry, line.values);
    out["lines"].push_back(std::move(entry));
  }
  out["tensors"] = json::array();
  for (std::size_t i = 0; i < values.tensors.size(); ++i)
    if (values.tensors[i].values > 0)
      out["tensors"].push_back({{"name", module.tensors[i].name},
                                {"held", jsonOf(values.tensors[i])}});
  return out;
}

std::string toValuesTable(const LaunchProfile &launch) {
  if (launch.values.empty())
    return {};
  // The core that has a NaN, else the core of the table.
  std::size_t core = launch.busiest();
  for (std::size_t i = launch.values.size(); i-- > 0;)
    if (launch.values[i].firstNaN)
      core = i;
  const sim::CoreValues &values = launch.values[core];
  const isa::Module &module = launch.module(core);
  const ValueSums sums(values, module);
  std::string out = "\n  values";
  if (launch.reports.size() > 1)
    out += " of " + launch.name(core);
  out += "\n";
  const auto line = [&out](std::string_view what, const std::string &text) {
    out += fmt::format("  {:<15} {}\n", what, text);
  };
  if (const auto &nan = values.firstNaN) {
    line("first NaN",
         fmt::format(
             "{} ({}:{}), run {}",
             placeText(module, static_cast<unsigned>(nan->engine), nan->index),
             isa::name(nan->engine), nan->index, nan->run));
    line("", fmt::format("element {} of lane {} of {}, from operands {}",
                         nan->element, nan->lane, nan->operand,
                         nan->made ? "without one" : "that have one"));
  }
  if (sums.all.masked.all > 0)
    line("masked", percent(sums.all.masked, "elements that masks saw"));
  if (sums.all.vanished.part > 0)
    line("exp is 0", percent(sums.all.vanished, "results"));
  if (sums.all.idle.part > 0)
    line("times 0", percent(sums.all.idle, "multiplications of products"));
  if (sums.all.blocks.all > 0)
    line("saturated", percent(sums.all.blocks, "blocks of MX"));
  out += fmt::format("  {:<28} {:>10} {:>13} {:>13}\n", "tensor, line",
                     "values", "least", "most");
  for (std::size_t i = 0; i < values.tensors.size(); ++i)
    if (values.tensors[i].values > 0)
      out += rowOf(module.tensors[i].name, values.tensors[i]);
  for (const ValueSums::Line &row : sums.lines)
    out += rowOf(row.source.empty() ? "(no line)" : shortened(row.source),
                 row.values.written);
  return out;
}

} // namespace kiln::profile

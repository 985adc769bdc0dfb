//===- ExplanationText.cpp - An explanation for people and programs -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CoreJson.h"
#include "Json.h"
#include "kiln/isa/info.h"
#include "kiln/isa/noun.h"
#include "kiln/isa/scopes.h"
#include "kiln/profile/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace kiln::profile {

using json = nlohmann::ordered_json;

namespace {

using sim::Picoseconds;

std::string titleOf(const Explanation &all) {
  return fmt::format("{}:{}", isa::name(all.name.engine), all.name.index);
}

std::string timeText(Picoseconds time) {
  return fmt::format("{:.3f} ns", inNanoseconds(time));
}

std::string sourceText(const isa::SourceLocation &place) {
  return place.file.empty() ? std::string()
                            : fmt::format("{}:{}", place.file, place.line);
}

std::string timesText(std::uint64_t count) {
  return count == 1 ? "once" : isa::counted(count, "time");
}

/// A term with its part of the two sums.
struct Row {
  machine::CostTerm term;
  Picoseconds occupies = 0, result = 0;
};

std::vector<Row> rowsOf(const machine::CostTerms &cost) {
  std::vector<Row> rows;
  const auto rowOf = [&](const machine::CostTerm &term) -> Row & {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](auto &row) {
      return row.term.name == term.name && row.term.parameter == term.parameter;
    });
    return found != rows.end() ? *found : rows.emplace_back(Row{term});
  };
  for (const machine::CostTerm &term : cost.occupancy)
    rowOf(term).occupies += term.time;
  for (const machine::CostTerm &term : cost.latency)
    rowOf(term).result += term.time;
  return rows;
}

std::string numberText(Picoseconds time) {
  return time == 0 ? "-" : fmt::format("{:.3f}", inNanoseconds(time));
}

void addHead(std::string &out, const Explanation &all) {
  out += fmt::format("{}{}{} of {} on {}: {}\n", all.core,
                     all.core.empty() ? "" : " ", titleOf(all), all.kernel,
                     all.target, all.kind);
  out += fmt::format("  {}\n", all.assembly);
  if (!all.place.file.empty())
    out += fmt::format("  from {}{}{}{}{}{}{}\n", sourceText(all.place),
                       all.operation.empty() ? "" : ", ", all.operation,
                       all.place.scopes.empty() ? "" : " in ",
                       isa::scopesText(all.place.scopes),
                       all.place.name.empty() ? "" : ", ", all.place.name);
  const std::vector<std::string> scopes = isa::splitScopes(all.place.scopes);
  for (const isa::SourceLoop &loop : all.loops)
    if (loop.turn && loop.depth < scopes.size())
      out += fmt::format("  iteration {} of {} of {}, which is unrolled\n",
                         *loop.turn + 1, loop.trips, scopes[loop.depth]);
  if (!all.sourceText.empty())
    out += fmt::format("    {}\n", all.sourceText);
  for (const isa::SourceLocation &call : all.callers)
    out += fmt::format("  called from {}\n", sourceText(call));
  out += fmt::format("\n{}\n", all.summary);
  if (!all.equation.empty())
    out += fmt::format("  {}\n", all.equation);
  for (const ExplainedOperand &operand : all.operands)
    out += fmt::format("  {:<10} {} {}: {}, {}; {}\n", operand.name,
                       operand.effect, operand.access,
                       isa::counted(operand.elements, "element"),
                       isa::counted(operand.bytes, "byte"), operand.doc);
}

void addCost(std::string &out, const Explanation &all) {
  const machine::CostTerms &cost = all.cost;
  out += "\nCost, if nothing is in its way\n";
  out += fmt::format("  {:<24} {:>12} {:>12}\n", "", "occupies ns",
                     "to result ns");
  for (const Row &row : rowsOf(cost))
    out +=
        fmt::format("  {:<24} {:>12} {:>12}{}{}\n", row.term.name,
                    numberText(row.occupies), numberText(row.result),
                    row.term.parameter.empty() ? "" : "  ", row.term.parameter);
  out += fmt::format("  {:<24} {:>12} {:>12}\n", "sum",
                     numberText(sumOf(cost.occupancy)),
                     numberText(sumOf(cost.latency)));
  for (const machine::CostTerm &term : cost.beside)
    out +=
        fmt::format("  beside it: {}, {}{}{}\n", term.name, timeText(term.time),
                    term.parameter.empty() ? "" : "  ", term.parameter);
  if (all.elementsInCycle > 1)
    out += fmt::format("  {} elements pass in a cycle\n", all.elementsInCycle);
  if (all.bytes > 0)
    out += fmt::format("  {} in {}, moved by {}\n",
                       isa::counted(all.bytes, "byte"),
                       isa::counted(all.rows, "row"),
                       isa::counted(all.dmaEngines, "DMA engine"));
  if (all.flops > 0)
    out += fmt::format("  {}\n", isa::counted(all.flops, "flop"));
}

std::string textOf(const RelatedInstruction &other) {
  return fmt::format("{}{}{}", other.name, other.source.empty() ? "" : " at ",
                     other.source);
}

void addWait(std::string &out, const ExplainedWait &wait, bool count) {
  out += fmt::format("  {:<12} {:>14}", wait.reason, timeText(wait.time));
  if (count)
    out += fmt::format(", {}", timesText(wait.count));
  if (wait.kind != "none")
    out += fmt::format(", {}", wait.kind);
  if (wait.producer)
    out += fmt::format(": for {}\n{:29}{}", textOf(*wait.producer), "",
                       wait.producer->assembly);
  out += "\n";
}

void addRun(std::string &out, const Explanation &all) {
  const ExplainedRun &run = *all.run;
  out += fmt::format("\nRun {} of {}\n", run.number, all.runs);
  out += fmt::format("  issued at {}", timeText(run.acted));
  if (run.hasEvent)
    out += fmt::format(", started at {}, ended at {}, result at {}",
                       timeText(run.start), timeText(run.end),
                       timeText(run.visible));
  out += "\n";
  if (run.waits.empty())
    out += "  its engine did not wait for it\n";
  for (const ExplainedWait &wait : run.waits)
    addWait(out, wait, false);
  if (run.followed)
    out += fmt::format("  its start followed {}: {}\n", textOf(*run.followed),
                       run.followedFor);
  if (run.slack)
    out += fmt::format("  slack {}, {} on the critical path\n",
                       timeText(*run.slack), timeText(run.critical));
}

json jsonOf(const std::optional<RelatedInstruction> &other) {
  if (!other)
    return nullptr;
  return {{"name", other->name},
          {"asm", other->assembly},
          {"source", other->source}};
}

json jsonOf(const std::vector<ExplainedWait> &waits) {
  json out = json::array();
  for (const ExplainedWait &wait : waits)
    out.push_back({{"reason", wait.reason},
                   {"kind", wait.kind},
                   {"ns", inNanoseconds(wait.time)},
                   {"count", wait.count},
                   {"producer", jsonOf(wait.producer)}});
  return out;
}

json jsonOf(const std::vector<machine::CostTerm> &terms) {
  json out = json::array();
  for (const machine::CostTerm &term : terms)
    out.push_back(
        {{"term", term.name},
         {"parameter", term.parameter.empty() ? json() : json(term.parameter)},
         {"ns", inNanoseconds(term.time)}});
  return out;
}

json jsonOf(const ExplainedRun &run) {
  return {
      {"number", run.number},
      {"issued_ns", inNanoseconds(run.acted)},
      {"start_ns", run.hasEvent ? json(inNanoseconds(run.start)) : json()},
      {"end_ns", run.hasEvent ? json(inNanoseconds(run.end)) : json()},
      {"result_ns", run.hasEvent ? json(inNanoseconds(run.visible)) : json()},
      {"waits", jsonOf(run.waits)},
      {"followed", jsonOf(run.followed)},
      {"followed_for", run.followed ? json(run.followedFor) : json()},
      {"slack_ns", run.slack ? json(inNanoseconds(*run.slack)) : json()},
      {"critical_ns", inNanoseconds(run.critical)}};
}

} // namespace

std::string toText(const Explanation &all) {
  std::string out;
  addHead(out, all);
  addCost(out, all);
  if (all.runs == 0)
    return out + "\nIt did not run.\n";
  out += fmt::format("\nIt ran {}: busy for {}, {} on the critical path\n",
                     timesText(all.runs), timeText(all.busy),
                     timeText(all.critical));
  Picoseconds waited = 0;
  for (const ExplainedWait &wait : all.waits)
    waited += wait.time;
  out += fmt::format("  kept its engine idle for {} of {}\n", timeText(waited),
                     timeText(all.makespan));
  for (const ExplainedWait &wait : all.waits)
    addWait(out, wait, true);
  addRun(out, all);
  return out;
}

std::string toJson(const Explanation &all) {
  json operands = json::array();
  for (const ExplainedOperand &operand : all.operands)
    operands.push_back({{"name", operand.name},
                        {"effect", operand.effect},
                        {"access", operand.access},
                        {"elements", operand.elements},
                        {"bytes", operand.bytes},
                        {"meaning", operand.doc}});
  json source = nullptr;
  if (!all.place.file.empty())
    source = {{"file", all.place.file},
              {"line", all.place.line},
              {"scopes", isa::scopesText(all.place.scopes)},
              {"name", all.place.name},
              {"operation", all.operation},
              {"loops", json::array()},
              {"text", all.sourceText},
              {"callers", json::array()}};
  for (const isa::SourceLoop &loop : all.loops)
    if (!source.is_null()) {
      source["loops"].push_back({{"depth", loop.depth}, {"trips", loop.trips}});
      if (loop.turn)
        source["loops"].back()["turn"] = *loop.turn;
    }
  for (const isa::SourceLocation &call : all.callers)
    source["callers"].push_back({{"file", call.file}, {"line", call.line}});
  const json out{
      {"schema", "kiln.explain.instruction"},
      {"version", 1},
      {"kernel", all.kernel},
      {"target", all.target},
      {"core", all.name.core},
      {"engine", isa::name(all.name.engine)},
      {"index", all.name.index},
      {"kind", all.kind},
      {"asm", all.assembly},
      {"meaning", {{"summary", all.summary}, {"equation", all.equation}}},
      {"operands", std::move(operands)},
      {"source", std::move(source)},
      {"cost",
       {{"occupies_ns", inNanoseconds(sumOf(all.cost.occupancy))},
        {"result_ns", inNanoseconds(sumOf(all.cost.latency))},
        {"occupancy", jsonOf(all.cost.occupancy)},
        {"latency", jsonOf(all.cost.latency)},
        {"beside", jsonOf(all.cost.beside)},
        {"elements_in_cycle", all.elementsInCycle},
        {"bytes", all.bytes},
        {"rows", all.rows},
        {"dma_engines", all.dmaEngines},
        {"flops", all.flops}}},
      {"makespan_ns", inNanoseconds(all.makespan)},
      {"runs", all.runs},
      {"busy_ns", inNanoseconds(all.busy)},
      {"critical_ns", inNanoseconds(all.critical)},
      {"waits", jsonOf(all.waits)},
      {"run", all.run ? jsonOf(*all.run) : json()}};
  return dumped(out, 1) + "\n";
}

} // namespace kiln::profile

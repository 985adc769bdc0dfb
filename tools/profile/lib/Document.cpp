//===- Document.cpp - kiln profile --json --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/profile/document.h"

#include "CoreJson.h"
#include "EnergyText.h"
#include "Json.h"
#include "Labels.h"

#include <algorithm>

namespace kiln::profile {

using json = nlohmann::ordered_json;

namespace {

class Head {
public:
  Head(const LaunchProfile &launch, const Document &document)
      : launch(launch), document(document), before(launch.timing.makespan) {}

  void write(json &out, Detail detail) const {
    const sim::ProfileReport &most = launch.reports[launch.busiest()];
    out["schema"] = "kiln.profile";
    out["version"] = schemaVersion;
    out["kernel"] = most.kernel;
    out["target"] = most.target;
    out["kiln_version"] = document.version;
    out["command"] = document.command;
    out["parameters"] = json::array();
    for (const auto &[name, value] : parametersOf(launch.modules.front()))
      out["parameters"].push_back({name, value});
    out["ranks"] = launch.reports.size() / launch.modules.size();
    out["cores_of_rank"] = launch.modules.size();
    out["makespan_ns"] = inNanoseconds(before);
    out["lower_bound_ns"] = most.lowerBoundNs;
    out["bound_by"] = most.boundBy;
    out["roofline_ns"] = most.roofline.timeNs;
    out["busiest"] = launch.busiest();
    out["launch_energy"] = energyJson(energyOf(launch));
    out["hbm_bytes_per_ns"] = launch.target.hbm_bytes_per_ns;
    out["product_peaks"] = json::object();
    for (const sim::ProductPeak &peak : sim::productPeaks(launch.target))
      out["product_peaks"][std::string(peak.type)] = peak.flopsPerNs;
    out["machine"] = json::object();
    isa::forEachParameter(launch.target,
                          [&](const isa::ParameterInfo &parameter, auto value) {
                            out["machine"][std::string(parameter.name)] = value;
                          });
    out["insights"] = json::array();
    for (const Insight &insight : document.insights)
      out["insights"].push_back(jsonOf(insight));
    if (!document.whatIf.empty())
      for (const WhatIf &one : document.whatIf)
        out["what_if"].push_back(jsonOf(one));
    if (!document.sweeps.empty())
      for (const Sweep &one : document.sweeps)
        out["sweeps"].push_back(jsonOf(one));
    if (detail == Detail::figures)
      return;
    if (!document.sources.empty())
      out["sources"] = document.sources;
    for (const auto &[key, text] : document.compiler)
      out[key] = json::parse(text);
  }

private:
  double saving(const Retimed &measured) const {
    return static_cast<double>(before - measured.makespan) /
           static_cast<double>(std::max<sim::Picoseconds>(1, before));
  }

  /// In `binary` of its core.
  template <class Place> std::size_t numberOf(const Place &place) const {
    std::size_t number = place.index;
    for (std::size_t e = 0; e < static_cast<std::size_t>(place.engine); ++e)
      number += launch.modules[place.core].streams[e].size();
    return number;
  }

  json jsonOf(const Extent &extent) const {
    json instructions = json::array();
    for (std::size_t core = 0; core < launch.modules.size(); ++core)
      instructions.push_back(json::array());
    for (const Extent::Place &place : extent.instructions)
      instructions[place.core].push_back(numberOf(place));
    return {{"instructions", std::move(instructions)},
            {"runs", extent.runs},
            {"busy_ns", inNanoseconds(extent.busy)},
            {"stall_ns", inNanoseconds(extent.stalls)}};
  }

  json jsonOf(const Insight &insight) const {
    json evidence = json::array(), lines = json::array();
    for (const Evidence &one : insight.evidence) {
      const isa::Module &module = launch.modules[one.core];
      const auto engine = static_cast<std::size_t>(one.engine);
      const std::string source =
          sourceOf(module.streams[engine][one.index], module);
      evidence.push_back({{"instruction", numberOf(one)},
                          {"core", one.core},
                          {"source", source},
                          {"text", one.text}});
      if (!source.empty() &&
          std::find(lines.begin(), lines.end(), source) == lines.end())
        lines.push_back(source);
    }
    return {{"id", insight.id},
            {"rule", insight.rule},
            {"title", insight.title},
            {"condition", insight.condition},
            {"saving_ns", inNanoseconds(before - insight.measured.makespan)},
            {"saving", saving(insight.measured)},
            {"proof",
             {{"change", insight.change},
              {"makespan_ns", inNanoseconds(insight.measured.makespan)}}},
            {"extent", jsonOf(insight.extent)},
            {"evidence", std::move(evidence)},
            {"lines", std::move(lines)},
            {"remedy", insight.remedy},
            {"sketch", insight.sketch}};
  }

  json jsonOf(const WhatIf &one) const {
    json parameters = json::object();
    for (const auto &[name, value] : one.parameters)
      parameters[name] = value;
    return {{"name", one.name},
            {"change", one.change},
            {"parameters", std::move(parameters)},
            {"measure",
             {{"makespan_ns", inNanoseconds(one.measured.makespan)},
              {"saving_ns", inNanoseconds(before - one.measured.makespan)},
              {"saving", saving(one.measured)}}}};
  }

  static json jsonOf(const Sweep &sweep) {
    json points = json::array();
    for (const auto &[value, retimed] : sweep.points)
      points.push_back({{"value", value},
                        {"makespan_ns", inNanoseconds(retimed.makespan)},
                        {"lower_bound_ns", inNanoseconds(retimed.lowerBound)}});
    return {{"parameter", sweep.parameter},
            {"unit", sweep.unit},
            {"points", std::move(points)},
            {"current", sweep.current}};
  }

  const LaunchProfile &launch;
  const Document &document;
  sim::Picoseconds before;
};

} // namespace

json headJson(const LaunchProfile &launch, const Document &document,
              Detail detail) {
  json out;
  Head(launch, document).write(out, detail);
  return out;
}

std::string toJson(const LaunchProfile &launch, const Document &document,
                   Detail detail) {
  json out = headJson(launch, document, detail);
  if (launch.reports.size() == 1) {
    out.update(coreJson(launch, 0, detail));
  } else {
    out["cores"] = json::array();
    for (std::size_t core = 0; core < launch.reports.size(); ++core) {
      json own = coreJson(launch, core, detail);
      own["name"] = launch.name(core);
      out["cores"].push_back(std::move(own));
    }
  }
  return dumpedByRecord(out) + "\n";
}

} // namespace kiln::profile

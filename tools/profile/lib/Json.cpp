//===- Json.cpp - kiln profile --json -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Json.h"

#include "EnergyText.h"
#include "Labels.h"
#include "kiln/profile/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kiln::profile {

using json = nlohmann::ordered_json;

namespace {

/// Whole picoseconds.
double nanoseconds(double ns) { return std::round(1000 * ns) / 1000; }

json partsOf(const std::vector<std::pair<std::string, double>> &parts) {
  json out = json::object();
  for (const auto &[name, ns] : parts)
    out[name] = nanoseconds(ns);
  return out;
}

json jsonOf(const sim::ProfileReport::Place &place) {
  if (place.engine.empty())
    return nullptr;
  json out{{"engine", place.engine},
           {"index", place.index},
           {"label", place.label},
           {"source", place.source}};
  if (!place.core.empty())
    out["core"] = place.core;
  return out;
}

} // namespace

std::string dumped(const json &value, int indent) {
  const std::string text =
      value.dump(indent, ' ', false, json::error_handler_t::replace);
  // Only strings hold '<'. IR is full of them.
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find('<', at), text.size());
    out.append(text, at, next - at);
    if (next < text.size())
      out += "\\u003c";
    at = next + 1;
  }
  return out;
}

std::string dumpedByRecord(const json &document) {
  std::string out = "{";
  std::string_view comma;
  for (const auto &[key, value] : document.items()) {
    out += fmt::format("{}\n{}: ", comma, json(key).dump());
    comma = ",";
    const bool isList =
        value.is_array() && !value.empty() && value.front().is_structured();
    if (!isList) {
      out += dumped(value);
      continue;
    }
    std::string_view between = "[\n";
    for (const json &record : value) {
      out += between;
      // A core is a document of its own.
      out += key == "cores" ? dumpedByRecord(record) : dumped(record);
      between = ",\n";
    }
    out += "\n]";
  }
  return out + "\n}";
}

constexpr std::size_t mostStalls = 24;

json jsonOf(const sim::ProfileReport &report) {
  json engines = json::object(), stalls = json::array(),
       counts = json::object();
  for (const sim::ProfileReport::Engine &engine : report.engines)
    engines[engine.name] = {{"busy_ns", nanoseconds(engine.busyNs)},
                            {"stall_ns", nanoseconds(engine.stallNs)},
                            {"instructions", engine.instructions},
                            {"stalls", partsOf(engine.stalls)},
                            {"waits", partsOf(engine.waits)}};
  for (const sim::ProfileReport::Stall &stall : report.topStalls) {
    if (stalls.size() == mostStalls)
      break;
    stalls.push_back({{"reason", stall.reason},
                      {"kind", stall.kind},
                      {"ns", nanoseconds(stall.timeNs)},
                      {"count", stall.count},
                      {"at", jsonOf(stall.at)},
                      {"producer", jsonOf(stall.producer)}});
    if (stall.criticalNs)
      stalls.back()["critical_ns"] = nanoseconds(*stall.criticalNs);
  }
  for (const auto &[mnemonic, count] : report.instructionCounts)
    counts[mnemonic] = count;
  json compileMs; // null
  if (report.compileMs)
    compileMs = nanoseconds(*report.compileMs);
  json out{{"kernel", report.kernel},
           {"target", report.target},
           {"makespan_ns", nanoseconds(report.makespanNs)},
           {"end_to_end_ns", nanoseconds(report.endToEndNs)},
           {"lower_bound_ns", nanoseconds(report.lowerBoundNs)},
           {"bound_by", report.boundBy},
           {"bounds_ns", partsOf(report.boundsNs)},
           {"collective_bound",
            {{"count", report.meetings.count},
             {"longest_ns", nanoseconds(report.meetings.longestNs)},
             {"busiest_link", report.meetings.link},
             {"busiest_link_ns", nanoseconds(report.meetings.linkBusyNs)}}},
           {"roofline_ns", nanoseconds(report.roofline.timeNs)},
           {"roofline",
            {{"bound_by", report.roofline.boundBy},
             {"flops_ns", nanoseconds(report.roofline.computeNs)},
             {"hbm_ns", nanoseconds(report.roofline.memoryNs)},
             {"compulsory_read_bytes", report.roofline.readBytes},
             {"compulsory_write_bytes", report.roofline.writeBytes}}},
           {"mfu", report.mfu},
           {"peak_flops_per_ns", report.peakFlopsPerNs},
           {"mfu_of_type", report.mfuOfType},
           {"peak_of_type_flops_per_ns", report.peakOfTypeFlopsPerNs},
           {"product_type", report.productType},
           {"hfu", report.hfu},
           {"flops", report.flops},
           {"matmul_flops", report.matmulFlops},
           {"hardware_flops", report.hardwareFlops},
           {"engines", std::move(engines)},
           {"top_stalls", std::move(stalls)},
           {"mbu", report.mbu},
           {"average_dma_bytes", report.averageDmaBytes},
           {"hbm_read_bytes", report.hbmReadBytes},
           {"hbm_write_bytes", report.hbmWriteBytes},
           {"energy", energyJson(report.energy)},
           {"full_buffers_assumed", report.fullBuffersAssumed},
           {"sbuf_allocated_bytes", report.sbufAllocatedBytes},
           {"psum_banks_allocated", report.psumBanksAllocated},
           {"instructions", report.instructions},
           {"static_instructions", report.staticInstructions},
           {"instruction_counts", std::move(counts)},
           {"compile_ms", std::move(compileMs)}};
  if (report.peak) {
    out["sbuf_peak_bytes"] = report.peak->sbufBytes;
    out["psum_peak_bytes"] = report.peak->psumBytes;
    out["psum_banks_peak"] = report.peak->psumBanks;
  }
  return out;
}

std::string toJson(const sim::ProfileReport &report) {
  return dumped(jsonOf(report), 2) + "\n";
}

std::string toJson(const LaunchProfile &launch) {
  if (launch.reports.size() == 1)
    return toJson(launch.reports.front());
  json cores = json::array();
  for (const sim::ProfileReport &report : launch.reports)
    cores.push_back(jsonOf(report));
  const sim::ProfileReport &most = launch.reports[launch.busiest()];
  return dumped({{"kernel", most.kernel},
                 {"target", most.target},
                 {"ranks", launch.reports.size() / launch.modules.size()},
                 {"cores_of_rank", launch.modules.size()},
                 {"makespan_ns", nanoseconds(most.makespanNs)},
                 {"lower_bound_ns", nanoseconds(most.lowerBoundNs)},
                 {"bound_by", most.boundBy},
                 {"roofline_ns", nanoseconds(most.roofline.timeNs)},
                 {"launch_energy", energyJson(energyOf(launch))},
                 {"busiest", launch.busiest()},
                 {"cores", std::move(cores)}},
                2) +
         "\n";
}

} // namespace kiln::profile

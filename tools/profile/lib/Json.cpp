//===- Json.cpp - kiln profile --json ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Labels.h"
#include "kiln/profile/render.h"

#include <fmt/format.h>

#include <iterator>

namespace kiln::profile {

namespace {

std::string engineJson(const sim::ProfileReport::Engine &engine) {
  std::string out = fmt::format(
      "    {}: {{\"busy_ns\": {:.3f}, \"stall_ns\": {:.3f}, "
      "\"instructions\": {}, \"stalls\": {{",
      quoted(engine.name), engine.busyNs, engine.stallNs, engine.instructions);
  const char *separator = "";
  for (const auto &[reason, time] : engine.stalls) {
    out += fmt::format("{}{}: {:.3f}", separator, quoted(reason), time);
    separator = ", ";
  }
  out += "}, \"waits\": {";
  separator = "";
  for (const auto &[kind, time] : engine.waits) {
    out += fmt::format("{}{}: {:.3f}", separator, quoted(kind), time);
    separator = ", ";
  }
  return out + "}}";
}

std::string placeJson(const sim::ProfileReport::Place &place) {
  if (place.engine.empty())
    return "null";
  return fmt::format("{{\"engine\": {}, \"index\": {}, \"label\": {}, "
                     "\"source\": {}{}}}",
                     quoted(place.engine), place.index, quoted(place.label),
                     quoted(place.source),
                     place.core.empty()
                         ? std::string()
                         : fmt::format(", \"core\": {}", quoted(place.core)));
}

std::string stallJson(const sim::ProfileReport::Stall &stall) {
  return fmt::format("    {{\"reason\": {}, \"kind\": {}, \"ns\": {:.3f}, "
                     "\"count\": {},\n     \"at\": {},\n     "
                     "\"producer\": {}}}",
                     quoted(stall.reason), quoted(stall.kind), stall.timeNs,
                     stall.count, placeJson(stall.at),
                     placeJson(stall.producer));
}

} // namespace

std::string toJson(const sim::ProfileReport &report) {
  std::string out = "{\n";
  const auto number = [&out](std::string_view key, auto value) {
    if constexpr (std::is_floating_point_v<decltype(value)>)
      out += fmt::format("  \"{}\": {:.6g},\n", key, value);
    else
      out += fmt::format("  \"{}\": {},\n", key, value);
  };
  const auto time = [&out](std::string_view key, double ns) {
    out += fmt::format("  \"{}\": {:.3f},\n", key, ns);
  };
  out += fmt::format("  \"kernel\": {},\n  \"target\": {},\n",
                     quoted(report.kernel), quoted(report.target));
  time("makespan_ns", report.makespanNs);
  time("end_to_end_ns", report.endToEndNs);
  time("lower_bound_ns", report.lowerBoundNs);
  out += fmt::format("  \"bound_by\": {},\n", quoted(report.boundBy));
  number("mfu", report.mfu);
  number("flops", report.flops);
  number("matmul_flops", report.matmulFlops);
  number("peak_flops_per_ns", report.peakFlopsPerNs);
  out += "  \"engines\": {\n";
  const char *separator = "";
  for (const sim::ProfileReport::Engine &engine : report.engines) {
    out += separator + engineJson(engine);
    separator = ",\n";
  }
  out += "\n  },\n";
  out += "  \"top_stalls\": [\n";
  separator = "";
  for (const sim::ProfileReport::Stall &stall : report.topStalls) {
    out += separator + stallJson(stall);
    separator = ",\n";
  }
  out += "\n  ],\n";
  number("mbu", report.mbu);
  number("average_dma_bytes", report.averageDmaBytes);
  number("hbm_read_bytes", report.hbmReadBytes);
  number("hbm_write_bytes", report.hbmWriteBytes);
  number("full_buffers_assumed", report.fullBuffersAssumed);
  number("sbuf_peak_bytes", report.sbufPeakBytes);
  number("psum_banks_peak", report.psumBanksPeak);
  number("instructions", report.instructions);
  number("static_instructions", report.staticInstructions);
  out += "  \"instruction_counts\": {";
  separator = "";
  for (const auto &[mnemonic, count] : report.instructionCounts) {
    out += fmt::format("{}{}: {}", separator, quoted(mnemonic), count);
    separator = ", ";
  }
  out += "},\n";
  out += report.compileMs
             ? fmt::format("  \"compile_ms\": {:.3f}\n", *report.compileMs)
             : std::string("  \"compile_ms\": null\n");
  return out + "}\n";
}

} // namespace kiln::profile

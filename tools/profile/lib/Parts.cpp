//===- Parts.cpp - The parts of a kernel, and what each one took ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "CoreJson.h"
#include "Json.h"
#include "Labels.h"
#include "kiln/isa/described.h"
#include "kiln/isa/info.h"
#include "kiln/isa/scopes.h"
#include "kiln/profile/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace kiln::profile {

using json = nlohmann::ordered_json;

namespace {

constexpr std::string_view outside = "(in no part)";

/// The sums of a part while it is made.
struct Gathered {
  Part part;
  std::array<sim::Picoseconds, machine::maxDmaEngines> dmaWork{};
};

std::string_view engineName(std::size_t engine) {
  return engine < isa::numEngines ? isa::name(static_cast<isa::Engine>(engine))
                                  : std::string_view("dma");
}

std::string partNameOf(const Executed &one, const isa::Module &module) {
  const std::vector<std::string> scopes =
      isa::splitScopes(placeOf(*one.instruction, module).scopes);
  if (scopes.empty())
    return std::string(outside);
  return one.kind == "collective"
             ? fmt::format("{}: {}", scopes.front(),
                           isa::mnemonic(isa::opcode(one.instruction->body)))
             : scopes.front();
}

std::vector<Gathered> gather(const Binary &binary) {
  std::vector<Gathered> all;
  for (const Executed &one : binary.all) {
    const std::string name = partNameOf(one, binary.module);
    auto found = std::find_if(all.begin(), all.end(), [&](const Gathered &g) {
      return g.part.name == name;
    });
    if (found == all.end()) {
      found = all.emplace(all.end());
      found->part.name = name;
    }
    Part &part = found->part;
    part.sums += one.sums;
    for (std::size_t e = 0; e < one.dmaWork.size(); ++e)
      found->dmaWork[e] += one.dmaWork[e];
    if (one.first < 0)
      continue;
    part.start = part.start < 0 ? one.first : std::min(part.start, one.first);
    part.end = std::max(part.end, one.last);
  }
  return all;
}

/// Its limit, and its shares of the machine.
void addShares(Gathered &gathered, const isa::Target &target) {
  Part &part = gathered.part;
  const auto offer = [&](std::string_view name, sim::Picoseconds time) {
    if (time > part.bound) {
      part.boundBy = name;
      part.bound = time;
    }
  };
  for (std::size_t e = 0; e < isa::numEngines; ++e)
    offer(engineName(e), part.sums.busy[e]);
  offer("dma",
        *std::max_element(gathered.dmaWork.begin(), gathered.dmaWork.end()));
  const double hbm =
      1000 * static_cast<double>(part.sums.hbmBytes) / target.hbm_bytes_per_ns;
  offer("hbm", static_cast<sim::Picoseconds>(hbm));
  const auto time = static_cast<double>(part.sums.critical);
  if (time <= 0)
    return;
  part.hbmShare = hbm / time;
  for (const sim::ProductPeak &peak : sim::productPeaks(target))
    if (peak.type == "bf16")
      part.mfu = 1000 * static_cast<double>(part.sums.flops) /
                 (time * peak.flopsPerNs);
}

std::string microseconds(sim::Picoseconds time) {
  return fmt::format("{:.2f}", inMicroseconds(time));
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

double shareOf(sim::Picoseconds part, sim::Picoseconds whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string row(const Part &part, sim::Picoseconds makespan,
                std::size_t width) {
  const sim::Picoseconds time = part.sums.critical;
  const bool hasTime = time > 0;
  return fmt::format(
      "  {:<{}} {:>10} {:>8} {:>10} {:>10} {:>8} {:>8}  {}\n", part.name, width,
      microseconds(time), percent(shareOf(time, makespan)),
      part.start < 0 ? "-" : microseconds(part.start),
      part.start < 0 ? "-" : microseconds(part.end),
      hasTime && part.sums.flops > 0 ? percent(part.mfu) : "-",
      hasTime && part.sums.hbmBytes > 0 ? percent(part.hbmShare) : "-",
      part.boundBy == "none" || !hasTime
          ? "-"
          : fmt::format("{} {:.0f} %", part.boundBy,
                        100 * shareOf(part.bound, time)));
}

} // namespace

std::vector<Part> partsOf(const Binary &binary, const isa::Target &target,
                          sim::Picoseconds makespan) {
  std::vector<Part> parts;
  if (!isa::hasParts(binary.module))
    return parts;
  std::vector<Gathered> all = gather(binary);
  sim::Picoseconds left = makespan;
  for (const Gathered &gathered : all)
    left -= gathered.part.sums.critical;
  Part rest;
  rest.name = outside;
  rest.sums.critical = left; // The start, before the first instruction.
  for (Gathered &gathered : all) {
    if (gathered.part.name == outside) {
      gathered.part.sums.critical += left;
      addShares(gathered, target);
      rest = gathered.part;
    } else if (gathered.part.sums.runs > 0) {
      addShares(gathered, target);
      parts.push_back(std::move(gathered.part));
    }
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part &a, const Part &b) { return a.end < b.end; });
  if (rest.sums.critical > 0)
    parts.push_back(std::move(rest));
  return parts;
}

json partsJson(const std::vector<Part> &parts, sim::Picoseconds makespan) {
  json out = json::array();
  for (const Part &part : parts) {
    json busy = json::object();
    for (std::size_t e = 0; e < part.sums.busy.size(); ++e)
      busy[std::string(engineName(e))] = inNanoseconds(part.sums.busy[e]);
    out.push_back(
        {{"name", part.name},
         {"ns", inNanoseconds(part.sums.critical)},
         {"share", shareOf(part.sums.critical, makespan)},
         {"start_ns", inNanoseconds(std::max<sim::Picoseconds>(0, part.start))},
         {"end_ns", inNanoseconds(part.end)},
         {"busy_ns", std::move(busy)},
         {"flops", part.sums.flops},
         {"mfu", part.mfu},
         {"hbm_bytes", part.sums.hbmBytes},
         {"hbm_share", part.hbmShare},
         {"bound_by", part.boundBy},
         {"bound_ns", inNanoseconds(part.bound)}});
  }
  return out;
}

/// The kernel as a row: its MFU is by the flops that it declares.
static Part whole(const sim::ProfileReport &report, const sim::Timing &timing) {
  Part all;
  all.name = "all";
  all.sums.critical = all.end = timing.makespan;
  all.sums.flops = report.flops;
  all.sums.hbmBytes = report.hbmReadBytes + report.hbmWriteBytes;
  all.start = 0;
  all.mfu = report.mfu;
  all.hbmShare = report.mbu;
  all.boundBy = report.boundBy;
  all.bound = timing.lowerBound;
  return all;
}

std::string toPartsTable(const LaunchProfile &launch) {
  const std::size_t core = launch.busiest();
  const sim::Timing &timing = launch.timing.cores[core];
  const isa::Module &module = launch.module(core);
  if (timing.runs.empty() || !isa::hasParts(module))
    return {};
  const Causes causes = findCauses(module, launch.target, timing);
  const std::vector<Part> parts =
      partsOf(Binary(module, launch.target, timing, causes), launch.target,
              timing.makespan);
  std::size_t width = 4;
  for (const Part &part : parts)
    width = std::max(width, part.name.size());
  std::string out = fmt::format(
      "  {:<{}} {:>10} {:>8} {:>10} {:>10} {:>8} {:>8}  {}\n", "part", width,
      "time (us)", "", "from", "to", "MFU", "HBM", "bound by");
  for (const Part &part : parts)
    out += row(part, timing.makespan, width);
  return out + row(whole(launch.reports[core], timing), timing.makespan, width);
}

} // namespace kiln::profile

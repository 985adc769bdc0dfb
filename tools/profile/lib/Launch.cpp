//===- Launch.cpp - Profiles of several cores -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EnergyText.h"
#include "Labels.h"
#include "LiveRanges.h"
#include "StallRanking.h"
#include "kiln/profile/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace kiln::profile {

LaunchProfile::LaunchProfile(std::span<const isa::Module> modules,
                             const sim::LaunchTiming &timing,
                             const isa::Target &target,
                             std::optional<double> compileMs)
    : modules(modules), timing(timing), target(target) {
  for (std::size_t i = 0; i < timing.cores.size(); ++i) {
    reports.push_back(sim::makeProfile(modules, timing.cores[i], i, target));
    reports.back().compileMs = compileMs;
  }
}

std::size_t LaunchProfile::busiest() const {
  const auto most = std::max_element(reports.begin(), reports.end(),
                                     [](const auto &a, const auto &b) {
                                       return a.lowerBoundNs < b.lowerBoundNs;
                                     });
  return static_cast<std::size_t>(most - reports.begin());
}

std::string LaunchProfile::name(std::size_t core) const {
  const std::size_t ranks = reports.size() / modules.size();
  std::string text;
  if (ranks > 1)
    text = fmt::format("rank {}", core / modules.size());
  if (modules.size() > 1)
    text += fmt::format("{}core {}", text.empty() ? "" : " ",
                        core % modules.size());
  return text;
}

namespace {

/// Cores with equal reports.
struct Line {
  std::string text;
  std::vector<std::size_t> cores;
};

/// The time for which other cores kept the engine waiting that they delayed
/// most.
double peersOf(const sim::ProfileReport &report) {
  double peers = 0;
  for (const sim::ProfileReport::Engine &engine : report.engines)
    for (const auto &[reason, time] : engine.stalls)
      if (reason == "wait_peer")
        peers = std::max(peers, time);
  return peers;
}

std::string lineOf(const sim::ProfileReport &report) {
  return fmt::format(
      "{:>12.2f} {:>8.1f} % {:>12.2f}  {}", report.lowerBoundNs / 1000,
      100 * report.lowerBoundNs / std::max(report.makespanNs, 1e-3),
      peersOf(report) / 1000, report.boundBy);
}

/// "ranks 0-63 core 1" where they are such, else the first and how many more.
std::string groupName(const LaunchProfile &launch,
                      const std::vector<std::size_t> &cores) {
  const std::string first = launch.name(cores.front());
  const std::size_t ofRank = launch.modules.size();
  const std::size_t step = cores.size() < 2 ? 0 : cores[1] - cores[0];
  bool regular = step == ofRank ||
                 (ofRank > 1 && step == 1 && cores.front() % ofRank == 0 &&
                  cores.size() % ofRank == 0);
  for (std::size_t i = 1; i < cores.size(); ++i)
    regular &= cores[i] - cores[i - 1] == step;
  if (cores.size() == 1)
    return first;
  if (!regular)
    return fmt::format("{}, {} more", first, cores.size() - 1);
  const std::size_t from = cores.front() / ofRank, to = cores.back() / ofRank;
  if (from == to)
    return launch.reports.size() == ofRank ? "both cores"
                                           : fmt::format("rank {}", from);
  const std::string ranks = fmt::format("ranks {}-{}", from, to);
  return step == ofRank && ofRank > 1
             ? fmt::format("{} core {}", ranks, cores.front() % ofRank)
             : ranks;
}

constexpr std::size_t mostLines = 8;

/// A line for each kind of core; of many kinds the extremes.
std::string coreLines(const LaunchProfile &launch) {
  std::vector<Line> lines;
  for (std::size_t i = 0; i < launch.reports.size(); ++i) {
    const std::string text = lineOf(launch.reports[i]);
    const auto same =
        std::find_if(lines.begin(), lines.end(),
                     [&](const Line &line) { return line.text == text; });
    if (same == lines.end())
      lines.push_back({text, {i}});
    else
      same->cores.push_back(i);
  }
  std::string out;
  const auto add = [&](std::string_view what, const Line &line) {
    out += fmt::format("  {:<12} {:<18} {}\n", what,
                       groupName(launch, line.cores), line.text);
  };
  if (lines.size() <= mostLines) {
    for (const Line &line : lines)
      add("", line);
    return out;
  }
  const auto addCore = [&](std::string_view what, std::size_t core) {
    add(what, {lineOf(launch.reports[core]), {core}});
  };
  // Of cores, not of kinds; the first of equal ones.
  std::vector<std::size_t> order(launch.reports.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) {
    const double left = launch.reports[a].lowerBoundNs;
    const double right = launch.reports[b].lowerBoundNs;
    return left != right ? left < right : a < b;
  });
  addCore("least busy", order.front());
  addCore("median", order[order.size() / 2]);
  addCore("busiest", launch.busiest());
  const auto most = std::max_element(
      launch.reports.begin(), launch.reports.end(),
      [](const auto &a, const auto &b) { return peersOf(a) < peersOf(b); });
  if (peersOf(*most) > 0)
    addCore("waits most",
            static_cast<std::size_t>(most - launch.reports.begin()));
  return out;
}

} // namespace

/// The report of a core, with its waits by what they cost and what was on chip
/// if that is known.
static sim::ProfileReport reportOf(const LaunchProfile &launch,
                                   std::size_t core) {
  sim::ProfileReport report = launch.reports[core];
  const sim::Timing &timing = launch.timing.cores[core];
  if (timing.runs.empty())
    return report;
  const isa::Module &module = launch.module(core);
  const Causes causes = findCauses(module, launch.target, timing);
  rankStalls(report, timing, causes);
  addPeaks(report, liveMemory(Binary(module, launch.target, timing, causes),
                              timing, launch.target));
  return report;
}

std::string toTable(const LaunchProfile &launch, std::string_view cards) {
  const std::size_t busiest = launch.busiest();
  if (launch.reports.size() == 1)
    return toTable(reportOf(launch, 0), cards);
  return fmt::format("  {:<31} {:>12} {:>10} {:>12}  {}\n",
                     fmt::format("{} cores", launch.reports.size()),
                     "busy (us)", "", "peers (us)", "bound by") +
         coreLines(launch) +
         fmt::format("  energy of all: {}\n", energyText(energyOf(launch))) +
         fmt::format("\n{}, the busiest: ", launch.name(busiest)) +
         toTable(reportOf(launch, busiest), cards);
}

} // namespace kiln::profile

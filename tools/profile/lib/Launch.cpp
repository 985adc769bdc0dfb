//===- Launch.cpp - Profiles of several cores -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Labels.h"
#include "kiln/profile/render.h"

#include <fmt/format.h>

#include <algorithm>

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

std::string toJson(const LaunchProfile &launch) {
  if (launch.reports.size() == 1)
    return toJson(launch.reports.front());
  const sim::ProfileReport &most = launch.reports[launch.busiest()];
  std::string out = fmt::format(
      "{{\n\"kernel\": {},\n\"target\": {},\n\"ranks\": {},\n"
      "\"cores_of_rank\": {},\n\"makespan_ns\": {:.3f},\n"
      "\"lower_bound_ns\": {:.3f},\n\"bound_by\": {},\n\"busiest\": {},\n"
      "\"cores\": [\n",
      quoted(most.kernel), quoted(most.target),
      launch.reports.size() / launch.modules.size(), launch.modules.size(),
      most.makespanNs, most.lowerBoundNs, quoted(most.boundBy),
      launch.busiest());
  for (std::size_t i = 0; i < launch.reports.size(); ++i) {
    std::string core = toJson(launch.reports[i]);
    core.pop_back();
    out += core + (i + 1 < launch.reports.size() ? ",\n" : "\n");
  }
  return out + "]\n}\n";
}

std::string toTable(const LaunchProfile &launch) {
  const std::size_t busiest = launch.busiest();
  if (launch.reports.size() == 1)
    return toTable(launch.reports.front());
  std::string out = fmt::format("  {:<16} {:>12} {:>10} {:>12}  {}\n", "",
                                "busy (us)", "", "peers (us)", "bound by");
  for (std::size_t i = 0; i < launch.reports.size(); ++i) {
    const sim::ProfileReport &report = launch.reports[i];
    // The engine that other cores kept longest.
    double peers = 0;
    for (const sim::ProfileReport::Engine &engine : report.engines)
      for (const auto &[reason, time] : engine.stalls)
        if (reason == "wait_peer")
          peers = std::max(peers, time);
    out += fmt::format("  {:<16} {:>12.2f} {:>8.1f} % {:>12.2f}  {}\n",
                       launch.name(i), report.lowerBoundNs / 1000,
                       100 * report.lowerBoundNs /
                           std::max(report.makespanNs, 1e-3),
                       peers / 1000, report.boundBy);
  }
  out += fmt::format("\n{}, the busiest: ", launch.name(busiest));
  return out + toTable(launch.reports[busiest]);
}

std::string toHtml(const LaunchProfile &launch) {
  const std::size_t core = launch.busiest();
  return toHtml(launch.module(core), launch.timing.cores[core],
                launch.reports[core]);
}

} // namespace kiln::profile

//===- EnergyText.cpp - The estimate of energy, for all outputs -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EnergyText.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace kiln::profile {

using json = nlohmann::ordered_json;

namespace {

/// Three digits and a unit with its prefix.
std::string withPrefix(double value, std::string_view unit) {
  if (value <= 0)
    return fmt::format("0 {}", unit);
  constexpr std::array<std::pair<double, std::string_view>, 7> prefixes{
      {{1e9, "G"},
       {1e6, "M"},
       {1e3, "k"},
       {1, ""},
       {1e-3, "m"},
       {1e-6, "u"},
       {1e-9, "n"}}};
  for (const auto &[size, prefix] : prefixes)
    if (value >= size)
      return fmt::format("{:.{}f} {}{}", value / size,
                         value >= 100 * size  ? 0
                         : value >= 10 * size ? 1
                                              : 2,
                         prefix, unit);
  return fmt::format("{:.0f} p{}", value * 1e12, unit);
}

/// Null where nothing is known.
json orNull(bool isKnown, double value) {
  return isKnown ? json(value) : json();
}

constexpr std::size_t shownParts = 3;
constexpr std::string_view givenSource = "given with --machine or --target";

/// What the target's table says of a parameter.
std::string_view publicationOf(std::string_view parameter) {
  for (const isa::ParameterInfo &info : isa::parameterTable)
    if (info.name == parameter)
      return info.source;
  return {};
}

} // namespace

std::vector<std::string> unknownsOf(const sim::EnergyReport &energy) {
  std::vector<std::string> unknown{sim::energyUnknowns.begin(),
                                   sim::energyUnknowns.end()};
  // Several items may have one parameter.
  std::vector<std::string_view> seen;
  const auto add = [&](std::string_view parameter) {
    if (std::find(seen.begin(), seen.end(), parameter) != seen.end())
      return;
    seen.push_back(parameter);
    std::string_view what = publicationOf(parameter);
    if (constexpr std::string_view prefix = "unknown: ";
        what.starts_with(prefix))
      what.remove_prefix(prefix.size());
    unknown.push_back(fmt::format("{}, 0: {}", parameter, what));
  };
  for (std::size_t i = 0; i < energy.counts.size(); ++i)
    if (energy.counts[i] > 0 && energy.pj[i] == 0)
      add(sim::energyItems[i].parameter);
  if (energy.staticJoules == 0)
    add("energy_static_watts");
  return unknown;
}

json energyJson(const sim::EnergyReport &energy) {
  json items = json::array(), publications = json::array();
  for (std::size_t i = 0; i < energy.counts.size(); ++i) {
    const sim::EnergyItem &item = sim::energyItems[i];
    if (energy.counts[i] > 0)
      items.push_back(
          {{"part", item.part},
           {"name", item.name},
           {"count", energy.counts[i]},
           {"unit", item.unit},
           {"parameter", item.parameter},
           {"pj", energy.pj[i]},
           {"source",
            energy.isGiven[i] ? givenSource : publicationOf(item.parameter)},
           {"joules", energy.joulesOf(i)}});
  }
  for (const isa::Publication &publication : isa::publications)
    publications.push_back(
        {{"title", publication.title}, {"where", publication.where}});
  json tokens;
  if (energy.tokens > 0)
    tokens = energy.tokens;
  const sim::PeakPower peak = energy.peak.value_or(sim::PeakPower{});
  return {{"is_estimate", true},
          {"joules", energy.joules},
          {"static_joules", energy.staticJoules},
          {"average_watts", energy.averageWatts},
          {"peak_watts", orNull(energy.peak.has_value(), peak.watts)},
          {"peak_window_ns", orNull(energy.peak.has_value(),
                                    static_cast<double>(peak.stretch) / 1000)},
          {"tokens", std::move(tokens)},
          {"tokens_per_joule", orNull(energy.tokens > 0 && energy.joules > 0,
                                      energy.tokensPerJoule)},
          {"items", std::move(items)},
          {"publications", std::move(publications)},
          {"unknown", unknownsOf(energy)}};
}

LaunchEnergy energyOf(const LaunchProfile &launch) {
  LaunchEnergy sum;
  for (const sim::ProfileReport &report : launch.reports) {
    sum.joules += report.energy.joules;
    sum.averageWatts += report.energy.averageWatts;
  }
  // The cores of a rank run one kernel: they declare the same tokens.
  const std::size_t ranks = launch.reports.size() / launch.modules.size();
  sum.tokens = launch.reports.front().energy.tokens * ranks;
  if (sum.joules > 0)
    sum.tokensPerJoule = static_cast<double>(sum.tokens) / sum.joules;
  return sum;
}

json energyJson(const LaunchEnergy &energy) {
  json tokens;
  if (energy.tokens > 0)
    tokens = energy.tokens;
  return {{"is_estimate", true},
          {"joules", energy.joules},
          {"average_watts", energy.averageWatts},
          {"tokens", std::move(tokens)},
          {"tokens_per_joule", orNull(energy.tokens > 0 && energy.joules > 0,
                                      energy.tokensPerJoule)}};
}

std::string energyText(const sim::EnergyReport &energy) {
  std::vector<std::pair<std::string_view, double>> parts{
      {"static", energy.staticJoules}};
  for (std::size_t i = 0; i < energy.counts.size(); ++i) {
    const std::string_view part = sim::energyItems[i].part;
    const auto same =
        std::find_if(parts.begin(), parts.end(),
                     [&](const auto &one) { return one.first == part; });
    if (same == parts.end())
      parts.emplace_back(part, energy.joulesOf(i));
    else
      same->second += energy.joulesOf(i);
  }
  std::stable_sort(
      parts.begin(), parts.end(),
      [](const auto &a, const auto &b) { return a.second > b.second; });
  std::string text = withPrefix(energy.joules, "J") + ", " +
                     withPrefix(energy.averageWatts, "W");
  if (energy.peak)
    text += ", peak " + withPrefix(energy.peak->watts, "W");
  text += " (estimate)";
  for (std::size_t i = 0; i < std::min(shownParts, parts.size()); ++i)
    if (parts[i].second > 0)
      text += fmt::format("{}{} {:.0f} %", i == 0 ? ": " : ", ", parts[i].first,
                          100 * parts[i].second / energy.joules);
  return text;
}

std::string tokensText(std::uint64_t tokens, double tokensPerJoule) {
  return fmt::format("{}, {} (estimate)", tokens,
                     withPrefix(tokensPerJoule, "tokens/J"));
}

std::string energyText(const LaunchEnergy &energy) {
  std::string text = withPrefix(energy.joules, "J") + ", " +
                     withPrefix(energy.averageWatts, "W") + " (estimate)";
  if (energy.tokens > 0)
    text += ", " + withPrefix(energy.tokensPerJoule, "tokens/J");
  return text;
}

} // namespace kiln::profile

//===- TuneOutput.cpp - What a search tried, as table, JSON and plot ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuneOutput.h"

#include <absl/strings/str_join.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace kiln::tool {
namespace {

double microseconds(std::uint64_t picoseconds) {
  return static_cast<double>(picoseconds) / 1e6;
}

std::string optionsOf(const TuneEntry &entry) {
  return entry.words.empty() ? "(as it is)" : absl::StrJoin(entry.words, " ");
}

/// Entries with a cost, the fastest first; equals as they were tried.
std::vector<const TuneEntry *> byTime(const TuneResult &result) {
  std::vector<const TuneEntry *> order;
  for (const TuneEntry &entry : result.entries)
    if (entry.cost)
      order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(),
                   [](const TuneEntry *a, const TuneEntry *b) {
                     return *a->cost < *b->cost;
                   });
  return order;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += c == '&'   ? "&amp;"
           : c == '<' ? "&lt;"
           : c == '>' ? "&gt;"
                      : std::string(1, c);
  return out;
}

} // namespace

std::string tuneTable(const TuneResult &result, std::size_t rows) {
  const std::vector<const TuneEntry *> order = byTime(result);
  const std::size_t refused = result.entries.size() - order.size();
  std::string out = fmt::format(
      "{} on {}: {} of {} points tried, {} refused\n", result.kernel,
      result.target, result.entries.size(),
      result.points ? std::to_string(*result.points) : "more than 2^64",
      refused);
  const tune::Cost &start = result.entries.front().cost;
  out += "          us    speed  options\n";
  for (const TuneEntry *entry : order) {
    if (rows-- == 0)
      break;
    const std::string speed =
        start ? fmt::format("{:.3f}", static_cast<double>(*start) /
                                          static_cast<double>(*entry->cost))
              : "-";
    out += fmt::format("{:12.3f} {:>8}  {}\n", microseconds(*entry->cost),
                       speed, optionsOf(*entry));
  }
  // One line per reason, with the first options that it refused.
  std::map<std::string, std::pair<std::size_t, const TuneEntry *>> reasons;
  for (const TuneEntry &entry : result.entries)
    if (!entry.cost)
      ++reasons.try_emplace(entry.refusal, 0, &entry).first->second.first;
  for (const auto &[reason, of] : reasons)
    out += fmt::format("refused {}, first {}: {}\n", of.first,
                       optionsOf(*of.second), reason);
  if (result.best)
    out += "best: " + result.command + "\n";
  return out;
}

std::string tuneJson(const TuneResult &result) {
  using json = nlohmann::ordered_json;
  json axes = json::array(), trials = json::array();
  for (const TuneAxis &axis : result.axes)
    axes.push_back({{"name", axis.name},
                    {"kind", axis.isPass ? "pass" : "parameter"},
                    {"values", axis.values}});
  for (const TuneEntry &entry : result.entries)
    trials.push_back(
        {{"options", entry.words},
         {"makespan_ns",
          entry.cost ? json(static_cast<double>(*entry.cost) / 1e3) : json()},
         {"refused", entry.cost ? json() : json(entry.refusal)}});
  const json out{{"kernel", result.kernel},
                 {"target", result.target},
                 {"axes", std::move(axes)},
                 {"points", result.points ? json(*result.points) : json()},
                 {"trials", std::move(trials)},
                 {"best", result.best ? json(*result.best) : json()}};
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string tunePlot(const TuneResult &result) {
  constexpr double width = 720, height = 320, left = 70, bottom = 40, top = 30;
  double most = 0;
  for (const TuneEntry &entry : result.entries)
    most = std::max(most, microseconds(entry.cost.value_or(0)));
  const auto count = static_cast<double>(result.entries.size());
  const auto x = [&](std::size_t i) {
    return left + (width - left - 10) * (static_cast<double>(i) + 0.5) / count;
  };
  const auto y = [&](double time) {
    return height - bottom -
           (most > 0 ? (height - bottom - top) * time / most : 0);
  };
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n"
      "<text x=\"{2}\" y=\"18\">{3} on {4}: microseconds by trial, and the "
      "best so far</text>\n",
      width, height, left, escaped(result.kernel), escaped(result.target));
  for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0})
    out += fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" "
                       "y2=\"{2:.1f}\" stroke=\"#ddd\"/><text x=\"{3}\" "
                       "y=\"{4:.1f}\" text-anchor=\"end\">{5:.4g}</text>\n",
                       left, width - 10, y(most * part), left - 6,
                       y(most * part) + 4, most * part);
  std::string steps;
  std::optional<double> fastest;
  for (std::size_t i = 0; i < result.entries.size(); ++i) {
    const TuneEntry &entry = result.entries[i];
    const bool isBest = result.best == i;
    const double time = microseconds(entry.cost.value_or(0));
    const std::string tip =
        escaped(optionsOf(entry)) + ": " +
        (entry.cost ? fmt::format("{:.3f} us", time) : escaped(entry.refusal));
    if (entry.cost)
      out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" "
                         "fill=\"{}\"><title>{}</title></circle>\n",
                         x(i), y(time), isBest ? 5 : 3,
                         isBest ? "#c0392b" : "#2d6cdf", tip);
    else
      out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" "
                         "text-anchor=\"middle\" fill=\"#888\">x<title>{}"
                         "</title></text>\n",
                         x(i), height - bottom + 14, tip);
    if (entry.cost && (!fastest || time < *fastest))
      fastest = time;
    if (fastest)
      steps += fmt::format("{:.1f},{:.1f} ", x(i), y(*fastest));
  }
  out += fmt::format("<polyline points=\"{}\" fill=\"none\" "
                     "stroke=\"#c0392b\"/>\n",
                     steps);
  out += fmt::format("<text x=\"{}\" y=\"{}\">{} trials; x: refused</text>\n",
                     left, height - 8, result.entries.size());
  return out + "</svg>\n";
}

} // namespace kiln::tool

//===- Comparison.cpp - Two profiles side by side ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/profile/comparison.h"

#include "Html.h"
#include "Json.h"
#include "report_files.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace kiln::profile {

using json = nlohmann::ordered_json;

namespace {

constexpr std::size_t shownRows = 8;

/// The core to look at: all of them have the keys that are compared.
const json &coreOf(const json &document) {
  const auto cores = document.find("cores");
  return cores == document.end()
             ? document
             : cores->at(document.at("busiest").get<std::size_t>());
}

bool isProfile(const json &document) {
  if (!document.is_object() || document.value("schema", "") != "kiln.profile")
    return false;
  // Version 1 had no number. What is compared means the same since.
  const json version = document.value("version", json(1));
  if (!version.is_number_unsigned() || version < 1 || version > schemaVersion)
    return false;
  const auto cores = document.find("cores");
  if (cores != document.end()) {
    const auto busiest = document.find("busiest");
    if (!cores->is_array() || busiest == document.end() ||
        !busiest->is_number_unsigned() || *busiest >= cores->size())
      return false;
  }
  const json &core = coreOf(document);
  return core.is_object() && core.value("makespan_ns", json()).is_number() &&
         core.value("engines", json()).is_object() &&
         core.value("lines", json()).is_array() &&
         core.value("scopes", json()).is_array() &&
         core.value("critical_path", json()).is_object();
}

using Times = std::map<std::string, double>;

Times numbersOf(const json &object) {
  Times times;
  for (const auto &[name, value] : object.items())
    if (value.is_number())
      times[name] = value;
  return times;
}

/// The critical time of each entry of `rows`, by its `key`.
Times criticalBy(const json &rows, const char *key) {
  Times times;
  for (const json &row : rows)
    if (row.is_object() && row.contains("sums"))
      times[row.value(key, "")] += row["sums"].value("critical_ns", 0.0);
  return times;
}

std::vector<Compared> joined(const Times &before, const Times &after) {
  std::map<std::string, Compared> all;
  for (const auto &[name, time] : before)
    all[name].before = time;
  for (const auto &[name, time] : after)
    all[name].after = time;
  std::vector<Compared> rows;
  for (auto &[name, row] : all)
    if (row.before != 0 || row.after != 0) {
      row.name = name;
      rows.push_back(row);
    }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Compared &a, const Compared &b) {
                     return std::abs(a.change()) > std::abs(b.change());
                   });
  return rows;
}

Times busyOf(const json &core) {
  Times times;
  for (const auto &[engine, values] : core.at("engines").items())
    times[engine] = values.value("busy_ns", 0.0);
  return times;
}

/// Joules by part, with those of all.
Times energyOf(const json &core) {
  const auto energy = core.find("energy");
  if (energy == core.end())
    return {};
  Times joules{{"all", energy->at("joules")},
               {"static", energy->at("static_joules")}};
  for (const json &item : energy->at("items"))
    joules[item.at("part")] += item.at("joules").get<double>();
  return joules;
}

/// Of each of `rows` that is a line of one of the document's sources, its text.
std::map<std::string, std::string> textsOf(const json &document,
                                           const std::vector<Compared> &rows) {
  std::map<std::string, std::vector<std::string>> files;
  if (const auto sources = document.find("sources"); sources != document.end())
    for (const auto &[file, text] : sources->items())
      files[file] = absl::StrSplit(text.get<std::string>(), '\n');
  std::map<std::string, std::string> texts;
  for (const Compared &row : rows) {
    const std::size_t colon = row.name.rfind(':');
    const auto file = files.find(row.name.substr(0, colon));
    std::size_t line = 0;
    if (colon != std::string::npos && file != files.end() &&
        absl::SimpleAtoi(row.name.substr(colon + 1), &line) && line > 0 &&
        line <= file->second.size())
      texts[row.name] = file->second[line - 1];
  }
  return texts;
}

std::optional<json> parsed(const std::string &text) {
  json document = json::parse(text, nullptr, false);
  try {
    if (!document.is_discarded() && isProfile(document))
      return document;
  } catch (const json::exception &) { // A value of another type.
  }
  return std::nullopt;
}

std::string titleOf(const json &document) {
  const std::string command = document.value("command", "");
  return command.empty() ? document.value("kernel", "") : command;
}

/// By name: the kernel, the target and so on, and each parameter.
std::map<std::string, std::string> settingsOf(const json &document) {
  std::map<std::string, std::string> settings;
  for (const char *key :
       {"kernel", "target", "kiln_version", "ranks", "cores_of_rank"})
    if (const auto value = document.find(key); value != document.end())
      settings[key] =
          value->is_string() ? value->get<std::string>() : value->dump();
  for (const json &parameter : document.value("parameters", json::array()))
    settings["--" + parameter.at(0).get<std::string>()] = parameter.at(1);
  return settings;
}

std::vector<Setting> differing(const json &first, const json &second) {
  const auto before = settingsOf(first), after = settingsOf(second);
  std::map<std::string, Setting> all;
  for (const auto &[name, value] : before)
    all[name].before = value;
  for (const auto &[name, value] : after)
    all[name].after = value;
  std::vector<Setting> settings;
  for (auto &[name, setting] : all)
    if (setting.before != setting.after)
      settings.push_back({name, setting.before, setting.after});
  return settings;
}

json comparedJson(const Compared &row, const std::string &unit = "ns") {
  return {{"name", row.name},
          {"before_" + unit, row.before},
          {"after_" + unit, row.after},
          {"change_" + unit, row.change()}};
}

json comparedJson(const std::vector<Compared> &rows,
                  const std::string &unit = "ns") {
  json out = json::array();
  for (const Compared &row : rows)
    out.push_back(comparedJson(row, unit));
  return out;
}

json comparisonJson(const Comparison &comparison) {
  json settings = json::array();
  for (const Setting &one : comparison.settings)
    settings.push_back(
        {{"name", one.name}, {"before", one.before}, {"after", one.after}});
  return {{"before", comparison.before},
          {"after", comparison.after},
          {"settings", std::move(settings)},
          {"makespan", comparedJson(comparison.makespan)},
          {"engines", comparedJson(comparison.engines)},
          {"reasons", comparedJson(comparison.reasons)},
          {"lines", comparedJson(comparison.lines)},
          {"scopes", comparedJson(comparison.scopes)},
          {"energy", comparedJson(comparison.energy, "joules")}};
}

/// `size`: of what is shown, in what the rows have.
std::string tableOf(std::string_view title, const std::vector<Compared> &rows,
                    std::string_view unit = "us", double size = 1000) {
  std::string out =
      fmt::format("\n  {:<44} {:>8} {} {:>8} {} {:>8} {}\n", title, "before",
                  unit, "after", unit, "change", unit);
  for (std::size_t i = 0; i < std::min(shownRows, rows.size()); ++i)
    out += fmt::format("  {:<44} {:>11.2f} {:>11.2f} {:>+11.2f}\n",
                       rows[i].name.empty() ? "(none)" : rows[i].name,
                       rows[i].before / size, rows[i].after / size,
                       rows[i].change() / size);
  return out;
}

Comparison compared(const json &first, const json &second) {
  const json &a = coreOf(first), &b = coreOf(second);
  Comparison made;
  made.before = titleOf(first);
  made.after = titleOf(second);
  made.settings = differing(first, second);
  made.makespan = {"makespan", a.at("makespan_ns"), b.at("makespan_ns")};
  made.engines = joined(busyOf(a), busyOf(b));
  const auto reasonsOf = [](const json &core) {
    return numbersOf(
        core.at("critical_path").value("by_reason", json::object()));
  };
  made.reasons = joined(reasonsOf(a), reasonsOf(b));
  made.lines = joined(criticalBy(a.at("lines"), "source"),
                      criticalBy(b.at("lines"), "source"));
  made.scopes = joined(criticalBy(a.at("scopes"), "scope"),
                       criticalBy(b.at("scopes"), "scope"));
  made.beforeTexts = textsOf(first, made.lines);
  made.afterTexts = textsOf(second, made.lines);
  if (a.contains("energy") && b.contains("energy"))
    made.energy = joined(energyOf(a), energyOf(b));
  return made;
}

} // namespace

isa::Expected<Comparison> compareProfiles(const std::string &before,
                                          const std::string &after) {
  const std::optional<json> first = parsed(before), second = parsed(after);
  if (!first || !second)
    return isa::makeError(
        "KILN-T049",
        fmt::format("the {} one is no JSON that [|kiln profile --json|] wrote, "
                    "or of a version after [|{}|]",
                    first ? "second" : "first", schemaVersion));
  try {
    return compared(*first, *second);
  } catch (const json::exception &) { // A value of another type.
    return isa::makeError("KILN-T049",
                          "one of the two is no JSON that [|kiln profile "
                          "--json|] wrote");
  }
}

std::string toTable(const Comparison &comparison) {
  const Compared &whole = comparison.makespan;
  std::string out = fmt::format("before  {}\nafter   {}\n", comparison.before,
                                comparison.after);
  const auto shown = [](const std::string &value) {
    return value.empty() ? std::string("none") : value;
  };
  for (const Setting &one : comparison.settings)
    out += fmt::format("  {}  {} to {}\n", one.name, shown(one.before),
                       shown(one.after));
  out += fmt::format("  makespan  {:.2f} us to {:.2f} us, {:+.1f} %\n",
                     whole.before / 1000, whole.after / 1000,
                     100 * whole.change() / std::max(1e-3, whole.before));
  out += tableOf("engine, busy", comparison.engines);
  out += tableOf("critical path by reason", comparison.reasons);
  out += tableOf("critical path by line", comparison.lines);
  out += tableOf("critical path by scope", comparison.scopes);
  if (!comparison.energy.empty())
    out += tableOf("energy, an estimate", comparison.energy, "uJ", 1e-6);
  return out;
}

std::string toJson(const Comparison &comparison) {
  return dumped(comparisonJson(comparison), 1) + "\n";
}

std::string toHtml(const Comparison &comparison,
                   const std::optional<PageData> &before,
                   const std::optional<PageData> &after) {
  json head = comparisonJson(comparison);
  head["before_texts"] = comparison.beforeTexts;
  head["after_texts"] = comparison.afterTexts;
  const std::string data = dumped(head);
  const PageData none{"null", ""};
  const PageData &first = before ? *before : none,
                 &second = after ? *after : none;
  return pageFrom(
      files::comparison_html,
      fmt::format("{} against {}", comparison.after, comparison.before),
      {{"head", data},
       {"before.head", first.head},
       {"before.columns", first.columns},
       {"after.head", second.head},
       {"after.columns", second.columns}});
}

} // namespace kiln::profile

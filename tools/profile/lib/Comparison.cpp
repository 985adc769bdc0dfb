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
#include "kiln/isa/scopes.h"
#include "report_files.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>

namespace kiln::profile {

using json = nlohmann::ordered_json;

namespace {

constexpr std::size_t shownRows = 8;

/// The core to compare: all of them have the keys that are compared.
const json &coreOf(const json &document) {
  const auto cores = document.find("cores");
  return cores == document.end()
             ? document
             : cores->at(document.at("busiest").get<std::size_t>());
}

/// Why the document is not a readable profile; empty if it is.
std::string whyNoProfile(const json &document) {
  const std::string written = "[|kiln profile --json|]";
  const auto schema =
      document.is_object() ? document.find("schema") : document.end();
  if (!document.is_object() || schema == document.end())
    return "it is JSON, but " + written + " did not write it";
  if (*schema != "kiln.profile")
    return fmt::format("its schema is <|{}|>, but that of {} is kiln.profile",
                       schema->dump(), written);
  // Version 1 had no number. The compared values have not changed their meaning
  // since.
  const json version = document.value("version", json(1u));
  if (!version.is_number_unsigned() || version < 1)
    return fmt::format("its version <|{}|> is not a number of at least 1",
                       version.dump());
  if (version > schemaVersion)
    return fmt::format("it has version <|{}|> of its schema, but this kiln "
                       "reads versions up to [|{}|]",
                       version.dump(), schemaVersion);
  const auto cores = document.find("cores");
  if (cores != document.end()) {
    const auto busiest = document.find("busiest");
    if (!cores->is_array() || busiest == document.end() ||
        !busiest->is_number_unsigned() || *busiest >= cores->size())
      return "its 'cores' and 'busiest' do not fit";
  }
  const json &core = coreOf(document);
  if (!core.is_object())
    return "a core is not an object";
  constexpr std::pair<const char *, json::value_t> needed[] = {
      {"engines", json::value_t::object},
      {"lines", json::value_t::array},
      {"scopes", json::value_t::array},
      {"critical_path", json::value_t::object}};
  if (!core.value("makespan_ns", json()).is_number())
    return "it lacks the number '<|makespan_ns|>'";
  for (const auto &[key, type] : needed)
    if (core.value(key, json()).type() != type)
      return fmt::format("it lacks '<|{}|>'", key);
  return {};
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
template <class TextOf>
Times criticalBy(const json &rows, const char *key, TextOf textOf) {
  Times times;
  for (const json &row : rows)
    if (row.is_object() && row.contains("sums"))
      times[textOf(row.value(key, ""))] +=
          row["sums"].value("critical_ns", 0.0);
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

/// Fails with its first error.
isa::Expected<json> parsed(const Side &side) {
  std::string why;
  json document;
  try {
    document = json::parse(side.text);
    why = whyNoProfile(document);
  } catch (const json::parse_error &error) {
    why = side.text.empty()
              ? "it is empty"
              : fmt::format("it is not JSON: wrong at byte {} of {}",
                            error.byte, side.text.size());
  } catch (const json::exception &) { // A value of another type.
    why = "a value has another type than [|kiln profile --json|] gives it";
  }
  if (why.empty())
    return document;
  return isa::makeError(
      "KILN-T049", fmt::format("{} cannot be compared: {}", side.name, why));
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

/// Of what is shown, in what the rows have.
struct Unit {
  std::string_view name;
  double size;
};

/// The largest unit of which `most` has at least one.
Unit unitFor(double most, std::span<const Unit> units) {
  for (const Unit &unit : units)
    if (std::abs(most) >= unit.size)
      return unit;
  return units.back();
}

/// Each value has its own unit: a table has the very small and the very large.
std::string tableOf(std::string_view title, const std::vector<Compared> &rows,
                    std::span<const Unit> units) {
  const auto text = [&](double value, bool isChange) {
    if (value == 0)
      return std::string("0");
    const auto [unit, size] = unitFor(value, units);
    return isChange ? fmt::format("{:+.2f} {}", value / size, unit)
                    : fmt::format("{:.2f} {}", value / size, unit);
  };
  std::string out = fmt::format("\n  {:<44} {:>11} {:>11} {:>11}\n", title,
                                "before", "after", "change");
  for (std::size_t i = 0; i < std::min(shownRows, rows.size()); ++i)
    out += fmt::format("  {:<44} {:>11} {:>11} {:>11}\n",
                       rows[i].name.empty() ? "(none)" : rows[i].name,
                       text(rows[i].before, false), text(rows[i].after, false),
                       text(rows[i].change(), true));
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
  const auto asItIs = [](const std::string &text) { return text; };
  made.lines = joined(criticalBy(a.at("lines"), "source", asItIs),
                      criticalBy(b.at("lines"), "source", asItIs));
  made.scopes = joined(criticalBy(a.at("scopes"), "scope", isa::scopesText),
                       criticalBy(b.at("scopes"), "scope", isa::scopesText));
  made.beforeTexts = textsOf(first, made.lines);
  made.afterTexts = textsOf(second, made.lines);
  if (a.contains("energy") && b.contains("energy"))
    made.energy = joined(energyOf(a), energyOf(b));
  return made;
}

} // namespace

isa::Expected<Comparison> compareProfiles(const Side &before,
                                          const Side &after) {
  const isa::Expected<json> first = parsed(before), second = parsed(after);
  if (!first)
    return first.error();
  if (!second)
    return second.error();
  try {
    return compared(*first, *second);
  } catch (const json::exception &) { // Deep inside.
    return isa::makeError(
        "KILN-T049",
        fmt::format("{} and {} cannot be compared: in one of them, a value has "
                    "another type than [|kiln profile --json|] gives it",
                    before.name, after.name));
  }
}

namespace {

/// "+12.3 %", or a text if a percentage would mislead.
std::string changeText(const Compared &row) {
  constexpr double many = 10;
  if (row.before <= 0)
    return row.after > 0 ? "was 0" : "no change";
  if (row.after >= many * row.before)
    return fmt::format("{:.3g} times as long", row.after / row.before);
  return fmt::format("{:+.1f} %", 100 * row.change() / row.before);
}

/// Times of the rows in ns, energies in joules.
constexpr Unit timeUnits[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
constexpr Unit energyUnits[] = {
    {"J", 1}, {"mJ", 1e-3}, {"uJ", 1e-6}, {"nJ", 1e-9}, {"pJ", 1e-12}};

} // namespace

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
  const auto [unit, size] =
      unitFor(std::max(whole.before, whole.after), timeUnits);
  out += fmt::format("  makespan  {:.2f} {} to {:.2f} {}, {}\n",
                     whole.before / size, unit, whole.after / size, unit,
                     changeText(whole));
  out += tableOf("engine, busy", comparison.engines, timeUnits);
  out += tableOf("critical path by reason", comparison.reasons, timeUnits);
  out += tableOf("critical path by line", comparison.lines, timeUnits);
  out += tableOf("critical path by scope", comparison.scopes, timeUnits);
  if (!comparison.energy.empty())
    out += tableOf("energy, an estimate", comparison.energy, energyUnits);
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

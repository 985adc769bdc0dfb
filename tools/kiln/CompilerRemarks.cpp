//===- CompilerRemarks.cpp - What the compiler did and declined -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerRemarks.h"

#include "Messages.h"
#include "kiln/tool/line_diff.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <iostream>

namespace kiln::tool {
namespace {

using json = nlohmann::ordered_json;

/// A number where it is one.
json wholeNumberOr(const std::string &text) {
  std::int64_t number = 0;
  const char *end = text.data() + text.size();
  if (std::from_chars(text.data(), end, number).ptr == end && !text.empty())
    return number;
  return text;
}

json toJson(const compiler::CompileRemark &remark) {
  json values = json::object();
  for (const compiler::CompileRemark::Value &value : remark.values)
    values[value.key] = wholeNumberOr(value.value);
  return {{"severity", "remark"},
          {"pass", remark.pass},
          {"name", remark.name},
          {"kind", compiler::name(remark.kind)},
          {"text", remark.text},
          {"place", placeOf(remark.file, remark.line, 0)},
          {"values", std::move(values)},
          {"times", remark.times}};
}

json toJson(const compiler::PassStatistic &statistic) {
  json sums = json::object();
  for (const auto &[key, sum] : statistic.sums)
    sums[key] = sum;
  return {{"severity", "statistic"},
          {"pass", statistic.pass},
          {"name", statistic.name},
          {"times", statistic.times},
          {"sums", std::move(sums)}};
}

void tellLine(const json &line) {
  std::cerr << line.dump(-1, ' ', false, json::error_handler_t::replace)
            << "\n";
}

} // namespace

void tellRemarks(const std::vector<compiler::CompileRemark> &remarks,
                 const std::string &pass) {
  for (const compiler::CompileRemark &remark : remarks) {
    if (!pass.empty() && remark.pass != pass)
      continue;
    if (tellsJson())
      tellLine(toJson(remark));
    else
      std::cerr << remark.str() << "\n";
  }
}

std::string remarksAsJson(const std::vector<compiler::CompileRemark> &remarks) {
  json all = json::array();
  for (const compiler::CompileRemark &remark : remarks)
    all.push_back(toJson(remark));
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string passesAsJson(const KeptPasses &kept) {
  const auto &[passes, stages, remarks] = kept;
  const auto statistics = compiler::statisticsOf(remarks);
  json all = json::array();
  std::string before;
  // Passes ran in the order of their stages; emission follows them.
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const compiler::PassIr &pass = passes[i];
    const LineDiff diff = diffOfIr(before, pass.text);
    json told = json::array();
    for (const compiler::PassStatistic &one : statistics)
      if (one.pass == pass.name) {
        json sums = json::object();
        for (const auto &[key, sum] : one.sums)
          sums[key] = sum;
        told.push_back({{"remark", one.name},
                        {"times", one.times},
                        {"sums", std::move(sums)}});
      }
    all.push_back(
        {{"name", pass.name},
         {"ms", i < stages.size() ? 1000 * stages[i].seconds : 0},
         {"lines", std::count(pass.text.begin(), pass.text.end(), '\n')},
         {"added", diff.added},
         {"removed", diff.removed},
         {"statistics", std::move(told)},
         {"diff", diff.text}});
    before = pass.text;
  }
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string linesAsJson(const std::vector<compiler::IrLine> &lines) {
  json all = json::array();
  for (const compiler::IrLine &one : lines)
    all.push_back({{"text", one.text}, {"file", one.file}, {"line", one.line}});
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

void tellStatistics(const std::vector<compiler::PassStatistic> &statistics) {
  if (tellsJson()) {
    for (const compiler::PassStatistic &statistic : statistics)
      tellLine(toJson(statistic));
    return;
  }
  std::size_t passWidth = 4, nameWidth = 6;
  for (const compiler::PassStatistic &statistic : statistics) {
    passWidth = std::max(passWidth, statistic.pass.size());
    nameWidth = std::max(nameWidth, statistic.name.size());
  }
  std::string table = fmt::format("{:>8}  {:{}}  {:{}}  sums\n", "times",
                                  "pass", passWidth, "remark", nameWidth);
  for (const compiler::PassStatistic &statistic : statistics) {
    std::string sums;
    for (const auto &[key, sum] : statistic.sums)
      sums += fmt::format("{}{} {}", sums.empty() ? "  " : ", ", key, sum);
    table += fmt::format(
        "{:>8}  {:{}}  {}\n", statistic.times, statistic.pass, passWidth,
        sums.empty() ? statistic.name
                     : fmt::format("{:{}}{}", statistic.name, nameWidth, sums));
  }
  std::cerr << table;
}

} // namespace kiln::tool

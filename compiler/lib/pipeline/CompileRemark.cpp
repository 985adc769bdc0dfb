//===- CompileRemark.cpp - Remarks as text and in numbers -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/compile.h"

#include <algorithm>
#include <charconv>

using namespace kiln::compiler;

std::string_view kiln::compiler::name(RemarkKind kind) {
  switch (kind) {
  case RemarkKind::passed:
    return "passed";
  case RemarkKind::missed:
    return "missed";
  case RemarkKind::analysis:
    return "analysis";
  }
  return "";
}

std::string CompileRemark::str() const {
  std::string result;
  if (!file.empty())
    result = file + ":" + std::to_string(line) + ": ";
  result += "remark: " + text;
  if (times > 1)
    result += " (" + std::to_string(times) + " times)";
  return result + " [" + pass + ": " + name + "]";
}

std::vector<PassStatistic>
kiln::compiler::statisticsOf(const std::vector<CompileRemark> &remarks) {
  std::vector<PassStatistic> statistics;
  for (const CompileRemark &remark : remarks) {
    auto row = std::find_if(
        statistics.begin(), statistics.end(), [&](const PassStatistic &other) {
          return other.pass == remark.pass && other.name == remark.name;
        });
    if (row == statistics.end())
      row = statistics.insert(row, {remark.pass, remark.name});
    row->times += remark.times;
    for (const CompileRemark::Value &value : remark.values) {
      std::int64_t number = 0;
      const char *end = value.value.data() + value.value.size();
      if (!value.isSum ||
          std::from_chars(value.value.data(), end, number).ptr != end)
        continue;
      auto sum = std::find_if(
          row->sums.begin(), row->sums.end(),
          [&](const auto &other) { return other.first == value.key; });
      if (sum == row->sums.end())
        sum = row->sums.insert(sum, {value.key, 0});
      sum->second += number * static_cast<std::int64_t>(remark.times);
    }
  }
  return statistics;
}

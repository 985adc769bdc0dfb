//===- Cases.cpp - Reads cases.txt ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "kiln/kernels/library.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace kiln::test {
namespace {

Distribution distributionOf(const std::string &name) {
  if (name == "normal")
    return Distribution::normal;
  if (name == "large-logits")
    return Distribution::largeLogits;
  if (name == "large-mean")
    return Distribution::largeMean;
  if (name == "hot-row")
    return Distribution::hotRow;
  if (name == "constant")
    return Distribution::constant;
  if (name == "outliers")
    return Distribution::outliers;
  if (name == "nan")
    return Distribution::nan;
  if (name == "infinity")
    return Distribution::infinity;
  if (name == "minus-infinity")
    return Distribution::minusInfinity;
  if (name == "nan-row")
    return Distribution::nanRow;
  throw std::runtime_error("there are no inputs '" + name + "'");
}

std::optional<CaseKind> kindOf(const std::string &word) {
  if (word == "small")
    return CaseKind::small;
  if (word == "real")
    return CaseKind::real;
  if (word == "exact")
    return CaseKind::exact;
  return std::nullopt;
}

void apply(Case &made, const std::string &key, const std::string &value) {
  made.text += " " + key + "=" + value;
  if (key.starts_with("--"))
    made.parameters[key.substr(2)] = value;
  else if (key == "target")
    made.target = value;
  else if (key == "inputs")
    made.distribution = distributionOf(value);
  else if (key == "ranks")
    made.ranks = static_cast<unsigned>(std::stoul(value));
  else if (key == "cores")
    made.cores = static_cast<unsigned>(std::stoul(value));
  else if (key == "tolerance")
    made.tolerance = std::stod(value);
  else
    throw std::runtime_error("there is no word '" + key + "'");
}

/// One case for each value of each word.
std::vector<Case> expand(const std::string &kernel, const std::string &line) {
  std::istringstream words(line);
  std::string word;
  words >> word;
  if (word == "source" || word == "measured" || word == "timed" ||
      word == "nightly" || word == "parts")
    return {};
  const std::optional<CaseKind> kind = kindOf(word);
  if (!kind)
    throw std::runtime_error("a case is small, real, exact, source, measured, "
                             "timed, nightly or parts, found '" +
                             word + "'");
  Case first;
  first.kernel = first.text = kernel;
  first.kind = *kind;
  std::vector<Case> cases{first};
  while (words >> word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      throw std::runtime_error("'" + word + "' is not NAME=VALUE");
    std::vector<Case> more;
    for (const Case &sofar : cases) {
      std::istringstream values(word.substr(equals + 1));
      for (std::string value; std::getline(values, value, ',');) {
        more.push_back(sofar);
        apply(more.back(), word.substr(0, equals), value);
      }
    }
    cases = std::move(more);
  }
  for (Case &made : cases)
    for (auto &[name, value] : made.parameters)
      if (value == "RANKS")
        value = std::to_string(made.ranks);
  return cases;
}

} // namespace

std::vector<Case> readCases(const std::string &kernel,
                            const std::string &path) {
  std::ifstream file(path);
  std::vector<Case> cases;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    line.resize(std::min(line.find('#'), line.size()));
    if (line.find_first_not_of(" \t") == std::string::npos)
      continue;
    try {
      for (Case &made : expand(kernel, line))
        cases.push_back(std::move(made));
    } catch (const std::exception &error) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " +
                               error.what());
    }
  }
  if (cases.empty())
    throw std::runtime_error(path + ": no cases");
  return cases;
}

std::vector<Case> casesOf(CaseKind kind) {
  std::vector<Case> all;
  for (const KernelEntry *kernel : kernels::library()) {
    std::string path;
    for (const auto &family :
         std::filesystem::directory_iterator(KILN_KERNELS_FOLDER))
      if (const auto file = family.path() / kernel->name / "cases.txt";
          std::filesystem::exists(file))
        path = file.string();
    if (path.empty())
      throw std::runtime_error(std::string(kernel->name) + ": no cases.txt");
    for (Case &made : readCases(kernel->name, path))
      if (made.kind == kind)
        all.push_back(std::move(made));
  }
  return all;
}

} // namespace kiln::test

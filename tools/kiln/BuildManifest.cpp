//===- BuildManifest.cpp - What a cached file was made from ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuildManifest.h"

#include "kiln/tool/failure.h"
#include "kiln/tool/files.h"
#include "kiln/tool/sha256.h"

#include <sstream>

namespace fs = std::filesystem;

namespace kiln::tool {

std::optional<std::string> tryRead(const fs::path &path) {
  try {
    return readTextFile(path);
  } catch (const Failure &) {
    return std::nullopt;
  }
}

std::vector<std::string> parseDependencies(const std::string &rule) {
  std::vector<std::string> files;
  std::size_t at = rule.find(": ");
  std::string file;
  auto flush = [&] {
    if (!file.empty())
      files.push_back(std::move(file));
    file.clear();
  };
  for (at = at == std::string::npos ? rule.size() : at + 1; at < rule.size();
       ++at) {
    char c = rule[at];
    if (c == '\\' && at + 1 < rule.size()) {
      char next = rule[++at];
      if (next == '\n')
        flush();
      else
        file += next; // An escaped blank or backslash.
    } else if (c == '$' && at + 1 < rule.size() && rule[at + 1] == '$') {
      file += rule[++at];
    } else if (c == ' ' || c == '\n') {
      flush();
    } else {
      file += c;
    }
  }
  flush();
  return files;
}

std::optional<std::string> manifestOf(const std::vector<std::string> &files) {
  std::string manifest;
  for (const std::string &file : files) {
    std::optional<std::string> text = tryRead(file);
    if (!text)
      return std::nullopt;
    manifest += sha256(*text) + " " + file + "\n";
  }
  return manifest;
}

std::vector<std::string> filesOf(const std::string &manifest) {
  std::vector<std::string> files;
  std::istringstream lines(manifest);
  for (std::string line; std::getline(lines, line);)
    files.push_back(line.substr(65));
  return files;
}

bool stillHolds(const std::string &manifest) {
  std::istringstream lines(manifest);
  for (std::string line; std::getline(lines, line);) {
    if (line.size() < 66)
      return false;
    std::optional<std::string> text = tryRead(line.substr(65));
    if (!text || sha256(*text) != line.substr(0, 64))
      return false;
  }
  return !manifest.empty();
}

std::optional<std::pair<std::string, std::string>>
splitManifest(const std::string &kept) {
  const std::size_t end = kept.find('\n');
  if (end == std::string::npos)
    return std::nullopt;
  return std::pair(kept.substr(0, end + 1), kept.substr(end + 1));
}

} // namespace kiln::tool

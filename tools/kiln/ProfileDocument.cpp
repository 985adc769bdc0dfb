//===- ProfileDocument.cpp - What ran, and what the compiler did ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileDocument.h"

#include "BuildPaths.h"
#include "CompilerRemarks.h"
#include "ScheduleOutput.h"
#include "Version.h"

#include "kiln/tool/files.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_split.h>

#include <filesystem>
#include <set>

namespace kiln::tool {
namespace {

/// A kernel of the library is named from the folder that holds Kiln's sources;
/// the folders of its headers lie in there.
std::optional<std::filesystem::path> findSource(const std::string &file) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored))
    return file;
  const std::vector<std::string> folders =
      absl::StrSplit(buildIncludeFolders, ';');
  for (const std::string &folder : folders)
    for (std::filesystem::path at = folder; at.has_relative_path();
         at = at.parent_path())
      if (std::filesystem::is_regular_file(at / file, ignored))
        return at / file;
  return std::nullopt;
}

std::map<std::string, std::string>
sourcesOf(const std::vector<isa::Module> &cores) {
  std::set<std::string> names;
  for (const isa::Module &module : cores)
    for (const isa::SourceLocation &place : module.locations)
      if (!place.file.empty())
        names.insert(place.file);
  std::map<std::string, std::string> sources;
  for (const std::string &name : names)
    if (const auto path = findSource(name))
      sources.emplace(name, readTextFile(*path));
  return sources;
}

} // namespace

std::string sourceLine(const std::string &file, std::uint32_t line) {
  const auto path = file.empty() ? std::nullopt : findSource(file);
  if (!path || line == 0)
    return {};
  const std::vector<std::string> lines =
      absl::StrSplit(readTextFile(*path), '\n');
  if (line > lines.size())
    return {};
  std::string text = lines[line - 1];
  absl::StripAsciiWhitespace(&text);
  return text;
}

profile::Document describe(const ModuleInput &input, const CommandLine &line) {
  profile::Document document;
  document.version = versionText();
  document.command = line.text;
  document.sources = sourcesOf(input.cores);
  if (!input.schedules.empty()) {
    document.compiler["schedule"] =
        scheduleAsJson({input.module().kernel, std::string(input.target.name),
                        input.schedules});
    document.compiler["remarks"] = remarksAsJson(input.remarks);
    const auto of = [](std::string key, std::size_t core) {
      return core == 0 ? key : key + "_of_core_" + std::to_string(core);
    };
    for (std::size_t core = 0; core < input.passes.size(); ++core)
      document.compiler[of("passes", core)] = passesAsJson(input.passes[core]);
    for (std::size_t core = 0; core < input.ncLines.size(); ++core)
      document.compiler[of("nc_ir", core)] = linesAsJson(input.ncLines[core]);
  }
  return document;
}

} // namespace kiln::tool

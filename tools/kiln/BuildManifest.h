//===- BuildManifest.h - What a cached file was made from -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A manifest is kept beside each cached file: a first line that says what the
// file must hold, then "digest path" lines: what it was made from.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_BUILDMANIFEST_H
#define KILN_TOOLS_KILN_BUILDMANIFEST_H

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kiln::tool {

/// Nothing if the file cannot be read.
std::optional<std::string> tryRead(const std::filesystem::path &path);

/// The prerequisites in a make rule `target: a b\<newline> c`.
std::vector<std::string> parseDependencies(const std::string &rule);

/// The lines for these files; nothing if one cannot be read.
std::optional<std::string> manifestOf(const std::vector<std::string> &files);
std::vector<std::string> filesOf(const std::string &manifest);
/// All of the files have the same content.
bool stillHolds(const std::string &manifest);

/// The first line of a kept manifest and the rest; nothing if it is not one.
std::optional<std::pair<std::string, std::string>>
splitManifest(const std::string &kept);

/// Removed on every way out; a compiler that fails leaves nothing behind.
struct ScratchFiles {
  ~ScratchFiles() {
    std::error_code ignored;
    for (const std::filesystem::path &file : files)
      std::filesystem::remove(file, ignored);
  }
  std::vector<std::filesystem::path> files;
};

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_BUILDMANIFEST_H

//===- files.h - Whole files, read and written safely -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOL_FILES_H
#define KILN_TOOL_FILES_H

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::tool {

/// The file's bytes, or a Failure (KILN-T001).
std::vector<std::uint8_t> readFile(const std::filesystem::path &path);
std::string readTextFile(const std::filesystem::path &path);

/// Parts of a regular file, without the rest of it. Failure KILN-T001 if it
/// cannot be read.
class FileParts {
public:
  explicit FileParts(const std::filesystem::path &path);
  FileParts(const FileParts &) = delete;
  FileParts &operator=(const FileParts &) = delete;
  ~FileParts();
  std::uint64_t size() const { return bytes; }
  /// Fewer bytes than `count` at the end of the file.
  std::vector<std::uint8_t> read(std::uint64_t begin, std::uint64_t count);

private:
  std::filesystem::path path;
  int file;
  std::uint64_t bytes = 0;
};

/// Failure KILN-T002 if there is no such folder, or nothing may be written in
/// it: told before the work whose result is to be written.
void checkWritable(const std::filesystem::path &path);

/// Writes beside `path` and renames, so that a reader or an interrupted run
/// never sees half a file. Failure KILN-T002 if that cannot be done.
void writeFile(const std::filesystem::path &path,
               std::span<const std::uint8_t> bytes);
void writeTextFile(const std::filesystem::path &path, std::string_view text);

} // namespace kiln::tool

#endif // KILN_TOOL_FILES_H

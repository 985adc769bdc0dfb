//===- KernelBuild.cpp - From a user's .cpp to a shared library ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuild.h"

#include "BuildPaths.h"
#include "Messages.h"
#include "Progress.h"
#include "Version.h"

#include "kiln/tool/failure.h"
#include "kiln/tool/files.h"
#include "kiln/tool/sha256.h"
#include "kiln/tool/subprocess.h"

#include <cstdlib>
#include <optional>
#include <sstream>
#include <unistd.h>

namespace fs = std::filesystem;

namespace kiln::tool {
namespace {

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// $CXX split at blanks ("ccache g++"), else the system's compiler.
std::vector<std::string> compilerWords() {
  std::istringstream text(environment("CXX"));
  std::vector<std::string> words;
  for (std::string word; text >> word;)
    words.push_back(word);
  if (words.empty())
    words.push_back("c++");
  return words;
}

std::optional<std::string> tryRead(const fs::path &path) {
  try {
    return readTextFile(path);
  } catch (const Failure &) {
    return std::nullopt;
  }
}

/// The prerequisites in a make rule `target: a b\<newline> c`.
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

/// "digest path" lines: what the library was made from.
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

/// The first line of a kept manifest: what the library must hold. A library
/// that was cut short must not be loaded.
std::string libraryLine(const std::string &library) {
  return sha256(library) + " library\n";
}

/// Splits a kept manifest; none if it is not one.
std::optional<std::pair<std::string, std::string>>
splitManifest(const std::string &kept) {
  const std::size_t end = kept.find('\n');
  if (end == std::string::npos)
    return std::nullopt;
  return std::pair(kept.substr(0, end + 1), kept.substr(end + 1));
}

std::string libraryName(const std::string &key, const std::string &manifest) {
  Sha256 hash;
  hash.field(key);
  hash.field(manifest);
  return hash.finish() + ".so";
}

/// Removed on every way out; a compiler that fails leaves nothing behind.
struct ScratchFiles {
  ~ScratchFiles() {
    std::error_code ignored;
    for (const fs::path &file : files)
      fs::remove(file, ignored);
  }
  std::vector<fs::path> files;
};

} // namespace

fs::path cacheFolder() {
  if (std::string folder = environment("KILN_CACHE_DIR"); !folder.empty())
    return folder;
  if (std::string folder = environment("XDG_CACHE_HOME"); !folder.empty())
    return fs::path(folder) / "kiln";
  if (std::string home = environment("HOME"); !home.empty())
    return fs::path(home) / ".cache" / "kiln";
  return fs::temp_directory_path() / ("kiln-" + std::to_string(::getuid()));
}

std::vector<std::string> headerFolders() {
  std::error_code failed;
  fs::path tool = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    fs::path beside = tool.parent_path().parent_path() / "include";
    if (fs::exists(beside / "kiln" / "program.h"))
      return {beside.string()};
  }
  std::vector<std::string> folders;
  std::istringstream list(buildIncludeFolders);
  for (std::string folder; std::getline(list, folder, ';');)
    if (!folder.empty())
      folders.push_back(folder);
  return folders;
}

BuiltKernel buildKernel(const std::string &source, bool useCache) {
  // The name goes into source locations, so it stays as the user wrote it.
  readTextFile(source); // A missing file is told as such.
  std::vector<std::string> words = compilerWords();
  std::vector<std::string> ask = words;
  ask.push_back("--version");
  const std::string compilerVersion = runProcess(ask).output;

  for (const char *flag :
       {"-std=c++20", "-O1", "-fPIC", "-shared", "-ffp-contract=off", "-Wall"})
    words.push_back(flag);
  // Else one process takes static members of two files for the same if their
  // names are: two versions of a kernel would be one.
  if (compilerVersion.find("Free Software Foundation") != std::string::npos)
    words.push_back("-fno-gnu-unique");
  for (const std::string &folder : headerFolders()) {
    words.push_back("-I");
    words.push_back(folder);
  }

  Sha256 keyHash;
  keyHash.field(versionText());
  keyHash.field(compilerVersion);
  for (const std::string &word : words)
    keyHash.field(word);
  keyHash.field(source);
  keyHash.field(fs::absolute(source).string());
  const std::string key = keyHash.finish();

  const fs::path folder = cacheFolder();
  const fs::path manifestPath = folder / (key + ".manifest");
  if (useCache) {
    const auto kept = splitManifest(tryRead(manifestPath).value_or(""));
    if (kept && stillHolds(kept->second)) {
      fs::path library = folder / libraryName(key, kept->second);
      if (const auto bytes = tryRead(library);
          bytes && libraryLine(*bytes) == kept->first)
        return {library, true, filesOf(kept->second)};
    }
  }

  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw Failure("KILN-T002", "cannot make the cache folder '" +
                                   folder.string() + "': " + failed.message() +
                                   "; set KILN_CACHE_DIR to another");
  const std::string scratch =
      (folder / (key.substr(0, 16) + "-" + std::to_string(::getpid())))
          .string();
  ScratchFiles cleanup{{scratch + ".so", scratch + ".d"}};
  for (const std::string &word :
       {std::string("-MMD"), std::string("-MF"), scratch + ".d",
        std::string("-o"), scratch + ".so", source})
    words.push_back(word);

  ProcessResult compiled = [&] {
    Progress progress("compiling " + source);
    return runProcess(words);
  }();
  tellProgress(compiled.output);
  if (compiled.exitCode != 0)
    throw Failure("KILN-T030",
                  "'" + source + "' does not compile; the messages of '" +
                      words[0] + "' are " +
                      (tellsJson() ? "these:\n" + compiled.output : "above"));

  std::string rule = tryRead(scratch + ".d").value_or("");
  std::optional<std::string> manifest = manifestOf(parseDependencies(rule));
  if (!manifest || manifest->empty())
    throw Failure("KILN-T030",
                  "'" + words[0] + "' did not list what '" + source +
                      "' includes; use a compiler that supports -MMD",
                  userError);
  fs::path library = folder / libraryName(key, *manifest);
  // The manifest first: without its library it is not used.
  writeTextFile(manifestPath,
                libraryLine(readTextFile(scratch + ".so")) + *manifest);
  fs::rename(scratch + ".so", library, failed);
  if (failed)
    throw Failure("KILN-T002", "cannot write '" + library.string() +
                                   "': " + failed.message());
  return {library, false, filesOf(*manifest)};
}

} // namespace kiln::tool

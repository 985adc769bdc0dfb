//===- KernelBuild.cpp - From a user's .cpp to a shared library ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuild.h"

#include "BuildManifest.h"
#include "BuildMessages.h"
#include "BuildPaths.h"
#include "Messages.h"
#include "Prelude.h"
#include "Progress.h"
#include "Version.h"

#include "kiln/isa/dtype.h"
#include "kiln/tool/failure.h"
#include "kiln/tool/files.h"
#include "kiln/tool/sha256.h"
#include "kiln/tool/subprocess.h"

#include <algorithm>
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

/// Whether a shell would find it.
bool isOnPath(const std::string &program) {
  std::istringstream folders(environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((fs::path(folder) / program).c_str(), X_OK) == 0)
      return true;
  return false;
}

/// $CXX split at blanks ("ccache g++"), or clang, which takes three quarters of
/// the time of g++, or the system's compiler.
std::vector<std::string> compilerWords() {
  std::istringstream text(environment("CXX"));
  std::vector<std::string> words;
  for (std::string word; text >> word;)
    words.push_back(word);
  if (words.empty())
    words.push_back(isOnPath("clang++-22") ? "clang++-22" : "c++");
  return words;
}

/// Whether clang comes with lld, which links in half of the time that GNU ld
/// takes, so that a table of lines costs nothing.
bool hasLld(const std::string &compilerVersion) {
  constexpr std::string_view label = "InstalledDir: ";
  const std::size_t at = compilerVersion.find(label);
  if (at == std::string::npos)
    return false;
  const std::size_t begin = at + label.size();
  const fs::path folder =
      compilerVersion.substr(begin, compilerVersion.find('\n', begin) - begin);
  return ::access((folder / "ld.lld").c_str(), X_OK) == 0;
}

/// The first line of a kept manifest. A library that was cut short must not be
/// loaded.
std::string libraryLine(const std::string &library) {
  return sha256(library) + " library\n";
}

std::string libraryName(const std::string &key, const std::string &manifest) {
  Sha256 hash;
  hash.field(key);
  hash.field(manifest);
  return hash.finish() + ".so";
}

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
      return {beside.string(), (beside / "kiln" / "library").string()};
  }
  std::vector<std::string> folders;
  std::istringstream list(buildIncludeFolders);
  for (std::string folder; std::getline(list, folder, ';');)
    if (!folder.empty())
      folders.push_back(folder);
  return folders;
}

/// What tells kiln/dsl/export.h which parts of kernels are needed.
static std::vector<std::string> partsOf(const BuildOptions &options) {
  if (!options.type)
    return {};
  const std::optional<isa::DType> type = isa::parseDType(*options.type);
  return {"-DKILN_COMPILED_TYPE=" +
              std::to_string(type ? static_cast<int>(*type) : -1),
          "-DKILN_COMPILED_REFERENCES=" + std::to_string(options.computes)};
}

BuiltKernel buildKernel(const std::string &source,
                        const BuildOptions &options) {
  // The name goes into source locations, so it stays as the user wrote it.
  readTextFile(source); // A missing file is reported as such.
  std::vector<std::string> words = compilerWords();
  std::vector<std::string> ask = words;
  ask.push_back("--version");
  const std::string compilerVersion = runProcess(ask).output;

  for (const char *flag : {"-std=c++20", options.computes ? "-O1" : "-O0",
                           "-fPIC", "-ffp-contract=off", "-Wall",
                           // Calls of helpers: a line of each frame.
                           "-g1", "-gno-column-info", "-fno-omit-frame-pointer",
                           "-fno-optimize-sibling-calls"})
    words.push_back(flag);
  // Otherwise a process merges static members of two files if their names are
  // equal: two versions of a kernel would become one.
  if (compilerVersion.find("Free Software Foundation") != std::string::npos)
    words.push_back("-fno-gnu-unique");
  else if (options.computes) // Otherwise calls on two lines may be merged.
    for (const char *pass :
         {"hoist-common-insts", "sink-common-insts", "enable-tail-merge"})
      for (const std::string &word :
           {std::string("-mllvm"), "-" + std::string(pass) + "=0"})
        words.push_back(word);
  for (const std::string &folder : headerFolders()) {
    words.push_back("-I");
    words.push_back(folder);
  }

  // Headers of folders that the user names in other ways (-isystem, -idirafter)
  // count as the system's, which -MMD leaves out.
  bool listsAll =
      std::any_of(words.begin(), words.end(), [](const std::string &word) {
        return word.starts_with("-i");
      });
  Sha256 keyHash;
  keyHash.field(versionText());
  keyHash.field(compilerVersion);
  for (const char *name : {"CPATH", "CPLUS_INCLUDE_PATH"}) {
    const char *folders = std::getenv(name);
    listsAll |= folders != nullptr;
    keyHash.field(folders ? folders : "");
  }
  const std::vector<std::string> parts = partsOf(options);
  for (const std::string &word : words)
    keyHash.field(word);
  for (const std::string &word : parts)
    keyHash.field(word);
  keyHash.field(source);
  keyHash.field(fs::absolute(source).string());
  const std::string key = keyHash.finish();

  const fs::path folder = cacheFolder();
  const fs::path manifestPath = folder / (key + ".manifest");
  if (options.useCache) {
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
  const Prelude prelude(options.useCache && !options.computes, source, folder,
                        compilerVersion, words);
  const bool usesLld =
      hasLld(compilerVersion) &&
      std::none_of(words.begin(), words.end(), [](const std::string &word) {
        return word.starts_with("-fuse-ld");
      });
  const auto compile = [&](const std::vector<std::string> &more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    all.insert(all.end(), parts.begin(), parts.end());
    if (usesLld)
      all.push_back("-fuse-ld=lld");
    for (const std::string &word :
         {std::string("-shared"), std::string(listsAll ? "-MD" : "-MMD"),
          std::string("-MF"), scratch + ".d", std::string("-o"),
          scratch + ".so", source})
      all.push_back(word);
    return runProcess(all);
  };
  ProcessResult compiled = [&] {
    Progress progress("compiling " + source);
    ProcessResult result = compile(prelude.words());
    return prelude.isAtFault(result) ? compile({}) : result;
  }();
  tellProgress(compiled.output);
  if (compiled.exitCode != 0)
    throw Failure(rejectedBy(
        "'" + source + "' does not compile; the messages of '" + words[0] +
            "' are " + (tellsJson() ? "these:\n" + compiled.output : "above"),
        compiled.output, source));

  std::string rule = tryRead(scratch + ".d").value_or("");
  std::optional<std::string> manifest =
      manifestOf(prelude.completed(parseDependencies(rule)));
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

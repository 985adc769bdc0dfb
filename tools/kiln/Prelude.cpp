//===- Prelude.cpp - The language, precompiled for kernel files -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prelude.h"

#include "BuildManifest.h"
#include "Version.h"

#include "kiln/tool/failure.h"
#include "kiln/tool/files.h"
#include "kiln/tool/sha256.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <string_view>
#include <sys/file.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace kiln::tool {
namespace {

/// Preludes of several compilers and versions are kept, not of all.
constexpr std::size_t mostKept = 3;
constexpr std::string_view suffix = ".prelude";

/// Of up to 60 MB at each compilation: not SHA-256, but it sees every damaged
/// byte.
std::string fingerprint(std::string_view bytes) {
  constexpr std::size_t lanes = 4;
  std::uint64_t sums[lanes] = {1, 2, 3, 4};
  std::size_t at = 0;
  const auto mix = [&](std::size_t lane, std::uint64_t word) {
    sums[lane] = (sums[lane] ^ word) * 0x9e3779b97f4a7c15u;
    sums[lane] ^= sums[lane] >> 29;
  };
  for (; at + 8 * lanes <= bytes.size(); at += 8 * lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at + 8 * lane, 8);
      mix(lane, word);
    }
  for (; at < bytes.size(); ++at)
    mix(0, static_cast<unsigned char>(bytes[at]));
  std::string text = std::to_string(bytes.size());
  for (const std::uint64_t sum : sums)
    text += "-" + std::to_string(sum);
  return text + " prelude\n";
}

/// Walks over what may stand before the first include: comments, and an include
/// guard.
class Beginning {
public:
  explicit Beginning(std::string_view text) : rest(text) {}

  /// `<name>` or `"name"` of the first include; empty if something else comes
  /// first.
  std::string_view include() {
    std::string_view guard;
    while (true) {
      skipComments();
      if (rest.empty() || rest.front() != '#')
        return {};
      const std::string_view line = rest.substr(1, rest.find('\n') - 1);
      if (line.find('\\') != line.npos)
        return {};
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      const auto [word, value] = split(line);
      if (word == "include")
        return quoted(value);
      const bool isGuard =
          guard.empty() ? word == "ifndef" : word == "define" && value == guard;
      if (isGuard)
        guard = value;
      else if (word != "pragma" || value != "once")
        return {};
    }
  }

private:
  static std::string_view trimmed(std::string_view text) {
    constexpr const char *blanks = " \t\r\n\v\f";
    const std::size_t first = text.find_first_not_of(blanks);
    return first == text.npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(blanks) - first + 1);
  }
  static std::pair<std::string_view, std::string_view>
  split(std::string_view line) {
    line = trimmed(line.substr(0, line.find("//")));
    const std::size_t end = std::min(line.find_first_of(" \t<\""), line.size());
    return {line.substr(0, end), trimmed(line.substr(end))};
  }
  static std::string_view quoted(std::string_view text) {
    if (text.size() < 3 || (text.front() != '<' && text.front() != '"'))
      return {};
    const std::size_t end = text.find(text.front() == '<' ? '>' : '"', 1);
    return end == text.size() - 1 ? text : std::string_view();
  }
  void skipComments() {
    while (true) {
      const std::size_t first = rest.find_first_not_of(" \t\r\n\v\f");
      rest.remove_prefix(std::min(first, rest.size()));
      std::size_t end = 0;
      if (rest.starts_with("//"))
        end = rest.find('\n');
      else if (rest.starts_with("/*"))
        end = std::min(rest.find("*/", 2), rest.size() - 2) + 2;
      else
        return;
      rest.remove_prefix(std::min(end, rest.size()));
    }
  }

  std::string_view rest;
};

std::vector<fs::path> includeFolders(const std::vector<std::string> &words) {
  std::vector<fs::path> folders;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == "-I" && i + 1 < words.size())
      folders.emplace_back(words[++i]);
    else if (words[i].starts_with("-I"))
      folders.emplace_back(words[i].substr(2));
  return folders;
}

bool begins(const fs::path &file, const std::vector<fs::path> &folders,
            int depth) {
  const std::optional<std::string> text = tryRead(file);
  if (!text || depth == 0)
    return false;
  const std::string_view include = Beginning(*text).include();
  if (include.empty())
    return false;
  const fs::path name(include.substr(1, include.size() - 2));
  std::vector<fs::path> places = folders;
  if (include.front() == '"')
    places.insert(places.begin(), file.parent_path());
  for (const fs::path &place : places)
    if (std::error_code failed; fs::is_regular_file(place / name, failed)) {
      // The one that the prelude holds is in a folder of the command line.
      if (name == "kiln/kiln.h")
        return include.front() == '<' || place != file.parent_path() ||
               std::find(folders.begin(), folders.end(), place) !=
                   folders.end();
      return begins(place / name, folders, depth - 1);
    }
  return false;
}

/// Held by the process that makes a prelude, and gone with it.
class MakerLock {
public:
  explicit MakerLock(fs::path where)
      : path(std::move(where)),
        file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)),
        taken(file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) != 0 &&
              errno == EWOULDBLOCK) {}
  MakerLock(const MakerLock &) = delete;
  MakerLock &operator=(const MakerLock &) = delete;
  ~MakerLock() {
    std::error_code ignored;
    if (file >= 0 && !taken)
      fs::remove(path, ignored);
    if (file >= 0)
      ::close(file);
  }
  /// By another process. False if files cannot be locked.
  bool isTaken() const { return taken; }

private:
  fs::path path;
  int file;
  bool taken;
};

/// Removes all but the newest.
void prune(const fs::path &cache) {
  std::error_code ignored;
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  for (const auto &entry : fs::directory_iterator(cache, ignored))
    if (entry.path().extension() == suffix)
      found.emplace_back(entry.last_write_time(ignored), entry.path());
  std::sort(found.rbegin(), found.rend());
  for (std::size_t i = mostKept; i < found.size(); ++i) {
    const std::string stem = found[i].second.stem().string();
    fs::remove(found[i].second, ignored);
    fs::remove(cache / (stem + ".h.gch"), ignored);
    fs::remove(cache / (stem + ".h"), ignored);
  }
}

} // namespace

bool beginsWithLanguage(const fs::path &source,
                        const std::vector<std::string> &words) {
  return begins(source, includeFolders(words), 8);
}

Prelude::Prelude(bool isWanted, const std::string &source,
                 const fs::path &folder, const std::string &version,
                 const std::vector<std::string> &words)
    : cache(folder), compiler(words) {
  // Both read NAME.gch where they are told to include NAME first. Another
  // compiler has other ways to precompile.
  const auto is = [&](const char *name) {
    return version.find(name) != std::string::npos;
  };
  if (!isWanted || !(is("Free Software Foundation") || is("clang version")) ||
      !beginsWithLanguage(source, words))
    return;
  Sha256 hash;
  hash.field(versionText());
  hash.field(version);
  for (const std::string &word : words)
    hash.field(word);
  key = "prelude-" + hash.finish().substr(0, 32);
  manifest = cache / (key + std::string(suffix));
  if (!find())
    making = std::async(std::launch::async, [this] { make(); });
}

Prelude::~Prelude() = default; // Waits until it is made.

bool Prelude::find() {
  const auto kept = splitManifest(tryRead(manifest).value_or(""));
  if (!kept || !stillHolds(kept->second))
    return false;
  const fs::path header = cache / (key + ".h");
  const auto bytes = tryRead(header.string() + ".gch");
  std::error_code failed;
  if (!bytes || fingerprint(*bytes) != kept->first ||
      !fs::is_regular_file(header, failed))
    return false;
  fs::last_write_time(manifest, fs::file_time_type::clock::now(), failed);
  sources = filesOf(kept->second);
  extra = {"-include", header.string()};
  return true;
}

/// If a prelude cannot be made, only time is lost: no error is reported. Only
/// one process makes it: of two, the first could describe the file that the
/// second wrote.
void Prelude::make() const try {
  const MakerLock lock(cache / (key + ".lock"));
  if (lock.isTaken())
    return;
  const fs::path header = cache / (key + ".h");
  const std::string scratch =
      header.string() + "-" + std::to_string(::getpid());
  // If none was made, nothing is left behind, nor are temporary files of a
  // compiler that crashed.
  struct Leftover {
    const fs::path &header;
    const std::string &scratch;
    ~Leftover() {
      std::error_code ignored;
      if (!fs::exists(header.string() + ".gch", ignored))
        fs::remove(header, ignored);
      for (const auto &entry :
           fs::directory_iterator(header.parent_path(), ignored))
        if (entry.path().string().starts_with(scratch))
          fs::remove(entry.path(), ignored);
    }
  } leftover{header, scratch};
  writeTextFile(header, "#include <kiln/kiln.h>\n");
  std::vector<std::string> all = compiler;
  for (const std::string &word :
       {std::string("-MD"), std::string("-MF"), scratch + ".d",
        std::string("-o"), scratch + ".gch", std::string("-x"),
        std::string("c++-header"), header.string()})
    all.push_back(word);
  if (runProcess(all).exitCode != 0)
    return;
  const std::optional<std::string> made =
      manifestOf(parseDependencies(tryRead(scratch + ".d").value_or("")));
  const std::optional<std::string> bytes = tryRead(scratch + ".gch");
  if (!made || made->empty() || !bytes)
    return;
  // A prelude in use is replaced, not overwritten: its readers keep the old
  // file.
  fs::rename(scratch + ".gch", header.string() + ".gch");
  writeTextFile(manifest, fingerprint(*bytes) + *made);
  prune(cache);
} catch (const std::exception &) { // NOLINT(bugprone-empty-catch)
}

bool Prelude::isAtFault(const ProcessResult &compiled) const {
  if (extra.empty() || compiled.exitCode == 0)
    return false;
  // Or the compiler itself broke down.
  const bool blamed = compiled.exitCode != 1 ||
                      compiled.output.find("PCH") != std::string::npos ||
                      compiled.output.find("precompiled") != std::string::npos;
  std::error_code ignored;
  if (blamed)
    fs::remove(manifest, ignored);
  return blamed;
}

std::vector<std::string>
Prelude::completed(std::vector<std::string> files) const {
  const std::vector<fs::path> own = includeFolders(compiler);
  const std::set<std::string> listed(files.begin(), files.end());
  std::erase_if(files, [&](const std::string &file) {
    return !extra.empty() &&
           (file == extra.back() || file == extra.back() + ".gch");
  });
  for (const std::string &file : sources)
    if (!listed.contains(file) &&
        std::any_of(own.begin(), own.end(), [&](const fs::path &folder) {
          return file.starts_with((folder / "kiln/").string());
        }))
      files.push_back(file);
  // In one order, so that both ways make one entry of the cache.
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace kiln::tool

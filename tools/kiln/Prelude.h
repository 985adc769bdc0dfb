//===- Prelude.h - The language, precompiled for kernel files -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading the headers of the language takes a third of the time of compiling a
// kernel file. g++ and clang read them precompiled, from the tool's cache. The
// first kernel file that is compiled makes them for the next one, at the same
// time.
//
// A kernel file means the same with and without: the prelude is only used where
// kiln/kiln.h is the first thing in it that is not a comment.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_PRELUDE_H
#define KILN_TOOLS_KILN_PRELUDE_H

#include "kiln/tool/subprocess.h"

#include <filesystem>
#include <future>
#include <string>
#include <vector>

namespace kiln::tool {

class Prelude {
public:
  /// For a compiler that is called with `words` and says that it is `version`.
  Prelude(bool isWanted, const std::string &source,
          const std::filesystem::path &cache, const std::string &version,
          const std::vector<std::string> &words);
  Prelude(const Prelude &) = delete;
  Prelude &operator=(const Prelude &) = delete;
  ~Prelude();

  /// What to add to the compiler's words.
  const std::vector<std::string> &words() const { return extra; }
  /// The compilation failed because of the prelude, which is then given up.
  bool isAtFault(const ProcessResult &compiled) const;
  /// The files that a kernel file depends on. The compiler does not list those
  /// that it read precompiled.
  std::vector<std::string> completed(std::vector<std::string> files) const;

private:
  bool find();
  void make() const;

  std::filesystem::path cache, manifest; ///< The kept manifest.
  std::string key;
  std::vector<std::string> compiler, extra, sources;
  std::future<void> making;
};

/// Whether the first thing in `source` that is not a comment includes
/// kiln/kiln.h, or a file in which that is so. `words` are the compiler's: they
/// name the folders where it finds files.
bool beginsWithLanguage(const std::filesystem::path &source,
                        const std::vector<std::string> &words);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_PRELUDE_H

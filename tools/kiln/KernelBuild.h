//===- KernelBuild.h - From a user's .cpp to a shared library -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A kernel source is compiled once with the user's own C++ compiler and kept.
// The cache records, for every (compiler, flags, source file), the contents of
// all included headers; a library is reused as long as none of them changes.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_KERNELBUILD_H
#define KILN_TOOLS_KILN_KERNELBUILD_H

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kiln::tool {

struct BuiltKernel {
  std::filesystem::path library;
  bool fromCache = false;
  std::vector<std::string> sources; ///< `source` and all that it includes.
};

struct BuildOptions {
  bool useCache = true;
  /// The loops of a reference will run. Recording takes no time, so that a
  /// library which only records is not optimized.
  bool computes = false;
  /// The element type that alone is needed, as `--dtype` names it, or "" for
  /// the default one of each kernel. If nothing, all are compiled, and their
  /// references.
  std::optional<std::string> type = {};
};

/// The library made from `source`. Failure KILN-T030 if it does not compile:
/// the compiler's own messages come first.
BuiltKernel buildKernel(const std::string &source, const BuildOptions &options);

/// $KILN_CACHE_DIR, else $XDG_CACHE_HOME/kiln, else ~/.cache/kiln.
std::filesystem::path cacheFolder();

/// Where Kiln's headers are: beside an installed tool, else in the build tree.
std::vector<std::string> headerFolders();

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_KERNELBUILD_H

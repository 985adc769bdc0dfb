//===- document.h - Everything about a run, for programs -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_DOCUMENT_H
#define KILN_PROFILE_DOCUMENT_H

#include "kiln/profile/insights.h"
#include "kiln/profile/render.h"
#include "kiln/profile/what_if.h"

#include <map>
#include <string>
#include <vector>

namespace kiln::profile {

/// The contents of `kiln profile --json` and its page, beside the launch.
struct Document {
  std::string version; ///< The version of Kiln.
  std::string command; ///< As it was given.
  std::vector<Insight> insights;
  std::vector<WhatIf> whatIf;
  std::vector<Sweep> sweeps;
  std::map<std::string, std::string> sources; ///< Contents, by file name.
  /// The compiler's results as JSON, per key: `schedule`, `remarks`, ...
  std::map<std::string, std::string> compiler;
};

/// How much of a run is told.
enum class Detail {
  figures,      ///< What does not grow with the kernel: times, shares, bytes.
  instructions, ///< And each instruction, line, place and step of the path.
  events,       ///< And each executed instruction.
};

/// The shape of docs/profile.schema.json; the launch was run with `trace`.
std::string toJson(const LaunchProfile &launch, const Document &document,
                   Detail detail);

/// A page without external references: the same, and each executed instruction.
/// Its scripts and its style are the files in tools/report.
std::string toHtml(const LaunchProfile &launch, const Document &document);

/// A line for each executed instruction, with a head line.
std::string toCsv(const LaunchProfile &launch);

} // namespace kiln::profile

#endif // KILN_PROFILE_DOCUMENT_H

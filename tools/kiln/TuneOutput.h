//===- TuneOutput.h - What a search tried, as table, JSON and plot --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_TUNEOUTPUT_H
#define KILN_TOOLS_KILN_TUNEOUTPUT_H

#include "kiln/tune/search.h"

#include <optional>
#include <string>
#include <vector>

namespace kiln::tool {

/// A parameter, or a pass that may be left out.
struct TuneAxis {
  std::string name;                ///< "block", or "nc-share-work".
  std::vector<std::string> values; ///< Of a pass: "with" and "without".
  bool isPass = false;
};

/// The result of one point.
struct TuneEntry {
  std::vector<std::string> words; ///< The options that name the point.
  tune::Cost cost;
  std::string refusal; ///< Why there is no cost: text and code.
};

struct TuneResult {
  std::string kernel, target;
  std::vector<TuneAxis> axes;
  std::vector<TuneEntry> entries; ///< In the order tried; the first is where
                                  ///< the search began.
  std::optional<std::size_t> best;
  std::optional<std::uint64_t> points; ///< Of the space; nothing: too many.
  std::string command;                 ///< What profiles the best point.
};

/// Sorted by time, the `rows` fastest, and what was refused, with the reasons.
std::string tuneTable(const TuneResult &result, std::size_t rows);
std::string tuneJson(const TuneResult &result);
/// Time by trial, and the best so far: an SVG picture.
std::string tunePlot(const TuneResult &result);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_TUNEOUTPUT_H

//===- comparison.h - Two profiles side by side --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_COMPARISON_H
#define KILN_PROFILE_COMPARISON_H

#include "kiln/isa/diagnostic.h"
#include "kiln/profile/page_data.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kiln::profile {

/// A time of both runs in ns, or an energy in joules.
struct Compared {
  std::string name;
  double before = 0, after = 0;
  double change() const { return after - before; }
};

/// A setting that differs: the target, a parameter, and so on; a value is empty
/// if its run has none.
struct Setting {
  std::string name, before, after;
};

/// The differences of two runs, each list by the size of the change.
struct Comparison {
  std::string before, after;     ///< The runs.
  std::vector<Setting> settings; ///< Those that differ.
  Compared makespan;
  std::vector<Compared> engines; ///< Busy time of each engine.
  std::vector<Compared> reasons; ///< Critical path, by reason.
  std::vector<Compared> lines;   ///< The same by source line,
  std::vector<Compared> scopes;  ///< and by scope.
  /// Joules by part of the machine, an estimate; none if one of the two has
  /// none.
  std::vector<Compared> energy;
  /// The texts of the `lines` of each, if it has its sources.
  std::map<std::string, std::string> beforeTexts, afterTexts;
};

/// One side: JSON of `kiln profile`, and what messages call it, such as a file.
struct Side {
  std::string text, name;
};

/// If a profile has several cores, the busiest one is compared. Fails
/// (KILN-T049) if a text is not such JSON, and says why.
isa::Expected<Comparison> compareProfiles(const Side &before,
                                          const Side &after);

std::string toTable(const Comparison &comparison);
std::string toJson(const Comparison &comparison);
/// A page without external references, from the files in tools/report. It draws
/// the timelines of those runs whose data are there.
std::string toHtml(const Comparison &comparison,
                   const std::optional<PageData> &before,
                   const std::optional<PageData> &after);

} // namespace kiln::profile

#endif // KILN_PROFILE_COMPARISON_H

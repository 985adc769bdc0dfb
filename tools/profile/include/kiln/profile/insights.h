//===- insights.h - What to change in a kernel, with proof ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_INSIGHTS_H
#define KILN_PROFILE_INSIGHTS_H

#include "kiln/profile/render.h"
#include "kiln/profile/retime.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::profile {

/// An instruction of the binary.
struct Evidence {
  unsigned core = 0; ///< Within a rank.
  isa::Engine engine = isa::Engine::tensor;
  std::uint32_t index = 0; ///< In its stream.
  std::string text;        ///< The cost in words.
};

/// All instructions that a rule is about, and their sums over the run.
struct Extent {
  struct Place {
    unsigned core = 0; ///< Within a rank.
    isa::Engine engine = isa::Engine::tensor;
    std::uint32_t index = 0;
  };
  std::vector<Place> instructions; ///< In the order of the binaries.
  std::uint64_t runs = 0;
  sim::Picoseconds busy = 0;
  sim::Picoseconds stalls = 0; ///< For which they keep their engines waiting.
};

/// A cost that the kernel does not need. The saving is measured: the same
/// binary is timed again without that cost. The remedy may save less, because
/// the remedy itself costs something.
struct Insight {
  std::string_view id;   ///< Stable: "reload".
  std::string_view rule; ///< Its code in the playbook: "R1".
  std::string_view title;
  std::string condition;   ///< The finding, with its figures.
  std::string_view change; ///< The second run leaves this out.
  std::string_view remedy;
  std::string_view sketch;        ///< Code.
  std::vector<Evidence> evidence; ///< Most costly first, a few.
  Extent extent;
  Retimed measured;
};

/// Largest saving first; none saves less than 0.5 % of the makespan.
std::vector<Insight> findInsights(const LaunchProfile &launch,
                                  const Retimer &retimer);

/// For the terminal: a card for each of the first `cards`, under a heading;
/// empty if there is none.
std::string toCards(const std::vector<Insight> &insights,
                    const LaunchProfile &launch, std::size_t cards);

/// All that there are, for the manual: id, rule and title.
struct RuleName {
  std::string_view id, rule, title;
};
std::vector<RuleName> insightRules();

} // namespace kiln::profile

#endif // KILN_PROFILE_INSIGHTS_H

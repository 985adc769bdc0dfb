//===- Rules.h - The rules, by what they look at -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_INSIGHTS_RULES_H
#define KILN_PROFILE_LIB_INSIGHTS_RULES_H

#include "Facts.h"
#include "kiln/profile/retime.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::profile::insights {

/// What a rule found: where, and the run without it.
struct Finding {
  explicit Finding(const Facts &facts) : without{facts.target, {}} {}

  std::string condition;
  Variant without;
  std::vector<const Item *> items; ///< The evidence.
  /// Instead of the rule's, if the program has already done that.
  std::string_view remedy, sketch;

  /// The second run gives `item` this cost.
  void set(const Item &item, const machine::InstructionCost &cost);
  void set(const Item &item, const machine::DmaPlan &transfer);
  /// It takes no time.
  void free(const Item &item);
  /// It does not wait for buffers.
  void ignoreBuffers(const Item &item);
  /// So far all of `items` take so long.
  Picoseconds busy() const;
};

struct Rule {
  std::string_view id, playbook, title;
  std::string_view change; ///< What the second run leaves out.
  std::string_view remedy, sketch;
  std::optional<Finding> (*find)(const Facts &);
};

/// `cost` with its elements passing `factor` times as fast.
machine::InstructionCost faster(const machine::InstructionCost &cost,
                                double factor);
/// `cost` as a part of a longer instruction: without its start-up.
machine::InstructionCost merged(const machine::InstructionCost &cost);
/// `plan` with each DMA engine working for `factor` of its time.
machine::DmaPlan scaled(const machine::DmaPlan &plan, double factor);
/// The same bytes in full packets, equally spread over the engines.
machine::DmaPlan dense(const machine::DmaPlan &plan, const isa::Target &target);

/// A finding with all items that `takes` accepts, changed by `change`; none if
/// they are fewer than `least` runs, or less than `share` of the makespan.
template <class Takes, class Change>
std::optional<Finding> collect(const Facts &facts, std::uint64_t least,
                               double share, Takes takes, Change change) {
  Finding finding(facts);
  std::uint64_t runs = 0;
  for (const Item &item : facts.items)
    if (item.runs > 0 && takes(item)) {
      finding.items.push_back(&item);
      change(finding, item);
      runs += item.runs;
    }
  if (runs < least || runs == 0 || facts.share(finding.busy()) < share)
    return std::nullopt;
  return finding;
}

std::uint64_t runsOf(const Finding &finding);

/// That number, with a noun and its verb: "1 copy has", "3 copies have".
std::string runsText(const Finding &finding, std::string_view one,
                     std::string_view many);

std::span<const Rule> trafficRules();  ///< DMA and HBM.
std::span<const Rule> transferRules(); ///< How single transfers look.
std::span<const Rule> productRules();  ///< TensorE.
std::span<const Rule> laneRules();     ///< Single instructions of the others.
std::span<const Rule> chainRules();    ///< Instructions in a row.
std::span<const Rule> waitRules();     ///< Engines and cores among each other.

} // namespace kiln::profile::insights

#endif // KILN_PROFILE_LIB_INSIGHTS_RULES_H

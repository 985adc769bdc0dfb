//===- Insights.cpp - All rules, measured and ranked ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/profile/insights.h"

#include "../Labels.h"
#include "Rules.h"

#include "kiln/isa/noun.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace kiln::profile {

namespace {

constexpr std::size_t shownEvidence = 8;
constexpr double leastSaving = 0.005;
constexpr sim::Picoseconds leastTime = 10'000;

std::vector<insights::Rule> allRules() {
  std::vector<insights::Rule> all;
  for (const auto &rules : {insights::trafficRules(), insights::transferRules(),
                            insights::productRules(), insights::laneRules(),
                            insights::chainRules(), insights::waitRules()})
    all.insert(all.end(), rules.begin(), rules.end());
  return all;
}

/// What an instruction costs: the time that it keeps others from working.
sim::Picoseconds costOf(const insights::Item &item) {
  sim::Picoseconds cost = item.busy();
  for (const sim::Picoseconds stall : item.stalls)
    cost += stall;
  return cost;
}

std::vector<Evidence> evidenceOf(const insights::Finding &finding) {
  std::vector<const insights::Item *> items = finding.items;
  std::stable_sort(
      items.begin(), items.end(),
      [](const auto *a, const auto *b) { return costOf(*a) > costOf(*b); });
  std::vector<Evidence> all;
  for (std::size_t i = 0; i < std::min(shownEvidence, items.size()); ++i) {
    const insights::Item &item = *items[i];
    all.push_back(
        {item.core, item.engine, item.index,
         fmt::format("runs {}, busy {:.2f} us, keeps its "
                     "engine waiting {:.2f} us",
                     item.runs == 1 ? "once" : isa::counted(item.runs, "time"),
                     static_cast<double>(item.busy()) / 1e6,
                     static_cast<double>(costOf(item) - item.busy()) / 1e6)});
  }
  return all;
}

Extent extentOf(const insights::Finding &finding) {
  Extent extent;
  const std::set<const insights::Item *> all(finding.items.begin(),
                                             finding.items.end());
  for (const insights::Item *item : all) {
    extent.instructions.push_back({item->core, item->engine, item->index});
    extent.runs += item->runs;
    extent.busy += item->busy();
    extent.stalls += costOf(*item) - item->busy();
  }
  std::sort(extent.instructions.begin(), extent.instructions.end(),
            [](const Extent::Place &a, const Extent::Place &b) {
              return std::tie(a.core, a.engine, a.index) <
                     std::tie(b.core, b.engine, b.index);
            });
  return extent;
}

} // namespace

std::vector<Insight> findInsights(const LaunchProfile &launch,
                                  const Retimer &retimer) {
  const insights::Facts facts(launch);
  std::vector<Insight> all;
  std::vector<Variant> variants;
  for (const insights::Rule &rule : allRules()) {
    std::optional<insights::Finding> finding = rule.find(facts);
    if (!finding)
      continue;
    Insight insight;
    insight.id = rule.id;
    insight.rule = rule.playbook;
    insight.title = rule.title;
    insight.change = rule.change;
    insight.remedy = finding->remedy.empty() ? rule.remedy : finding->remedy;
    insight.sketch = finding->sketch.empty() ? rule.sketch : finding->sketch;
    insight.condition = std::move(finding->condition);
    insight.evidence = evidenceOf(*finding);
    insight.extent = extentOf(*finding);
    all.push_back(std::move(insight));
    variants.push_back(std::move(finding->without));
  }
  const auto measured = retimer.time(variants);
  const sim::Picoseconds before = launch.timing.makespan;
  std::vector<Insight> proved;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!measured[i])
      continue;
    const sim::Picoseconds saved = before - measured[i]->makespan;
    if (saved < leastTime ||
        static_cast<double>(saved) < leastSaving * static_cast<double>(before))
      continue;
    all[i].measured = *measured[i];
    proved.push_back(std::move(all[i]));
  }
  std::stable_sort(proved.begin(), proved.end(),
                   [](const Insight &a, const Insight &b) {
                     return a.measured.makespan < b.measured.makespan;
                   });
  return proved;
}

std::vector<RuleName> insightRules() {
  std::vector<RuleName> names;
  for (const insights::Rule &rule : allRules())
    names.push_back({rule.id, rule.playbook, rule.title});
  return names;
}

std::string toCards(const std::vector<Insight> &insights,
                    const LaunchProfile &launch, std::size_t cards) {
  const auto before = static_cast<double>(launch.timing.makespan);
  std::string out = insights.empty() ? "" : "  what would save most\n";
  for (std::size_t i = 0; i < std::min(cards, insights.size()); ++i) {
    const Insight &insight = insights[i];
    const double saved =
        before - static_cast<double>(insight.measured.makespan);
    out +=
        fmt::format("  {:>6.1f} %  {:.2f} us  {} ({})\n", 100 * saved / before,
                    saved / 1e6, insight.title, insight.id);
    out += fmt::format("            {}\n", insight.condition);
    for (const Evidence &evidence : insight.evidence) {
      const std::string place =
          placeText(launch.modules[evidence.core],
                    static_cast<unsigned>(evidence.engine), evidence.index);
      out += fmt::format("            at {}\n", place);
      break;
    }
    out += fmt::format("            {}\n", insight.remedy);
  }
  return out;
}

} // namespace kiln::profile

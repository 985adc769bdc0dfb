//===- WaitRules.cpp - Rules on engines and cores among each other -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "kiln/isa/info.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::profile::insights {

namespace {

std::optional<Finding> serialEngines(const Facts &facts) {
  constexpr double least = 0.02;
  Finding finding(facts);
  Picoseconds waited = 0;
  for (const Item &item : facts.items)
    if (!item.transfer && !item.instruction->waits.empty()) {
      finding.ignoreBuffers(item);
      if (facts.bufferWait(item) > 0)
        finding.items.push_back(&item);
      waited += facts.bufferWait(item);
    }
  if (facts.share(waited) < least)
    return std::nullopt;
  finding.condition =
      fmt::format("engines wait {:.1f} % of the makespan until another one has "
                  "finished with a tile that they overwrite",
                  100 * facts.share(waited));
  return finding;
}

/// An instruction that lost time at a port now holds none.
std::optional<Finding> withoutPort(const Facts &facts, StallReason reason) {
  constexpr double least = 0.01;
  if (facts.share(facts.stall(reason)) < least)
    return std::nullopt;
  Finding finding(facts);
  for (const Item &item : facts.items)
    if (item.stalls[static_cast<std::size_t>(reason)] > 0) {
      machine::InstructionCost cost = item.cost;
      cost.stream = 0;
      finding.set(item, cost);
      finding.items.push_back(&item);
    }
  if (finding.items.empty())
    return std::nullopt;
  return finding;
}

std::optional<Finding> bankConflicts(const Facts &facts) {
  auto finding = withoutPort(facts, StallReason::bank);
  if (finding)
    finding->condition = fmt::format(
        "engines lose {:.1f} % of the makespan in PSUM banks that two use at "
        "once",
        100 * facts.share(facts.stall(StallReason::bank)));
  return finding;
}

std::optional<Finding> portConflicts(const Facts &facts) {
  auto finding = withoutPort(facts, StallReason::port);
  if (finding)
    finding->condition = fmt::format(
        "engines lose {:.1f} % of the makespan at a memory port that two use "
        "at once",
        100 * facts.share(facts.stall(StallReason::port)));
  return finding;
}

std::optional<Finding> exposedCollectives(const Facts &facts) {
  constexpr double fast = 1e6;
  if (facts.launch.reports.size() == facts.launch.modules.size())
    return std::nullopt; // One rank.
  Finding finding(facts);
  isa::Target &without = finding.without.target;
  without.link_bytes_per_ns *= fast;
  without.node_core_bytes_per_ns *= fast;
  without.collective_hop_ns = without.node_hop_ns = 0;
  without.collective_launch_hbm_ns = without.collective_launch_sbuf_ns = 0;
  Picoseconds waited = 0;
  for (const Item &item : facts.items)
    if (const Picoseconds own = facts.collectiveWait(item); own > 0) {
      finding.items.push_back(&item);
      waited = std::max(waited, own);
    }
  finding.condition = fmt::format(
      "{} ranks exchange data, and one instruction alone waits {:.1f} % of the "
      "makespan for a collective",
      facts.launch.reports.size() / facts.launch.modules.size(),
      100 * facts.share(waited));
  return finding;
}

/// The work of the busiest core beyond its fair share.
std::optional<Finding> imbalance(const Facts &facts) {
  constexpr double uneven = 1.2;
  if (facts.launch.modules.size() < 2)
    return std::nullopt;
  std::vector<Picoseconds> busy(facts.launch.modules.size());
  for (const Item &item : facts.items)
    busy[item.core] += item.busy();
  const auto most = std::max_element(busy.begin(), busy.end());
  Picoseconds sum = 0;
  for (const Picoseconds own : busy)
    sum += own;
  const double fair = static_cast<double>(sum) /
                      static_cast<double>(busy.size()) /
                      static_cast<double>(std::max<Picoseconds>(1, *most));
  const auto core = static_cast<unsigned>(most - busy.begin());
  if (fair * uneven > 1)
    return std::nullopt;
  Finding finding(facts);
  for (const Item &item : facts.items) {
    if (item.core != core || item.runs == 0)
      continue;
    finding.items.push_back(&item);
    if (item.transfer) {
      finding.set(item, scaled(*item.transfer, fair));
      continue;
    }
    machine::InstructionCost cost = item.cost;
    cost.interval = std::max<Picoseconds>(
        1, static_cast<Picoseconds>(static_cast<double>(cost.interval) * fair));
    cost.shadowFree = std::min(cost.shadowFree, cost.interval);
    cost.stream = std::min(cost.stream, cost.interval);
    finding.set(item, cost);
  }
  finding.condition = fmt::format(
      "core {} has {:.1f} times the average work of the cores", core, 1 / fair);
  return finding;
}

constexpr Rule waitRuleList[] = {
    {"serial-engines", "R3", "engines take turns",
     "the waits of engines for tiles that another one still uses",
     "split each tile into at least four, so that one engine works on the next "
     "part while another has the last; let PSUM tiles use several banks",
     "tiles(\"columns\", cols, 512_c, ..);  // four blocks instead of one",
     serialEngines},
    {"bank-conflicts", "R14", "two engines use one PSUM bank",
     "their loss, as if each had the bank alone",
     "let the engines read different banks: split the reads by bank",
     "auto p = psum<f32>(128_c, 512_c, bank(0)), q = psum<f32>(128_c, 512_c, "
     "bank(1));  // p for VectorE, q for ScalarE",
     bankConflicts},
    {"port-conflicts", "R15", "two engines meet at a memory port",
     "their loss, as if each had the port alone",
     "move work of GpSimd (masks, iota) out of the loop or to ScalarE",
     "auto mask = ..;  // before the loop", portConflicts},
    {"exposed-collectives", "R28", "engines wait for other ranks",
     "launch, hops and links of collectives",
     "start collectives earlier and in pieces, so that products run "
     "meanwhile",
     "nc::all_reduce(sums.rows_at(first, n), y.rows_at(first, n), "
     "nc::ranks_to(4), nc::AluOp::add);  // in the loop over blocks of rows",
     exposedCollectives},
    {"imbalance", "R31", "one core has more work than the other",
     "the work of that core beyond its share",
     "give each core half of the outermost axis",
     "tiles(\"rows\", rows / 2, 128_c, ..);  // core c begins at c * rows / 2",
     imbalance},
};

} // namespace

std::span<const Rule> waitRules() { return waitRuleList; }

} // namespace kiln::profile::insights

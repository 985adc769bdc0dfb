//===- RooflineJson.cpp - Kernel, scopes and loops under their roofs ----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RooflineJson.h"

#include "CoreJson.h"
#include "kiln/sim/profile.h"

#include <array>
#include <vector>

namespace kiln::profile {

using json = nlohmann::ordered_json;

namespace {

using FlopsByType = std::array<std::uint64_t, machine::numProductRates>;

/// By node, by type of the operands.
std::vector<FlopsByType> flopsOf(const Binary &binary,
                                 std::span<const HierarchyNode> nodes,
                                 const isa::Target &target) {
  std::array<std::size_t, machine::numProductRates> types{};
  for (std::size_t rate = 0; rate < types.size(); ++rate)
    types[rate] = static_cast<std::size_t>(sim::operandsOf(
        static_cast<machine::ProductRate>(rate), binary.module, target));
  std::vector<FlopsByType> flops(nodes.size());
  for (std::size_t n = nodes.size(); n-- > 0;) { // Parents come first.
    if (nodes[n].instruction >= 0) {
      const Executed &one =
          binary.all[static_cast<std::size_t>(nodes[n].instruction)];
      flops[n][types[static_cast<std::size_t>(one.cost.rate)]] +=
          one.sums.flops;
    }
    if (nodes[n].parent >= 0)
      for (std::size_t type = 0; type < types.size(); ++type)
        flops[static_cast<std::size_t>(nodes[n].parent)][type] +=
            flops[n][type];
  }
  return flops;
}

} // namespace

json rooflineJson(const Binary &binary, std::span<const HierarchyNode> nodes,
                  const isa::Target &target, sim::Picoseconds makespan) {
  const std::vector<FlopsByType> flops = flopsOf(binary, nodes, target);
  const auto peaks = sim::productPeaks(target);
  json out = json::array();
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const HierarchyNode &node = nodes[n];
    if (node.type == "statement" || node.type == "operation" ||
        node.type == "instruction" || node.end <= node.start)
      continue;
    const auto add = [&](std::string_view operands, std::uint64_t own) {
      out.push_back(
          {{"name", node.name},
           {"node", n},
           {"operands", operands},
           {"flops", own},
           {"bytes", node.sums.hbmBytes},
           {"ns", inNanoseconds(n == 0 ? makespan : node.end - node.start)}});
    };
    for (std::size_t type = 0; type < peaks.size(); ++type)
      if (flops[n][type] > 0)
        add(peaks[type].type, flops[n][type]);
    if (node.sums.flops == 0)
      add("none", 0);
  }
  return out;
}

} // namespace kiln::profile

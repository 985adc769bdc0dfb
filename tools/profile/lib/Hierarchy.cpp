//===- Hierarchy.cpp - Kernel, scopes, loops, statements, instructions ---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hierarchy.h"

#include "Labels.h"
#include "kiln/isa/info.h"
#include "kiln/isa/scopes.h"
#include "kiln/isa/source_loops.h"
#include "kiln/isa/tile_operations.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace kiln::profile {

namespace {

/// In how many loops of its stream each instruction is.
std::vector<unsigned> depthsOf(const Binary &binary) {
  std::vector<unsigned> depths;
  unsigned depth = 0;
  for (const Executed &one : binary.all) {
    if (one.index == 0)
      depth = 0;
    const isa::Body &body = one.instruction->body;
    if (std::holds_alternative<isa::LoopEnd>(body) && depth > 0)
      --depth;
    depths.push_back(depth);
    depth += isa::isLoop(body);
  }
  return depths;
}

class Builder {
public:
  explicit Builder(const Binary &binary)
      : binary(binary), operations(binary.module), loops(binary.module) {
    add(-1, "kernel", binary.module.kernel);
  }

  std::vector<HierarchyNode> build() {
    const std::vector<unsigned> depths = depthsOf(binary);
    for (std::size_t i = 0; i < binary.all.size(); ++i) {
      const Executed &one = binary.all[i];
      const isa::SourceLocation &place =
          placeOf(*one.instruction, binary.module);
      std::size_t parent = 0;
      const auto &around = loops.of(one.instruction->location);
      std::uint32_t depth = 0;
      for (std::string &name : isa::splitScopes(place.scopes)) {
        parent = child(parent, "scope", std::move(name));
        for (const isa::SourceLoop &loop : around)
          if (loop.depth == depth)
            noteTrips(parent, loop.trips);
        ++depth;
      }
      const std::size_t outside = parent;
      const std::string source = sourceOf(*one.instruction, binary.module);
      if (!source.empty()) {
        parent = child(parent, "statement", source);
        nodes[parent].place = one.instruction->location;
      }
      if (const std::string &name = operations.of(one.instruction->location);
          !name.empty()) {
        parent = child(parent, "operation", name);
        nodes[parent].place = one.instruction->location;
      }
      const std::size_t own =
          add(static_cast<std::int64_t>(parent), "instruction",
              labelOf(*one.instruction, binary.module));
      nodes[own].place = one.instruction->location;
      nodes[own].instruction = static_cast<std::int64_t>(i);
      nodes[own].sums = one.sums;
      nodes[own].start = one.first;
      nodes[own].end = one.last;
      // Of a loop that runs in stages, some parts are before and behind it.
      if (one.kind != "control")
        directDepth[outside] =
            std::max(directDepth[outside].value_or(0), depths[i]);
    }
    addUp();
    nameLoops();
    return std::move(nodes);
  }

private:
  std::size_t add(std::int64_t parent, std::string_view type,
                  std::string name) {
    HierarchyNode node;
    node.parent = parent;
    node.type = type;
    node.name = std::move(name);
    nodes.push_back(std::move(node));
    directDepth.emplace_back();
    return nodes.size() - 1;
  }

  std::size_t child(std::size_t parent, std::string_view type,
                    std::string name) {
    const auto [found, fresh] =
        children.try_emplace({parent, std::string(type) + name}, 0);
    if (fresh)
      found->second =
          add(static_cast<std::int64_t>(parent), type, std::move(name));
    return found->second;
  }

  /// Two loops may have the same name.
  void noteTrips(std::size_t node, std::uint64_t trips) {
    const auto [known, isNew] = tripsOf.try_emplace(node, trips);
    if (!isNew && known->second != trips)
      known->second = 0;
    isRepeated[node] = isRepeated[node] || trips > 1;
  }

  void addUp() {
    for (std::size_t n = nodes.size(); n-- > 1;) {
      const HierarchyNode &own = nodes[n];
      const auto above = static_cast<std::size_t>(own.parent);
      HierarchyNode &parent = nodes[above];
      parent.sums += own.sums;
      if (own.start < 0)
        continue;
      parent.start =
          parent.start < 0 ? own.start : std::min(parent.start, own.start);
      parent.end = std::max(parent.end, own.end);
    }
  }

  /// A scope is a loop if the source says so, or if its contents are in a loop
  /// of the streams that is not around it.
  void nameLoops() {
    constexpr unsigned unknown = ~0u;
    std::vector<unsigned> depths(nodes.size(), unknown), loops(nodes.size(), 0);
    for (std::size_t n = nodes.size(); n-- > 1;) {
      depths[n] = directDepth[n].value_or(depths[n]);
      const auto above = static_cast<std::size_t>(nodes[n].parent);
      depths[above] = std::min(depths[above], depths[n]);
    }
    for (std::size_t n = 1; n < nodes.size(); ++n) {
      loops[n] = loops[static_cast<std::size_t>(nodes[n].parent)];
      if (nodes[n].type != "scope")
        continue;
      const bool isInStreams = depths[n] != unknown && depths[n] > loops[n];
      loops[n] += isInStreams;
      if (!isInStreams && !isRepeated[n])
        continue;
      nodes[n].type = "loop";
      if (const auto known = tripsOf.find(n); known != tripsOf.end())
        nodes[n].trips = known->second;
    }
  }

  const Binary &binary;
  isa::TileOperations operations;
  isa::SourceLoops loops;
  std::vector<HierarchyNode> nodes;
  /// The number of loops around the direct contents of a scope, if there are
  /// any.
  std::vector<std::optional<unsigned>> directDepth;
  std::map<std::pair<std::size_t, std::string>, std::size_t> children;
  std::map<std::size_t, std::uint64_t> tripsOf; ///< By node.
  std::map<std::size_t, bool> isRepeated;
};

} // namespace

std::vector<HierarchyNode> hierarchyOf(const Binary &binary) {
  return Builder(binary).build();
}

} // namespace kiln::profile

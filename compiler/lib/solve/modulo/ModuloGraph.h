//===- ModuloGraph.h - A modulo problem as one graph ------*- C++ -*- --===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_SOLVE_MODULO_MODULOGRAPH_H
#define KILN_COMPILER_LIB_SOLVE_MODULO_MODULOGRAPH_H

#include "kiln/compiler/problem/ModuloProblem.h"

#include <span>

namespace kiln::problems {

/// The unrolled body: nodes are operations of each of its iterations, and what
/// buffers demand is edges like all others.
struct ModuloGraph {
  struct Edge {
    std::uint32_t from = 0, to = 0;
    std::int64_t latency = 0;
    std::uint32_t distance = 0;
    std::uint32_t source = 0; ///< Of the problem; noSource for a buffer's.
  };
  static constexpr std::uint32_t noSource = ~std::uint32_t{0};

  std::uint32_t nodes = 0;
  std::vector<std::uint8_t> stream; ///< By node: its engine.
  std::vector<std::int64_t> issue;
  std::vector<std::int64_t> work; ///< Of the DMA engines, one after the other.
  /// Of the node, or of one that waits for it in the same iteration.
  std::vector<std::int64_t> urgency;
  std::vector<Edge> edges;
  /// Edges by node, as indices: [first[n], first[n + 1]) of `list`.
  struct Adjacency {
    std::vector<std::uint32_t> first, list;
    std::span<const std::uint32_t> of(std::uint32_t node) const {
      return std::span(list).subspan(first[node],
                                     first[node + 1] - first[node]);
    }
  };
  Adjacency in, out;

  /// Buffers with 0 copies demand nothing.
  ModuloGraph(const ModuloProblem &problem, std::uint32_t unroll,
              std::int64_t margin, const std::vector<std::uint32_t> &copies);
};

/// By node, the longest way to any end, where each iteration gained takes
/// `interval` off. Nothing if a cycle needs a longer interval.
std::optional<std::vector<std::int64_t>> heightsAt(const ModuloGraph &graph,
                                                   std::int64_t interval);

/// The smallest interval that every cycle allows.
std::int64_t recurrenceOf(const ModuloGraph &graph, std::int64_t atMost);

/// Edges of a cycle that forbids `interval`; empty if there is none.
std::vector<std::uint32_t> cycleAt(const ModuloGraph &graph,
                                   std::int64_t interval);

} // namespace kiln::problems

#endif // KILN_COMPILER_LIB_SOLVE_MODULO_MODULOGRAPH_H

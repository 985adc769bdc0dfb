//===- ranks.h - Runs a call on several ranks and cores -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_INSTRUCTIONS_RANKS_H
#define KILN_TEST_INSTRUCTIONS_RANKS_H

#include "bench.h"

namespace kiln::test {

/// By rank: the values of the tensors, in order.
using Ranks = std::vector<std::vector<Values>>;

/// Compiles the programs of a rank's cores and runs them on as many ranks as
/// there are inputs.
Ranks executeRanks(const std::vector<program::Program> &cores,
                   const Ranks &inputs);

/// The kernel of one core.
template <class... Tensors, class Body>
program::Program recordCore(const std::vector<Extents> &shapes,
                            const Body &body, const Core &core) {
  Probe<Body, Tensors...> kernel{};
  kernel.body = &body;
  kernel.shapes = &shapes;
  return record(kernel, "probe", core);
}

/// On trn2, with one core or two for each rank.
template <class... Tensors, class Body>
Ranks runRanks(std::uint32_t cores, const std::vector<Extents> &shapes,
               const Ranks &inputs, const Body &body) {
  std::vector<program::Program> programs;
  for (std::uint32_t i = 0; i < cores; ++i)
    programs.push_back(recordCore<Tensors...>(shapes, body, {i, cores}));
  return executeRanks(programs, inputs);
}

/// Small integers, others for each rank.
inline Ranks inputsOf(std::size_t ranks, std::size_t count) {
  Ranks inputs(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    inputs[r].emplace_back(count);
    for (std::size_t i = 0; i < count; ++i)
      inputs[r][0][i] = double((r + 1) * 1000 + i % 97);
  }
  return inputs;
}

} // namespace kiln::test

#endif // KILN_TEST_INSTRUCTIONS_RANKS_H

//===- OrderVerify.cpp - An order, checked without the solver -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/problem/OrderProblem.h"

#include <fmt/format.h>

namespace kiln::problems {

Problem verify(const OrderProblem &problem, const OrderSolution &solution) {
  if (Problem wrong = problem.check())
    return wrong;
  std::size_t size = problem.operations.size();
  if (solution.order.size() != size)
    return fmt::format("the order has {} entries for {} operations",
                       solution.order.size(), size);
  constexpr std::uint32_t absent = ~0u;
  std::vector<std::uint32_t> place(size, absent);
  for (std::uint32_t i = 0; i < size; ++i) {
    std::uint32_t op = solution.order[i];
    if (op >= size)
      return fmt::format("the order names operation {} of {}", op, size);
    if (place[op] != absent)
      return fmt::format("operation {} occurs twice", op);
    place[op] = i;
  }
  for (const OrderEdge &edge : problem.edges)
    if (edge.distance == 0 && place[edge.from] >= place[edge.to])
      return fmt::format("operation {} runs before {}, which it needs", edge.to,
                         edge.from);
  return std::nullopt;
}

} // namespace kiln::problems

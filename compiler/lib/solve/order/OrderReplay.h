//===- OrderReplay.h - Plays orders on decoupled streams --------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_SOLVE_ORDER_ORDERREPLAY_H
#define KILN_COMPILER_LIB_SOLVE_ORDER_ORDERREPLAY_H

#include "kiln/compiler/problem/OrderProblem.h"

#include <vector>

namespace kiln::problems {

/// Plays many orders of one problem, which it must not outlive.
class OrderReplay {
public:
  explicit OrderReplay(const OrderProblem &problem);

  /// As replayOrder().
  OrderReport play(const OrderSolution &solution) const;

private:
  struct Input {
    std::uint32_t from = 0;
    std::uint32_t distance = 0;
    std::int64_t latency = 0;
  };
  const OrderProblem &problem;
  /// By operation: what it waits for, of each other one in each iteration the
  /// longest wait.
  std::vector<Input> inputs;
  std::vector<std::uint32_t> first; ///< Of each operation, and the end.
  std::uint32_t furthest = 0;       ///< Iterations.
};

} // namespace kiln::problems

#endif // KILN_COMPILER_LIB_SOLVE_ORDER_ORDERREPLAY_H

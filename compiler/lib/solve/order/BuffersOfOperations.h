//===- BuffersOfOperations.h - Which buffers an operation uses --*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_SOLVE_ORDER_BUFFERSOFOPERATIONS_H
#define KILN_COMPILER_LIB_SOLVE_ORDER_BUFFERSOFOPERATIONS_H

#include "kiln/compiler/problem/OrderProblem.h"

#include <span>
#include <vector>

namespace kiln::problems {

/// A problem lists the users of each buffer; this is the other way round.
class BuffersOfOperations {
public:
  explicit BuffersOfOperations(const OrderProblem &problem)
      : first(problem.operations.size() + 1, 0) {
    for (const OrderBuffer &buffer : problem.buffers)
      for (const std::uint32_t user : buffer.users)
        ++first[user + 1];
    for (std::size_t i = 1; i < first.size(); ++i)
      first[i] += first[i - 1];
    used.resize(first.back());
    std::vector<std::uint32_t> cursor(first.begin(), first.end() - 1);
    for (std::uint32_t b = 0; b < problem.buffers.size(); ++b)
      for (const std::uint32_t user : problem.buffers[b].users)
        used[cursor[user]++] = b;
  }

  /// Indices of buffers, ascending.
  std::span<const std::uint32_t> of(std::uint32_t op) const {
    return {used.data() + first[op], used.data() + first[op + 1]};
  }

private:
  std::vector<std::uint32_t> first, used;
};

} // namespace kiln::problems

#endif // KILN_COMPILER_LIB_SOLVE_ORDER_BUFFERSOFOPERATIONS_H

//===- PsumBanks.h - When there is a bank again ----------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_SOLVE_ORDER_PSUMBANKS_H
#define KILN_COMPILER_LIB_SOLVE_ORDER_PSUMBANKS_H

#include "BuffersOfOperations.h"

#include "kiln/isa/rounding.h"
#include "kiln/isa/target.h"

#include <algorithm>
#include <vector>

namespace kiln::problems {

/// Buffers take the banks that were released first: the first user of a buffer
/// waits for the last user of the previous one. Each operation is named once an
/// iteration, in the order that is played.
class PsumBanks {
public:
  explicit PsumBanks(const OrderProblem &problem)
      : problem(problem), buffersOf(problem), held(problem.buffers.size()),
        free(static_cast<std::size_t>(problem.psumRoom / isa::psumBankBytes),
             0) {
    for (const OrderBuffer &buffer : problem.buffers)
      missing.push_back(buffer.users.size());
  }

  /// The time at which there are banks for what `op` is the first to use.
  std::int64_t take(std::uint32_t op) {
    std::int64_t ready = 0;
    for (const std::uint32_t b : buffersOf.of(op)) {
      const OrderBuffer &buffer = problem.buffers[b];
      if (buffer.space != isa::Space::psum || missing[b] != buffer.users.size())
        continue;
      std::size_t count =
          std::min(free.size(), static_cast<std::size_t>(isa::ceilDiv(
                                    buffer.bytes, isa::psumBankBytes)));
      std::sort(free.begin(), free.end());
      if (count > 0)
        ready = std::max(ready, free[count - 1]);
      held[b] = count;
      free.erase(free.begin(), free.begin() + static_cast<long>(count));
    }
    return ready;
  }

  /// `op` is done with its operands at `end`.
  void leave(std::uint32_t op, std::int64_t end) {
    for (const std::uint32_t b : buffersOf.of(op)) {
      if (--missing[b] != 0)
        continue;
      missing[b] = problem.buffers[b].users.size();
      free.insert(free.end(), held[b], end);
      held[b] = 0;
    }
  }

private:
  const OrderProblem &problem;
  BuffersOfOperations buffersOf;
  std::vector<std::size_t> missing; ///< Users still to come.
  std::vector<std::size_t> held;    ///< Banks, by buffer.
  std::vector<std::int64_t> free;   ///< When each was left.
};

} // namespace kiln::problems

#endif // KILN_COMPILER_LIB_SOLVE_ORDER_PSUMBANKS_H

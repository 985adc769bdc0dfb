//===- Team.h - The machine's state and its threads -------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions run one at a time, in the scheduler's order. An instruction that
// treats all lanes alike is split: each thread executes some of its lanes, with
// the same operations in the same order as one thread would, so results do not
// depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_TEAM_H
#define KILN_SIM_LIB_FUNCTION_TEAM_H

#include "Meanings.h"
#include "Transfer.h"

#include <deque>

namespace kiln::sim {

class Team {
public:
  Team(const isa::Module &module, const isa::Target &target,
       const Numerics &numerics, Pool &pool, bool lazyMemory);

  Memory memory;

  /// Executes an engine instruction whose registers `cursor` holds.
  Outcome execute(const isa::Body &body, isa::Engine engine,
                  const StreamCursor &cursor);

  /// True if queued products need not be computed before this instruction.
  static bool mayWait(const isa::Body &body) {
    const auto *product = std::get_if<isa::NcMatmul>(&body);
    return product && !product->dst_index && !product->stationary_index &&
           !product->moving_index;
  }
  /// Computes the queued products, before anything reads or changes memory.
  void settle() { products.settle(); }

  /// Numbers the instructions of an engine; a DMA gets its number when it
  /// issues.
  std::uint64_t nextSerial(isa::Engine engine) {
    return executed[static_cast<std::size_t>(engine)]++;
  }

  TransferViews prepare(const isa::Body &body, const StreamCursor &cursor) {
    return prepareTransfer(lead(), body, cursor);
  }
  std::optional<std::string> transfer(const TransferViews &views) {
    return moveTransfer(lead(), views);
  }

private:
  Lanes &lead() { return threads.front(); }
  /// Lanes of the instruction if threads may share them, else 0.
  unsigned sharedLanes(const isa::Body &body);

  EngineState state;
  std::array<std::uint64_t, isa::numEngines> executed{};
  /// Stochastic rounding draws its bits in the order of rows.
  bool rowsInOrder;
  Pool &pool;
  Products products;
  std::deque<Lanes> threads; ///< One for each; they never move.
  std::vector<isa::OperandAccess> operands;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_TEAM_H

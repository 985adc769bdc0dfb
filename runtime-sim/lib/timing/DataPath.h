//===- DataPath.h - What runs the instructions of an engine ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_DATAPATH_H
#define KILN_SIM_LIB_TIMING_DATAPATH_H

#include "EngineAccount.h"
#include "Signals.h"

#include <algorithm>
#include <array>
#include <limits>

namespace kiln::sim::timing {

/// The data path of an engine as its sequencer sees it: a queue of so many
/// instructions, which start and complete in order.
class DataPath {
public:
  DataPath(const isa::Target &target, EngineAccount &account, Signals &signals)
      : account(account), tokens(signals),
        depth(std::clamp<std::size_t>(
            static_cast<std::size_t>(target.engine_queue_depth), 1, maxDepth)) {
  }

  static constexpr Picoseconds notKnown =
      std::numeric_limits<Picoseconds>::max();

  /// Since when the queue has room for one more instruction, or `notKnown`.
  Picoseconds roomSince() const {
    if (issued < depth)
      return 0;
    const std::size_t before = issued - depth;
    return before < begun ? starts[before % maxDepth] : notKnown;
  }
  /// An instruction enters the queue.
  void enter() { ++issued; }
  /// The first one that has no start starts at `start`, and leaves it.
  void start(Picoseconds start) { starts[begun++ % maxDepth] = start; }

  Picoseconds freeSince() const { return free; }
  /// When all instructions that entered so far are complete.
  Picoseconds completeSince() const { return complete; }

  /// Instruction `who` has the path from `start` to `end`, and its results
  /// are there `latency` after its start, or when those before it are; it may
  /// signal that.
  void occupy(const Producer &who, bool signals, Picoseconds start,
              Picoseconds end, Picoseconds latency) {
    complete = completionOf(start, latency);
    occupyUntil(end);
    account.draw(who, start, end, complete);
    if (signals)
      tokens.give(who, complete);
  }
  Picoseconds completionOf(Picoseconds start, Picoseconds latency) const {
    return std::max(complete, start + latency);
  }
  /// Something that has no results has it until `end`.
  void occupyUntil(Picoseconds end) {
    free = std::max(free, end);
    account.reach(end);
  }
  /// Gives the tokens of one that comes after all that had a place so far, at
  /// `time` at the earliest.
  void signal(const Producer &who, Picoseconds time) {
    tokens.give(who, std::max(time, complete));
  }

private:
  static constexpr std::size_t maxDepth = 64;

  EngineAccount &account;
  Signals &tokens;
  std::size_t depth;
  std::array<Picoseconds, maxDepth> starts{};
  std::size_t issued = 0;
  std::size_t begun = 0; ///< Those of them that have a start.
  Picoseconds free = 0;
  Picoseconds complete = 0; ///< Of the last one; they are in order.
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_DATAPATH_H

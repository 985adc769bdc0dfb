//===- Signals.h - Tokens on their way to those who wait for them ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_SIGNALS_H
#define KILN_SIM_LIB_TIMING_SIGNALS_H

#include "CoreSettings.h"
#include "Tokens.h"

#include "kiln/isa/diagnostic.h"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace kiln::sim::timing {

class Sequencer;

/// Gives the tokens of instructions. Sequencers that are blocked look again at
/// once: one that finds its tokens acts on what it knows then.
class Signals {
public:
  Signals(const CoreSettings &settings, Semaphores &semaphores,
          std::array<Sequencer, isa::numEngines> &sequencers,
          std::optional<isa::Diagnostic> &error)
      : module(settings.plan.module), semaphores(semaphores),
        sequencers(sequencers), error(error),
        semaphoreTime(machine::nanoseconds(settings.target.semaphore_ns)) {}

  /// The tokens of instruction `who` that is complete at `time`.
  void give(const Producer &who, Picoseconds time) {
    const auto &signals = module.streams[who.engine][who.index].signals;
    if (signals.empty())
      return;
    Token token;
    token.reason = static_cast<StallReason>(who.engine);
    token.producer = who;
    token.way = semaphoreTime;
    token.arrival = time + semaphoreTime;
    give(signals, token);
  }

  /// The tokens of the transfer that `token` names as their producer.
  void giveOfTransfer(const Token &token) {
    const Producer &by = token.producer;
    const auto &signals = module.streams[by.engine][by.index].signals;
    if (!signals.empty())
      give(signals, token);
  }

  /// Blocked sequencers look whether their heads can act now.
  void wakeBlocked();

private:
  void give(std::span<const isa::Signal> signals, Token token);

  const isa::Module &module;
  Semaphores &semaphores;
  std::array<Sequencer, isa::numEngines> &sequencers;
  std::optional<isa::Diagnostic> &error;
  Picoseconds semaphoreTime;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_SIGNALS_H

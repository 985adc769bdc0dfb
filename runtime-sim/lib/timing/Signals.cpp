//===- Signals.cpp - Tokens on their way to those who wait for them -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signals.h"

#include "Sequencer.h"
#include "kiln/isa/limits.h"

#include <fmt/format.h>

namespace kiln::sim::timing {

void Signals::give(std::span<const isa::Signal> signals, Token token) {
  for (const isa::Signal &signal : signals) {
    if (signal.value > 0) {
      token.count = signal.value;
      semaphores.give(signal.semaphore, token);
    }
    // Also bounds the memory of tokens that are never taken.
    if (semaphores.count(signal.semaphore) > isa::maxTokens && !error)
      error = isa::makeError(
          "KILN-X204",
          fmt::format("semaphore S{} passes [|{}|]; an instruction signals it, "
                      "but nothing waits for it",
                      signal.semaphore, isa::maxTokens));
  }
  wakeBlocked();
}

void Signals::wakeBlocked() {
  for (Sequencer &sequencer : sequencers)
    if (sequencer.isBlocked())
      sequencer.lookAtHead();
}

} // namespace kiln::sim::timing

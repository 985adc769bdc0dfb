//===- Watchdog.cpp - Stops what never ends -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Watchdog.h"

#include <fmt/format.h>

namespace kiln::sim::timing {

void Watchdog::reportSteps(const Sequencer &sequencer) {
  error = sequencer.fault(
      "KILN-X202",
      fmt::format("more than [|{}|] instructions ran; raise the limit "
                  "or check the loop bounds",
                  maxSteps));
}

void Watchdog::reportIdling(const Sequencer &sequencer, Picoseconds time) {
  error = sequencer.fault(
      "KILN-X202",
      fmt::format("for <|{}|> us, only register and loop instructions "
                  "executed; make the loop end, or raise the limit",
                  time / 1'000'000));
}

} // namespace kiln::sim::timing

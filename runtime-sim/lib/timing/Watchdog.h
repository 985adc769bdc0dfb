//===- Watchdog.h - Stops what never ends ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_WATCHDOG_H
#define KILN_SIM_LIB_TIMING_WATCHDOG_H

#include "Sequencer.h"

#include <algorithm>
#include <optional>

namespace kiln::sim::timing {

/// Reports that a core runs more instructions than allowed, or only control
/// instructions for longer than allowed.
class Watchdog {
public:
  Watchdog(const CoreSettings &settings, std::optional<isa::Diagnostic> &error)
      : maxSteps(settings.maxSteps), patience(settings.patience), error(error) {
  }

  /// The head of `sequencer` acts. Of those that wait the one that comes first
  /// acts: time only grows.
  void look(const Sequencer &sequencer, OpKind kind) {
    const Picoseconds now = sequencer.freeSince();
    if (++steps > maxSteps)
      reportSteps(sequencer);
    if (kind != OpKind::control)
      progress = std::max(progress, now);
    else if (now - progress > patience)
      reportIdling(sequencer, now - progress);
  }

private:
  void reportSteps(const Sequencer &sequencer);
  void reportIdling(const Sequencer &sequencer, Picoseconds time);

  const std::uint64_t maxSteps;
  const Picoseconds patience;
  std::optional<isa::Diagnostic> &error;
  std::uint64_t steps = 0;
  Picoseconds progress = 0; ///< When something but control last executed.
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_WATCHDOG_H

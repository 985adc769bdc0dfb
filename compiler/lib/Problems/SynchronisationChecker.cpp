//===- SynchronisationChecker.cpp - Proof on emitted streams --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/Problems/SynchronisationChecker.h"

#include "checker/Trace.h"

namespace kiln::problems {

std::optional<SyncReport> checkSynchronisation(const isa::Module &module,
                                               const CheckOptions &options,
                                               const OrderPromises &promises) {
  auto play = [&](checker::Trace &trace) -> std::optional<SyncReport> {
    if (auto wrong = checker::interpret(module, options, trace))
      return wrong;
    if (auto wrong = checker::replay(trace))
      return wrong;
    if (auto wrong = checker::findRaces(trace))
      return wrong;
    return checker::findBroken(trace, promises);
  };
  bool dataDependent = false;
  // Bounds in registers grow or shrink over an outer loop (a causal mask): both
  // ends of it are played. Else one end is like the other.
  for (bool last : {false, true}) {
    checker::Trace trace;
    trace.playLast = last;
    if (auto wrong = play(trace))
      return wrong;
    dataDependent |= trace.dataDependent;
    if (!trace.cut || !trace.openBounds)
      break;
  }
  if (dataDependent) {
    checker::Trace trace;
    trace.skipUnknown = true;
    if (auto wrong = play(trace))
      return wrong;
  }
  return std::nullopt;
}

} // namespace kiln::problems

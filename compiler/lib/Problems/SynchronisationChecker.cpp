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

/// Conditions beyond 2^maxMixtures share numbers' low bits with others.
static constexpr unsigned maxMixtures = 6;

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
  using By = checker::Decisions::By;
  checker::Decisions decisions;
  bool numbered = true;
  // Bounds in registers grow or shrink over an outer loop (a causal mask): both
  // ends of it are played. Else one end is like the other.
  for (bool last : {false, true}) {
    checker::Trace trace;
    trace.playLast = last;
    trace.decisions = &decisions;
    if (auto wrong = play(trace))
      return wrong;
    numbered = trace.numbered;
    if (!trace.cut || !trace.openBounds)
      break;
  }
  if (decisions.numbers.empty())
    return std::nullopt;
  auto playBy = [&](By by, unsigned bit) {
    checker::Trace trace;
    decisions.by = by;
    decisions.bit = bit;
    trace.decisions = &decisions;
    return play(trace);
  };
  if (auto wrong = playBy(By::none, 0))
    return wrong;
  // Streams without positions do not say which of their conditions are one.
  for (unsigned bit = 0; numbered && bit < maxMixtures &&
                         decisions.numbers.size() > std::size_t{1} << bit;
       ++bit)
    for (By by : {By::bit, By::oppositeBit})
      if (auto wrong = playBy(by, bit))
        return wrong;
  return std::nullopt;
}

} // namespace kiln::problems

//===- SynchronisationChecker.cpp - Proof on emitted streams --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/prove/SynchronisationChecker.h"

#include "Trace.h"

namespace kiln::problems {

namespace {

/// All plays of one plan.
class Plays {
public:
  Plays(const checker::Code &code, const checker::Plan &plan,
        const CheckOptions &options, const OrderPromises &promises)
      : code(code), plan(plan), options(options), promises(promises) {}

  std::optional<SyncReport> run() {
    using By = checker::Decisions::By;
    // Bounds in registers grow or shrink over an outer loop (a causal mask):
    // both ends of it are simulated. Otherwise both ends are alike.
    for (const bool last : {false, true}) {
      plan.last = last;
      checker::Trace trace;
      if (auto wrong = play(trace))
        return wrong;
      if (!plan.needsLast && !(trace.cut && trace.openBounds))
        break;
    }
    plan.last = false;
    if (decisions.numbers.empty())
      return std::nullopt;
    if (auto wrong = playBy(By::none, 0))
      return wrong;
    // Streams without positions do not say which of their conditions are one.
    for (unsigned bit = 0;
         code.numbered && decisions.numbers.size() > std::size_t{1} << bit;
         ++bit)
      for (const By by : {By::bit, By::oppositeBit})
        if (auto wrong = playBy(by, bit))
          return wrong;
    return std::nullopt;
  }

private:
  std::optional<SyncReport> play(checker::Trace &trace) {
    trace.code = &code;
    trace.plan = &plan;
    trace.decisions = &decisions;
    trace.source = promises.source ? &*promises.source : nullptr;
    if (auto wrong = checker::interpret(options, trace))
      return wrong;
    if (auto wrong = checker::replay(trace))
      return wrong;
    if (auto wrong = checker::findRaces(trace))
      return wrong;
    return checker::findBroken(trace, promises);
  }
  std::optional<SyncReport> playBy(checker::Decisions::By by, unsigned bit) {
    decisions.by = by;
    decisions.bit = bit;
    checker::Trace trace;
    return play(trace);
  }

  const checker::Code &code;
  checker::Plan plan;
  const CheckOptions &options;
  const OrderPromises &promises;
  checker::Decisions decisions;
};

} // namespace

std::optional<SyncReport> checkSynchronisation(const isa::Module &module,
                                               const CheckOptions &options,
                                               const OrderPromises &promises) {
  if (options.needsSource && !promises.source)
    return SyncReport{SyncReport::Kind::structure,
                      "the order of the source was not recorded",
                      {}};
  checker::Code code;
  if (auto wrong = checker::readCode(module, code))
    return wrong;
  for (const checker::Plan &plan : checker::makePlans(code, options))
    if (auto wrong = Plays(code, plan, options, promises).run())
      return wrong;
  return std::nullopt;
}

} // namespace kiln::problems

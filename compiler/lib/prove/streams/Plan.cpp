//===- Plan.cpp - Which iterations are played -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include <algorithm>
#include <limits>

namespace kiln::problems::checker {
namespace {

using Turns = std::vector<std::uint64_t>;

class Planner {
public:
  Planner(const Code &code, const CheckOptions &options)
      : code(code), options(options) {
    for (const LoopInfo &loop : code.loops)
      deepest = std::max(deepest, loop.depth + 1);
    budget = static_cast<double>(options.budget) + 4 * cost(once());
  }

  std::vector<Plan> run() {
    if (options.iterations)
      return {whole(Turns(code.loops.size(), options.iterations))};
    if (!code.numbered)
      return {whole(equal())};
    Turns turns = wanted();
    if (cost(turns) <= budget)
      return {whole(std::move(turns))};
    std::vector<Plan> plans = windows();
    // All levels at once as well, if a few iterations less suffice.
    for (std::uint32_t depth = 0; depth < deepest && cost(turns) > budget;
         ++depth)
      for (std::size_t i = 0; i < turns.size(); ++i)
        if (code.loops[i].depth == depth)
          turns[i] = std::min<std::uint64_t>(turns[i], 2);
    if (cost(turns) <= budget)
      plans.push_back(whole(std::move(turns)));
    return plans;
  }

private:
  Turns once() const { return Turns(code.loops.size(), 1); }
  Turns wanted() const {
    Turns turns;
    for (const LoopInfo &loop : code.loops)
      turns.push_back(loop.turns);
    return turns;
  }

  Plan whole(Turns turns) const {
    return {std::move(turns), std::vector<bool>(code.loops.size(), true), false,
            false};
  }

  /// Instructions that a play runs.
  double cost(const Turns &turns) const {
    double total = static_cast<double>(code.outside);
    std::vector<double> runs(turns.size());
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const LoopInfo &loop = code.loops[i];
      const double around = loop.parent == ~0u ? 1 : runs[loop.parent];
      runs[i] = around * static_cast<double>(std::min(turns[i], loop.most));
      total += runs[i] * static_cast<double>(loop.own);
    }
    return total;
  }

  /// Without positions it is unknown which loops of the streams belong
  /// together: they are simulated whole or, if that is too much, equally often.
  Turns equal() const {
    constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t longest = 3;
    Turns turns;
    for (const LoopInfo &loop : code.loops) {
      longest = std::max(longest, loop.turns);
      turns.push_back(loop.most == all ? longest : loop.most);
    }
    const bool fits = cost(turns) <= static_cast<double>(options.whole);
    return Turns(code.loops.size(), fits ? all : longest);
  }

  Turns window(std::uint32_t first, std::uint32_t size) const {
    Turns turns = once();
    for (std::size_t i = 0; i < turns.size(); ++i)
      if (isOpen(i, first, size))
        turns[i] = code.loops[i].turns;
    return turns;
  }
  bool isOpen(std::size_t loop, std::uint32_t first, std::uint32_t size) const {
    const std::uint32_t depth = code.loops[loop].depth;
    return depth >= first && depth < first + size;
  }

  /// The widest windows whose plays together keep within the budget; if even
  /// single levels do not, those.
  std::vector<Plan> windows() const {
    constexpr std::uint32_t widest = 16; // Two iterations each give 2^16.
    std::uint32_t size = std::min(deepest, widest);
    const auto costOfAll = [&] {
      double total = 0;
      for (std::uint32_t first = 0; first + size <= deepest; ++first)
        total += 2 * cost(window(first, size));
      return total;
    };
    while (size > 1 && costOfAll() > budget)
      --size;
    std::vector<Plan> plans;
    for (std::uint32_t first = 0; first + size <= deepest; ++first) {
      Plan &plan = plans.emplace_back();
      plan.turns = window(first, size);
      for (std::size_t i = 0; i < plan.turns.size(); ++i)
        plan.open.push_back(isOpen(i, first, size));
      plan.needsLast = true;
    }
    return plans;
  }

  const Code &code;
  const CheckOptions &options;
  std::uint32_t deepest = 0;
  double budget = 0;
};

} // namespace

std::vector<Plan> makePlans(const Code &code, const CheckOptions &options) {
  return Planner(code, options).run();
}

} // namespace kiln::problems::checker

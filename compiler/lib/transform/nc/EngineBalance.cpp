//===- EngineBalance.cpp - Work of a loop spread over engines -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineBalance.h"

#include "kiln/compiler/support/StableSort.h"
#include "kiln/machine/ports.h"

#include <vector>

using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

double kiln::compiler::nc::portTime(const isa::Body &body, isa::Engine engine,
                                    const isa::Target &target) {
  if (engine != isa::Engine::vector && engine != isa::Engine::gpsimd)
    return 0;
  const machine::InstructionCost cost = machine::costOf(body, engine, target);
  return machine::portsOf(body, engine, cost.mode, target).ports &
                 machine::sbufPort
             ? static_cast<double>(cost.stream)
             : 0;
}

std::uint32_t
kiln::compiler::nc::enginesOf(llvm::ArrayRef<EngineChoice> choices) {
  std::uint32_t mask = 0;
  for (const EngineChoice &choice : choices)
    for (const isa::Engine engine : choice.engines)
      mask |= isa::maskOf(engine);
  return mask;
}

namespace {

/// The smallest relative improvement for which a choice moves.
constexpr double leastGain = 1e-6;
/// Choices of which two move at once; beyond them each moves alone.
constexpr size_t mostPaired = 16;

/// Small if no load is large: dominated by the largest ones, and yet moved by
/// all, so that a step which only makes room for another counts.
double unevenness(const EngineLoads &loads, std::uint32_t mask, double scale) {
  const auto weigh = [&](double load) {
    const double part = load / scale, squared = part * part,
                 fourth = squared * squared;
    return fourth * fourth * squared;
  };
  double sum = weigh(loads.port);
  for (size_t i = 0; i < loads.engines.size(); ++i)
    if (mask & isa::maskOf(static_cast<isa::Engine>(i)))
      sum += weigh(loads.engines[i]);
  return sum;
}

void addTo(EngineLoads &loads, const EngineChoice &choice, size_t engine,
           double sign) {
  loads.add(choice.engines[engine], sign * choice.times[engine],
            sign * choice.streams[engine]);
}

/// Moves of one choice, then of two at once, while some make the loads less
/// uneven.
class Search {
public:
  Search(llvm::ArrayRef<EngineChoice> choices, EngineLoads &loads,
         llvm::SmallVector<size_t> &places)
      : choices(choices), loads(loads), places(places),
        mask(enginesOf(choices)), scale(std::max(loads.busiestOf(mask), 1.0)) {}

  void run() {
    while (moveOne() || moveTwo()) {
    }
  }

private:
  struct Move {
    size_t choice = 0, place = 0;
  };

  /// look(place, loads) for each place of a choice that `without` leaves out.
  template <class Look>
  void eachPlace(size_t choice, const EngineLoads &without, Look look) {
    for (size_t place = 0; place < choices[choice].engines.size(); ++place) {
      EngineLoads tried = without;
      addTo(tried, choices[choice], place, 1);
      look(place, tried);
    }
  }
  EngineLoads without(size_t choice, EngineLoads from) const {
    addTo(from, choices[choice], places[choice], -1);
    return from;
  }

  bool moveOne() {
    start();
    for (size_t i = 0; i < choices.size(); ++i)
      eachPlace(i, without(i, loads), [&](size_t place, EngineLoads &tried) {
        consider(tried, {{i, place}});
      });
    return take();
  }

  bool moveTwo() {
    start();
    const size_t most = std::min(choices.size(), mostPaired);
    for (size_t i = 0; i < most; ++i)
      for (size_t j = i + 1; j < most; ++j)
        eachPlace(i, without(j, without(i, loads)),
                  [&](size_t first, EngineLoads &between) {
                    eachPlace(j, between,
                              [&](size_t second, EngineLoads &tried) {
                                consider(tried, {{i, first}, {j, second}});
                              });
                  });
    return take();
  }

  void start() {
    least = unevenness(loads, mask, scale) * (1 - leastGain);
    moves.clear();
  }
  void consider(const EngineLoads &tried, std::initializer_list<Move> made) {
    const double value = unevenness(tried, mask, scale);
    if (value >= least)
      return;
    least = value;
    best = tried;
    moves = made;
  }
  bool take() {
    if (moves.empty())
      return false;
    loads = best;
    for (const Move &move : moves)
      places[move.choice] = move.place;
    return true;
  }

  llvm::ArrayRef<EngineChoice> choices;
  EngineLoads &loads;
  llvm::SmallVector<size_t> &places;
  std::uint32_t mask;
  double scale;
  double least = 0;
  EngineLoads best;
  llvm::SmallVector<Move, 2> moves;
};

/// Where it adds least to the loads, heaviest first.
llvm::SmallVector<size_t> settleGreedily(llvm::ArrayRef<EngineChoice> choices,
                                         EngineLoads &loads) {
  std::vector<size_t> order(choices.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  const auto heaviest = [&](size_t i) {
    return *std::max_element(choices[i].times.begin(), choices[i].times.end());
  };
  kiln::compiler::stableSort(
      order, [&](size_t a, size_t b) { return heaviest(a) > heaviest(b); });
  llvm::SmallVector<size_t> places(choices.size());
  for (const size_t i : order) {
    const EngineChoice &choice = choices[i];
    const auto with = [&](size_t engine) {
      return loads.with(choice.engines[engine], choice.times[engine],
                        choice.streams[engine]);
    };
    size_t best = 0;
    for (size_t engine = 1; engine < choice.engines.size(); ++engine)
      if (with(engine) < with(best))
        best = engine;
    places[i] = best;
    addTo(loads, choice, best, 1);
  }
  return places;
}

} // namespace

llvm::SmallVector<size_t>
kiln::compiler::nc::balanceEngines(llvm::ArrayRef<EngineChoice> choices,
                                   EngineLoads &loads) {
  llvm::SmallVector<size_t> places = settleGreedily(choices, loads);
  Search(choices, loads, places).run();
  return places;
}

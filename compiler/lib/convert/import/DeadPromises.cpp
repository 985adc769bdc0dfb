//===- DeadPromises.cpp - Order of operations that nobody needs -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load whose value no store, assignment or instruction needs is not compiled,
// and has no place in an order. A promise that leads through it holds without
// it: if z comes after it, and it comes after y, then z comes after y. All
// three are in that order in the text, so the new promise can be kept.
//
//===----------------------------------------------------------------------===//

#include "DeadPromises.h"

#include "kiln/program_bounds.h"
#include "kiln/program_names.h"
#include "kiln/program_visit.h"

#include <map>
#include <ranges>
#include <set>

using namespace kiln;
using program::Op;

namespace {

class Liveness {
public:
  explicit Liveness(const program::Program &program)
      : bounds(program), needed(program.values.size(), false) {
    findEmpty(program.body);
    visit(program.body);
  }
  std::set<std::int64_t> deadLabels;

private:
  static bool hasEffect(const Op &op) {
    return op.is<program::Declare>() || op.is<program::Assign>() ||
           op.is<program::Store>() || op.is<program::Loop>() ||
           op.is<program::Instruction>();
  }
  /// Runs while a condition is not 0: its end is not a bound.
  static bool isWhile(const Op &op) {
    return !op.body.empty() && op.body.back().mnemonic() == "while";
  }
  /// Loops without a trip.
  void findEmpty(const std::vector<Op> &body) {
    for (const Op &op : body) {
      if (const auto *loop = op.getIf<program::Loop>()) {
        const program::Id begin = loop->begin.index, end = loop->end.index;
        if (!isWhile(op) && (begin == end || bounds.of(end).range.high <=
                                                 bounds.of(begin).range.low))
          empty.insert(&op);
        bounds.define(op);
      } else if (program::setsRegister(op.mnemonic())) {
        bounds.define(op);
      }
      findEmpty(op.body);
    }
  }
  void die(const Op &op) {
    if (op.order.label)
      deadLabels.insert(*op.order.label);
    for (const Op &inner : op.body)
      die(inner);
  }
  void visit(const std::vector<Op> &body) {
    for (const Op &op : std::views::reverse(body)) {
      if (empty.contains(&op) ||
          (!hasEffect(op) &&
           (op.result >= needed.size() || !needed[op.result]))) {
        die(op);
        continue;
      }
      visit(op.body);
      forEachView(op, [this](const program::View &operand) {
        if (operand.value < needed.size())
          needed[operand.value] = true;
      });
    }
  }

  program::IndexBounds bounds;
  std::set<const Op *> empty;
  std::vector<bool> needed;
};

} // namespace

llvm::SmallVector<std::int64_t>
kiln::compiler::edgesOfLive(const program::Program &program,
                            llvm::ArrayRef<std::int64_t> edges) {
  if (edges.empty())
    return {};
  const std::set<std::int64_t> dead = Liveness(program).deadLabels;
  if (dead.empty())
    return llvm::SmallVector<std::int64_t>(edges);
  // Edges come in the order of the text: those of an earlier operation are
  // complete when a later one names it.
  std::map<std::int64_t, std::set<std::int64_t>> behindDead;
  std::set<std::pair<std::int64_t, std::int64_t>> told;
  llvm::SmallVector<std::int64_t> kept;
  for (std::size_t i = 0; i + 1 < edges.size(); i += 2) {
    const std::int64_t later = edges[i], earlier = edges[i + 1];
    std::set<std::int64_t> all{earlier};
    if (dead.contains(earlier))
      all = behindDead[earlier];
    for (const std::int64_t each : all)
      if (dead.contains(later))
        behindDead[later].insert(each);
      else if (told.emplace(later, each).second)
        kept.append({later, each});
  }
  return kept;
}

//===- OrderChecker.h - Is what a Program says on order sound? ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_PROGRAM_ORDERCHECKER_H
#define KILN_DSL_LIB_PROGRAM_ORDERCHECKER_H

#include "kiln/isa/limits.h"
#include "kiln/program.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kiln::program::detail {

/// Reads the operations in text order. It also checks where their memory lies.
class OrderChecker {
public:
  explicit OrderChecker(const Program &program) : program(program) {}

  /// The error in what `op` says about its order, if there is one.
  std::optional<std::string> check(const Op &op) {
    const Order &order = op.order;
    for (const std::vector<Tokens> *list : {&order.waits, &order.signals})
      if (const auto fault = checkTokens(op, *list))
        return fault;
    if (!order.after.empty() && !order.label)
      return "an operation with 'after' must have a label";
    for (const std::int64_t label : order.after)
      if (!labels.contains(label))
        return "'after' names label " + std::to_string(label) +
               ", which no earlier operation has";
    if (order.label &&
        (*order.label < 0 || !labels.insert(*order.label).second))
      return "'label' must be a number that no other operation has";
    if (order.ordered) {
      if (last && order.ordered->number <= *last)
        return "places of 'ordered' must increase";
      last = order.ordered->number;
    }
    const auto scopes = static_cast<std::int64_t>(program.memoryScopes.size());
    if (order.within && (*order.within < 0 || *order.within >= scopes))
      return "memory scope " + std::to_string(*order.within) + " of " +
             std::to_string(scopes) + " does not exist";
    if (order.urgency &&
        (*order.urgency < -mostUrgency || *order.urgency > mostUrgency))
      return "'urgency' must be between " + std::to_string(-mostUrgency) +
             " and " + std::to_string(mostUrgency);
    return std::nullopt;
  }

private:
  std::optional<std::string>
  checkTokens(const Op &op, const std::vector<Tokens> &list) const {
    if (!list.empty() && (!op.is<Instruction>() || op.result != none))
      return "only an instruction without a result waits for semaphores or "
             "signals them";
    const auto known = static_cast<std::int64_t>(program.semaphores.size());
    for (const auto &[semaphore, count] : list) {
      if (semaphore < 0 || semaphore >= known)
        return "semaphore " + std::to_string(semaphore) + " of " +
               std::to_string(known) + " does not exist";
      if (count < 1 || count > isa::maxTokens)
        return std::to_string(count) + " tokens, 1 to " +
               std::to_string(isa::maxTokens) + " are allowed";
    }
    return std::nullopt;
  }

  const Program &program;
  std::set<std::int64_t> labels;
  std::optional<std::int64_t> last; ///< Place of `ordered`.
};

} // namespace kiln::program::detail

#endif // KILN_DSL_LIB_PROGRAM_ORDERCHECKER_H

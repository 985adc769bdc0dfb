//===- program_check_order.h - Is what a Program says on order sound? -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROGRAM_CHECK_ORDER_H
#define KILN_PROGRAM_CHECK_ORDER_H

#include "kiln/isa/limits.h"
#include "kiln/program.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kiln::program::detail {

/// Reads the operations in text order.
class OrderChecker {
public:
  explicit OrderChecker(const Program &program) : program(program) {}

  /// What is wrong with the order attributes of `op`, if anything.
  std::optional<std::string> check(const Op &op) {
    if (const auto fault = checkTokens(op))
      return fault;
    if (const Attribute *found = find(op, "after")) {
      const auto *list = std::get_if<List>(found);
      if (!list || !find(op, "label"))
        return "'after' is a list of labels, and its operation has one too";
      for (std::int64_t label : *list)
        if (!labels.contains(label))
          return "'after' names label " + std::to_string(label) +
                 ", which no earlier operation has";
    }
    if (const Attribute *found = find(op, "label")) {
      const auto *label = std::get_if<std::int64_t>(found);
      if (!label || *label < 0 || !labels.insert(*label).second)
        return std::string("'label' is a number that no other operation has");
    }
    if (const Attribute *found = find(op, "ordered")) {
      const auto *place = std::get_if<List>(found);
      if (!place || place->size() != 2)
        return std::string("'ordered' is a number of a scope and a place");
      if (!places.empty() && (*place)[1] <= places.back())
        return std::string("places of 'ordered' must grow");
      places = {(*place)[1]};
    }
    return std::nullopt;
  }

private:
  using List = std::vector<std::int64_t>;

  static const Attribute *find(const Op &op, const char *key) {
    const auto found = op.attributes.find(key);
    return found == op.attributes.end() ? nullptr : &found->second;
  }

  std::optional<std::string> checkTokens(const Op &op) const {
    for (const char *key : {"waits", "signals"}) {
      const Attribute *found = find(op, key);
      if (!found)
        continue;
      const auto *list = std::get_if<List>(found);
      if (op.kind != OpKind::instruction || op.result != none || !list ||
          list->size() % 2 != 0)
        return "'" + std::string(key) +
               "' holds pairs of semaphore and tokens of an instruction "
               "without a result";
      for (std::size_t i = 0; i < list->size(); i += 2) {
        const std::int64_t semaphore = (*list)[i], tokens = (*list)[i + 1];
        if (semaphore < 0 ||
            semaphore >= static_cast<std::int64_t>(program.semaphores.size()))
          return "semaphore " + std::to_string(semaphore) + " of " +
                 std::to_string(program.semaphores.size()) + " does not exist";
        if (tokens < 1 || tokens > isa::maxTokens)
          return std::to_string(tokens) + " tokens, 1 to " +
                 std::to_string(isa::maxTokens) + " are allowed";
      }
    }
    return std::nullopt;
  }

  const Program &program;
  std::set<std::int64_t> labels;
  List places; ///< At most one: the last place.
};

} // namespace kiln::program::detail

#endif // KILN_PROGRAM_CHECK_ORDER_H

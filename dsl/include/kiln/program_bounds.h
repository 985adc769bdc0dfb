//===- program_bounds.h - What the indices of a Program can be ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROGRAM_BOUNDS_H
#define KILN_PROGRAM_BOUNDS_H

#include "kiln/program_ranges.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace kiln::program {

/// Reads loops and registers in text order.
class IndexBounds {
public:
  explicit IndexBounds(const Program &program) : program(program) {}

  struct Possible {
    IndexRange range;
    bool atRun = false; ///< Depends on a register.
  };

  /// The nodes of an index, each once, operands first. Valid until the next
  /// call.
  const std::vector<Id> &partsOf(Id index) {
    parts.assign(1, index);
    if (program.indices[index].kind == IndexKind::constant)
      return parts;
    if (reached.empty())
      reached.assign(program.indices.size(), 0);
    ++rounds;
    const auto reach = [&](Id id) {
      if (reached[id] != rounds) {
        reached[id] = rounds;
        parts.push_back(id);
      }
    };
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const IndexNode &node = program.indices[parts[i]];
      if (node.kind == IndexKind::constant || node.kind == IndexKind::variable)
        continue;
      reach(node.lhs);
      if (isOfTwo(node))
        reach(node.rhs);
    }
    std::sort(parts.begin(), parts.end()); // An index refers to earlier ones.
    return parts;
  }

  Possible of(Id index) {
    std::map<Id, Possible> known;
    for (const Id id : partsOf(index)) {
      const IndexNode &node = program.indices[id];
      Possible &result = known[id];
      if (node.kind == IndexKind::constant) {
        result.range = {node.value, node.value, true};
      } else if (node.kind == IndexKind::variable) {
        result = values[node.lhs];
      } else {
        const Possible &a = known[node.lhs];
        const Possible &b = isOfTwo(node) ? known[node.rhs] : a;
        result = {rangeOf(node, a.range, b.range, false), a.atRun || b.atRun};
      }
    }
    return known[index];
  }

  /// Notes the range of the counter or register that `op` defines.
  void define(const Op &op) {
    Possible &result = values[op.result];
    const auto *loop = op.getIf<Loop>();
    if (!loop) {
      const InstructionCall *call = op.call();
      const bool loads =
          call && call->mnemonic == "register_load" && !call->operands.empty();
      result.atRun = true;
      result.range =
          loads ? rangeOfRegister(
                      program.values[call->operands.front().view.value].dtype)
                : rangeOfRank;
      return;
    }
    if (loop->step < 1)
      return;
    const Possible first = of(loop->begin.index), last = of(loop->end.index);
    result.range = rangeOfCounter(first.range, last.range, loop->step,
                                  first.range.low == first.range.high &&
                                      last.range.low == last.range.high);
    result.atRun = first.atRun || last.atRun;
  }

private:
  static bool isOfTwo(const IndexNode &node) {
    return node.kind == IndexKind::add || node.kind == IndexKind::minimum ||
           node.kind == IndexKind::maximum;
  }

  const Program &program;
  std::map<Id, Possible> values; ///< Ranges of counters and registers.
  std::vector<Id> parts;
  std::vector<std::uint32_t> reached; ///< Last round, by index.
  std::uint32_t rounds = 0;
};

} // namespace kiln::program

#endif // KILN_PROGRAM_BOUNDS_H

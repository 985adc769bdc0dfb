//===- Inside.cpp - Do windows stay inside their memory? ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inside.h"

#include "kiln/program_visit.h"

#include <algorithm>
#include <map>

namespace kiln::trial {
namespace {

using program::Id;
using program::IndexKind;
using program::IndexNode;
using program::Op;

/// Far outside of every tile; sums of two are no overflow.
constexpr std::int64_t anywhere = std::int64_t{1} << 40;

struct Range {
  std::int64_t low = -anywhere, high = anywhere;
};

class Ranges {
public:
  explicit Ranges(const program::Program &program) : program(program) {}

  bool check(const std::vector<Op> &body) {
    for (const Op &op : body) {
      if (anyView(op, [this](const program::View &view) {
            return !isInside(view);
          }))
        return false;
      const auto *loop = op.getIf<program::Loop>();
      if (!loop)
        continue;
      const Range begin = of(loop->begin.index), end = of(loop->end.index);
      loops[op.result] = {begin.low, std::max(begin.low, end.high - 1)};
      if (!check(op.body))
        return false;
    }
    return true;
  }

private:
  bool isInside(const program::View &view) const {
    const program::Value &value = program.values[view.value];
    if (value.kind == program::ValueKind::tensor ||
        view.offset == program::none)
      return true; // A run checks HBM; constants are checked already.
    std::int64_t elements = 1, last = 0;
    for (std::size_t i = 1; i < value.shape.size(); ++i)
      elements *= value.shape[i];
    for (std::size_t i = 1; i < view.sizes.size(); ++i)
      last += (view.sizes[i] - 1) * view.strides[i];
    const Range offset = of(view.offset);
    return offset.low >= 0 && offset.high + last < elements;
  }

  static Range cut(std::int64_t low, std::int64_t high) {
    return {std::clamp(low, -anywhere, anywhere),
            std::clamp(high, -anywhere, anywhere)};
  }
  static std::int64_t floorOf(std::int64_t a, std::int64_t b) {
    return a / b - (a % b < 0);
  }

  Range of(Id id) const {
    if (id == program::none)
      return {0, 0};
    const IndexNode &node = program.indices[id];
    if (node.kind == IndexKind::constant)
      return cut(node.value, node.value);
    if (node.kind == IndexKind::variable) {
      const auto found = loops.find(node.lhs);
      return found == loops.end() ? Range{} : found->second;
    }
    const Range a = of(node.lhs), b = of(node.rhs);
    const std::int64_t factor =
        std::clamp(node.value, -(anywhere >> 20), anywhere >> 20);
    switch (node.kind) {
    case IndexKind::add:
      return cut(a.low + b.low, a.high + b.high);
    case IndexKind::multiply:
      return factor >= 0 ? cut(a.low * factor, a.high * factor)
                         : cut(a.high * factor, a.low * factor);
    case IndexKind::floorDivide:
      return {floorOf(a.low, node.value), floorOf(a.high, node.value)};
    case IndexKind::modulo:
      return a.low >= 0 && a.high < node.value ? a : Range{0, node.value - 1};
    case IndexKind::minimum:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    default:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    }
  }

  const program::Program &program;
  std::map<Id, Range> loops;
};

} // namespace

bool staysInside(const program::Program &program) {
  return Ranges(program).check(program.body);
}

} // namespace kiln::trial

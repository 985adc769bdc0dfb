//===- Edits.cpp - Steps that make a Program smaller --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Edits.h"

#include "kiln/program_names.h"
#include "kiln/program_visit.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace kiln::trial {
namespace {

using program::Id;
using program::IndexKind;
using program::IndexNode;
using program::IndexRef;
using program::none;
using program::Op;
using program::Program;
using program::ValueKind;
using program::View;

void flattenInto(std::vector<Op> &body, std::vector<Op *> &all) {
  for (Op &op : body) {
    all.push_back(&op);
    flattenInto(op.body, all);
  }
}

/// A constant of this value.
Id constantIndex(Program &program, std::int64_t value) {
  IndexNode node;
  node.value = value;
  program.indices.push_back(node);
  return static_cast<Id>(program.indices.size() - 1);
}

/// The values that operations still use: as operands, and in indices.
struct Uses {
  std::vector<bool> values;
  std::vector<bool> indices;
};
void useIndex(const Program &program, Id index, Uses &uses) {
  if (index == none || uses.indices[index])
    return;
  uses.indices[index] = true;
  const IndexNode &node = program.indices[index];
  if (node.kind == IndexKind::variable) {
    uses.values[node.lhs] = true;
    return;
  }
  useIndex(program, node.lhs, uses);
  useIndex(program, node.rhs, uses);
}
void useAll(const Program &program, const std::vector<Op> &body, Uses &uses) {
  for (const Op &op : body) {
    forEachView(op, [&](const View &view) {
      uses.values[view.value] = true;
      useIndex(program, view.offset, uses);
    });
    forEachIndex(
        op, [&](const IndexRef &ref) { useIndex(program, ref.index, uses); });
    useAll(program, op.body, uses);
  }
}
Uses usesOf(const Program &program) {
  Uses uses{std::vector<bool>(program.values.size()),
            std::vector<bool>(program.indices.size())};
  useAll(program, program.body, uses);
  return uses;
}

void turnIntoFill(Op &op) {
  op.operation = program::Fill{1.0};
  op.order = {};
  op.body.clear();
}

/// An index variable that is gone is 0.
void forgetVariable(Program &program, Id value) {
  for (IndexNode &node : program.indices)
    if (node.kind == IndexKind::variable && node.lhs == value)
      node = IndexNode{};
}

/// after() of operations that are gone.
void dropDanglingLabels(Program &program) {
  std::set<std::int64_t> labels;
  for (const Op *op : flatten(program))
    if (op->order.label)
      labels.insert(*op->order.label);
  for (Op *op : flatten(program))
    std::erase_if(op->order.after,
                  [&](std::int64_t label) { return !labels.contains(label); });
}

bool isTileResult(const Program &program, const Op &op) {
  return op.result != none && !op.is<program::Loop>() &&
         program.values[op.result].kind == ValueKind::tile;
}

/// Runs `edit` on the body and position of operation `op`.
template <class Edit>
bool atOperation(std::vector<Op> &body, std::size_t &op, Edit &&edit) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (op-- == 0)
      return edit(body, i);
    if (atOperation(body[i].body, op, edit))
      return true;
    if (op == static_cast<std::size_t>(-1))
      return false;
  }
  return false;
}

} // namespace

std::vector<Op *> flatten(Program &program) {
  std::vector<Op *> all;
  flattenInto(program.body, all);
  return all;
}

void dropOperations(Program &program, const std::vector<bool> &drop) {
  std::size_t number = 0;
  std::vector<bool> gone(program.values.size());
  // Removes them first; results that are still used become fills.
  const auto walk = [&](auto &self, std::vector<Op> &body,
                        bool inside) -> void {
    for (Op &op : body) {
      const bool leaves = inside || (number < drop.size() && drop[number]);
      ++number;
      if (leaves && op.result != none)
        gone[op.result] = true;
      self(self, op.body, leaves);
    }
  };
  walk(walk, program.body, false);
  number = 0;
  Program rest = program;
  const auto erase = [&](auto &self, std::vector<Op> &body) -> void {
    std::vector<Op> kept;
    for (Op &op : body) {
      const bool leaves = number < drop.size() && drop[number];
      ++number;
      std::size_t nested = 0;
      const auto count = [&](auto &again, const std::vector<Op> &ops) -> void {
        for (const Op &inner : ops) {
          ++nested;
          again(again, inner.body);
        }
      };
      if (leaves) {
        count(count, op.body);
        number += nested;
        continue;
      }
      self(self, op.body);
      kept.push_back(std::move(op));
    }
    body = std::move(kept);
  };
  erase(erase, rest.body);
  const Uses uses = usesOf(rest);
  // Now finally, with fills for results that are read.
  number = 0;
  const auto rewrite = [&](auto &self, std::vector<Op> &body,
                           bool inside) -> void {
    std::vector<Op> kept;
    for (Op &op : body) {
      const bool leaves = inside || (number < drop.size() && drop[number]);
      ++number;
      self(self, op.body, leaves);
      if (!leaves) {
        kept.push_back(std::move(op));
        continue;
      }
      if (op.result == none || !uses.values[op.result])
        continue;
      if (isTileResult(program, op)) {
        turnIntoFill(op);
        kept.push_back(std::move(op));
      } else if (op.is<program::Declare>()) {
        kept.push_back(std::move(op));
      } else {
        forgetVariable(program, op.result);
      }
    }
    body = std::move(kept);
  };
  rewrite(rewrite, program.body, false);
  dropDanglingLabels(program);
}

bool makeFill(Program &program, std::size_t op) {
  Op &found = *flatten(program)[op];
  if (!isTileResult(program, found) || found.is<program::Fill>())
    return false;
  turnIntoFill(found);
  dropDanglingLabels(program);
  return true;
}

bool bypass(Program &program, std::size_t op, std::size_t operand) {
  const Op found = *flatten(program)[op];
  const View *view = viewAt(found, operand);
  if (!isTileResult(program, found) || !view)
    return false;
  const View from = *view;
  const program::Value &result = program.values[found.result];
  const program::Value &source = program.values[from.value];
  if (from != program::wholeView(program, from.value) ||
      source.kind == ValueKind::tensor || source.shape != result.shape ||
      source.dtype != result.dtype)
    return false;
  for (Op *other : flatten(program))
    forEachView(*other, [&](View &used) {
      if (used.value == found.result)
        used.value = from.value;
    });
  return atOperation(
      program.body, op, [](std::vector<Op> &body, std::size_t i) {
        body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      });
}

bool inlineLoop(Program &program, std::size_t op) {
  return atOperation(
      program.body, op, [&](std::vector<Op> &body, std::size_t i) {
        if (!body[i].is<program::Loop>())
          return false;
        Op loop = std::move(body[i]);
        const Id begin = loop.as<program::Loop>().begin.index;
        for (IndexNode &node : program.indices)
          if (node.kind == IndexKind::variable && node.lhs == loop.result)
            node = program.indices[begin];
        // A while ends with an operation that repeats it.
        std::erase_if(loop.body, [](const Op &inner) {
          return inner.mnemonic() == "while";
        });
        const auto at =
            body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
        body.insert(at, std::make_move_iterator(loop.body.begin()),
                    std::make_move_iterator(loop.body.end()));
        return true;
      });
}

bool setTrips(Program &program, std::size_t op, std::int64_t trips) {
  auto *loop = flatten(program)[op]->getIf<program::Loop>();
  if (!loop)
    return false;
  const auto isConstant = [&](const IndexRef &ref, std::int64_t value) {
    const IndexNode &node = program.indices[ref.index];
    return node.kind == IndexKind::constant && node.value == value;
  };
  if (isConstant(loop->begin, 0) && isConstant(loop->end, trips) &&
      loop->step == 1)
    return false;
  loop->begin.index = constantIndex(program, 0);
  loop->end.index = constantIndex(program, trips);
  loop->step = 1;
  return true;
}

bool setIndex(Program &program, std::size_t index, std::int64_t value) {
  IndexNode &node = program.indices[index];
  if (node.kind == IndexKind::constant && node.value == value)
    return false;
  node = IndexNode{};
  node.value = value;
  return true;
}

/// The parts of an operation that may be absent.
static bool dropFrom(auto &fields, std::string_view name) {
  bool dropped = false;
  forEachField(fields, [&](std::string_view field, auto &value) {
    using T = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<T, program::CallFields>)
      dropped = dropped || value.erase(std::string(name)) > 0;
    else if constexpr (!program::isViews<T> &&
                       (program::isOptional<T> ||
                        std::is_same_v<T, std::vector<std::int64_t>> ||
                        std::is_same_v<T, std::vector<program::Tokens>>))
      if (field == name && value != T()) {
        value = T();
        dropped = true;
      }
  });
  return dropped;
}

bool dropAttribute(Program &program, std::size_t op, const std::string &name) {
  Op &found = *flatten(program)[op];
  return dropFrom(found.order, name) ||
         std::visit([&](auto &operation) { return dropFrom(operation, name); },
                    found.operation);
}

} // namespace kiln::trial

//===- Edits.cpp - Steps that make a Program smaller --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Edits.h"

#include "kiln/program_names.h"

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
using program::OpKind;
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

/// What operations still refer to: values as operands, values in indices.
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
    for (const View &view : op.operands) {
      uses.values[view.value] = true;
      useIndex(program, view.offset, uses);
    }
    for (const auto &[name, attribute] : op.attributes)
      if (const auto *ref = std::get_if<IndexRef>(&attribute))
        useIndex(program, ref->index, uses);
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
  op.kind = OpKind::fill;
  op.operands.clear();
  op.body.clear();
  op.attributes.clear();
  op.attributes["value"] = 1.0;
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
    if (const auto found = op->attributes.find("label");
        found != op->attributes.end())
      labels.insert(std::get<std::int64_t>(found->second));
  for (Op *op : flatten(program)) {
    const auto found = op->attributes.find("after");
    if (found == op->attributes.end())
      continue;
    auto &list = std::get<std::vector<std::int64_t>>(found->second);
    std::erase_if(list,
                  [&](std::int64_t label) { return !labels.contains(label); });
    if (list.empty())
      op->attributes.erase(found);
  }
}

bool isTileResult(const Program &program, const Op &op) {
  return op.result != none && op.kind != OpKind::loop &&
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
  // Out first; what is still used comes back as a fill.
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
  // Now for good, with fills where somebody reads.
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
      } else if (op.kind == OpKind::declare) {
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
  if (!isTileResult(program, found) || found.kind == OpKind::fill)
    return false;
  turnIntoFill(found);
  dropDanglingLabels(program);
  return true;
}

bool bypass(Program &program, std::size_t op, std::size_t operand) {
  const Op found = *flatten(program)[op];
  if (!isTileResult(program, found) || operand >= found.operands.size())
    return false;
  const View from = found.operands[operand];
  const program::Value &result = program.values[found.result];
  const program::Value &source = program.values[from.value];
  if (from != program::wholeView(program, from.value) ||
      source.kind == ValueKind::tensor || source.shape != result.shape ||
      source.dtype != result.dtype)
    return false;
  for (Op *other : flatten(program))
    for (View &view : other->operands)
      if (view.value == found.result)
        view.value = from.value;
  return atOperation(
      program.body, op, [](std::vector<Op> &body, std::size_t i) {
        body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      });
}

bool inlineLoop(Program &program, std::size_t op) {
  return atOperation(
      program.body, op, [&](std::vector<Op> &body, std::size_t i) {
        if (body[i].kind != OpKind::loop)
          return false;
        Op loop = std::move(body[i]);
        const Id begin = std::get<IndexRef>(loop.attributes.at("begin")).index;
        for (IndexNode &node : program.indices)
          if (node.kind == IndexKind::variable && node.lhs == loop.result)
            node = program.indices[begin];
        // A while has a last operation that repeats it.
        std::erase_if(loop.body, [](const Op &inner) {
          const auto found = inner.attributes.find("mnemonic");
          return found != inner.attributes.end() &&
                 std::get<std::string>(found->second) == "while";
        });
        const auto at =
            body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
        body.insert(at, std::make_move_iterator(loop.body.begin()),
                    std::make_move_iterator(loop.body.end()));
        return true;
      });
}

bool setTrips(Program &program, std::size_t op, std::int64_t trips) {
  Op &loop = *flatten(program)[op];
  if (loop.kind != OpKind::loop)
    return false;
  const Id begin = constantIndex(program, 0);
  const Id end = constantIndex(program, trips);
  const auto isConstant = [&](const char *name, std::int64_t value) {
    const IndexNode &node =
        program.indices[std::get<IndexRef>(loop.attributes.at(name)).index];
    return node.kind == IndexKind::constant && node.value == value;
  };
  if (isConstant("begin", 0) && isConstant("end", trips) &&
      std::get<std::int64_t>(loop.attributes.at("step")) == 1)
    return false;
  loop.attributes["begin"] = IndexRef{begin};
  loop.attributes["end"] = IndexRef{end};
  loop.attributes["step"] = std::int64_t{1};
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

bool dropAttribute(Program &program, std::size_t op, const std::string &name) {
  return flatten(program)[op]->attributes.erase(name) > 0;
}

} // namespace kiln::trial

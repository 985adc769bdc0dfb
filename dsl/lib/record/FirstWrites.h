//===- FirstWrites.h - The first product writes, later ones add ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `accumulate` = first_writes is decided for each element of PSUM while the
// kernel is recorded; a Program has only plain flags. An element is untouched
// where its buffer is declared. A loop whose first iteration writes and whose
// others add becomes two: its first iteration and the rest.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_RECORD_FIRSTWRITES_H
#define KILN_DSL_LIB_RECORD_FIRSTWRITES_H

#include "kiln/program_names.h"
#include "kiln/program_visit.h"
#include "kiln/record.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kiln::dsl {

/// The field `accumulate` until it is decided.
inline constexpr std::int64_t firstWrites = 2;

class FirstWrites {
public:
  explicit FirstWrites(program::Program &program) : program(program) {}
  void run() { visit(program.body); }

  using Op = program::Op;
  static bool asks(const Op &op) {
    const auto *flag =
        isProduct(op) ? op.call()->get<std::int64_t>("accumulate") : nullptr;
    return flag && *flag == firstWrites;
  }

private:
  using Body = std::vector<Op>;
  enum State : char { untouched, perhaps, written };
  /// The elements of each buffer that a product has written, row by row.
  using Places = std::map<program::Id, std::vector<State>>;

  [[noreturn]] void fail(const Op &op, const std::string &why) const {
    const program::Location &at = program.locations[op.location];
    const RecordError error(
        "KILN-A150", "accumulate = first_writes cannot be decided: " + why,
        "give accumulate = true or false to each product", at.file, at.line);
    if (at.callers.empty())
      throw error;
    throw HelperError(error, at.callers);
  }

  static bool isProduct(const Op &op) {
    const auto *call = op.getIf<program::Instruction>();
    return call &&
           (call->mnemonic == "nc_matmul" || call->mnemonic == "nc_matmul_mx");
  }
  static const program::View &placeOf(const Op &product) {
    return product.as<program::Instruction>().operands.front().view;
  }

  /// The elements of its buffer that the product writes; empty if a loop's
  /// index decides which.
  std::vector<std::size_t> elementsOf(const Op &op) const {
    const program::View &view = placeOf(op);
    std::int64_t offset = 0;
    if (view.offset != program::none) {
      const program::IndexNode &node = program.indices[view.offset];
      if (node.kind != program::IndexKind::constant)
        return {};
      offset = node.value;
    }
    std::vector<std::int64_t> columns{offset};
    for (std::size_t d = 1; d < view.sizes.size(); ++d) {
      std::vector<std::int64_t> next;
      for (const std::int64_t column : columns)
        for (std::int64_t i = 0; i < view.sizes[d]; ++i)
          next.push_back(column + i * view.strides[d]);
      columns = std::move(next);
    }
    const std::int64_t width = widthOf(view.value);
    std::vector<std::size_t> elements;
    for (std::int64_t row = view.row; row < view.row + view.sizes[0]; ++row)
      for (const std::int64_t column : columns)
        elements.push_back(static_cast<std::size_t>(row * width + column));
    return elements;
  }
  std::int64_t widthOf(program::Id buffer) const {
    std::int64_t width = 1;
    const std::vector<std::int64_t> &shape = program.values[buffer].shape;
    for (std::size_t d = 1; d < shape.size(); ++d)
      width *= shape[d];
    return width;
  }
  std::vector<State> &statesOf(program::Id buffer) {
    std::vector<State> &states = places[buffer];
    states.resize(static_cast<std::size_t>(widthOf(buffer) *
                                           program.values[buffer].shape[0]),
                  untouched);
    return states;
  }

  void visit(Body &body) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (body[i].is<program::Declare>())
        places.erase(body[i].result);
      else if (isProduct(body[i]))
        visitProduct(body[i]);
      else if (body[i].is<program::Loop>() && visitLoop(body, i))
        ++i;
    }
  }

  void visitProduct(Op &op) {
    const std::vector<std::size_t> elements = elementsOf(op);
    std::vector<State> &states = statesOf(placeOf(op).value);
    if (asks(op)) {
      if (elements.empty())
        fail(op, "the index of a loop decides where the product is");
      const State first = states[elements.front()];
      for (const std::size_t element : elements)
        if (states[element] != first)
          fail(op, "earlier products wrote only a part of its place");
      if (first == perhaps)
        fail(op, "a loop that may not run wrote its place");
      program::CallFields &fields = op.as<program::Instruction>().more;
      fields.erase("accumulate");
      if (first == written)
        fields["accumulate"] = std::int64_t{1};
    }
    if (elements.empty())
      std::replace(states.begin(), states.end(), untouched, perhaps);
    for (const std::size_t element : elements)
      states[element] = written;
  }

  /// The first product in `body` that would now write, not add, to a buffer
  /// that is declared outside; null if there is none.
  const Op *firstToWrite(const Body &body, std::set<program::Id> &inner) {
    for (const Op &op : body) {
      if (op.is<program::Declare>())
        inner.insert(op.result);
      if (const Op *found = firstToWrite(op.body, inner))
        return found;
      if (!asks(op) || inner.contains(placeOf(op).value))
        continue;
      const std::vector<State> &states = statesOf(placeOf(op).value);
      for (const std::size_t element : elementsOf(op))
        if (states[element] != written)
          return &op;
    }
    return nullptr;
  }

  /// True if the loop was split in two.
  bool visitLoop(Body &body, std::size_t at) {
    const auto &loop = body[at].as<program::Loop>();
    const program::IndexNode begin = program.indices[loop.begin.index];
    const program::IndexNode end = program.indices[loop.end.index];
    const std::int64_t step = loop.step;
    const bool isKnown = begin.kind == program::IndexKind::constant &&
                         end.kind == program::IndexKind::constant;
    const Places before = places;
    std::set<program::Id> inner;
    const Op *writes = firstToWrite(body[at].body, inner);
    const bool splits = writes && !(isKnown && end.value - begin.value <= step);
    if (splits) {
      requireSplittable(body[at], *writes);
      split(body, at, step);
      visit(body[at].body);
    }
    visit(body[at + splits].body);
    if (!isKnown || end.value <= begin.value)
      for (auto &[buffer, states] : places) {
        const auto found = before.find(buffer);
        for (std::size_t i = 0; i < states.size(); ++i)
          if (states[i] == written &&
              (found == before.end() || found->second[i] != written))
            states[i] = perhaps;
      }
    return splits;
  }

  /// The product is to blame, not what keeps its loop whole.
  void requireSplittable(const Op &loop, const Op &product) const {
    if (loop.body.back().mnemonic() == "while")
      fail(product, "it is in a while_loop");
    if (hasOrder(loop))
      fail(product, "its loop is split into the first iteration and the rest, "
                    "but after() or no_reorder needs it whole");
  }
  static bool hasOrder(const Op &op) {
    return op.order.label || op.order.ordered ||
           std::any_of(op.body.begin(), op.body.end(), hasOrder);
  }

  void split(Body &body, std::size_t at, std::int64_t step) {
    Op first = body[at];
    copies.clear();
    copyResults(first);
    rename(first);
    using program::IndexKind;
    auto &rest = body[at].as<program::Loop>();
    const program::Id begin = rest.begin.index, end = rest.end.index;
    program::Id second = sum(begin, step);
    program::IndexNode less{IndexKind::minimum, 0, end, second};
    const program::IndexNode &known = program.indices[end];
    first.as<program::Loop>().end.index =
        known.kind == IndexKind::constant &&
                program.indices[begin].kind == IndexKind::constant
            ? second
            : add(less);
    rest.begin.index = second;
    body.insert(body.begin() + static_cast<std::ptrdiff_t>(at),
                std::move(first));
  }
  program::Id add(const program::IndexNode &node) {
    program.indices.push_back(node);
    return static_cast<program::Id>(program.indices.size() - 1);
  }
  program::Id sum(program::Id a, std::int64_t number) {
    using program::IndexKind;
    if (program.indices[a].kind == IndexKind::constant)
      return add({IndexKind::constant, program.indices[a].value + number,
                  program::none, program::none});
    const program::Id b =
        add({IndexKind::constant, number, program::none, program::none});
    return add({IndexKind::add, 0, a, b});
  }

  /// Gives a copy its own results.
  void copyResults(Op &op) {
    if (op.result != program::none) {
      const auto copy = static_cast<program::Id>(program.values.size());
      program.values.push_back(program::Value(program.values[op.result]));
      copies[op.result] = copy;
      op.result = copy;
    }
    for (Op &child : op.body)
      copyResults(child);
  }
  void rename(Op &op) {
    forEachView(op, [this](program::View &operand) {
      operand.value = copyOf(operand.value);
      if (operand.offset != program::none)
        operand.offset = copyOfIndex(operand.offset);
    });
    forEachIndex(op, [this](program::IndexRef &ref) {
      ref.index = copyOfIndex(ref.index);
    });
    for (Op &child : op.body)
      rename(child);
  }
  program::Id copyOf(program::Id value) const {
    const auto found = copies.find(value);
    return found == copies.end() ? value : found->second;
  }
  program::Id copyOfIndex(program::Id id) {
    program::IndexNode node = program.indices[id];
    const program::IndexNode former = node;
    if (node.kind == program::IndexKind::variable) {
      node.lhs = copyOf(node.lhs);
    } else {
      if (node.lhs != program::none)
        node.lhs = copyOfIndex(node.lhs);
      if (node.rhs != program::none)
        node.rhs = copyOfIndex(node.rhs);
    }
    return node == former ? id : add(node);
  }

  program::Program &program;
  Places places;
  std::map<program::Id, program::Id> copies;
};

} // namespace kiln::dsl

#endif // KILN_DSL_LIB_RECORD_FIRSTWRITES_H

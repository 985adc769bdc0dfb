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

#include "kiln/dsl/error.h"
#include "kiln/program_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kiln::dsl {

/// The value of the attribute `accumulate` until it is decided.
inline constexpr std::int64_t firstWrites = 2;

class FirstWrites {
public:
  explicit FirstWrites(program::Program &program) : program(program) {}
  void run() { visit(program.body); }

private:
  using Op = program::Op;
  using Body = std::vector<Op>;
  enum State : char { untouched, perhaps, written };
  /// The elements of each buffer that a product has written, row by row.
  using Places = std::map<program::Id, std::vector<State>>;

  [[noreturn]] void fail(const Op &op, const std::string &why) const {
    const program::Location &at = program.locations[op.location];
    throw RecordError(
        "KILN-A150", "accumulate = first_writes cannot be decided: " + why,
        "give accumulate = true or false to each product", at.file, at.line);
  }

  static bool isProduct(const Op &op) {
    const auto found = op.attributes.find("mnemonic");
    const auto *text = found == op.attributes.end()
                           ? nullptr
                           : std::get_if<std::string>(&found->second);
    return op.kind == program::OpKind::instruction && text &&
           (*text == "nc_matmul" || *text == "nc_matmul_mx");
  }
  static bool asks(const Op &op) {
    const auto found = op.attributes.find("accumulate");
    return isProduct(op) && found != op.attributes.end() &&
           std::get<std::int64_t>(found->second) == firstWrites;
  }

  /// The elements of its buffer that the product writes; empty if a loop's
  /// index decides which.
  std::vector<std::size_t> elementsOf(const Op &op) const {
    const program::View &view = op.operands.front();
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
      if (body[i].kind == program::OpKind::declare)
        places.erase(body[i].result);
      else if (isProduct(body[i]))
        visitProduct(body[i]);
      else if (body[i].kind == program::OpKind::loop && visitLoop(body, i))
        ++i;
    }
  }

  void visitProduct(Op &op) {
    const std::vector<std::size_t> elements = elementsOf(op);
    std::vector<State> &states = statesOf(op.operands.front().value);
    if (asks(op)) {
      if (elements.empty())
        fail(op, "the index of a loop says where the product is");
      const State first = states[elements.front()];
      for (const std::size_t element : elements)
        if (states[element] != first)
          fail(op, "earlier products wrote a part of its place");
      if (first == perhaps)
        fail(op, "a loop that may not run wrote its place");
      op.attributes.erase("accumulate");
      if (first == written)
        op.attributes["accumulate"] = std::int64_t{1};
    }
    if (elements.empty())
      std::replace(states.begin(), states.end(), untouched, perhaps);
    for (const std::size_t element : elements)
      states[element] = written;
  }

  /// True if a product in `body` would now write, not add, to a buffer that is
  /// declared outside.
  bool wouldWrite(const Body &body, std::set<program::Id> &inner) {
    for (const Op &op : body) {
      if (op.kind == program::OpKind::declare)
        inner.insert(op.result);
      if (wouldWrite(op.body, inner))
        return true;
      if (!asks(op) || inner.contains(op.operands.front().value))
        continue;
      const std::vector<State> &states = statesOf(op.operands.front().value);
      for (const std::size_t element : elementsOf(op))
        if (states[element] != written)
          return true;
    }
    return false;
  }

  const program::IndexNode &boundOf(const Op &loop, const char *name) const {
    const auto &bound = std::get<program::IndexRef>(loop.attributes.at(name));
    return program.indices[bound.index];
  }

  /// True if the loop was split in two.
  bool visitLoop(Body &body, std::size_t at) {
    const program::IndexNode begin = boundOf(body[at], "begin");
    const program::IndexNode end = boundOf(body[at], "end");
    const std::int64_t step =
        std::get<std::int64_t>(body[at].attributes.at("step"));
    const bool isKnown = begin.kind == program::IndexKind::constant &&
                         end.kind == program::IndexKind::constant;
    const Places before = places;
    std::set<program::Id> inner;
    const bool splits = wouldWrite(body[at].body, inner) &&
                        !(isKnown && end.value - begin.value <= step);
    if (splits) {
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

  void split(Body &body, std::size_t at, std::int64_t step) {
    const Op &last = body[at].body.back();
    if (const auto found = last.attributes.find("mnemonic");
        found != last.attributes.end() &&
        std::get<std::string>(found->second) == "while")
      fail(firstAsking(body[at].body), "it is in a while_loop");
    Op first = body[at];
    copies.clear();
    copyResults(first);
    rename(first);
    using program::IndexKind;
    const program::Id begin =
        std::get<program::IndexRef>(body[at].attributes.at("begin")).index;
    const program::Id end =
        std::get<program::IndexRef>(body[at].attributes.at("end")).index;
    program::Id second = sum(begin, step);
    program::IndexNode less{IndexKind::minimum, 0, end, second};
    const program::IndexNode &known = program.indices[end];
    first.attributes["end"] = program::IndexRef{
        known.kind == IndexKind::constant &&
                program.indices[begin].kind == IndexKind::constant
            ? second
            : add(less)};
    body[at].attributes["begin"] = program::IndexRef{second};
    body.insert(body.begin() + static_cast<std::ptrdiff_t>(at),
                std::move(first));
  }
  static const Op &firstAsking(const Body &body) {
    const Op *found = &body.front();
    for (const Op &op : body) {
      if (asks(op))
        return op;
      if (!op.body.empty() && asks(firstAsking(op.body)))
        found = &firstAsking(op.body);
    }
    return *found;
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
    for (const char *promise : {"label", "ordered"})
      if (op.attributes.contains(promise))
        fail(op, "its loop is divided into the first iteration and the rest, "
                 "and after() or no_reorder counts on one");
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
    for (program::View &operand : op.operands) {
      operand.value = copyOf(operand.value);
      if (operand.offset != program::none)
        operand.offset = copyOfIndex(operand.offset);
    }
    for (auto &[name, attribute] : op.attributes)
      if (auto *index = std::get_if<program::IndexRef>(&attribute))
        index->index = copyOfIndex(index->index);
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

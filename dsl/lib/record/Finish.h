//===- Finish.h - Turns what was recorded into a Program ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three steps, none of which changes the meaning:
//  1. variables: a tile that was assigned in an inner loop becomes a buffer,
//     declared where the tile was made; copies of tiles that were never
//     assigned vanish;
//  2. order: C++ does not define the order in which arguments are evaluated, so
//     `f(load(a), load(b))` is recorded in either order. Between two operations
//     with effects, or in a statement of a no_reorder, everything is pure; it
//     is put in the order of first use, operands from left to right. Every
//     compiler then gives the same Program;
//  3. numbers: values, index expressions and locations are numbered in order
//     of appearance.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_RECORD_FINISH_H
#define KILN_DSL_LIB_RECORD_FINISH_H

#include "FirstWrites.h"
#include "Recorder.h"
#include "kiln/isa/info.h"

namespace kiln::dsl {

class Finisher {
public:
  explicit Finisher(Recorder &recorder) : in(recorder) {}

  Program finish() {
    resolveAliases();
    out.kernel = in.program.kernel;
    out.parameters = in.program.parameters;
    out.flops = in.program.flops;
    out.tokens = in.program.tokens;
    out.hasParts = in.program.hasParts;
    out.core = in.program.core;
    out.cores = in.program.cores;
    out.generation = in.program.generation;
    out.semaphores = in.program.semaphores;
    out.memoryScopes = in.program.memoryScopes;
    out.schedule = in.program.schedule;
    values.assign(in.program.values.size(), none);
    indices.assign(in.program.indices.size(), none);
    locations.assign(in.program.locations.size(), none);
    emitted.assign(in.ops.size(), false);
    stamp.assign(in.ops.size(), 0);
    for (const program::Argument &argument : in.program.arguments)
      out.arguments.push_back(
          {mapValue(argument.value), argument.kind, argument.deviation});
    out.body.reserve(in.blocks[Recorder::root].size());
    emitBlock(Recorder::root, out.body);
    if (asksForFirst)
      FirstWrites(out).run();
    return std::move(out);
  }

private:
  void resolveAliases() {
    substitute.resize(in.program.values.size());
    for (Id i = 0; i < substitute.size(); ++i)
      substitute[i] = i;
    dropped.assign(in.ops.size(), false);
    for (std::uint32_t number : in.aliases) {
      Op &op = in.ops[number];
      View &copied = op.as<program::Copy>().x;
      const Id source = substitute[copied.value];
      copied.value = source;
      if (in.isBuffer(op.result) || in.isBuffer(source))
        continue;
      substitute[op.result] = source;
      dropped[number] = true;
    }
  }

  /// Random numbers depend on those that were drawn before.
  static bool isRandom(const Op &op) {
    const auto opcode = isa::parseOpcode(op.mnemonic());
    return opcode && isa::info(*opcode).state == isa::HiddenState::random;
  }

  static bool isPure(const Op &op) {
    switch (op.kind()) {
    case OpKind::apply:
      return !isRandom(op);
    case OpKind::declare:
    case OpKind::assign:
    case OpKind::store:
    case OpKind::loop:
    case OpKind::instruction:
      return false;
    default:
      return true;
    }
  }

  void emitBlock(Recorder::Block block, std::vector<Op> &body) {
    std::vector<std::uint32_t> segment;
    for (std::uint32_t number : in.blocks[block]) {
      if (dropped[number])
        continue;
      if (!segment.empty() &&
          startsStatement(in.ops[segment.back()], in.ops[number])) {
        emitSegment(segment, body);
        segment.clear();
      }
      segment.push_back(number);
      if (!isPure(in.ops[number]) || in.ops[number].order.label.has_value() ||
          definesVariable(number)) {
        emitSegment(segment, body);
        segment.clear();
      }
    }
    emitSegment(segment, body);
  }

  /// In a no_reorder, statements keep their order, including pure ones.
  /// Operations within a statement go from left to right, as elsewhere.
  static bool startsStatement(const Op &last, const Op &op) {
    const bool isOrdered = op.order.ordered.has_value();
    return isOrdered != last.order.ordered.has_value() ||
           (isOrdered && op.location != last.location);
  }

  bool definesVariable(std::uint32_t number) const {
    const Op &op = in.ops[number];
    return op.result != none && (isPure(op) || op.is<program::Apply>()) &&
           in.isBuffer(op.result);
  }

  /// Takes pure operations and, as the last one, at most one with effects.
  void emitSegment(const std::vector<std::uint32_t> &segment,
                   std::vector<Op> &body) {
    ++segmentNumber;
    for (std::uint32_t number : segment)
      stamp[number] = segmentNumber;
    std::vector<bool> used(segment.size(), false);
    std::map<std::uint32_t, std::size_t> place;
    for (std::size_t i = 0; i < segment.size(); ++i)
      place[segment[i]] = i;
    for (std::uint32_t number : segment)
      forEachView(in.ops[number], [&](const View &operand) {
        if (const Id from = producer(operand); from != none)
          used[place[from]] = true;
      });
    for (std::size_t i = 0; i < segment.size(); ++i)
      if (!used[i])
        emitTree(segment[i], body);
  }

  /// The operation of this segment that computes `operand`, if any.
  Id producer(const View &operand) const {
    if (operand.value >= substitute.size())
      return none;
    const Id id = in.definition[substitute[operand.value]];
    return id != none && stamp[id] == segmentNumber ? id : none;
  }

  void emitTree(std::uint32_t rootOp, std::vector<Op> &body) {
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{rootOp, 0}};
    while (!stack.empty()) {
      auto &[number, next] = stack.back();
      const Op &op = in.ops[number];
      if (emitted[number]) {
        stack.pop_back();
        continue;
      }
      if (const View *operand = viewAt(op, next)) {
        ++next;
        const Id from = producer(*operand);
        if (from != none && from != number && !emitted[from])
          stack.emplace_back(from, 0);
        continue;
      }
      emitted[number] = true;
      const std::uint32_t done = number;
      stack.pop_back();
      emitOp(done, body);
    }
  }

  void emitOp(std::uint32_t number, std::vector<Op> &body) {
    const bool isVariable = definesVariable(number);
    // An emitted operation is not read again.
    Op op = std::move(in.ops[number]);
    op.location = mapLocation(op.location);
    forEachView(op, [this](View &operand) { mapView(operand); });
    forEachIndex(op, [this](program::IndexRef &ref) {
      ref.index = mapIndex(ref.index);
    });
    mapLabels(op.order);
    if (op.order.ordered)
      op.order.ordered->number = ordered++;
    asksForFirst = asksForFirst || FirstWrites::asks(op);
    if (isVariable) {
      emitVariable(std::move(op), body);
      return;
    }
    if (op.result != none)
      op.result = mapValue(op.result);
    body.push_back(std::move(op));
    if (in.bodies[number] != none) {
      std::vector<Op> nested;
      emitBlock(in.bodies[number], nested);
      body.back().body = std::move(nested);
    }
  }

  /// tile op whose result is assigned later: temp = op; declare v; v = temp.
  void emitVariable(Op op, std::vector<Op> &body) {
    const Id variable = op.result;
    Value temporary = in.program.values[variable];
    temporary.kind = ValueKind::tile;
    temporary.name.clear();
    out.values.push_back(std::move(temporary));
    op.result = static_cast<Id>(out.values.size() - 1);
    Op declare;
    declare.operation = program::Declare();
    declare.location = op.location;
    declare.result = mapValue(variable);
    Op assign;
    assign.location = op.location;
    assign.operation = program::Assign{program::wholeView(out, declare.result),
                                       program::wholeView(out, op.result)};
    declare.order.within = assign.order.within = op.order.within;
    assign.order.urgency = op.order.urgency;
    body.push_back(std::move(op));
    body.push_back(std::move(declare));
    body.push_back(std::move(assign));
  }

  Id mapValue(Id id) {
    id = substitute[id];
    if (values[id] == none) {
      values[id] = static_cast<Id>(out.values.size());
      Value &value = in.program.values[id];
      // A variable is read again where it is declared.
      if (in.isBuffer(id))
        out.values.push_back(value);
      else
        out.values.push_back(std::move(value));
    }
    return values[id];
  }
  void mapView(View &view) {
    view.value = mapValue(view.value);
    if (view.offset != none)
      view.offset = mapIndex(view.offset);
  }
  Id mapIndex(Id id) {
    if (indices[id] != none)
      return indices[id];
    program::IndexNode node = in.program.indices[id];
    if (node.kind == program::IndexKind::variable) {
      node.lhs = mapValue(node.lhs);
    } else {
      if (node.lhs != none)
        node.lhs = mapIndex(node.lhs);
      if (node.rhs != none)
        node.rhs = mapIndex(node.rhs);
    }
    indices[id] = static_cast<Id>(out.indices.size());
    out.indices.push_back(node);
    return indices[id];
  }
  /// Labels are numbered from 0 in text order.
  void mapLabels(program::Order &order) {
    auto map = [&](std::int64_t &label) {
      label =
          labels.try_emplace(label, static_cast<std::int64_t>(labels.size()))
              .first->second;
    };
    for (std::int64_t &label : order.after)
      map(label);
    if (order.label)
      map(*order.label);
  }
  Id mapLocation(Id id) {
    if (locations[id] == none) {
      locations[id] = static_cast<Id>(out.locations.size());
      out.locations.push_back(in.program.locations[id]);
    }
    return locations[id];
  }

  Recorder &in;
  Program out;
  std::vector<Id> substitute, values, indices, locations;
  std::map<std::int64_t, std::int64_t> labels;
  std::vector<bool> dropped, emitted;
  std::vector<std::uint32_t> stamp;
  std::uint32_t segmentNumber = 0;
  std::int64_t ordered = 0; ///< Next number in a no_reorder.
  bool asksForFirst = false;
};

} // namespace kiln::dsl

#endif // KILN_DSL_LIB_RECORD_FINISH_H

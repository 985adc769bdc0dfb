//===- Recorder.h - Collects the operations of one kernel -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state that KernelRecorder.h keeps while a kernel runs. Operations are in
// a flat list, and blocks hold their numbers, so that a value can still become
// a variable after its operation was recorded (see Finish.h). finish() turns
// the list into a Program.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_RECORD_RECORDER_H
#define KILN_DSL_LIB_RECORD_RECORDER_H

#include "kiln/dsl/recording.h"
#include "kiln/isa/limits.h"
#include "kiln/isa/scopes.h"
#include "kiln/program_names.h"
#include "kiln/program_ranges.h"
#include "kiln/program_visit.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace kiln::dsl {

inline std::string shapeText(const std::vector<std::int64_t> &shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + ']';
}

/// Checks that a tensor in HBM has extents and fits. If `where` is empty, the
/// error names no line.
inline void checkExtents(const std::string &name,
                         const std::vector<std::int64_t> &shape,
                         isa::DType dtype, const Where &where = {}) {
  std::uint64_t elements = isa::maxTensorBytes / isa::sizeInBytes(dtype);
  for (std::int64_t extent : shape) {
    if (extent < 1)
      fail("KILN-A012",
           "tensor " + name + " has shape <|" + shapeText(shape) +
               "|>; every extent must be [|at least 1|]",
           "give larger extents", where);
    elements /= static_cast<std::uint64_t>(extent);
  }
  if (elements == 0)
    fail("KILN-A021",
         "tensor " + name + " has shape <|" + shapeText(shape) +
             "|>, more than the allowed [|" +
             std::to_string(isa::maxTensorBytes) + "|] bytes",
         "give smaller extents", where);
}

using program::Op;
using program::Program;
using program::Value;
using program::ValueKind;
using program::View;

class Recorder {
public:
  using Block = std::uint32_t;
  static constexpr Block root = 0;

  Recorder() : blocks(1), open{root} {}
  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;

  //===--- Values ---------------------------------------------------------===//

  Id addValue(Value value) {
    program.values.push_back(std::move(value));
    definition.push_back(none);
    blockOf.push_back(open.back());
    viewed.push_back(false);
    return static_cast<Id>(program.values.size() - 1);
  }
  /// A tensor in HBM: it lives as long as the kernel.
  Id addTensor(Value value) {
    const Id id = addValue(std::move(value));
    blockOf[id] = root;
    return id;
  }
  const Value &value(Id id) const { return program.values[id]; }
  bool isBuffer(Id id) const {
    return program.values[id].kind == ValueKind::buffer;
  }
  View whole(Id id) const { return program::wholeView(program, id); }

  //===--- Operations -----------------------------------------------------===//

  /// Appends `op` to the open block; returns its number. `op.result` may name
  /// a fresh value.
  Id append(Op op, const Where &where) {
    forEachView(
        op, [&](const View &operand) { checkVisible(operand.value, where); });
    op.location = location(where);
    if (op.result != none)
      definition[op.result] = static_cast<Id>(ops.size());
    blocks[open.back()].push_back(static_cast<std::uint32_t>(ops.size()));
    if (ordered > 0 && !op.is<program::Declare>() && !op.is<program::Loop>())
      op.order.ordered = program::Place{orderedScope, orderedNumber++};
    if (!op.is<program::Loop>()) {
      if (!memoryScopes.empty())
        op.order.within = memoryScopes.back();
      if (!urgencies.empty() && !op.is<program::Declare>())
        setUrgency(op, urgencies.back());
    }
    ops.push_back(std::move(op));
    bodies.push_back(none);
    return static_cast<Id>(ops.size() - 1);
  }

  /// Appends an operation that computes a tile.
  Id appendTile(program::Operation operation, DType dtype,
                std::vector<std::int64_t> shape, const Where &where) {
    Op op;
    op.operation = std::move(operation);
    Value value;
    value.kind = ValueKind::tile;
    value.dtype = dtype;
    value.shape = std::move(shape);
    op.result = addValue(std::move(value));
    const Id result = op.result;
    append(std::move(op), where);
    return result;
  }

  /// Turns an assigned tile into a variable: every read of it, including
  /// earlier ones, becomes a read of the buffer that finish() declares for it.
  void makeVariable(Id id) { program.values[id].kind = ValueKind::buffer; }

  /// A copy that finish() removes unless one side is assigned later.
  Id appendAlias(Id source, const Where &where) {
    const Value from = value(source);
    const Id result =
        appendTile(program::Copy{whole(source)}, from.dtype, from.shape, where);
    aliases.push_back(definition[result]);
    ops.back().order.ordered.reset();
    return result;
  }

  void setName(Id id, std::string name) {
    if (definition[id] != none)
      ops[definition[id]].name = name;
    program.values[id].name = std::move(name);
  }
  void nameLast(std::string name) { ops.back().name = std::move(name); }

  /// The operation that computes what `id` shows: a copy of a tile is only a
  /// name.
  Id operationOf(Id id) const {
    Id number = definition[id];
    while (std::binary_search(aliases.begin(), aliases.end(), number))
      number = definition[ops[number].as<program::Copy>().x.value];
    return number;
  }

  //===--- no_reorder -----------------------------------------------------===//

  /// A no_reorder inside another is part of the outer one.
  void openOrdered() {
    if (ordered++ == 0)
      ++orderedScope;
  }
  void closeOrdered() { --ordered; }

  //===--- urgency, allocate_in -------------------------------------------===//

  static void setUrgency(Op &op, std::int64_t urgency) {
    op.order.urgency = urgency ? program::Rare<std::int64_t>(urgency)
                               : program::Rare<std::int64_t>();
  }
  void openUrgency(std::int64_t urgency) { urgencies.push_back(urgency); }
  void closeUrgency() { urgencies.pop_back(); }

  /// What the open allocate_in demand together.
  program::MemoryScope memoryScope() const {
    return memoryScopes.empty() ? program::MemoryScope()
                                : program.memoryScopes[static_cast<std::size_t>(
                                      memoryScopes.back())];
  }
  void openMemory(program::MemoryScope scope) {
    std::vector<program::MemoryScope> &known = program.memoryScopes;
    const auto found = std::find(known.begin(), known.end(), scope);
    memoryScopes.push_back(found - known.begin());
    if (found == known.end())
      known.push_back(std::move(scope));
  }
  void closeMemory() { memoryScopes.pop_back(); }

  //===--- Blocks ---------------------------------------------------------===//

  void openBody() {
    const auto block = static_cast<Block>(blocks.size());
    bodies.back() = block;
    blocks.emplace_back();
    open.push_back(block);
  }
  /// Moves a value into the innermost body: it is visible only there.
  void enclose(Id id) { blockOf[id] = open.back(); }
  void closeBody() { open.pop_back(); }
  /// True if the value was made in the innermost open loop body.
  bool isLocal(Id id) const { return blockOf[id] == open.back(); }
  Block currentBody() const { return open.back(); }
  bool isOpen(Block block) const {
    for (Block candidate : open)
      if (candidate == block)
        return true;
    return false;
  }

  void checkVisible(Id id, const Where &where) const {
    if (id < blockOf.size() && isOpen(blockOf[id]))
      return;
    fail("KILN-A013",
         "a tile or index is used outside the loop body that declares it; it "
         "exists for one iteration only",
         "declare the tile before the loop and assign it inside", where);
  }

  void markViewed(Id id) { viewed[id] = true; }
  bool isViewed(Id id) const { return viewed[id]; }

  //===--- Index expressions ----------------------------------------------===//

  Id addIndex(const program::IndexNode &node) {
    const auto key = std::make_tuple(static_cast<int>(node.kind), node.value,
                                     node.lhs, node.rhs);
    const auto [entry, fresh] =
        indexIds.emplace(key, static_cast<Id>(program.indices.size()));
    if (fresh)
      program.indices.push_back(node);
    return entry->second;
  }

  //===--- Locations and scopes -------------------------------------------===//

  Id location(const Where &where) {
    const auto [place, isNew] =
        placeIds.try_emplace({where.file_name(), where.line(), callers}, none);
    if (!isNew)
      return place->second;
    program::Location entry{where.file_name(), where.line(), scopeText};
    if (callers)
      entry.callers = *callers;
    const auto key =
        std::make_tuple(entry.file, entry.line, entry.scopes, entry.callers);
    const auto [found, fresh] =
        locationIds.emplace(key, static_cast<Id>(program.locations.size()));
    if (fresh)
      program.locations.push_back(std::move(entry));
    return place->second = found->second;
  }
  using Callers = std::vector<program::CallSite>;
  /// Operations are recorded under these calls from now on. The first is at
  /// the line `where`.
  void enterCalls(const Callers *now, const Where &where) {
    callers = now;
    entered = where;
  }
  /// The calls that led to what fails at this line, if they are known: a rule
  /// may report an earlier line than the last one that was entered.
  const Callers *callersAt(std::string_view file, std::uint32_t line) const {
    const bool isHere = callers && !callers->empty() &&
                        line == entered.line() && file == entered.file_name();
    return isHere ? callers : nullptr;
  }
  void pushScope(const std::string &name) {
    placeIds.clear();
    scopes.push_back(scopeText.size());
    isa::appendScope(scopeText, name);
  }
  void popScope() {
    placeIds.clear();
    scopeText.resize(scopes.back());
    scopes.pop_back();
  }

  //===--- State, read by finish() ----------------------------------------===//

  Program program;        ///< Everything but the body.
  std::deque<Op> ops;     ///< A deque moves no elements as it grows.
  std::vector<Id> bodies; ///< Block of each loop operation.
  std::vector<std::vector<std::uint32_t>> blocks;
  std::vector<std::uint32_t> aliases; ///< Operations made by appendAlias.
  std::vector<Id> definition;         ///< Operation that defines a value.
  /// Bounds of each loop value, for the static part of bounds checks.
  using Range = program::IndexRange;
  isa::Generation targetGeneration = isa::Generation::v3;
  /// Of rows that an index chose: the tile and the first row.
  struct IndexedRows {
    View of;
    IndexValue start;
  };
  std::map<Id, IndexedRows> indexedRows;
  /// The last collective that was prepared.
  struct Preparation {
    Id number = none;
    Block body = root;
    Where where;
    bool isTriggered = true;
  };
  Preparation prepared;
  std::map<Id, Range> loopRanges;
  /// Registers, and loops that a register bounds.
  std::vector<Id> dynamicValues;

private:
  std::vector<Block> open;
  std::vector<Block> blockOf;
  std::vector<bool> viewed;
  std::map<std::tuple<int, std::int64_t, Id, Id>, Id> indexIds;
  std::map<std::tuple<std::string, std::uint32_t, std::string, Callers>, Id>
      locationIds;
  /// The same for the open scopes, by the address of the text: an unrolled line
  /// makes many operations.
  std::map<std::tuple<const char *, std::uint32_t, const Callers *>, Id>
      placeIds;
  const Callers *callers = nullptr; ///< Of the operations to come.
  Where entered;                    ///< Where the first of them is.
  std::string scopeText;
  std::vector<std::size_t> scopes;
  std::vector<std::int64_t> urgencies, memoryScopes; ///< Open ones.
  std::int64_t ordered = 0, orderedScope = 0, orderedNumber = 0;
};

} // namespace kiln::dsl

#endif // KILN_DSL_LIB_RECORD_RECORDER_H

//===- structure_rules.h - Loops and instructions while recording ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RECORD_STRUCTURE_RULES_H
#define KILN_RECORD_STRUCTURE_RULES_H

#include "kiln/record/variable_rules.h"

namespace kiln::dsl {

/// Opens a loop's body; returns the loop's value.
inline Id recordLoop(Recorder &recorder, const std::string &name,
                     const IndexValue &begin, const IndexValue &end,
                     std::int64_t step, const Where &where) {
  if (step < 1)
    fail("KILN-A012",
         "loop \"" + name + "\" has step " + std::to_string(step) +
             "; it must be at least 1",
         "count upwards and compute with the index", where);
  for (const IndexValue *bound : {&begin, &end})
    if (!isConstant(*bound))
      checkVisible(recorder, bound->node, where);
  Value value;
  value.kind = ValueKind::loop;
  value.dtype = DType::i32;
  Op op;
  op.kind = OpKind::loop;
  op.attributes["name"] = name;
  op.attributes["begin"] = program::IndexRef{idOf(recorder, begin)};
  op.attributes["end"] = program::IndexRef{idOf(recorder, end)};
  op.attributes["step"] = step;
  // The value belongs to the body, the operation to the block around it.
  const Id variable = recorder.addValue(std::move(value));
  op.result = variable;
  recorder.append(std::move(op), where);
  recorder.openBody();
  recorder.enclose(variable);
  recorder.loopRanges[variable] =
      program::rangeOfCounter(rangeOf(recorder, begin), rangeOf(recorder, end),
                              step, isConstant(begin) && isConstant(end));
  if (isDynamic(recorder, begin) || isDynamic(recorder, end))
    recorder.dynamicValues.push_back(variable);
  return variable;
}

/// Loads a register; returns its value.
inline Id recordRegister(Recorder &recorder, View source, std::string name,
                         const Where &where) {
  std::int64_t elements = 1;
  for (std::int64_t extent : source.sizes)
    elements *= extent;
  if (elements != 1 || isa::isFloat(source.dtype))
    fail("KILN-A019",
         "a register is loaded from a view of shape " +
             shapeText(source.sizes) + " and type " +
             std::string(isa::name(source.dtype)),
         "take one integer element: rows_at(i, 1_c).cols_at(j, 1_c) of an i32 "
         "tensor",
         where);
  Value value;
  value.kind = ValueKind::index;
  value.dtype = DType::i32;
  Op op;
  op.kind = OpKind::instruction;
  op.attributes["mnemonic"] = std::string("register_load");
  op.attributes["operands"] = std::string("src");
  op.operands.push_back(std::move(source));
  op.name = std::move(name);
  op.result = recorder.addValue(std::move(value));
  const Id result = op.result;
  recorder.loopRanges[result] =
      program::rangeOfRegister(op.operands.front().dtype);
  recorder.dynamicValues.push_back(result);
  recorder.append(std::move(op), where);
  return result;
}

/// Scratch in HBM.
inline Id recordScratch(Recorder &recorder, bool isShared, std::string name,
                        DType dtype, std::vector<std::int64_t> shape,
                        const Where &where) {
  for (const Value &known : recorder.program.values)
    if (known.kind == ValueKind::tensor && known.name == name)
      fail("KILN-A033", "two tensors are called \"" + name + "\"",
           "give each scratch tensor its own name, and create it once", where);
  checkExtents(name, shape, dtype, where);
  Value value;
  value.kind = ValueKind::tensor;
  value.space = isa::Space::hbm;
  value.dtype = dtype;
  value.shape = std::move(shape);
  value.name = std::move(name);
  value.shared = isShared;
  return recorder.addTensor(std::move(value));
}

/// Ends the body of a loop that runs while `condition` is not 0.
inline void recordWhile(Recorder &recorder, const IndexValue &condition,
                        const Where &where) {
  if (!isConstant(condition))
    checkVisible(recorder, condition.node, where);
  Op op;
  op.kind = OpKind::instruction;
  op.attributes["mnemonic"] = std::string("while");
  op.attributes["operands"] = std::string();
  op.attributes["condition"] = program::IndexRef{idOf(recorder, condition)};
  recorder.append(std::move(op), where);
}

/// Collects the fields of one instruction call into an operation.
class InstructionBuilder {
public:
  InstructionBuilder(Recorder &recorder, const char *mnemonic,
                     const Where &where)
      : recorder(recorder), where(where) {
    op.kind = OpKind::instruction;
    op.attributes["mnemonic"] = std::string(mnemonic);
  }

  /// `view` is the operand of view and column fields.
  void add(const Field &field, View view) {
    switch (field.kind) {
    case Field::column:
      if (view.sizes.size() != 2 || view.sizes[1] != 1)
        fail("KILN-A015",
             "operand " + std::string(field.name) + " has shape " +
                 shapeText(view.sizes) +
                 "; one value per partition needs shape [P, 1]",
             "take one column: cols_at(j, 1_c)", where);
      [[fallthrough]];
    case Field::view:
      names += names.empty() ? field.name : std::string(",") + field.name;
      op.operands.push_back(std::move(view));
      return;
    case Field::number:
      op.attributes[field.name] = field.real;
      return;
    case Field::integer:
      op.attributes[field.name] = field.whole;
      return;
    case Field::word:
      op.attributes[field.name] = std::string(field.text);
      return;
    case Field::index:
      checkAddress(recorder, field.expression, where);
      op.attributes[field.name] =
          program::IndexRef{idOf(recorder, field.expression)};
      return;
    case Field::pattern:
      if (field.count == 0 || field.count > 4)
        fail("KILN-A015",
             "operand " + std::string(field.name) + " has " +
                 std::to_string(field.count) + " dimensions",
             "give one to four [step, size] pairs", where);
      op.attributes[field.name] =
          std::vector<std::int64_t>(field.list, field.list + 2 * field.count);
      return;
    case Field::numbers:
      op.attributes[field.name] =
          std::vector<std::int64_t>(field.list, field.list + field.count);
      return;
    }
  }

  /// The destination is a new tile.
  Id recordTile(DType dtype, std::vector<std::int64_t> shape) {
    op.kind = OpKind::apply;
    op.attributes["operands"] = std::move(names);
    return recorder.appendTile(std::move(op), dtype, std::move(shape), where);
  }

  /// The register that it sets to the number of a rank.
  Id recordRegister() {
    Value value;
    value.kind = ValueKind::index;
    value.dtype = DType::i32;
    op.attributes["operands"] = std::move(names);
    op.result = recorder.addValue(std::move(value));
    const Id result = op.result;
    recorder.loopRanges[result] = program::rangeOfRank;
    recorder.dynamicValues.push_back(result);
    recorder.append(std::move(op), where);
    return result;
  }

  Id record(std::string_view name) {
    op.attributes["operands"] = std::move(names);
    op.name = name;
    checkFill("memset", "value");
    checkFill("affine_select", "on_false_value");
    takeRowsOfIndices();
    return recorder.append(std::move(op), where);
  }

private:
  /// Checks the number that `mnemonic` writes to a tile of integers: it is
  /// carried as an f32, so f32 must represent it exactly.
  void checkFill(const char *mnemonic, const char *field) const {
    const auto found = op.attributes.find(field);
    if (std::get<std::string>(op.attributes.at("mnemonic")) != mnemonic ||
        found == op.attributes.end() || op.operands.empty())
      return;
    const DType dtype = op.operands.front().dtype;
    const double value = std::get<double>(found->second);
    checkHeld(dtype, value, "is filled with", where);
    if (!isa::isFloat(dtype) && value != static_cast<float>(value))
      fail("KILN-A160",
           std::string(mnemonic) +
               " carries its number as an f32, which has "
               "no " +
               numberText(value) + "; it would write " +
               numberText(static_cast<float>(value)),
           "fill with full<T>(), which is exact, or add the rest by "
           "nc::tensor_scalar with AluOp::bitwise_or",
           where);
  }

  /// An HBM view with an index operand is a table: the operand has as many rows
  /// as the index lists, however many the table has.
  void takeRowsOfIndices() {
    for (const auto [index, indexed] : program::indexedOperands(op)) {
      View &table = op.operands[indexed];
      if (onChip(recorder, table) || table.sizes.empty())
        continue;
      table.sizes[0] = 1;
      for (const std::int64_t size : op.operands[index].sizes)
        table.sizes[0] *= size;
    }
  }

  Recorder &recorder;
  Where where;
  Op op;
  std::string names;
};

} // namespace kiln::dsl

#endif // KILN_RECORD_STRUCTURE_RULES_H

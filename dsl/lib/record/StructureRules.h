//===- StructureRules.h - Loops and instructions while recording ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_RECORD_STRUCTURERULES_H
#define KILN_DSL_LIB_RECORD_STRUCTURERULES_H

#include "VariableRules.h"

namespace kiln::dsl {

/// Opens a loop's body; returns the loop's value.
Id recordLoop(Recorder &recorder, const std::string &name,
              const IndexValue &begin, const IndexValue &end, std::int64_t step,
              const Where &where);

/// Loads a register; returns its value.
Id recordRegister(Recorder &recorder, View source, std::string name,
                  const Where &where);

/// Scratch in HBM.
Id recordScratch(Recorder &recorder, bool isShared, std::string name,
                 DType dtype, std::vector<std::int64_t> shape,
                 const Where &where);

/// Ends the body of a loop that runs while `condition` is not 0.
void recordWhile(Recorder &recorder, const IndexValue &condition,
                 const Where &where);

/// Collects the fields of one instruction call into an operation.
class InstructionBuilder {
public:
  InstructionBuilder(Recorder &recorder, const char *mnemonic,
                     const Where &where)
      : recorder(recorder), where(where) {
    call.mnemonic = mnemonic;
  }

  /// `view` is the operand of view and column fields.
  void add(const Field &field, View view) {
    switch (field.kind) {
    case Field::column:
      if (view.sizes.size() != 2 || view.sizes[1] != 1)
        fail("KILN-A015",
             "operand " + std::string(field.name) + " has shape <|" +
                 shapeText(view.sizes) +
                 "|>; one value per partition needs shape [|[P, 1]|]",
             "take one column: cols_at(j, 1_c)", where);
      [[fallthrough]];
    case Field::view:
      call.operands.push_back({field.name, std::move(view)});
      return;
    case Field::number:
      call.more[field.name] = field.real;
      return;
    case Field::integer:
      call.more[field.name] = field.whole;
      return;
    case Field::word:
      call.more[field.name] = std::string(field.text);
      return;
    case Field::index:
      checkAddress(recorder, field.expression, where);
      call.more[field.name] =
          program::IndexRef{idOf(recorder, field.expression)};
      return;
    case Field::pattern:
      if (field.count == 0 || field.count > 4)
        fail("KILN-A015",
             "operand " + std::string(field.name) + " has <|" +
                 std::to_string(field.count) +
                 "|> dimensions, expected [|1 to 4|]",
             "give one to four [step, size] pairs", where);
      call.more[field.name] =
          std::vector<std::int64_t>(field.list, field.list + 2 * field.count);
      return;
    case Field::numbers:
      call.more[field.name] =
          std::vector<std::int64_t>(field.list, field.list + field.count);
      return;
    }
  }

  /// The destination is a new tile.
  Id recordTile(DType dtype, std::vector<std::int64_t> shape) {
    return recorder.appendTile(program::Apply{std::move(call)}, dtype,
                               std::move(shape), where);
  }

  /// The register that it sets to the number of a rank.
  Id recordRegister() {
    Value value;
    value.kind = ValueKind::index;
    value.dtype = DType::i32;
    Op op;
    op.operation = program::Instruction{std::move(call)};
    op.result = recorder.addValue(std::move(value));
    const Id result = op.result;
    recorder.loopRanges[result] = program::rangeOfRank;
    recorder.dynamicValues.push_back(result);
    recorder.append(std::move(op), where);
    return result;
  }

  Id record(std::string_view name) {
    checkFill("memset", "value");
    checkFill("affine_select", "on_false_value");
    takeRowsOfIndices();
    checkRows();
    Op op;
    op.operation = program::Instruction{std::move(call)};
    op.name = name;
    return recorder.append(std::move(op), where);
  }

private:
  /// Checks the number that `mnemonic` writes to a tile of integers: it is
  /// carried as an f32, so f32 must represent it exactly.
  void checkFill(const char *mnemonic, const char *field) const {
    const auto *number = call.get<program::Real>(field);
    if (call.mnemonic != mnemonic || !number || call.operands.empty())
      return;
    const DType dtype = call.operands.front().view.dtype;
    const double value = *number;
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

  /// The compiler folds memory of more rows than partitions, so that no address
  /// stands for a window of it.
  void checkRows() const {
    for (const auto &[name, view] : call.operands) {
      const Value &memory = recorder.value(view.value);
      if (memory.kind == ValueKind::tensor ||
          memory.shape.front() <= isa::maxPartitions)
        continue;
      fail("KILN-A015",
           "operand " + name + " is memory of <|" +
               std::to_string(memory.shape.front()) +
               "|> rows; an instruction addresses at most [|" +
               std::to_string(isa::maxPartitions) + "|]",
           "loop over blocks of 128 rows: give each block a buffer, or take "
           "copy(t.rows_at(i, 128_c)); tile operations take any number of rows",
           where);
    }
  }

  /// An HBM view with an index operand is a table: the operand has as many rows
  /// as the index lists, however many the table has.
  void takeRowsOfIndices() {
    forEachIndexed(call, [this](std::size_t index, std::size_t indexed) {
      View &table = call.operands[indexed].view;
      if (onChip(recorder, table) || table.sizes.empty())
        return;
      table.sizes[0] = 1;
      for (const std::int64_t size : call.operands[index].view.sizes)
        table.sizes[0] *= size;
    });
  }

  Recorder &recorder;
  Where where;
  program::InstructionCall call;
};

} // namespace kiln::dsl

#endif // KILN_DSL_LIB_RECORD_STRUCTURERULES_H

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
  const Range first = rangeOf(recorder, begin);
  const Range last = rangeOf(recorder, end);
  Range range{first.low, last.high - 1, isConstant(begin) && isConstant(end)};
  if (range.exact && range.low <= range.high)
    range.high -= (range.high - range.low) % step;
  recorder.loopRanges[variable] = range;
  return variable;
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
    }
  }

  void record(std::string_view name) {
    op.attributes["operands"] = std::move(names);
    op.name = name;
    recorder.append(std::move(op), where);
  }

private:
  Recorder &recorder;
  Where where;
  Op op;
  std::string names;
};

} // namespace kiln::dsl

#endif // KILN_RECORD_STRUCTURE_RULES_H

//===- StructureRules.cpp - Loops and instructions while recording
//---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructureRules.h"

namespace kiln::dsl {

Id recordLoop(Recorder &recorder, const std::string &name,
              const IndexValue &begin, const IndexValue &end, std::int64_t step,
              const Where &where) {
  if (step < 1)
    fail("KILN-A012",
         "loop \"" + name + "\" has step <|" + std::to_string(step) +
             "|>; it must be [|at least 1|]",
         "count upwards and compute with the index", where);
  for (const IndexValue *bound : {&begin, &end})
    if (!isConstant(*bound))
      checkVisible(recorder, bound->node, where);
  Value value;
  value.kind = ValueKind::loop;
  value.dtype = DType::i32;
  Op op;
  // The bounds are numbered in this order.
  const program::IndexRef first{idOf(recorder, begin)};
  const program::IndexRef last{idOf(recorder, end)};
  op.operation = program::Loop{first, last, step, name};
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

Id recordRegister(Recorder &recorder, View source, std::string name,
                  const Where &where) {
  std::int64_t elements = 1;
  for (std::int64_t extent : source.sizes)
    elements *= extent;
  if (elements != 1 || isa::isFloat(source.dtype))
    fail("KILN-A019",
         "a register is loaded from a view of <|shape " +
             shapeText(source.sizes) + " and type " +
             std::string(isa::name(source.dtype)) + "|>",
         "take one integer element: rows_at(i, 1_c).cols_at(j, 1_c) of an i32 "
         "tensor",
         where);
  Value value;
  value.kind = ValueKind::index;
  value.dtype = DType::i32;
  const program::IndexRange range = program::rangeOfRegister(source.dtype);
  Op op;
  op.operation =
      program::Instruction{{"register_load", {{"src", std::move(source)}}, {}}};
  op.name = std::move(name);
  op.result = recorder.addValue(std::move(value));
  const Id result = op.result;
  recorder.loopRanges[result] = range;
  recorder.dynamicValues.push_back(result);
  recorder.append(std::move(op), where);
  return result;
}

Id recordScratch(Recorder &recorder, bool isShared, std::string name,
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

void recordWhile(Recorder &recorder, const IndexValue &condition,
                 const Where &where) {
  if (!isConstant(condition))
    checkVisible(recorder, condition.node, where);
  Op op;
  op.operation = program::Instruction{
      {"while",
       {},
       {{"condition", program::IndexRef{idOf(recorder, condition)}}}}};
  recorder.append(std::move(op), where);
}

} // namespace kiln::dsl

//===- RowSumForm.cpp - Sums of rows on either engine ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowSumForm.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Create.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

namespace {

struct RowSum {
  ViewOp dst, data;
};

std::optional<RowSum> readRowSum(NcInstruction op) {
  if (op.getAssignedEngine() || infoOf(op).opcode != isa::Opcode::TensorReduce)
    return std::nullopt;
  const BuiltInstruction instruction = built(op);
  const auto &reduce = std::get<isa::TensorReduce>(instruction.body);
  if (reduce.op != isa::AluOp::add || reduce.negate ||
      instruction.accesses.size() != 2)
    return std::nullopt;
  RowSum sum;
  for (const MemoryAccess &access : instruction.accesses) {
    if (access.isIndexed || !isa::isFloat(access.shape.dtype))
      return std::nullopt;
    (access.writes() ? sum.dst : sum.data) = access.view;
    if (access.writes() &&
        (access.shape.elements() != 1 || access.shape.dtype != isa::DType::f32))
      return std::nullopt;
  }
  return sum.dst && sum.data ? std::optional(sum) : std::nullopt;
}

} // namespace

bool kiln::compiler::nc::isRowSum(NcInstruction op) {
  return readRowSum(op).has_value();
}

void kiln::compiler::nc::sumByActivation(NcInstruction op) {
  const RowSum sum = *readRowSum(op);
  OpBuilder builder(op);
  // The sum is of values in fp32; the copy need not take so much memory.
  auto copy = AllocOp::create(
      builder, op.getLoc(),
      MemRefType::get(ViewOp(sum.data).getSizes(), builder.getBF16Type(),
                      MemRefLayoutAttrInterface(),
                      SpaceAttr::get(builder.getContext(), Space::sbuf)));
  const Value dst =
      ViewOp::create(builder, op.getLoc(), copy.getMemory()).getView();
  MLIRContext *context = builder.getContext();
  createInstruction(
      builder, op.getLoc(), "activation",
      {dst, ViewOp(sum.data).getView(), Value(), Value(),
       ViewOp(sum.dst).getView()},
      {builder.getNamedAttr("op", ActivationFunctionAttr::get(
                                      context, isa::ActivationFunction::copy)),
       builder.getNamedAttr("reduce_op",
                            AluOpAttr::get(context, isa::AluOp::add)),
       builder.getNamedAttr(
           "reduce_cmd",
           ReduceCommandAttr::get(context, isa::ReduceCommand::reset_reduce))});
  op->erase();
}

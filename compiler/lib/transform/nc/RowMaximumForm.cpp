//===- RowMaximumForm.cpp - Maxima of rows by two engines -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowMaximumForm.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Create.h"

#include <optional>

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

/// Columns of which a sixteenth is worth an instruction.
static constexpr int64_t leastColumns = 512;

namespace {

struct RowMaximum {
  ViewOp dst, data, result;
  float factor = 1;
  isa::AluOp reduction = isa::AluOp::maximum;

  int64_t columns() const { return ViewOp(data).getSizes().back(); }
};

/// One row of elements in each partition.
bool isMatrix(ViewOp view) {
  return view.getSizes().size() == 2 && !view.getRowsByIndex();
}

std::optional<RowMaximum> readRowMaximum(NcInstruction op) {
  if (!op->hasAttr(anyFormAttrName) || op.getAssignedEngine() ||
      infoOf(op).opcode != isa::Opcode::Activate2)
    return std::nullopt;
  const BuiltInstruction instruction = built(op);
  const auto &body = std::get<isa::Activate2>(instruction.body);
  if (body.op != isa::ActivationFunction::copy ||
      body.op0 != isa::AluOp::multiply || body.op1 != isa::AluOp::bypass ||
      !body.imm0 || !std::holds_alternative<float>(*body.imm0) ||
      body.reduce_cmd != isa::ReduceCommand::reset_reduce ||
      (body.reduce_op != isa::AluOp::maximum &&
       body.reduce_op != isa::AluOp::minimum))
    return std::nullopt;
  RowMaximum read;
  read.factor = std::get<float>(*body.imm0);
  read.reduction = *body.reduce_op;
  for (const MemoryAccess &access : instruction.accesses) {
    const StringRef name(access.operand);
    ViewOp *place = name == "dst"          ? &read.dst
                    : name == "data"       ? &read.data
                    : name == "reduce_res" ? &read.result
                                           : nullptr;
    if (!place || access.isIndexed || !isMatrix(access.view) ||
        !isa::isFloat(access.shape.dtype) ||
        (place == &read.result && access.shape.dtype != isa::DType::f32))
      return std::nullopt;
    *place = access.view;
  }
  return read.dst && read.data && read.result &&
                 read.dst.getSizes() == read.data.getSizes()
             ? std::optional(read)
             : std::nullopt;
}

/// Columns first .. first + count - 1.
Value columnsOf(OpBuilder &builder, ViewOp view, int64_t first, int64_t count) {
  AffineMap offset = view.getOffset();
  offset =
      AffineMap::get(offset.getNumDims(), 0,
                     offset.getResult(0) + first * view.getStrides().back());
  const int64_t sizes[] = {view.getSizes().front(), count};
  return ViewOp::create(builder, view.getLoc(), view.getBase(),
                        view.getIndices(), view.getRow(), offset, sizes,
                        view.getStrides())
      .getView();
}

Value newColumn(OpBuilder &builder, Location where, int64_t rows) {
  auto alloc = AllocOp::create(
      builder, where,
      MemRefType::get({rows, 1}, builder.getF32Type(),
                      MemRefLayoutAttrInterface(),
                      SpaceAttr::get(builder.getContext(), Space::sbuf)));
  return ViewOp::create(builder, where, alloc.getMemory()).getView();
}

} // namespace

bool kiln::compiler::nc::isDivisibleMaximum(NcInstruction op) {
  const std::optional<RowMaximum> read = readRowMaximum(op);
  return read && read->columns() >= leastColumns && read->columns() % 16 == 0;
}

void kiln::compiler::nc::divideMaximum(NcInstruction op, size_t sixteenths) {
  const RowMaximum read = *readRowMaximum(op);
  OpBuilder builder(op);
  const Location where = op.getLoc();
  MLIRContext *context = builder.getContext();
  const auto operation = [&](StringRef name, isa::AluOp value) {
    return builder.getNamedAttr(name, AluOpAttr::get(context, value));
  };
  const auto number = [&](StringRef name) {
    return builder.getNamedAttr(name, builder.getF32FloatAttr(read.factor));
  };
  const NamedAttribute whole = builder.getNamedAttr(
      "reduce_cmd",
      ReduceCommandAttr::get(context, isa::ReduceCommand::reset_reduce));
  const int64_t last = read.columns() / 16 * static_cast<int64_t>(sixteenths);
  const int64_t first = read.columns() - last;
  const int64_t rows = ViewOp(read.result).getSizes().front();
  const Value most = newColumn(builder, where, rows),
              others = newColumn(builder, where, rows);
  createInstruction(
      builder, where, "tensor_scalar_reduce",
      {columnsOf(builder, read.dst, first, last),
       columnsOf(builder, read.data, first, last), Value(), others},
      {operation("op0", isa::AluOp::multiply), number("operand0_value"),
       operation("reduce_op", read.reduction), whole});
  createInstruction(
      builder, where, "activate2",
      {columnsOf(builder, read.dst, 0, first),
       columnsOf(builder, read.data, 0, first), Value(), Value(), Value(),
       most},
      {builder.getNamedAttr("op", ActivationFunctionAttr::get(
                                      context, isa::ActivationFunction::copy)),
       operation("op0", isa::AluOp::multiply), number("imm0_value"),
       operation("reduce_op", read.reduction), whole});
  createInstruction(builder, where, "tensor_tensor",
                    {ViewOp(read.result).getView(), most, others},
                    {operation("op", read.reduction)});
  op->erase();
}

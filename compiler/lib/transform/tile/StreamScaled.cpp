//===- StreamScaled.cpp - Packed floats and their scales in a plan --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A window of packed rows is made of four times as many rows, and an eighth as
// many rows of scales belong to it. Windows of contracted rows start with a
// multiple of 128 packed rows, so no scale is shared by two of them.
//
//===----------------------------------------------------------------------===//

#include "PlanTimes.h"
#include "StreamPlan.h"

#include "kiln/isa/shapes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

using isa::rowsOfScale;

static Span times(const Span &span, int64_t factor) {
  return {span.start * factor, span.size * factor, span.loop,
          span.scale * factor};
}

static std::optional<Span> scalesOf(const Span &rows) {
  if (rows.start % rowsOfScale != 0 || rows.size % rowsOfScale != 0 ||
      rows.scale % rowsOfScale != 0)
    return std::nullopt;
  return Span{rows.start / rowsOfScale, rows.size / rowsOfScale, rows.loop,
              rows.scale / rowsOfScale};
}

int64_t tile::bytesOfTile(TileType type) {
  if (!mlir::isa<Float8E8M0FNUType>(type.getElementType()) ||
      type.getRank() != 2)
    return bytesPerPartition(type);
  return bytesPerPartition(
      TileType::get({type.getDimSize(0) * rowsOfScale, type.getDimSize(1)},
                    type.getElementType()));
}

TileType tile::typeOfScales(TileType packed) {
  return TileType::get(
      {packed.getDimSize(0) / rowsOfScale, packed.getDimSize(1)},
      Float8E8M0FNUType::get(packed.getContext()));
}

/// Its operands, then their scales.
bool StreamPlan::addOperandsOf(MatmulOp op, const Span &contracted,
                               const Window &window,
                               SmallVectorImpl<int> &operands) {
  auto x = operandOf(op, false, contracted, window.rows);
  auto y = operandOf(op, true, contracted, window.columns);
  if (!x || !y)
    return false;
  operands.append({*x, *y});
  if (!op.getAScales())
    return true;
  // The array takes an even number of stationary columns.
  const std::optional<Span> rows = scalesOf(contracted);
  if (!rows || window.rows.size % 2 != 0)
    return false;
  auto xScales = request(op.getAScales(), {*rows, window.rows});
  auto yScales = request(op.getBScales(), {*rows, window.columns});
  if (!xScales || !yScales)
    return false;
  operands.append({*xScales, *yScales});
  return true;
}

/// The scales are a result of the same operation.
std::optional<int> StreamPlan::windowOfQuantized(Value value,
                                                 const Window &window) {
  auto op = cast<QuantizeOp>(value.getDefiningOp());
  if (value == op.getScales()) {
    const Window packed{times(window.rows, rowsOfScale), window.columns};
    auto data = request(op.getData(), packed);
    if (!data || nodes[*data].kind != Kind::window)
      return std::nullopt;
    return add(Kind::scales, value, window, {*data});
  }
  if (op.getTurned() || tensorOf(op.getInput()).getRank() != 2)
    return std::nullopt;
  auto input = request(op.getInput(),
                       {times(window.rows, isa::packedRows), window.columns});
  if (!input)
    return std::nullopt;
  // tile-orient makes columns of what no load brings row by row.
  if (!op.getInput().getDefiningOp<LoadOp>())
    nodes[*input].turned = true;
  return add(Kind::window, value, window, {*input});
}

bool StreamPlan::isQuantized(const Node &node) {
  return node.kind == Kind::window &&
         mlir::isa<QuantizeOp>(node.source.getDefiningOp());
}

double StreamPlan::quantizeTimeOf(const Node &node,
                                  const isa::Target &target) const {
  const TileType type = typeOf(node);
  return static_cast<double>(slotsOf(type.getDimSize(0))) *
         quantizeTime(type.getDimSize(1),
                      typeOf(nodes[node.operands[0]]).getElementType(),
                      type.getElementType(), target);
}

double StreamPlan::turnTimeOf(const Node &node,
                              const isa::Target &target) const {
  const Node &input = nodes[node.operands[0]];
  const TileType type = typeOf(node);
  if (!input.turned)
    return 0;
  return static_cast<double>(slotsOf(type.getDimSize(0)) * isa::packedRows *
                             llvm::divideCeil(type.getDimSize(1), rowsOfSlot)) *
         transposeTime(typeOf(input).getElementType(), target);
}

double StreamPlan::emptyTimeOf(const Node &node,
                               const isa::Target &target) const {
  const Node &input = nodes[node.operands[0]];
  const TileType type = typeOf(node);
  if (!input.turned)
    return 0;
  return static_cast<double>(slotsOf(type.getDimSize(0))) *
         emptyTime(type.getDimSize(1) * isa::packedRows,
                   typeOf(input).getElementType(), target);
}

//===- Mask.cpp - Masks and selection -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "kiln/isa/info.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

/// affine_select on GpSimd, which accesses only SBUF.
LogicalResult Lowering::lowerKeep(KeepOp op) {
  Ref in = toSbuf(op.getInput());
  const Ref &to = destination(op.getResult());
  int64_t rowStep = op.getRowStep(), colStep = op.getColStep();
  AffineMap map = op.getOffset();
  Value index;
  int64_t constant = 0;
  if (auto expr = dyn_cast<AffineConstantExpr>(map.getResult(0)))
    constant = expr.getValue();
  else
    index =
        affine::AffineApplyOp::create(builder, location, map, op.getIndices());
  for (const Part &part : partsOf({&in, &to})) {
    SmallVector<int64_t> steps, sizes;
    if (part.slots > 1) {
      steps.push_back(isa::maxPartitions * rowStep);
      sizes.push_back(part.slots);
    }
    int64_t firstColumn = part.sizes.empty() ? 0 : part.starts.back();
    steps.push_back(colStep);
    sizes.push_back(part.sizes.empty() ? in.free() : part.sizes.back());
    auto i32 = [&](StringRef name, int64_t value) {
      return builder.getNamedAttr(
          name, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
    };
    emit("affine_select", {view(to, part), view(in, part), index},
         {builder.getNamedAttr("pattern_steps",
                               builder.getDenseI64ArrayAttr(steps)),
          builder.getNamedAttr("pattern_sizes",
                               builder.getDenseI64ArrayAttr(sizes)),
          i32("channel_multiplier", rowStep),
          number("on_false_value", op.getOtherwise().convertToDouble()),
          choice("cmp_op", op.getCompare()),
          i32("offset", constant + part.slot * isa::maxPartitions * rowStep +
                            firstColumn * colStep)});
  }
  return success();
}

/// One select_reduce if one side is a constant that fp32 can represent;
/// otherwise a copy of one side, and a predicated copy of the other one over
/// it, bit for bit.
LogicalResult Lowering::lowerSelect(SelectOp op) {
  std::optional<double> onTrue = splatOf(op.getOnTrue());
  std::optional<double> onFalse = splatOf(op.getOnFalse());
  Ref mask = aligned(refOf(op.getMask()));
  auto inReach = [&](Value value) {
    Ref tile = aligned(refOf(value));
    bool both = tile.space == nc::Space::psum && mask.space == nc::Space::psum;
    return both ? toSbuf(value) : tile;
  };
  isa::DType dtype = *nc::dtypeOf(tensorOf(op.getResult()).getElementType());
  bool passes = isa::info(isa::Opcode::SelectReduce).operand("on_true")->types &
                isa::maskOf(dtype);
  if ((onTrue || onFalse) && passes) {
    Ref tile = inReach(onFalse ? op.getOnTrue() : op.getOnFalse());
    const Ref &to = destination(op.getResult());
    for (const Part &part : partsOf({&to, &mask, &tile})) {
      SmallVector<NamedAttribute> attributes{
          number("on_false_value", onFalse ? *onFalse : *onTrue)};
      if (!onFalse)
        attributes.push_back(flag("reverse_pred", true));
      emit("select_reduce",
           {view(to, part), view(mask, part), view(tile, part), Value(),
            Value()},
           attributes);
    }
    return success();
  }
  Ref tile = inReach(op.getOnTrue());
  const Ref &to = destination(op.getResult());
  if (onFalse)
    memset(to, *onFalse);
  else
    copy(to, refOf(op.getOnFalse()));
  for (const Part &part : partsOf({&to, &mask, &tile}))
    emit("tensor_copy_predicated",
         {view(to, part), view(tile, part), view(mask, part)}, {});
  return success();
}

//===- Mask.cpp - Masks and selection -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

/// affine_select on GpSimd, which sees SBUF only.
LogicalResult Lowering::lowerKeep(KeepOp op) {
  Ref in = toSbuf(op.getInput());
  Ref to = destination(op.getResult());
  int64_t rowStep = op.getRowStep(), colStep = op.getColStep();
  AffineMap map = op.getOffset();
  Value index;
  int64_t constant = 0;
  if (auto expr = dyn_cast<AffineConstantExpr>(map.getResult(0)))
    constant = expr.getValue();
  else
    index =
        affine::AffineApplyOp::create(builder, location, map, op.getIndices());
  for (const Part &part : partsOf(in.rows)) {
    SmallVector<int64_t> steps, sizes;
    if (part.slots > 1) {
      steps.push_back(128 * rowStep);
      sizes.push_back(part.slots);
    }
    steps.push_back(colStep);
    sizes.push_back(in.free());
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
          text("cmp_op", op.getCompare()),
          i32("offset", constant + part.slot * 128 * rowStep)});
  }
  return success();
}

/// One select_reduce if a side is a constant. Two tiles take two and a sum:
/// each holds one side and zeros, so no value of the other side leaks in.
LogicalResult Lowering::lowerSelect(SelectOp op) {
  std::optional<double> onTrue = splatOf(op.getOnTrue());
  std::optional<double> onFalse = splatOf(op.getOnFalse());
  Ref mask = aligned(refOf(op.getMask()));
  auto select = [&](const Ref &to, Value kept, double other, bool reverse) {
    Ref tile = aligned(refOf(kept));
    if (tile.space() == nc::Space::psum && mask.space() == nc::Space::psum)
      tile = toSbuf(kept);
    for (const Part &part : partsOf(to.rows)) {
      SmallVector<NamedAttribute> attributes{number("on_false_value", other)};
      if (reverse)
        attributes.push_back(flag("reverse_pred", true));
      emit("select_reduce",
           {view(to, part), view(mask, part), view(tile, part), Value(),
            Value()},
           attributes);
    }
  };
  Ref to = destination(op.getResult());
  if (onFalse) {
    select(to, op.getOnTrue(), *onFalse, false);
  } else if (onTrue) {
    select(to, op.getOnFalse(), *onTrue, true);
  } else {
    Ref first = allocate(tensorOf(op.getResult()), nc::Space::sbuf);
    Ref second = allocate(tensorOf(op.getResult()), nc::Space::sbuf);
    select(first, op.getOnTrue(), 0.0, false);
    select(second, op.getOnFalse(), 0.0, true);
    tensorTensor("add", to, first, second);
  }
  return success();
}

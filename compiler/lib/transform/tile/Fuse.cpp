//===- Fuse.cpp - Chains of operations in one engine pass -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/tile/Tile.h"
#include "kiln/compiler/transform/tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::compiler::tile {
#define GEN_PASS_DEF_TILEFUSE
#include "kiln/compiler/transform/tile/Passes.h.inc"
} // namespace kiln::compiler::tile

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;
namespace isa = kiln::isa;

static constexpr Remarks fuseRemarks("tile-fuse");

static bool isF32(Value value) {
  return tensorOf(value).getElementType().isF32();
}

static bool isCommutative(isa::AluOp op) {
  switch (op) {
  case isa::AluOp::add:
  case isa::AluOp::multiply:
  case isa::AluOp::maximum:
  case isa::AluOp::minimum:
  case isa::AluOp::equal:
  case isa::AluOp::not_equal:
  case isa::AluOp::logical_and:
  case isa::AluOp::logical_or:
  case isa::AluOp::logical_xor:
    return true;
  default:
    return false;
  }
}

/// One instruction less.
static void noteFused(Operation *op, StringRef what) {
  fuseRemarks.passed(op, "Fused") << what;
}

/// An instruction remains that `why` keeps from being part of `op`.
static void noteNotFused(Operation *op, StringRef why) {
  fuseRemarks.missed(op, "NotFused") << why;
}

/// The operation that computes `value`, if it has no other users and has not
/// been rounded: then its rounding may be merged with its user's.
template <class OpT> static OpT mergeable(Value value) {
  auto op = value.getDefiningOp<OpT>();
  return op && value.hasOneUse() && isF32(value) ? op : OpT();
}

static ChainOp simpleChain(Value value) {
  ChainOp chain = mergeable<ChainOp>(value);
  return chain && !chain.getOp1() ? chain : ChainOp();
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// Where only copies take f8e4m3fn, they convert it, and nothing computes with
/// it.
static bool isOnlyConverted(Operation *op, Type element) {
  return nc::dtypeOf(element) == isa::DType::f8e4m3fn &&
         !nc::targetOf(op).takes_fp8_fn;
}

/// Engines widen what they read to f32 themselves.
static void absorbWidening(Operation *op, unsigned tileOperands) {
  for (unsigned i = 0; i < tileOperands; ++i) {
    auto cast = op->getOperand(i).getDefiningOp<CastOp>();
    if (!cast || !isF32(cast.getResult()))
      continue;
    Type from = tensorOf(cast.getInput()).getElementType();
    if ((mlir::isa_and_nonnull<FloatType>(from) || from.isInteger(8)) &&
        !isOnlyConverted(op, from))
      op->setOperand(i, cast.getInput());
  }
}

/// Engines round what they write themselves.
static void absorbNarrowing(CastOp cast) {
  Value input = cast.getInput();
  Operation *producer = input.getDefiningOp();
  auto type = mlir::cast<TileType>(cast.getResult().getType());
  if (isOnlyConverted(cast, type.getElementType()))
    return;
  if (!mlir::isa_and_nonnull<ActivateOp, ChainOp, ScalarTensorOp, BinaryOp,
                             MatmulOp, KeepOp, ReduceOp>(producer) ||
      !input.hasOneUse() || !isF32(input) || input != producer->getResult(0))
    return;
  noteFused(cast, "the instruction that computes the value also rounds it");
  input.setType(type);
  cast.getResult().replaceAllUsesWith(input);
  cast.erase();
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// reduce add of an activation: the Scalar engine sums while it computes.
static void absorbRowSum(ReduceOp reduce, OpBuilder &builder) {
  auto op = reduce.getInput().getDefiningOp<ActivateOp>();
  if (reduce.getOp() != isa::AluOp::add || !op)
    return;
  if (op.getRowSum())
    return noteNotFused(reduce, "the activation already has another row sum");
  if (!isF32(op.getResult()))
    return noteNotFused(reduce, "the row sum of an activation adds values in "
                                "f32, but these are rounded first");
  noteFused(reduce, "the row sum is a by-product of the activation");
  builder.setInsertionPoint(op);
  // The sum is of values in f32 in any case; if they have no other readers,
  // they need not take so much memory.
  auto type = tensorOf(op.getResult());
  if (op.getResult().hasOneUse())
    type = TileType::get(type.getShape(), builder.getBF16Type());
  auto with = ActivateOp::create(
      builder, op.getLoc(), type, reduce.getResult().getType(), op.getOpAttr(),
      op.getInput(), op.getScale(), op.getBias(), op.getScaleValueAttr(),
      op.getBiasValueAttr(), op.getRowOpAttr());
  reduce.getResult().replaceAllUsesWith(with.getRowSum());
  reduce.erase();
  op.getResult().replaceAllUsesWith(with.getResult());
  op.erase();
}

/// scale * x + bias in front of a function: one fused multiply-add.
static void absorbAffine(ActivateOp op, OpBuilder &builder) {
  if (op.getOp() == isa::ActivationFunction::reciprocal || op.getScale() ||
      op.getBias() || op.getScaleValue().convertToFloat() != 1.0f ||
      op.getBiasValue().convertToFloat() != 0.0f)
    return;
  ChainOp chain = mergeable<ChainOp>(op.getInput());
  if (!chain) {
    if (op.getInput().getDefiningOp<ChainOp>())
      noteNotFused(
          op, op.getInput().hasOneUse()
                  ? "the input of the activation is rounded first"
                  : "other operations also use the input of the activation");
    return;
  }
  bool scales = chain.getOp0() == isa::AluOp::multiply;
  bool twoSteps = chain.getOp1().has_value();
  // a - b of two columns is b * -1 + a: no negated copy of b is needed.
  if (Value other = chain.getOperand0();
      chain.getOp0() == isa::AluOp::subtract && !chain.getReverse0() &&
      !twoSteps && other && isF32(other) && isF32(chain.getInput()) &&
      other.getType() == chain.getInput().getType()) {
    noteFused(chain, "the difference is the bias of the activation");
    op.getBiasMutable().assign(chain.getInput());
    op.getInputMutable().assign(other);
    op.setScaleValueAttr(builder.getF32FloatAttr(-1.0f));
    chain.erase();
    return;
  }
  const auto decline = [&] {
    noteNotFused(op, "an activation scales its input, then adds; the operators "
                     "before it are different");
  };
  if (!scales && twoSteps)
    return decline();
  const std::optional<isa::AluOp> sum =
      scales ? chain.getOp1() : std::optional(chain.getOp0());
  bool reverse = scales ? chain.getReverse1() : chain.getReverse0();
  if (sum && sum != isa::AluOp::add && sum != isa::AluOp::subtract)
    return decline();
  Value scale = scales ? chain.getOperand0() : Value();
  float scaleValue = scales ? chain.getValue0().convertToFloat() : 1.0f;
  Value bias = scales ? chain.getOperand1() : chain.getOperand0();
  float biasValue = !sum     ? 0.0f
                    : scales ? chain.getValue1().convertToFloat()
                             : chain.getValue0().convertToFloat();
  builder.setInsertionPoint(op);
  auto negated = [&](Value value) -> Value {
    return ChainOp::create(
        builder, op.getLoc(), value.getType(), value, Value(), Value(),
        nc::AluOpAttr::get(builder.getContext(), isa::AluOp::multiply),
        builder.getF32FloatAttr(-1.0f), UnitAttr(), nc::AluOpAttr(),
        builder.getF32FloatAttr(0.0f), UnitAttr());
  };
  if (sum == isa::AluOp::subtract && reverse) {
    if (scale)
      scale = negated(scale);
    scaleValue = -scaleValue;
  } else if (sum == isa::AluOp::subtract) {
    if (bias)
      bias = negated(bias);
    biasValue = -biasValue;
  }
  noteFused(chain, "the activation scales its input and adds a bias itself");
  op.getInputMutable().assign(chain.getInput());
  if (scale)
    op.getScaleMutable().assign(scale);
  else
    op.setScaleValueAttr(builder.getF32FloatAttr(scaleValue));
  if (bias)
    op.getBiasMutable().assign(bias);
  else
    op.setBiasValueAttr(builder.getF32FloatAttr(biasValue));
  chain.erase();
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

static void absorbChain(ChainOp op) {
  if (op.getReverse0() && isCommutative(op.getOp0()))
    op.setReverse0(false);
  // m max (scale * r) is (scale * r) max m: merge from either side.
  Value operand = op.getOperand0();
  if (operand && isCommutative(op.getOp0()) && !simpleChain(op.getInput()) &&
      simpleChain(operand) && isColumn(tensorOf(op.getInput())) &&
      isF32(op.getInput()) && operand.getType() == op.getInput().getType()) {
    Value input = op.getInput();
    op.getInputMutable().assign(operand);
    op.getOperand0Mutable().assign(input);
  }
  ChainOp inner = simpleChain(op.getInput());
  if (!inner || op.getOp1())
    return;
  noteFused(inner, "two operators with one operand per row become one pass");
  op.setOp1(op.getOp0());
  op.setValue1Attr(op.getValue0Attr());
  op.setReverse1(op.getReverse0());
  if (op.getOperand0())
    op.getOperand1Mutable().assign(op.getOperand0());
  op.setOp0(inner.getOp0());
  op.setValue0Attr(inner.getValue0Attr());
  op.setReverse0(inner.getReverse0());
  if (inner.getOperand0())
    op.getOperand0Mutable().assign(inner.getOperand0());
  else
    op.getOperand0Mutable().clear();
  op.getInputMutable().assign(inner.getInput());
  inner.erase();
}

/// (x op0 s) op1 y in one pass of the Vector engine.
static void makeScalarTensor(BinaryOp op, OpBuilder &builder) {
  // Powers and exact integers run on GpSimd; no engine divides.
  if (op.getOp().isDivision() || op.getOp() == isa::AluOp::power ||
      tensorOf(op.getLhs()).getElementType().isInteger(32))
    return;
  ChainOp chain = simpleChain(op.getLhs());
  bool reverse = false;
  Value other = op.getRhs();
  if (!chain) {
    chain = simpleChain(op.getRhs());
    other = op.getLhs();
    reverse = !isCommutative(op.getOp().aluOp());
  }
  if (!chain)
    return;
  noteFused(chain, "an operator with one operand per row and one with a tile "
                   "become one pass");
  builder.setInsertionPoint(op);
  auto flag = [&](bool set) {
    return set ? builder.getUnitAttr() : UnitAttr();
  };
  Value merged = ScalarTensorOp::create(
      builder, op.getLoc(), op.getResult().getType(), chain.getInput(), other,
      chain.getOperand0(), chain.getOp0Attr(), chain.getValue0Attr(),
      flag(chain.getReverse0()),
      nc::AluOpAttr::get(builder.getContext(), op.getOp().aluOp()),
      flag(reverse));
  op.getResult().replaceAllUsesWith(merged);
  op.erase();
  chain.erase();
}

namespace {

struct TileFusePass : tile::impl::TileFuseBase<TileFusePass> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    // Row sums first: a cast of the activation is its only user afterwards.
    SmallVector<ReduceOp> sums;
    getOperation().walk([&](ReduceOp op) { sums.push_back(op); });
    for (ReduceOp op : sums) {
      absorbWidening(op, 1);
      absorbRowSum(op, builder);
    }
    SmallVector<Operation *> worklist;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->getName().getDialectNamespace() == "tile")
        worklist.push_back(op);
    });
    // Merging erases producers only, which come earlier in program order.
    for (Operation *op : worklist)
      visit(op, builder);
    SmallVector<CastOp> casts;
    getOperation().walk([&](CastOp cast) { casts.push_back(cast); });
    for (CastOp cast : llvm::reverse(casts))
      if (cast->use_empty())
        cast.erase();
  }

  static void visit(Operation *op, OpBuilder &builder) {
    if (auto activate = dyn_cast<ActivateOp>(op)) {
      absorbAffine(activate, builder);
      absorbWidening(op, 1);
    } else if (auto chain = dyn_cast<ChainOp>(op)) {
      absorbWidening(op, 1);
      absorbChain(chain);
    } else if (auto binary = dyn_cast<BinaryOp>(op)) {
      absorbWidening(op, 2);
      makeScalarTensor(binary, builder);
    } else if (mlir::isa<KeepOp>(op)) {
      absorbWidening(op, 1);
    } else if (auto cast = dyn_cast<CastOp>(op)) {
      absorbNarrowing(cast);
    }
  }
};

} // namespace

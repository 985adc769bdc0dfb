//===- SplitExp.cpp - Softmax on both engines -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention reads each score twice: for the maximum of its row, and for
//
//   m = max(.., c * row_max(s));  p = exp(c * s - m)
//
// The Vector engine finds maxima, and the Scalar engine has exp. From trn3 on,
// the Vector engine has an exp that takes a quarter of the time, but scales
// nothing, and the Scalar engine takes the maximum of what it scales. So the
// Scalar engine does the long work once:
//
//   t = c * s, and its row_max;  m = max(.., row_max);  p = exp(t - m)
//
// Multiplication by a positive number is monotonic, rounding as well, so the
// maximum is the same.
//
// An activation adds up rows and rounds to a narrower type as it writes. The
// Vector engine's exp does both as well: then Scalar is as busy as before, and
// Vector less. If another instruction had to do it, the Vector engine would be
// busier than before, and nothing is split.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/tile/Tile.h"
#include "kiln/compiler/transform/tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::compiler::tile {
#define GEN_PASS_DEF_TILESPLITEXP
#include "kiln/compiler/transform/tile/Passes.h.inc"
} // namespace kiln::compiler::tile

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;
namespace isa = kiln::isa;

static constexpr Remarks splitExpRemarks("tile-split-exp");

namespace {

/// Columns below which an instruction costs more than its elements.
constexpr int64_t leastColumns = 128;

bool isF32(Value value) { return tensorOf(value).getElementType().isF32(); }

/// exp(left - right), whose argument has no other users; null otherwise.
BinaryOp argumentOf(UnaryOp exp) {
  auto difference = exp.getInput().getDefiningOp<BinaryOp>();
  const bool isOne = exp.getOp() == isa::ActivationFunction::exp &&
                     difference && difference.getOp() == isa::AluOp::subtract &&
                     exp.getInput().hasOneUse() && !nc::isPromised(exp) &&
                     !nc::isPromised(difference);
  return isOne && isF32(difference.getLhs()) && isF32(difference.getRhs()) &&
                 isColumn(tensorOf(difference.getRhs())) &&
                 isF32(exp.getResult())
             ? difference
             : BinaryOp();
}

/// value = input * number, a positive one, with no other users.
ScalarOp scaledOf(Value value) {
  auto scaled = value.getDefiningOp<ScalarOp>();
  return scaled && scaled.getOp() == isa::AluOp::multiply &&
                 scaled.getValue().convertToDouble() > 0 && value.hasOneUse() &&
                 isF32(value) && !nc::isPromised(scaled)
             ? scaled
             : ScalarOp();
}

struct Softmax {
  UnaryOp exp;
  ScalarOp scores;
  ReduceOp maximum;
  ScalarOp scaledMaximum;

  static std::optional<Softmax> of(UnaryOp exp) {
    Softmax found{exp, {}, {}, {}};
    BinaryOp difference = argumentOf(exp);
    if (!difference)
      return std::nullopt;
    found.scores = scaledOf(difference.getLhs());
    if (!found.scores)
      return std::nullopt;
    Value input = found.scores.getInput();
    const TileType type = tensorOf(input);
    if (!isF32(input) || type.getRank() != 2 ||
        type.getDimSize(1) < leastColumns || !input.hasNUses(2))
      return std::nullopt;
    for (Operation *user : input.getUsers())
      if (auto reduce = dyn_cast<ReduceOp>(user);
          reduce && reduce.getOp() == isa::AluOp::maximum &&
          reduce.getResult().hasOneUse() && !nc::isPromised(reduce))
        found.maximum = reduce;
    if (!found.maximum)
      return std::nullopt;
    found.scaledMaximum =
        dyn_cast<ScalarOp>(*found.maximum.getResult().getUsers().begin());
    ScalarOp other = found.scaledMaximum;
    const bool isSame = other && other.getOp() == isa::AluOp::multiply &&
                        other.getValue() == found.scores.getValue() &&
                        !nc::isPromised(other) &&
                        other->getBlock() == found.scores->getBlock() &&
                        found.maximum->getBlock() == other->getBlock();
    return isSame ? std::optional(found) : std::nullopt;
  }

  void split() {
    // Both read the scores; readers of a result come after the first.
    Operation *first = maximum;
    if (scores->isBeforeInBlock(first))
      first = scores;
    OpBuilder builder(first);
    splitExpRemarks.passed(exp, "Split")
        << "the Scalar engine scales the scores and finds their maximum at "
           "once, the Vector engine takes the exponential";
    const TileType type = tensorOf(scores.getResult());
    auto scaled = ActivateOp::create(
        builder, maximum.getLoc(), type, maximum.getResult().getType(),
        nc::ActivationFunctionAttr::get(builder.getContext(),
                                        isa::ActivationFunction::copy),
        maximum.getInput(), Value(), Value(),
        builder.getF32FloatAttr(
            static_cast<float>(scores.getValue().convertToDouble())),
        builder.getF32FloatAttr(0.0f),
        nc::AluOpAttr::get(builder.getContext(), isa::AluOp::maximum));
    scaledMaximum.getResult().replaceAllUsesWith(scaled.getRowSum());
    scores.getResult().replaceAllUsesWith(scaled.getResult());
    scaledMaximum.erase();
    maximum.erase();
    scores.erase();
  }
};

/// What an instruction that computes exp(..) does for its readers.
struct Readers {
  CastOp cast;  ///< Rounds, if the unrounded values have no readers.
  ReduceOp sum; ///< Adds up the rows, before rounding.

  static Readers of(UnaryOp exp) {
    Readers found;
    size_t others = 0;
    for (Operation *user : exp.getResult().getUsers()) {
      auto sum = dyn_cast<ReduceOp>(user);
      auto cast = dyn_cast<CastOp>(user);
      if (sum && sum.getOp() == isa::AluOp::add && !found.sum &&
          isF32(sum.getResult()) && !nc::isPromised(sum))
        found.sum = sum;
      else if (cast && !found.cast && !nc::isPromised(cast))
        found.cast = cast;
      else
        ++others;
    }
    if (others > 0)
      found.cast = CastOp();
    return found;
  }

  /// The Vector engine's exp rounds to floats only.
  bool isTaken() const {
    CastOp rounding = cast;
    return !rounding || mlir::isa<FloatType>(
                            tensorOf(rounding.getResult()).getElementType());
  }
};

/// The Vector engine's exp, which adds up rows and rounds as it writes.
void exponentiate(UnaryOp exp, BinaryOp difference) {
  OpBuilder builder(exp);
  Readers readers = Readers::of(exp);
  if (!readers.isTaken())
    readers.cast = CastOp();
  Value result =
      readers.cast ? readers.cast.getResult() : Value(exp.getResult());
  SmallVector<NamedAttribute> fields;
  Type sums;
  if (readers.sum) {
    sums = readers.sum.getResult().getType();
    fields.push_back(builder.getNamedAttr(
        "reduce_cmd",
        nc::ReduceCommandAttr::get(builder.getContext(),
                                   isa::ReduceCommand::reset_reduce)));
  }
  auto made = ApplyOp::create(
      builder, exp.getLoc(), result.getType(), sums, isa::Opcode::Exponential,
      ValueRange{difference.getLhs(), difference.getRhs()},
      builder.getStrArrayAttr({"src", "max_value"}),
      builder.getDictionaryAttr(fields));
  result.replaceAllUsesWith(made.getResult());
  if (readers.sum) {
    readers.sum.getResult().replaceAllUsesWith(made.getRowSum());
    readers.sum.erase();
  }
  if (readers.cast)
    readers.cast.erase();
  exp.erase();
  difference.erase();
}

struct TileSplitExpPass : tile::impl::TileSplitExpBase<TileSplitExpPass> {
  void runOnOperation() override {
    if (nc::targetOf(getOperation()).generation < isa::Generation::v4)
      return;
    SmallVector<UnaryOp> exps;
    getOperation().walk([&](UnaryOp op) { exps.push_back(op); });
    llvm::DenseSet<Block *> blocks;
    for (UnaryOp exp : exps)
      if (std::optional<Softmax> softmax = Softmax::of(exp)) {
        if (!Readers::of(exp).isTaken()) {
          splitExpRemarks.missed(exp, "NotSplit")
              << "the exponential of the Vector engine cannot round to an "
                 "integer, so the softmax would take another pass";
          continue;
        }
        blocks.insert(exp->getBlock());
        softmax->split();
        exponentiate(exp, argumentOf(exp));
      }
    // The Scalar engine has enough to do: the factors of what was summed
    // before go to the Vector engine as well.
    for (Block *block : blocks)
      for (UnaryOp exp : llvm::make_early_inc_range(block->getOps<UnaryOp>()))
        if (BinaryOp difference = argumentOf(exp);
            difference && isColumn(tensorOf(difference.getLhs())))
          exponentiate(exp, difference);
  }
};

} // namespace

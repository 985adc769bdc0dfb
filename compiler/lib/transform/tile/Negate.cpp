//===- Negate.cpp - Running maxima that are kept negated ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Negation commutes with rounding, and max(a, b) = -min(-a, -b). So a buffer
// and all that is assigned to it may be negated together. The results differ in
// the sign of a zero at most, which exp() does not see.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/tile/Tile.h"
#include "kiln/compiler/transform/tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/SetVector.h"

namespace kiln::compiler::tile {
#define GEN_PASS_DEF_TILENEGATE
#include "kiln/compiler/transform/tile/Passes.h.inc"
} // namespace kiln::compiler::tile

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;
namespace isa = kiln::isa;

static constexpr Remarks negateRemarks("tile-negate");

static bool isExtreme(Operation *op) {
  auto binary = dyn_cast_if_present<BinaryOp>(op);
  return binary && (binary.getOp() == isa::AluOp::maximum ||
                    binary.getOp() == isa::AluOp::minimum);
}

/// The difference is the argument of exp() and of nothing else.
static bool feedsExp(BinaryOp difference) {
  return llvm::all_of(difference.getResult().getUsers(), [](Operation *user) {
    auto unary = dyn_cast<UnaryOp>(user);
    return unary && unary.getOp() == isa::ActivationFunction::exp;
  });
}

namespace {

/// All values that are negated with one buffer.
class Group {
public:
  explicit Group(DeclareOp declare) : buffer(declare.getBuffer()) {}

  /// False if a user of one of them cannot take its negative, or if no
  /// activation gains by it.
  bool collect() {
    for (Operation *user : buffer.getUsers()) {
      auto read = dyn_cast<ReadOp>(user);
      auto assign = dyn_cast<AssignOp>(user);
      // Users of the bits need them as they are.
      if (read && tensorOf(read.getResult()).getElementType().isF32())
        values.insert(read.getResult());
      else if (assign && tensorOf(assign.getValue()).getElementType().isF32())
        values.insert(assign.getValue());
      else
        block(user);
    }
    for (size_t i = 0; i < values.size(); ++i) // It grows meanwhile.
      if (!collectSource(values[i]))
        block(values[i].getDefiningOp());
    for (Value value : values)
      for (OpOperand &use : value.getUses())
        if (!takesUse(value, use))
          block(use.getOwner());
    return gains && !isBlocked;
  }

  /// What needs the value itself, though an activation would gain by its
  /// negative; or null.
  Operation *whatNeedsIt() const { return gains ? blocker : nullptr; }

  void negate() {
    for (BinaryOp difference : differences)
      if (values.contains(difference.getLhs())) {
        Value lhs = difference.getLhs();
        difference.getLhsMutable().assign(difference.getRhs());
        difference.getRhsMutable().assign(lhs);
      } else {
        difference.setOp(isa::AluOp::add);
      }
    for (Value value : values) {
      Operation *op = value.getDefiningOp();
      if (auto fill = dyn_cast<FillOp>(op))
        fill.setValueAttr(negated(fill.getValueAttr()));
      else if (auto scalar = dyn_cast<ScalarOp>(op))
        scalar.setValueAttr(negated(scalar.getValueAttr()));
      else if (auto binary = dyn_cast<BinaryOp>(op))
        binary.setOp(binary.getOp() == isa::AluOp::maximum
                         ? isa::AluOp::minimum
                         : isa::AluOp::maximum);
    }
  }

private:
  Value buffer;
  SetVector<Value> values; // In the order in which they are found.
  SetVector<BinaryOp> differences;
  bool gains = false;
  bool isBlocked = false; ///< Something needs the values as they are.
  Operation *blocker = nullptr;

  void block(Operation *user) {
    isBlocked = true;
    blocker = user;
  }

  static FloatAttr negated(FloatAttr value) {
    return FloatAttr::get(value.getType(), -value.getValue());
  }

  /// What makes the value can make its negative at no cost.
  bool collectSource(Value value) {
    Operation *op = value.getDefiningOp();
    if (auto read = dyn_cast_if_present<ReadOp>(op))
      return read.getBase() == buffer;
    if (isExtreme(op)) {
      values.insert(cast<BinaryOp>(op).getLhs());
      values.insert(cast<BinaryOp>(op).getRhs());
      return true;
    }
    auto scalar = dyn_cast_if_present<ScalarOp>(op);
    return isa_and_present<FillOp>(op) ||
           (scalar && scalar.getOp() == isa::AluOp::multiply);
  }

  bool takesUse(Value value, OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto assign = dyn_cast<AssignOp>(user))
      return assign.getBase() == buffer;
    if (isExtreme(user))
      return values.contains(user->getResult(0));
    auto difference = dyn_cast<BinaryOp>(user);
    if (!difference || difference.getOp() != isa::AluOp::subtract ||
        !values.contains(difference.getRhs()) || !feedsExp(difference))
      return false;
    differences.insert(difference);
    // exp(x - m) of a row adds its column -m; of columns, it is free.
    gains |= isColumn(tensorOf(difference.getRhs())) &&
             !isColumn(tensorOf(difference.getLhs()));
    return true;
  }
};

struct TileNegatePass : tile::impl::TileNegateBase<TileNegatePass> {
  void runOnOperation() override {
    SmallVector<DeclareOp> buffers;
    getOperation().walk([&](DeclareOp op) {
      auto type = cast<MemRefType>(op.getBuffer().getType());
      // A buffer with an address or a name may be read from outside.
      if (type.getElementType().isF32() && op->getAttrs().empty())
        buffers.push_back(op);
    });
    for (DeclareOp declare : buffers)
      if (Group group(declare); group.collect()) {
        negateRemarks.passed(declare, "Negated")
            << "the buffer holds -m instead of m: exp(x - m) adds it, and no "
               "instruction negates it";
        group.negate();
      } else if (Operation *user = group.whatNeedsIt()) {
        negateRemarks.missed(declare, "NotNegated")
            << "exp(x - m) would add -m, but something needs m itself: "
            << measure("user", user->getName().getStringRef());
      }
  }
};

} // namespace

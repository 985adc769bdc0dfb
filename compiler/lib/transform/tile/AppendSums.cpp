//===- AppendSums.cpp - Row sums as one more column of a product ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention keeps two running sums with one factor: of products, and of the
// rows of their left operand.
//
//   l = f * l + row_sum(p);  acc = f * acc + p v
//
// The sum of a row is its product with ones. So both become one sum, one column
// wider, and the tensor engine adds up the rows in the same pass:
//
//   [acc l] = f * [acc l] + p [v 1]
//
// The sums round as before: in f32, in another order.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/tile/Tile.h"
#include "kiln/compiler/transform/tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <array>

namespace kiln::compiler::tile {
#define GEN_PASS_DEF_TILEAPPENDSUMS
#include "kiln/compiler/transform/tile/Passes.h.inc"
} // namespace kiln::compiler::tile

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;
namespace isa = kiln::isa;

static constexpr Remarks appendSumsRemarks("tile-append-sums");

namespace {

template <class OpT> OpT onlyUser(Value value) {
  return value.hasOneUse() ? dyn_cast<OpT>(*value.getUsers().begin()) : OpT();
}

/// A view of all of a buffer.
template <class ViewOpT> bool showsAll(ViewOpT op, Value shown) {
  auto type = cast<MemRefType>(op.getBase().getType());
  return tensorOf(shown).getElementType() == type.getElementType() &&
         op.getIndices().empty() && op.getRow() == 0 &&
         op.getOffset() == zeroOffset(op->getContext()) &&
         op.getSizes() == type.getShape();
}

/// buffer = factor * buffer + addend, of a whole buffer.
struct Update {
  ReadOp read;
  Value factor; ///< Null for none.
  BinaryOp sum;
  AssignOp assign;
  DeclareOp buffer;

  bool holds(Operation *op) const { return op == read || op == assign; }

  static std::optional<Update> of(Value addend) {
    Update update;
    update.sum = onlyUser<BinaryOp>(addend);
    if (!update.sum || update.sum.getOp() != isa::AluOp::add)
      return std::nullopt;
    update.assign = onlyUser<AssignOp>(update.sum.getResult());
    if (!update.assign)
      return std::nullopt;
    Value before = update.sum.getLhs() == addend ? update.sum.getRhs()
                                                 : update.sum.getLhs();
    if (auto product = before.getDefiningOp<BinaryOp>();
        product && product.getOp() == isa::AluOp::multiply) {
      if (!before.hasOneUse())
        return std::nullopt;
      auto left = product.getLhs().getDefiningOp<ReadOp>();
      const bool isLeft = left && left.getBase() == update.assign.getBase();
      before = isLeft ? product.getLhs() : product.getRhs();
      update.factor = isLeft ? product.getRhs() : product.getLhs();
    }
    update.read = before.getDefiningOp<ReadOp>();
    if (!update.read || !before.hasOneUse() ||
        update.read.getBase() != update.assign.getBase() ||
        update.read->getBlock() != update.assign->getBlock() ||
        !showsAll(update.read, update.read.getResult()) ||
        !showsAll(update.assign, update.assign.getValue()))
      return std::nullopt;
    update.buffer = update.read.getBase().getDefiningOp<DeclareOp>();
    return update.buffer ? std::optional(update) : std::nullopt;
  }
};

/// Both sums, in one block.
struct Step {
  Update rows, products;
  MatmulOp product;
  LoadOp right;

  static std::optional<Step> of(ReduceOp sum) {
    Step step;
    const std::optional<Update> rows = sum.getOp() == isa::AluOp::add
                                           ? Update::of(sum.getResult())
                                           : std::nullopt;
    if (!rows || !tensorOf(sum.getInput()).getElementType().isFloat())
      return std::nullopt;
    step.rows = *rows;
    for (Operation *user : sum.getInput().getUsers())
      if (auto transpose = dyn_cast<TransposeOp>(user))
        for (Operation *other : transpose.getResult().getUsers())
          if (auto product = dyn_cast<MatmulOp>(other))
            if (step.take(product, transpose.getResult()))
              return step;
    return std::nullopt;
  }

  int64_t rowsOf() const {
    return tensorOf(MatmulOp(product).getResult()).getDimSize(0);
  }
  int64_t width() const {
    return tensorOf(MatmulOp(product).getResult()).getDimSize(1);
  }

  /// Why they stay two, or empty.
  StringRef whyNot() const {
    // A product that fills its banks has no column left.
    if (width() % isa::psumBankSums == 0)
      return "the product fills its PSUM banks";
    if (rowsOf() > isa::maxPartitions)
      return "the product has more rows than there are partitions";
    if (!right)
      return "the right operand of the product is not a load";
    for (DeclareOp buffer : {rows.buffer, products.buffer}) {
      if (!buffer->getAttrs().empty())
        return "the program places or names a buffer";
      for (Operation *user : buffer.getBuffer().getUsers())
        if (!mlir::isa<ReadOp, AssignOp>(user) || nc::isPromised(user))
          return "instructions of the program access a buffer";
    }
    if (rows.buffer->getBlock() != products.buffer->getBlock())
      return "one of the buffers belongs to another loop";
    if (isLookedAtBetween())
      return "something reads a sum between the two updates";
    return {};
  }

private:
  bool take(MatmulOp candidate, Value left) {
    const std::optional<Update> found = Update::of(candidate.getResult());
    if (!candidate.getTransposeA() || candidate.getTransposeB() ||
        candidate.getA() != left || candidate.getB() == left || !found ||
        found->factor != rows.factor || found->buffer == rows.buffer ||
        found->assign->getBlock() != rows.assign->getBlock() ||
        candidate->getBlock() != rows.assign->getBlock() ||
        nc::isPromised(candidate) ||
        !tensorOf(candidate.getResult()).getElementType().isF32())
      return false;
    products = *found;
    product = candidate;
    auto load = product.getB().getDefiningOp<LoadOp>();
    if (load && load.getResult().hasOneUse() && !nc::isPromised(load))
      right = load;
    return true;
  }

  /// Both are updated where the later one is.
  bool isLookedAtBetween() const {
    Block *block = AssignOp(rows.assign)->getBlock();
    auto isBefore = [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    };
    std::array<Operation *, 4> own{rows.read, rows.assign, products.read,
                                   products.assign};
    Operation *first = *std::min_element(own.begin(), own.end(), isBefore);
    Operation *last = *std::max_element(own.begin(), own.end(), isBefore);
    for (DeclareOp buffer : {rows.buffer, products.buffer})
      for (Operation *user : buffer.getBuffer().getUsers()) {
        Operation *here = block->findAncestorOpInBlock(*user);
        if (here && !rows.holds(user) && !products.holds(user) &&
            !here->isBeforeInBlock(first) && !last->isBeforeInBlock(here))
          return true;
      }
    return false;
  }
};

/// All steps of one pair of buffers, and the buffer that takes their place.
class Merger {
public:
  explicit Merger(ArrayRef<Step> steps)
      : steps(steps), rows(steps.front().rows.buffer),
        products(steps.front().products.buffer), width(steps.front().width()) {}

  void run() {
    for (const Step &step : steps)
      appendSumsRemarks.passed(step.rows.sum, "Appended")
          << "the sum of a row becomes one more column of the product, and "
             "both running sums are updated together";
    OpBuilder builder(rows->isBeforeInBlock(products) ? rows : products);
    whole = declare(builder, rows->getLoc(), steps.front().rowsOf(),
                    builder.getF32Type());
    for (const Step &step : steps)
      merge(step);
    for (const auto &[buffer, column] :
         {std::pair(products, int64_t{0}), std::pair(rows, width)}) {
      for (Operation *user :
           llvm::make_early_inc_range(DeclareOp(buffer).getBuffer().getUsers()))
        if (auto read = dyn_cast<ReadOp>(user))
          move(read, column);
        else
          move(cast<AssignOp>(user), column);
      DeclareOp(buffer).erase();
    }
  }

private:
  Value declare(OpBuilder &builder, Location where, int64_t count,
                Type element) const {
    return DeclareOp::create(
        builder, where,
        MemRefType::get(
            {count, width + 1}, element, MemRefLayoutAttrInterface(),
            nc::SpaceAttr::get(builder.getContext(), nc::Space::sbuf)),
        IntegerAttr(), IntegerAttr(), IntegerAttr(), StringAttr());
  }

  /// The window becomes one of the wide buffer.
  template <class ViewOpT> void move(ViewOpT op, int64_t column) const {
    const AffineMap offset = op.getOffset();
    op.getBaseMutable().assign(whole);
    op.setOffset(
        AffineMap::get(offset.getNumDims(), 0, offset.getResult(0) + column));
  }

  static AffineMap columnAt(OpBuilder &builder, int64_t column) {
    return AffineMap::get(0, 0, builder.getAffineConstantExpr(column));
  }

  void assign(OpBuilder &builder, Location where, Value value, Value buffer,
              int64_t column) const {
    AssignOp::create(builder, where, buffer, value, ValueRange(), uint64_t(0),
                     columnAt(builder, column), tensorOf(value).getShape(),
                     ArrayRef<int64_t>{1, 1});
  }

  Value read(OpBuilder &builder, Location where, Value buffer) const {
    auto type = cast<MemRefType>(buffer.getType());
    return ReadOp::create(
        builder, where, TileType::get(type.getShape(), type.getElementType()),
        buffer, ValueRange(), uint64_t(0), columnAt(builder, 0),
        type.getShape(), ArrayRef<int64_t>{1, 1});
  }

  /// The right operand, with a column of ones.
  Value widen(LoadOp load) const {
    const TileType type = tensorOf(load.getResult());
    OpBuilder builder(load);
    builder.setInsertionPointAfter(load);
    return AppendOp::create(
        builder, load.getLoc(),
        TileType::get({type.getDimSize(0), width + 1}, type.getElementType()),
        load.getResult(), builder.getF64FloatAttr(1.0));
  }

  void merge(const Step &step) {
    Value right = widen(step.right);
    const TileType type = TileType::get({step.rowsOf(), width + 1},
                                        Float32Type::get(whole.getContext()));
    MatmulOp product = step.product;
    OpBuilder builder(product);
    Value sums =
        MatmulOp::create(builder, product.getLoc(), type, product.getA(), right,
                         product.getTransposeAAttr(), UnitAttr());
    AssignOp first = step.rows.assign, last = step.products.assign;
    builder.setInsertionPoint(first->isBeforeInBlock(last) ? last : first);
    const Location where = last.getLoc();
    const auto apply = [&](isa::AluOp op, Value a, Value b) -> Value {
      return BinaryOp::create(builder, where, type, Operator(op), a, b);
    };
    Value before = read(builder, where, whole);
    if (step.products.factor)
      before = apply(isa::AluOp::multiply, step.products.factor, before);
    assign(builder, where, apply(isa::AluOp::add, before, sums), whole, 0);
    erase(step.rows);
    erase(step.products);
    product.erase();
  }

  /// Its inputs may be unused now.
  static void erase(const Update &update) {
    AssignOp(update.assign).erase();
    SmallVector<Operation *> inputs;
    for (Value operand : BinaryOp(update.sum)->getOperands())
      inputs.push_back(operand.getDefiningOp());
    BinaryOp(update.sum).erase();
    for (Operation *input : inputs)
      if (mlir::isa<BinaryOp, ReduceOp>(input))
        input->erase();
    ReadOp(update.read).erase();
  }

  ArrayRef<Step> steps;
  DeclareOp rows, products;
  int64_t width;
  Value whole;
};

struct TileAppendSumsPass : tile::impl::TileAppendSumsBase<TileAppendSumsPass> {
  void runOnOperation() override {
    llvm::MapVector<std::pair<Operation *, Operation *>, SmallVector<Step>>
        pairs;
    getOperation().walk([&](ReduceOp op) {
      const std::optional<Step> step = Step::of(op);
      if (!step)
        return;
      if (const StringRef reason = step->whyNot(); !reason.empty()) {
        appendSumsRemarks.missed(op, "NotAppended")
            << "the sum of a row could be one more column of a product, but "
            << reason;
        return;
      }
      pairs[{step->rows.buffer, step->products.buffer}].push_back(*step);
    });
    // A buffer is part of one pair.
    llvm::DenseSet<Operation *> taken;
    for (const auto &[buffers, steps] : pairs) {
      if (taken.contains(buffers.first) || taken.contains(buffers.second))
        continue;
      taken.insert(buffers.first);
      taken.insert(buffers.second);
      Merger(steps).run();
    }
  }
};

} // namespace

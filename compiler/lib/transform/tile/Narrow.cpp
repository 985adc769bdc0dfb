//===- Narrow.cpp - Wide loads, window by window --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/dialect/tile/Tile.h"
#include "kiln/compiler/transform/tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::compiler::tile {
#define GEN_PASS_DEF_TILENARROW
#include "kiln/compiler/transform/tile/Passes.h.inc"
} // namespace kiln::compiler::tile

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

static constexpr Remarks narrowRemarks("tile-narrow");

static int64_t bytesPerColumn(TileType type) {
  auto dtype = nc::dtypeOf(type.getElementType());
  return slotsOf(type.getDimSize(0)) *
         (dtype ? kiln::isa::sizeInBytes(*dtype) : 4);
}

/// By its effects, it may write `base`, or synchronise with something that
/// does: instructions may meet any other core or rank.
static bool mayWrite(Operation *op, Value base) {
  if (op->getNumRegions() != 0)
    return true;
  if (isMemoryEffectFree(op))
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || op->getName().getDialectNamespace() != "tile")
    return true;
  SmallVector<MemoryEffects::EffectInstance> list;
  effects.getEffects(list);
  return llvm::any_of(list, [&](const MemoryEffects::EffectInstance &effect) {
    return llvm::isa<MemoryEffects::Write, MemoryEffects::Free>(
               effect.getEffect()) &&
           (!effect.getValue() || effect.getValue() == base);
  });
}

/// What `load` may not move behind, or null if there is nothing before the last
/// of its users.
static Operation *limitOf(LoadOp load) {
  Operation *last = load;
  for (Operation *user : load->getUsers())
    if (last->isBeforeInBlock(user))
      last = user;
  for (Operation *op = load; op != last; op = op->getNextNode()) {
    if (mayWrite(op, load.getBase()))
      return op;
  }
  return nullptr;
}

namespace {

/// A load whose users each read some of the columns.
class Narrower {
public:
  Narrower(LoadOp load, int64_t window) : load(load), window(window) {}

  bool applies(int64_t budget) {
    TileType type = tensorOf(load.getResult());
    if (type.getRank() != 2 || load.use_empty() ||
        bytesPerColumn(type) * type.getDimSize(1) <= budget)
      return false;
    const StringRef reason = whyNot();
    if (reason.empty())
      return true;
    narrowRemarks.missed(load, "NotNarrowed")
        << "the load stays whole, "
        << count("bytes", bytesPerColumn(type) * type.getDimSize(1))
        << " bytes per partition with a budget of " << measure("budget", budget)
        << ": " << reason;
    return false;
  }

  void run() {
    for (Operation *user :
         llvm::make_early_inc_range(load.getResult().getUsers()))
      if (auto reduce = dyn_cast<ReduceOp>(user))
        split(reduce);
    for (Operation *user :
         llvm::make_early_inc_range(load.getResult().getUsers()))
      narrow(cast<SliceOp>(user));
    load.erase();
  }

private:
  LoadOp load;
  int64_t window;
  Operation *limit = nullptr;

  /// Empty if the users read windows, each near its place.
  StringRef whyNot() {
    if (nc::isPromised(load))
      return "the program fixes its place";
    limit = limitOf(load);
    for (Operation *user : load->getUsers()) {
      if (user->getBlock() != load->getBlock())
        return "a user is in another block";
      auto slice = dyn_cast<SliceOp>(user);
      if (!slice && !mlir::isa<ReduceOp>(user))
        return "a user reads all of it";
      if (slice && slice.getSizes().size() != 2)
        return "a user reads it in a different shape";
      if (slice && !slice.getIndices().empty() && !mayMoveTo(slice))
        return "its tensor may be written before a user";
    }
    return {};
  }

  bool mayMoveTo(Operation *user) const {
    return !limit || user->isBeforeInBlock(limit);
  }

  /// Part by part, and the results of the parts combined.
  void split(ReduceOp reduce) {
    OpBuilder builder(reduce);
    Location location = reduce.getLoc();
    TileType type = tensorOf(load.getResult());
    int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
    int64_t width = std::max<int64_t>(
        1, window / std::max<int64_t>(1, bytesPerColumn(type)));
    Value result;
    for (int64_t first = 0; first < columns; first += width) {
      int64_t count = std::min(width, columns - first);
      int64_t sizes[] = {rows, count}, strides[] = {1, 1};
      Value part = SliceOp::create(
          builder, location, TileType::get(sizes, type.getElementType()),
          load.getResult(), ValueRange(), uint64_t(0),
          AffineMap::get(0, 0, builder.getAffineConstantExpr(first)), sizes,
          strides);
      Value reduced =
          ReduceOp::create(builder, location, reduce.getResult().getType(),
                           reduce.getOpAttr(), part);
      result = result ? BinaryOp::create(builder, location, reduced.getType(),
                                         reduce.getOp(), result, reduced)
                            .getResult()
                      : reduced;
    }
    reduce.getResult().replaceAllUsesWith(result);
    reduce.erase();
  }

  /// A load of what the slice shows, as late as it may be.
  void narrow(SliceOp slice) {
    OpBuilder builder(slice);
    // The operands of an index may be defined after the load.
    if (slice.getIndices().empty() && !mayMoveTo(slice))
      builder.setInsertionPoint(load);
    SmallVector<Value> indices(load.getIndices());
    indices.append(slice.getIndices().begin(), slice.getIndices().end());
    unsigned dims = load.getOffset().getNumDims();
    unsigned more = slice.getOffset().getNumDims();
    AffineExpr offset =
        load.getOffset().getResult(0) +
        static_cast<int64_t>(slice.getRow()) * load.getStrides()[0] +
        slice.getOffset().getResult(0).shiftDims(more, dims) *
            load.getStrides()[1];
    int64_t strides[] = {load.getStrides()[0],
                         load.getStrides()[1] * slice.getStrides()[1]};
    Value part = LoadOp::create(
        builder,
        nc::withWishes(slice.getLoc(), load.getLoc(),
                       nc::notesAt(load.getLoc())),
        slice.getResult().getType(), load.getBase(), indices, uint64_t(0),
        AffineMap::get(dims + more, 0, offset), slice.getSizes(), strides);
    slice.getResult().replaceAllUsesWith(part);
    slice.erase();
  }
};

struct TileNarrowPass : tile::impl::TileNarrowBase<TileNarrowPass> {
  using TileNarrowBase::TileNarrowBase;
  void runOnOperation() override {
    SmallVector<LoadOp> loads;
    getOperation().walk([&](LoadOp load) { loads.push_back(load); });
    for (LoadOp load : loads)
      if (Narrower narrower(load, window); narrower.applies(budget)) {
        TileType type = tensorOf(load.getResult());
        narrowRemarks.passed(load, "Narrowed")
            << "each user loads the columns that it reads, instead of "
            << count("bytes", bytesPerColumn(type) * type.getDimSize(1))
            << " bytes per partition at once";
        narrower.run();
      }
  }
};

} // namespace

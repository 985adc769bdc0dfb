//===- Stream.cpp - What is larger than SBUF, block by block --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stored value and everything that it depends on, down to the loads, becomes
// loops over blocks of its rows and columns. Loads move to the store:
// operations in between must not write what they read. Blocks of the store are
// written one after the other: loads from the same tensor must load exactly
// that block.
//
// If a row of a value is computed as a whole, and another store stores some of
// what it is made of, such as the sum that a normalisation starts from, the
// loop over the rows stores both.
//
//===----------------------------------------------------------------------===//

#include "LongRows.h"
#include "StreamBlocks.h"
#include "StreamMoves.h"
#include "WrittenBytes.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/transform/tile/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/SetVector.h"

namespace kiln::compiler::tile {
#define GEN_PASS_DEF_TILESTREAM
#include "kiln/compiler/transform/tile/Passes.h.inc"
} // namespace kiln::compiler::tile

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

static constexpr Remarks streamRemarks("tile-stream");

namespace {

/// Operations beyond which a store is not taken apart.
constexpr size_t maxCone = 4096;
/// Of the time of the rows of the program, what other rows may take at most.
constexpr double lessThanOwnRows = 0.9;

/// By what they store.
using StoresOf = DenseMap<Operation *, SmallVector<StoreOp, 1>>;

class Streamer {
public:
  Streamer(StoreOp store, int64_t number, int64_t sbuf)
      : store(store), number(number), sbuf(sbuf),
        type(tensorOf(store.getValue())) {}

  /// Bytes of a partition that the store needs at once as it is written; 0 if
  /// it cannot be taken apart.
  int64_t bytesAsWritten() {
    if (type.getRank() < 2 || !collect())
      return 0;
    return tile::bytesAsWritten(store, cone);
  }

  /// Whether there are several blocks to overlap.
  bool isLarge() const {
    return type.getRank() >= 2 &&
           (type.getShape().front() > isa::maxPartitions ||
            type.getShape()[1] >= 4096);
  }

  /// Whether blocks are quicker than the whole, though that fits: only the
  /// block's own operations are made again.
  bool isSlow() {
    if (!isLarge() || bytesAsWritten() == 0)
      return false;
    for (Operation *op : cone)
      for (Operation *user : op->getUsers())
        if (user != store && !cone.contains(user))
          return false;
    return blocker().isQuicker();
  }

  /// Stores the same elements as long rows, if these take clearly less time.
  bool lengthenRows() {
    if (type.getRank() < 2 || !hasUnevenRows(store) || !collect() ||
        !mayHaveOtherRows(store, cone))
      return false;
    const SmallVector<StoreOp, 2> made = storesOfLongRows(store, cone);
    Streamer longest(made.back(), number, sbuf);
    longest.collect();
    const std::optional<double> now = blocker().leastTime(),
                                then = longest.blocker().leastTime();
    if (!then || (now && *then >= lessThanOwnRows * *now)) {
      for (StoreOp other : made)
        Streamer(other, number, sbuf).eraseAll();
      return false;
    }
    streamRemarks.passed(store, "LongRows")
        << "computed as " << measure("rows", longest.type.getDimSize(0))
        << " rows of " << measure("columns", longest.type.getDimSize(1))
        << " elements: its own rows leave partitions or DMA engines idle";
    eraseAll();
    return true;
  }

  /// The stores of what this value is made of, in source order.
  SmallVector<StoreOp> storesOfParts(const StoresOf &stores) {
    SmallVector<StoreOp> found;
    if (cone.empty() && !collect())
      return found;
    for (Operation *op : inOrder)
      for (StoreOp other : stores.lookup(op))
        if (other != store)
          found.push_back(other);
    llvm::sort(found, [](StoreOp first, StoreOp second) {
      return first->isBeforeInBlock(second);
    });
    return found;
  }

  /// Whether the loop over the rows of this store can also store what `other`
  /// stores, which this value is made of.
  bool takesAlong(StoreOp other) {
    const TileType otherType = tensorOf(other.getValue());
    return !nc::isPromised(other) && otherType.getRank() == 2 &&
           otherType.getDimSize(0) == type.getDimSize(0) && isRowByRow() &&
           canMoveTo(store, other) && makeRoomFor(other);
  }

  /// Stores blocks of the value, and whole rows of what `along` stores, if it
  /// is not null.
  bool run(StoreOp along) {
    const std::optional<Blocks> &blocks = bestBlocks();
    if (!blocks) {
      streamRemarks.missed(store, "NotStreamed")
          << "the stored tile takes more of SBUF than it should, and no block "
             "of its rows and columns can be computed by itself";
      return false;
    }
    auto remark = streamRemarks.passed(store, "Streamed");
    remark << "computed in blocks of " << measure("rows", blocks->rows) << " x "
           << measure("columns", blocks->columns) << " elements of "
           << measure("allRows", type.getDimSize(0)) << " x "
           << measure("allColumns", type.getDimSize(1));
    if (blocks->plan.parts)
      remark << "; products are summed over parts";
    if (blocks->plan.step)
      remark << "; a loop sums products of "
             << measure("step", blocks->plan.step) << " rows";
    if (blocks->plan.resident)
      remark << "; rows stay on chip while their columns are processed";
    if (along)
      streamRemarks.passed(along, "StoredAlong")
          << "stored in the same loop over rows as another value that is made "
             "of it";
    const std::vector<Span> spans[2] = {blocks->spans(0, type.getDimSize(0)),
                                        blocks->spans(1, type.getDimSize(1))};
    const int outer = blocks->plan.outer;
    for (const Span &span : spans[outer])
      emit(span, spans[1 - outer], *blocks, along);
    store.erase();
    if (along)
      along.erase();
    eraseDead();
    return true;
  }

private:
  /// What a part of the plan is for.
  struct Stored {
    StoreOp store;
    Window window;
    int loop = -1; ///< Of its windows.
  };

  StoreOp store;
  int64_t number;
  int64_t sbuf;
  TileType type;
  StreamPlan::Cone cone;
  std::optional<Blocks> chosen; ///< Once `isChosen`.
  bool isChosen = false;
  SmallVector<Operation *> inOrder; ///< Operands behind their users.

  /// What the stored value is made of, as far as it may be made again here.
  bool collect() {
    if (nc::isPromised(store))
      return false;
    SmallVector<Operation *> todo;
    auto visit = [&](Value value) {
      Operation *op = value.getDefiningOp();
      if (!op || op->getBlock() != store->getBlock() || !isTile(op) ||
          nc::isPromised(op) || !cone.insert(op).second)
        return;
      todo.push_back(op);
    };
    visit(store.getValue());
    while (!todo.empty() && cone.size() <= maxCone) {
      Operation *op = todo.pop_back_val();
      inOrder.push_back(op);
      for (Value operand : op->getOperands())
        if (mlir::isa<TileType>(operand.getType()))
          visit(operand);
    }
    return !cone.empty() && cone.size() <= maxCone && mayMove(store, cone);
  }

  static bool isTile(Operation *op) {
    return op->getName().getDialectNamespace() == "tile" &&
           (op->getNumResults() == 1 || mlir::isa<QuantizeOp>(op)) &&
           !mlir::isa<ReadOp>(op) &&
           mlir::isa<TileType>(op->getResult(0).getType()) &&
           (isPure(op) || isMemoryEffectFree(op) ||
            mlir::isa<LoadOp, LoadTransposedOp>(op));
  }

  /// The value needs no products, and a block has all columns, or rows stay on
  /// chip while their blocks are processed.
  bool isRowByRow() {
    if (type.getRank() != 2 || (cone.empty() && !collect()) ||
        llvm::any_of(cone, [](Operation *op) {
          return mlir::isa<MatmulOp, TransposeOp, LoadTransposedOp>(op);
        }))
      return false;
    const std::optional<Blocks> &best = bestBlocks();
    return best && best->plan.outer == 0 &&
           (best->plan.resident || best->columns == type.getDimSize(1));
  }

  /// The best blocks: the search takes most of the time of the pass.
  const std::optional<Blocks> &bestBlocks() {
    if (!isChosen)
      chosen = blocker().choose();
    isChosen = true;
    return chosen;
  }

  /// Whether there is room for what both stores take, if need be with smaller
  /// pieces of rows.
  bool makeRoomFor(StoreOp other) {
    constexpr int64_t leastPart = 32;
    for (Blocks blocks = *bestBlocks(); blocks.plan.piece >= sbuf / leastPart;
         blocks.plan.piece /= 2)
      if (fits(blocks, other)) {
        chosen = blocks;
        return true;
      }
    return false;
  }

  /// The same with these.
  bool fits(const Blocks &blocks, StoreOp other) {
    const Span columns{0, tensorOf(other.getValue()).getDimSize(1), -1, 0};
    for (const Span &span : blocks.spans(0, type.getDimSize(0))) {
      StreamPlan plan(cone, blocks.plan);
      const auto plansOther = [&] {
        return plan.plan(other.getValue(), {span, columns});
      };
      // As in emit().
      const bool isFirst = other->isBeforeInBlock(store);
      if (isFirst && !plansOther())
        return false;
      for (const Span &inner : blocks.spans(1, type.getDimSize(1)))
        if (!plan.plan(store.getValue(), {span, inner}))
          return false;
      if ((!isFirst && !plansOther()) ||
          !plan.loadsOnly(store.getBase(), store) ||
          plan.liveBytes() > sbuf / 16 * 15)
        return false;
    }
    return true;
  }

  StreamBlocks blocker() { return StreamBlocks(store, cone, sbuf); }

  /// What is stored of one span of the outer dimension, which may be a loop.
  void emit(const Span &span, ArrayRef<Span> inner, const Blocks &blocks,
            StoreOp along) {
    const int outer = blocks.plan.outer;
    StreamPlan plan(cone, blocks.plan);
    SmallVector<Stored> parts;
    for (const Span &other : inner)
      parts.push_back({store,
                       outer == 0 ? Window{span, other} : Window{other, span},
                       other.loop});
    if (along) {
      const Stored whole{
          along, {span, {0, tensorOf(along.getValue()).getDimSize(1), -1, 0}}};
      parts.insert(along->isBeforeInBlock(store) ? parts.begin() : parts.end(),
                   whole);
    }
    for (Stored &part : parts)
      plan.plan(part.store.getValue(), part.window);
    OpBuilder builder(store);
    Location location = nc::withNotes(store.getLoc(), DictionaryAttr());
    Value counters[2];
    auto enter = [&](int loop) {
      auto constant = [&](int64_t value) -> Value {
        return arith::ConstantIndexOp::create(builder, location, value);
      };
      auto made = scf::ForOp::create(
          builder, location, constant(0),
          constant(blocks.trips(loop, type.getDimSize(loop))), constant(1));
      counters[loop] = made.getInductionVar();
      builder.setInsertionPointToStart(made.getBody());
      return made;
    };
    if (span.loop >= 0) {
      for (size_t part = 0; part < parts.size(); ++part)
        plan.build(builder, 0, part, number, counters);
      enter(outer);
    }
    for (auto [part, stored] : llvm::enumerate(parts)) {
      if (span.loop < 0)
        plan.build(builder, 0, part, number, counters);
      plan.build(builder, 1, part, number, counters);
      scf::ForOp loop;
      if (stored.loop >= 0)
        loop = enter(1 - outer);
      plan.build(builder, 2, part, number, counters);
      storePart(builder, stored.store, plan.result(part), stored.window,
                counters);
      if (loop)
        builder.setInsertionPointAfter(loop);
    }
  }

  static void storePart(OpBuilder &builder, StoreOp store, Value value,
                        const Window &window, ArrayRef<Value> counters) {
    SmallVector<Value> indices(store.getIndices());
    ArrayRef<int64_t> strides = store.getStrides();
    AffineMap offset = shifted(
        store.getOffset(), indices,
        {{window.rows, strides[0]}, {window.columns, strides[1]}}, counters);
    SmallVector<int64_t> sizes(store.getSizes());
    sizes[0] = window.rows.size;
    sizes[1] = window.columns.size;
    StoreOp::create(builder, store.getLoc(), store.getBase(), value, indices,
                    uint64_t(0), offset, sizes, strides);
  }

  void eraseAll() {
    if (cone.empty())
      collect();
    store.erase();
    eraseDead();
  }

  /// Users before their operands. Asking the block for the order of new
  /// operations would make it number all of them anew.
  void eraseDead() {
    llvm::SetVector<Operation *> dead;
    for (Operation *op : inOrder)
      if (op->use_empty())
        dead.insert(op);
    while (!dead.empty()) {
      Operation *op = dead.pop_back_val();
      const SmallVector<Value> operands(op->getOperands());
      op->erase();
      for (Value operand : operands)
        if (Operation *maker = operand.getDefiningOp();
            maker && maker->use_empty() && cone.contains(maker))
          dead.insert(maker);
    }
  }
};

struct TileStreamPass : tile::impl::TileStreamBase<TileStreamPass> {
  using TileStreamBase::TileStreamBase;

  void runOnOperation() override {
    const int64_t sbuf = budget != 0 ? int64_t(budget)
                                     : nc::targetOf(getOperation()).sbufBytes();
    // In a loop, the user has chosen the rows.
    const SmallVector<StoreOp> stores(
        getOperation().getBody().front().getOps<StoreOp>());
    for (StoreOp store : stores)
      Streamer(store, done, sbuf).lengthenRows();
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      if (bytesAsWritten(*block) > sbuf)
        stream(*block, sbuf);
      else if (block == &getOperation().getBody().front())
        quicken(*block, sbuf);
  }

  int64_t done = 0;

  /// Every store that takes a good part of the memory: together they are too
  /// many. What the next store that is made of it can store along waits for
  /// that one.
  void stream(Block &block, int64_t sbuf) {
    const SmallVector<StoreOp> stores(block.getOps<StoreOp>());
    StoresOf storesOf;
    for (StoreOp store : stores)
      storesOf[store.getValue().getDefiningOp()].push_back(store);
    const auto isLarge = [&](Streamer &streamer) {
      return streamer.bytesAsWritten() > sbuf / 8;
    };
    DenseMap<Operation *, StoreOp> nextOf;
    for (StoreOp store : stores)
      if (Streamer streamer(store, done, sbuf); isLarge(streamer))
        for (StoreOp part : streamer.storesOfParts(storesOf))
          if (part->isBeforeInBlock(store))
            nextOf.try_emplace(part, store);
    DenseSet<Operation *> open(stores.begin(), stores.end());
    const auto isLeft = [&](StoreOp store) {
      const StoreOp next = nextOf.lookup(store);
      return next && open.contains(next) &&
             Streamer(next, done, sbuf).takesAlong(store);
    };
    for (const bool waits : {true, false})
      for (StoreOp store : stores) {
        if (!open.contains(store) || (waits && isLeft(store)))
          continue;
        open.erase(store);
        Streamer streamer(store, done, sbuf);
        if (!isLarge(streamer))
          continue;
        StoreOp along;
        for (StoreOp part : streamer.storesOfParts(storesOf))
          if (!along && open.contains(part) && streamer.takesAlong(part))
            along = part;
        open.erase(along);
        done += streamer.run(along);
      }
  }

  /// A value that fits, but waits for its loads before it computes, and for all
  /// of it before it stores. In a loop, the user has chosen the blocks.
  void quicken(Block &block, int64_t sbuf) {
    SmallVector<StoreOp> stores(block.getOps<StoreOp>());
    for (StoreOp store : stores)
      if (Streamer streamer(store, done, sbuf); streamer.isSlow())
        done += streamer.run(/*along=*/{});
  }
};

} // namespace

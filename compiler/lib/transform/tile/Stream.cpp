//===- Stream.cpp - What is larger than SBUF, block by block --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stored value and all that it is made of, down to the loads, becomes loops
// over blocks of its rows and columns. Loads move to the store: what is between
// must not write what they read. Blocks of the store are written one after the
// other: what is loaded of the same tensor must be that very block.
//
//===----------------------------------------------------------------------===//

#include "StreamPlan.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/dialect/nc/WrittenMemory.h"
#include "kiln/compiler/transform/tile/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::compiler::tile {
#define GEN_PASS_DEF_TILESTREAM
#include "kiln/compiler/transform/tile/Passes.h.inc"
} // namespace kiln::compiler::tile

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

static constexpr Remarks remarks("tile-stream");

namespace {

/// Operations beyond which a store is not taken apart.
constexpr size_t maxCone = 4096;

/// A block of the store's window: what both loops run over.
struct Blocks {
  int64_t rows = 0, columns = 0;
  int outer = 0;     ///< 0: the loop of the rows is around that of the columns.
  int64_t piece = 0; ///< Bytes of a row that are reduced at once.
  bool parts = false; ///< Products contract parts.
};

/// Bytes of a partition that a result takes, also turned round for a product.
int64_t bytesOf(Operation *op) {
  if (mlir::isa<SliceOp, FillOp, ReadOp>(op))
    return 0;
  TileType type = tensorOf(op->getResult(0));
  int64_t bytes = bytesPerPartition(type);
  for (Operation *user : op->getUsers())
    if (auto matmul = dyn_cast<MatmulOp>(user))
      if ((matmul.getA() == op->getResult(0) && !matmul.getTransposeA()) ||
          (matmul.getB() == op->getResult(0) && matmul.getTransposeB()))
        bytes = std::max(bytes, bytesTurned(type));
  return bytes;
}

class Streamer {
public:
  Streamer(StoreOp store, int64_t number, int64_t capacity)
      : store(store), number(number), capacity(capacity),
        target(nc::targetOf(store)), type(tensorOf(store.getValue())) {}

  /// Bytes of a partition that the store needs at once as it is written; 0 if
  /// it cannot be taken apart.
  int64_t bytesAsWritten() {
    if (type.getRank() < 2 || !collect())
      return 0;
    DenseMap<Operation *, int64_t> freed;
    for (Operation *op : cone)
      freed[lastUser(op)] += bytesOf(op);
    int64_t live = 0, most = 0;
    Operation *first = store;
    for (Operation *op : cone)
      if (op->isBeforeInBlock(first))
        first = op;
    for (Operation *op = first;; op = op->getNextNode()) {
      int64_t beside = 0;
      if (cone.contains(op)) {
        live += bytesOf(op);
        beside = bytesBeside(op, tensorOf(op->getResult(0)));
      }
      most = std::max(most, live + beside);
      live -= freed.lookup(op);
      if (op == store)
        return most;
    }
  }

  bool run() {
    std::optional<Blocks> blocks = choose(/*parts=*/false);
    if (!blocks)
      blocks = choose(/*parts=*/true);
    if (!blocks) {
      remarks.missed(store, "NotStreamed")
          << "the stored tile takes more of SBUF than it should, and no block "
             "of its rows and columns can be computed by itself";
      return false;
    }
    const int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
    const int64_t fullRows = rows / blocks->rows * blocks->rows;
    const int64_t fullColumns = columns / blocks->columns * blocks->columns;
    auto inBlocks = [&](int loop, int64_t extent, int64_t size) {
      return extent > size ? Span{0, size, loop, size} : Span{0, size, -1, 0};
    };
    const Span rowSpans[] = {inBlocks(0, fullRows, blocks->rows),
                             {fullRows, rows - fullRows, -1, 0}};
    const Span columnSpans[] = {inBlocks(1, fullColumns, blocks->columns),
                                {fullColumns, columns - fullColumns, -1, 0}};
    remarks.passed(store, "Streamed")
        << "computed in blocks of " << measure("rows", blocks->rows) << " x "
        << measure("columns", blocks->columns) << " elements of "
        << measure("allRows", rows) << " x " << measure("allColumns", columns)
        << (blocks->parts ? "; products are summed over parts" : "");
    for (const Span &r : rowSpans)
      for (const Span &c : columnSpans)
        if (r.size != 0 && c.size != 0)
          emit({r, c}, *blocks, fullRows / blocks->rows,
               fullColumns / blocks->columns);
    store.erase();
    eraseDead();
    return true;
  }

private:
  StoreOp store;
  int64_t number;
  int64_t capacity;
  isa::Target target;
  TileType type;
  StreamPlan::Cone cone;
  SmallVector<Operation *> inOrder; ///< Operands behind their users.

  Operation *lastUser(Operation *op) {
    Operation *last = op;
    for (Operation *user : op->getUsers()) {
      if (!cone.contains(user) && user != store)
        continue;
      Operation *end = mlir::isa<SliceOp>(user) ? lastUser(user) : user;
      if (last->isBeforeInBlock(end))
        last = end;
    }
    return last;
  }

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
    return !cone.empty() && cone.size() <= maxCone && mayMove();
  }

  static bool isTile(Operation *op) {
    return op->getName().getDialectNamespace() == "tile" &&
           op->getNumResults() == 1 && !mlir::isa<ReadOp>(op) &&
           mlir::isa<TileType>(op->getResult(0).getType()) &&
           (isPure(op) || isMemoryEffectFree(op) ||
            mlir::isa<LoadOp, LoadTransposedOp>(op));
  }

  /// Nothing between a load and the store writes what it reads, or may
  /// synchronise with somebody who does.
  bool mayMove() {
    nc::WrittenMemory written;
    size_t left = cone.size();
    bool barrier = false;
    for (Operation *op = store->getPrevNode(); op && left;
         op = op->getPrevNode()) {
      if (cone.contains(op)) {
        --left;
        Value base;
        if (auto load = dyn_cast<LoadOp>(op))
          base = load.getBase();
        else if (auto load = dyn_cast<LoadTransposedOp>(op))
          base = load.getBase();
        if (base && (barrier || written.contains(base)))
          return false;
        continue;
      }
      written.add(op);
      op->walk([&](Operation *inner) {
        barrier |= inner->getName().getDialectNamespace() != "tile" &&
                   inner->getNumRegions() == 0 &&
                   !inner->hasTrait<OpTrait::IsTerminator>() &&
                   !isMemoryEffectFree(inner);
      });
    }
    return true;
  }

  /// Of the blocks that fit, those of products that take the least time, and
  /// those of others with the least traffic.
  std::optional<Blocks> choose(bool parts) {
    const int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
    SmallVector<int64_t> heights, widths;
    for (int64_t height = 128; height < rows; height *= 2)
      heights.push_back(height);
    heights.push_back(rows);
    for (int64_t width = type.getRank() == 2 ? 128 : 1; width < columns;
         width *= 2)
      widths.push_back(width);
    widths.push_back(columns);
    std::optional<Blocks> best;
    double least = 0;
    for (int64_t height : heights)
      for (int64_t width : widths)
        for (int outer : {0, 1})
          for (int64_t piece = capacity / 2; piece > capacity / 32;
               piece /= 2) {
            const Blocks blocks{height, width, outer, piece, parts};
            std::optional<double> cost = costOf(blocks);
            if (cost && (!best || *cost < least)) {
              best = blocks;
              least = *cost;
            }
          }
    return best;
  }

  /// Nothing if they do not fit, or give another value.
  std::optional<double> costOf(const Blocks &blocks) {
    const int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
    const bool manyRows = blocks.rows < rows,
               manyColumns = blocks.columns < columns;
    const Window window{
        {0, blocks.rows, manyRows ? 0 : -1, manyRows ? blocks.rows : 0},
        {0, blocks.columns, manyColumns ? 1 : -1,
         manyColumns ? blocks.columns : 0}};
    StreamPlan plan(cone, blocks.outer, blocks.piece, blocks.parts);
    if (!plan.plan(store.getValue(), window) ||
        !plan.loadsOnly(store.getBase(), store, window) ||
        plan.liveBytes() > capacity)
      return std::nullopt;
    const int64_t rowTrips = (rows + blocks.rows - 1) / blocks.rows;
    const int64_t columnTrips = (columns + blocks.columns - 1) / blocks.columns;
    const int64_t outerTrips = blocks.outer == 0 ? rowTrips : columnTrips;
    const int64_t innerTrips = blocks.outer == 0 ? columnTrips : rowTrips;
    if (std::optional<double> time =
            plan.productTime(outerTrips, innerTrips, target))
      return time;
    return plan.cost(outerTrips, innerTrips);
  }

  void emit(const Window &window, const Blocks &blocks, int64_t rowTrips,
            int64_t columnTrips) {
    StreamPlan plan(cone, blocks.outer, blocks.piece, blocks.parts);
    plan.plan(store.getValue(), window);
    OpBuilder builder(store);
    Location location = nc::withNotes(store.getLoc(), DictionaryAttr());
    Value counters[2];
    plan.build(builder, 0, number, counters);
    int64_t trips[2] = {rowTrips, columnTrips};
    const Span *spans[2] = {&window.rows, &window.columns};
    for (int level : {1, 2}) {
      const int loop = level == 1 ? blocks.outer : 1 - blocks.outer;
      if (spans[loop]->loop == loop) {
        auto constant = [&](int64_t value) -> Value {
          return arith::ConstantIndexOp::create(builder, location, value);
        };
        auto made = scf::ForOp::create(builder, location, constant(0),
                                       constant(trips[loop]), constant(1));
        counters[loop] = made.getInductionVar();
        builder.setInsertionPointToStart(made.getBody());
      }
      plan.build(builder, level, number, counters);
    }
    SmallVector<Value> indices(store.getIndices());
    ArrayRef<int64_t> strides = store.getStrides();
    AffineMap offset = shifted(
        store.getOffset(), indices,
        {{window.rows, strides[0]}, {window.columns, strides[1]}}, counters);
    SmallVector<int64_t> sizes(store.getSizes());
    sizes[0] = window.rows.size;
    sizes[1] = window.columns.size;
    StoreOp::create(builder, store.getLoc(), store.getBase(), plan.result(),
                    indices, uint64_t(0), offset, sizes, strides);
  }

  void eraseDead() {
    // In the order of the block, so users go before what they use.
    llvm::sort(inOrder, [](Operation *a, Operation *b) {
      return b->isBeforeInBlock(a);
    });
    for (Operation *op : inOrder)
      if (op->use_empty())
        op->erase();
  }
};

/// Bytes of a partition that the tiles of a block need at once, in the order in
/// which it is written.
int64_t bytesAsWritten(Block &block) {
  DenseMap<Operation *, int64_t> freed;
  int64_t live = 0, most = 0;
  for (Operation &op : block) {
    int64_t beside = 0;
    for (Value result : op.getResults()) {
      if (!mlir::isa<TileType>(result.getType()) ||
          op.getName().getDialectNamespace() != "tile")
        continue;
      const int64_t bytes = bytesOf(&op);
      beside = bytesBeside(&op, tensorOf(result));
      Operation *last = &op;
      SmallVector<Value> values{result};
      while (!values.empty())
        for (Operation *user : values.pop_back_val().getUsers()) {
          Operation *here = block.findAncestorOpInBlock(*user);
          if (here && last->isBeforeInBlock(here))
            last = here;
          if (mlir::isa<SliceOp>(user) && here == user)
            values.push_back(user->getResult(0));
        }
      live += bytes;
      freed[last] += bytes;
    }
    most = std::max(most, live + beside);
    if (auto found = freed.find(&op); found != freed.end())
      live -= found->second;
  }
  return most;
}

struct TileStreamPass : tile::impl::TileStreamBase<TileStreamPass> {
  using TileStreamBase::TileStreamBase;

  void runOnOperation() override {
    const int64_t sbuf = budget != 0 ? int64_t(budget)
                                     : nc::targetOf(getOperation()).sbufBytes();
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      if (bytesAsWritten(*block) > sbuf)
        stream(*block, sbuf);
  }

  int64_t done = 0;

  /// Every store that takes a good part of the memory: together they are too
  /// many.
  void stream(Block &block, int64_t sbuf) {
    SmallVector<StoreOp> stores(block.getOps<StoreOp>());
    for (StoreOp store : stores)
      if (Streamer streamer(store, done, sbuf / 4 * 3);
          streamer.bytesAsWritten() > sbuf / 8)
        done += streamer.run();
  }
};

} // namespace

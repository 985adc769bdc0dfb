//===- StreamBlocks.cpp - Which blocks a store is taken apart into --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamBlocks.h"

#include "PlanTimes.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/machine/dma_plan.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

/// Blocks of columns that one iteration over the rows may hold, and those of
/// products.
static constexpr int64_t maxUnrolled = 8, maxUnrolledProducts = 16;
/// Rows of the latter.
static constexpr int64_t maxUnrolledRows = 1024;

/// Rows that a turn of a loop over contracted rows loads: fewer make many small
/// transfers and sums, more leave no room for the next ones.
static constexpr int64_t leastStep = 512, greatestStep = 2048;

/// The same where an operand is made of products of parts in each turn.
static constexpr int64_t leastStepOfChained = 256;

/// Columns of a block whose waits are estimated: half of a bank.
static constexpr int64_t leastWidth = isa::psumBankSums / 2;

/// Of the time of one plan, what another one has to take at most to replace it.
static constexpr double clearlyLess = 0.97;
/// Of the time of the products alone: other things take less than they do.
static constexpr double mostly = 2;

/// Pieces of a row beyond which a reduction is not considered, if fewer are
/// possible.
static constexpr int64_t maxPieces = 64;

std::vector<Span> Blocks::spans(int loop, int64_t extent) const {
  const int64_t block = size(loop), full = trips(loop, extent);
  std::vector<Span> spans;
  if (unrolled && loop == 1)
    for (int64_t i = 0; i < full; ++i)
      spans.push_back({i * block, block, -1, 0});
  else if (full > 1)
    spans.push_back({0, block, loop, block});
  else
    spans.push_back({0, block, -1, 0});
  if (full * block < extent)
    spans.push_back({full * block, extent - full * block, -1, 0});
  return spans;
}

/// Whether a product is among what this one multiplies.
static bool isMadeOfProducts(Operation *product, const StreamPlan::Cone &cone) {
  SmallVector<Operation *> todo{product};
  DenseSet<Operation *> seen;
  while (!todo.empty())
    for (Value operand : todo.pop_back_val()->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (!op || !cone.contains(op) || !seen.insert(op).second)
        continue;
      if (mlir::isa<MatmulOp>(op))
        return true;
      todo.push_back(op);
    }
  return false;
}

StreamBlocks::StreamBlocks(StoreOp store, const StreamPlan::Cone &cone,
                           int64_t sbuf)
    : store(store), cone(cone), sbuf(sbuf), capacity(sbuf / 4 * 3),
      type(tensorOf(store.getValue())), rows(type.getDimSize(0)),
      columns(type.getDimSize(1)),
      target(nc::targetOf(store->getParentOfType<func::FuncOp>())),
      modelsChains(machine::transposesByDma(target)) {
  for (Operation *op : cone) {
    moves |= mlir::isa<MatmulOp, TransposeOp, LoadTransposedOp>(op);
    if (auto matmul = dyn_cast<MatmulOp>(op)) {
      ++products;
      TileType a = tensorOf(matmul.getA()),
               result = tensorOf(matmul.getResult());
      const int64_t depth = a.getDimSize(matmul.getTransposeA() ? 0 : 1);
      contracted = std::max(contracted, depth);
      const int64_t tiles =
          llvm::divideCeil(depth, isa::maxPartitions) *
          llvm::divideCeil(result.getDimSize(0), isa::maxPartitions);
      productsAlone +=
          static_cast<double>(tiles * freeElements(result)) /
          isa::psumBankSums *
          multiplyTime(isa::psumBankSums, a.getElementType(), target);
    }
    chained |= mlir::isa<MatmulOp>(op) && isMadeOfProducts(op, cone);
    reduces |= mlir::isa<ReduceOp>(op);
    computes |= mlir::isa<UnaryOp, BinaryOp, ScalarOp, CompareOp, SelectOp>(op);
  }
}

std::optional<Blocks> StreamBlocks::choose() {
  if (!moves)
    return ofRows();
  Best usual, waiting;
  for (const bool parts : {false, true})
    ofProducts(parts, usual, waiting);
  if (!usual.blocks && !waiting.blocks)
    return chained ? ofChained() : std::nullopt;
  // Both estimates are rough. The one that counts waits of products replaces
  // the other one's plan where these take most of the time, and clearly less.
  if (!usual.blocks || !waiting.blocks)
    return usual.blocks ? usual.blocks : waiting.blocks;
  const std::optional<double> now = waitOf(*usual.blocks);
  const bool isBetter = waiting.least < mostly * productsAlone &&
                        (!now || waiting.least < clearlyLess * *now);
  return isBetter ? waiting.blocks : usual.blocks;
}

Blocks StreamBlocks::whole() const {
  Blocks whole{rows, columns, false, {}};
  whole.plan.piece = capacity;
  whole.plan.repeatRows = true;
  return whole;
}

std::optional<double> StreamBlocks::leastTime() {
  const std::optional<double> all = costOf(whole());
  const std::optional<Blocks> best = choose();
  const std::optional<double> inBlocks = best ? costOf(*best) : std::nullopt;
  return all && inBlocks ? std::min(*all, *inBlocks) : all ? all : inBlocks;
}

bool StreamBlocks::isQuicker() {
  // Of a product, all at once is as quick if that leaves room for what
  // overlaps. A product alone needs little, and blocks of a product of products
  // make those again.
  const std::optional<double> now = costOf(whole());
  if (moves && (products != 1 || !computes || !modelsChains || now))
    return false;
  std::optional<Blocks> best = choose();
  if (!best)
    return false;
  const std::optional<double> then = costOf(*best);
  // Ties keep the order in which the program is written.
  return then && (!now || *then < 0.9 * *now);
}

void StreamBlocks::Best::consider(const Blocks &found,
                                  std::optional<double> cost) {
  if (cost && (!blocks || *cost < least)) {
    blocks = found;
    least = *cost;
  }
}

void StreamBlocks::ofProducts(bool parts, Best &usual, Best &waiting) {
  SmallVector<int64_t> heights, widths;
  for (int64_t height = isa::maxPartitions; height < rows; height *= 2)
    heights.push_back(height);
  heights.push_back(rows);
  for (int64_t width = type.getRank() == 2 ? 128 : 1; width < columns;
       width *= 2)
    widths.push_back(width);
  widths.push_back(columns);
  for (int64_t height : heights)
    for (int64_t width : widths) {
      Blocks blocks{height, width, false, {0, 0, parts, false, modelsChains}};
      for (int outer : {0, 1}) {
        blocks.plan.outer = outer;
        ofPieces(blocks, usual, waiting);
      }
      // Few enough and one after the other: the places of all are known. Each
      // would make the operand of a chained product again, and products of many
      // rows take longer than descriptors.
      blocks.plan.outer = 0;
      blocks.unrolled = true;
      const int64_t count = blocks.trips(1, columns);
      if (parts && !chained && height == rows && rows <= maxUnrolledRows &&
          count > 1 && count <= maxUnrolledProducts)
        ofPieces(blocks, usual, waiting);
    }
}

void StreamBlocks::ofPieces(Blocks blocks, Best &usual, Best &waiting) {
  // The estimate does not know what banks cost that are mostly empty.
  const bool isNarrow = blocks.columns < std::min<int64_t>(columns, leastWidth);
  for (int64_t piece = capacity / 2; piece > capacity / 32; piece /= 2) {
    blocks.plan.piece = piece;
    usual.consider(blocks, costOf(blocks));
    if (!isNarrow)
      waiting.consider(blocks, waitOf(blocks));
  }
  if (blocks.plan.parts || isNarrow)
    return;
  for (int64_t step = leastStep; step <= greatestStep; step *= 2)
    if (contracted >= 2 * step) {
      blocks.plan.step = step;
      waiting.consider(blocks, waitOf(blocks));
    }
}

/// All columns: a block of columns would make the operand again.
std::optional<Blocks> StreamBlocks::ofChained() {
  Best best;
  for (int64_t height = isa::maxPartitions; height < 2 * rows; height *= 2)
    for (int64_t step = leastStepOfChained; step <= greatestStep; step *= 2) {
      Blocks blocks{std::min(height, rows),
                    columns,
                    false,
                    {0, 0, false, false, modelsChains, step, true}};
      if (contracted < 2 * step)
        continue;
      best.consider(blocks, waitOf(blocks));
      blocks.plan.parts = true;
      for (int64_t piece = capacity / 2; piece > capacity / 16; piece /= 2) {
        blocks.plan.piece = piece;
        best.consider(blocks, waitOf(blocks));
      }
    }
  return best.blocks;
}

/// Heights that share their rows evenly among the partitions, and columns in
/// about equal blocks.
std::optional<Blocks> StreamBlocks::ofRows() {
  std::optional<Blocks> best;
  double least = 0;
  for (int64_t height = isa::maxPartitions; height < rows; height *= 2)
    ofHeight(height, best, least);
  ofHeight(rows, best, least);
  return best;
}

void StreamBlocks::ofHeight(int64_t height, std::optional<Blocks> &best,
                            double &least) {
  const int64_t unit = type.getRank() == 2 ? 128 : 1;
  int64_t last = 0;
  for (int64_t count = 1; count <= columns; count += (count + 1) / 2) {
    const auto even = static_cast<int64_t>(
        llvm::alignTo(llvm::divideCeil(columns, count), unit));
    const int64_t width = std::min(columns, even);
    if (width == last)
      continue;
    last = width;
    // If a row is looked at several times, lower blocks move as much in longer
    // pieces, and leave more room. Values of rows meet 128 rows at a time.
    if (reduces && width < columns && height > isa::maxPartitions)
      continue;
    for (int64_t piece = capacity; piece > capacity / 32; piece /= 2) {
      const int64_t slots = std::max<int64_t>(1, slotsOf(height));
      if (piece != capacity && columns > piece / 4 / slots * maxPieces)
        break;
      for (bool unrolled : {false, true})
        for (bool resident : {false, true})
          for (int outer : {0, 1}) {
            if ((unrolled && (width == columns || count > maxUnrolled ||
                              rows < 2 * height)) ||
                (resident && !reduces) || (outer == 1 && (reduces || unrolled)))
              continue;
            const Blocks blocks{
                height, width, unrolled, {outer, piece, false, resident, true}};
            std::optional<double> cost = costOf(blocks);
            if (cost && (!best || *cost < least)) {
              best = blocks;
              least = *cost;
            }
          }
      if (!reduces)
        break;
    }
    if (width <= unit)
      break;
  }
}

std::optional<double> StreamBlocks::costOf(const Blocks &blocks) {
  const int outer = blocks.plan.outer;
  const int64_t extents[2] = {rows, columns};
  const int64_t innerTrips = llvm::divideCeil(
      extents[1 - outer], std::max<int64_t>(blocks.size(1 - outer), 1));
  double sum = 0;
  for (const Span &span : blocks.spans(outer, extents[outer])) {
    const StreamPlan *plan = planOf(blocks, span);
    if (!plan)
      return std::nullopt;
    const int64_t trips =
        span.loop < 0 ? 1 : blocks.trips(outer, extents[outer]);
    if (!moves) {
      sum += plan->time(trips, innerTrips, sbuf, target);
      continue;
    }
    const auto timeOf = [&](int64_t outerTrips) {
      return plan->productTime(outerTrips, innerTrips, target)
          .value_or(plan->cost(outerTrips, innerTrips));
    };
    // What a loop of products leaves counts as one of its blocks.
    if (span.loop >= 0)
      return timeOf(llvm::divideCeil(extents[outer], blocks.size(outer)));
    sum += timeOf(1);
  }
  return sum;
}

std::optional<double> StreamBlocks::waitOf(const Blocks &blocks) {
  const int outer = blocks.plan.outer;
  const int64_t extents[2] = {rows, columns};
  // What is left of the inner dimension has nodes of its own.
  const int64_t innerTrips = blocks.trips(1 - outer, extents[1 - outer]);
  double sum = 0;
  for (const Span &span : blocks.spans(outer, extents[outer])) {
    const StreamPlan *plan = planOf(blocks, span);
    if (!plan)
      return std::nullopt;
    std::optional<double> time = plan->waitingTime(
        span.loop < 0 ? 1 : blocks.trips(outer, extents[outer]), innerTrips,
        capacity, target);
    if (!time)
      return std::nullopt;
    sum += *time;
  }
  return sum;
}

const StreamPlan *StreamBlocks::planOf(const Blocks &blocks, const Span &span) {
  if (latest.blocks != blocks || latest.span.key() != span.key()) {
    latest.blocks = blocks;
    latest.span = span;
    latest.plan.reset();
    if (std::optional<StreamPlan> plan = makePlan(blocks, span))
      latest.plan.emplace(*std::move(plan));
  }
  return latest.plan ? &*latest.plan : nullptr;
}

std::optional<StreamPlan> StreamBlocks::makePlan(const Blocks &blocks,
                                                 const Span &span) {
  const int outer = blocks.plan.outer;
  const int64_t extent = outer == 0 ? columns : rows;
  StreamPlan plan(cone, blocks.plan);
  for (const Span &inner : blocks.spans(1 - outer, extent)) {
    const Window window =
        outer == 0 ? Window{span, inner} : Window{inner, span};
    if (!plan.plan(store.getValue(), window))
      return std::nullopt;
  }
  // Operands that are made in the turns of a loop are small beside its loads,
  // of which there are two.
  const int64_t most = !moves               ? sbuf / 16 * 15
                       : blocks.plan.nested ? sbuf / 8 * 7
                                            : capacity;
  if (!plan.loadsOnly(store.getBase(), store) || plan.liveBytes() > most)
    return std::nullopt;
  return plan;
}

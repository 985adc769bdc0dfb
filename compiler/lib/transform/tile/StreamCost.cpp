//===- StreamCost.cpp - What a plan takes of memory and time --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanTimes.h"
#include "StreamPlan.h"

#include "kiln/isa/cost.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

TileType StreamPlan::typeOf(const Node &node) const {
  TileType type = tensorOf(node.source);
  if (node.kind == Kind::original)
    return type;
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = node.window.rows.size;
  shape[1] = node.window.columns.size;
  return TileType::get(shape, type.getElementType());
}

bool StreamPlan::isLoad(const Node &node) {
  return node.kind == Kind::repeated ||
         (node.kind == Kind::window &&
          mlir::isa<LoadOp, LoadTransposedOp>(node.source.getDefiningOp()));
}

bool StreamPlan::isRoot(size_t node) const {
  return llvm::any_of(partsOf, [&](const Part &part) {
    return part.root == static_cast<int>(node);
  });
}

/// Views have no memory, and what is loaded has twice as much: the next one
/// arrives while it is used. What stays for all loops is loaded once, and what
/// stays for a loop over contracted rows soon enough behind it.
int64_t StreamPlan::bytesOf(const Node &node) const {
  if (node.kind == Kind::columnsOf || node.kind == Kind::viewOf)
    return 0;
  int64_t bytes = bytesOfTile(typeOf(node));
  if (node.turned)
    bytes = std::max(bytes, bytesTurned(typeOf(node)));
  const bool stays =
      (node.level == 0 && (node.stays || node.kind == Kind::repeated)) ||
      (options.nested && node.level < levelOfContracted && node.stays);
  return bytes * (isLoad(node) && !stays ? 2 : 1);
}

int64_t StreamPlan::besideOf(size_t index) const {
  const Node &node = nodes[index];
  if (node.kind == Kind::sums) {
    int64_t inside = 0;
    for (size_t i = node.inner; i < index; ++i)
      inside += nodes[i].level == levelOfContracted ? bytesOf(nodes[i]) : 0;
    return inside;
  }
  if (node.kind != Kind::window)
    return 0;
  const int64_t bytes = bytesPerPartition(typeOf(node));
  int64_t beside = bytesBeside(node.source.getDefiningOp(), typeOf(node));
  // Rows that are repeated already have a node of their own.
  for (int operand : node.operands)
    if (const Node *row = &nodes[operand];
        row->kind == Kind::repeated ||
        (row->kind == Kind::columnsOf &&
         nodes[row->operands[0]].kind == Kind::repeated))
      beside -= bytes;
  return beside;
}

int64_t StreamPlan::liveBytes(int level) const {
  // What an inner loop uses stays as long as that runs.
  const size_t end = nodes.size();
  std::vector<size_t> last(end, 0);
  for (auto [i, node] : llvm::enumerate(nodes))
    for (int operand : node.operands)
      last[operand] = node.level == level  ? std::max(last[operand], i)
                      : node.level > level ? end
                                           : last[operand];
  for (const Part &part : partsOf)
    last[part.root] =
        nodes[part.root].level > level ? last[part.root] : part.end - 1;
  // The user of a view needs the tile.
  for (size_t i = end; i-- > 0;)
    if (nodes[i].kind == Kind::columnsOf || nodes[i].kind == Kind::viewOf)
      for (int operand : nodes[i].operands)
        last[operand] = std::max(last[operand], last[i]);
  std::vector<int64_t> freed(end + 1, 0);
  int64_t live = 0;
  for (auto [i, node] : llvm::enumerate(nodes))
    if (node.kind == Kind::original || (node.level < level && last[i] != 0))
      live += bytesOf(node);
  int64_t most = live;
  for (auto [i, node] : llvm::enumerate(nodes)) {
    if (node.kind == Kind::original || node.level != level)
      continue;
    live += bytesOf(node);
    freed[std::max(last[i], i)] += bytesOf(node);
    most = std::max(most, live + besideOf(i));
    live -= freed[i];
  }
  return most;
}

int64_t StreamPlan::liveBytes() const {
  return std::max({liveBytes(0), liveBytes(1), liveBytes(2)});
}

/// How often each node is made.
std::vector<double> StreamPlan::runsOf(int64_t outerTrips,
                                       int64_t innerTrips) const {
  std::vector<double> runs;
  for (const Node &node : nodes)
    runs.push_back(static_cast<double>((node.level > 0 ? outerTrips : 1) *
                                       (node.level > 1 ? innerTrips : 1)));
  for (auto [i, node] : llvm::enumerate(nodes))
    if (node.kind == Kind::sums)
      for (size_t j = node.inner; j < i; ++j)
        if (nodes[j].level == levelOfContracted)
          runs[j] = runs[i] * static_cast<double>(node.turns);
  return runs;
}

double StreamPlan::cost(int64_t outerTrips, int64_t innerTrips) const {
  // A transfer and an instruction cost something whatever they move.
  constexpr double bytesOfOne = 512;
  double sum = 0;
  const std::vector<double> runs = runsOf(outerTrips, innerTrips);
  for (auto [i, node] : llvm::enumerate(nodes)) {
    double bytes = isLoad(node) || node.kind == Kind::original
                       ? static_cast<double>(bytesPerPartition(typeOf(node)))
                       : 0.0;
    sum += runs[i] * (bytes + bytesOfOne);
  }
  return sum;
}

bool StreamPlan::loadsOnly(Value base, StoreOp store) const {
  size_t part = 0;
  for (auto [i, node] : llvm::enumerate(nodes)) {
    while (i >= partsOf[part].end)
      ++part;
    if (auto load = node.source.getDefiningOp<LoadTransposedOp>();
        load && load.getBase() == base)
      return false;
    auto load = node.source.getDefiningOp<LoadOp>();
    // An original is loaded before all, and columns are those of another node.
    if (!load || load.getBase() != base || node.kind == Kind::original ||
        node.kind == Kind::columnsOf)
      continue;
    const Window &window = partsOf[part].window;
    const bool samePlaces =
        tensorOf(load.getResult()).getElementType() ==
            tensorOf(store.getValue()).getElementType() &&
        load.getOffset() == store.getOffset() &&
        llvm::equal(load.getIndices(), store.getIndices()) &&
        load.getSizes() == store.getSizes() &&
        load.getStrides() == store.getStrides();
    const bool sameColumns =
        node.window.columns.key() == window.columns.key() ||
        (part == 0 && options.outer == 0 &&
         node.window.columns.covers(tensorOf(node.source).getDimSize(1)));
    if (node.kind != Kind::window || !samePlaces || !sameColumns ||
        node.window.rows.key() != window.rows.key())
      return false;
  }
  return true;
}

/// About what tile-fuse makes one instruction with its only user, so that no
/// tile holds it.
bool StreamPlan::isFused(size_t node, ArrayRef<int> users) const {
  if (users.size() != 1 || isRoot(node) || nodes[node].kind != Kind::window)
    return false;
  Operation *op = nodes[node].source.getDefiningOp();
  Operation *user = nodes[users[0]].source.getDefiningOp();
  if (mlir::isa<CastOp>(user))
    return mlir::isa<UnaryOp, BinaryOp, ScalarOp>(op);
  if (mlir::isa<ReduceOp>(user))
    return mlir::isa<UnaryOp>(op);
  return mlir::isa<UnaryOp, BinaryOp, ScalarOp>(user) &&
         mlir::isa<BinaryOp, ScalarOp>(op) && !isOfTwoTiles(nodes[node]);
}

std::vector<bool>
StreamPlan::fusedNodes(ArrayRef<SmallVector<int, 2>> users) const {
  std::vector<bool> fused(nodes.size(), false);
  for (auto [i, node] : llvm::enumerate(nodes)) {
    if (!isFused(i, users[i]))
      continue;
    const bool hasTwo = llvm::any_of(
        node.operands, [&](int operand) { return fused[operand]; });
    fused[i] = !hasTwo || !mlir::isa<BinaryOp, ScalarOp>(
                              nodes[users[i][0]].source.getDefiningOp());
  }
  return fused;
}

/// Not of a tile and one value per row.
bool StreamPlan::isOfTwoTiles(const Node &node) const {
  return llvm::count_if(node.operands, [&](int operand) {
           return freeElements(typeOf(nodes[operand])) > 1;
         }) > 1;
}

/// Its rows meet values of their own, such as the sum of each.
bool StreamPlan::hasValuesOfRows(const Node &node) const {
  const TileType type = typeOf(node);
  return type.getDimSize(1) != 1 &&
         llvm::any_of(node.operands, [&](int operand) {
           const TileType given = typeOf(nodes[operand]);
           return given.getDimSize(1) == 1 && given.getDimSize(0) != 1;
         });
}

/// On whichever engine: as VectorE would.
double StreamPlan::computeTime(const Node &node,
                               const isa::Target &target) const {
  Operation *op = node.source.getDefiningOp();
  if (isLoad(node) || node.kind == Kind::original ||
      node.kind == Kind::columnsOf || node.kind == Kind::viewOf ||
      node.kind == Kind::scales ||
      mlir::isa<FillOp, SliceOp, LoadOp, QuantizeOp>(op))
    return 0;
  TileType type = typeOf(node);
  if (mlir::isa<ReduceOp>(op) && node.kind == Kind::window)
    type = typeOf(nodes[node.operands[0]]);
  return elementwiseTime(freeElements(type) * slotsOf(type.getDimSize(0)),
                         isOfTwoTiles(node), target);
}

double StreamPlan::workTime(const Node &node, const std::vector<bool> &fused,
                            const isa::Target &target) const {
  const double time = computeTime(node, target);
  // An operand that is fused is part of the instruction, and so are the sums of
  // what a function gives.
  const bool isReduction = mlir::isa<ReduceOp>(node.source.getDefiningOp());
  const bool byRows =
      hasValuesOfRows(node) || llvm::any_of(node.operands, [&](int operand) {
        return fused[operand] &&
               (isReduction || hasValuesOfRows(nodes[operand]));
      });
  TileType type = typeOf(node);
  if (time == 0 || !byRows)
    return time;
  if (isReduction)
    type = typeOf(nodes[node.operands[0]]);
  const int64_t slots = slotsOf(type.getDimSize(0));
  return static_cast<double>(slots) *
         elementwiseTime(freeElements(type), isOfTwoTiles(node), target);
}

// What the model of a plan assumes beside the machine's own times: parts of
// them that other work hides. Choices: see docs/rationale.md, "A cost model
// for plans".

/// Loads and stores are in queues of their own, so part of the time between two
/// transfers of a queue is hidden.
static constexpr double hiddenGap = 0.8;
/// Of the shorter one of two that overlap, what still shows.
static constexpr double shownOfShorter = 0.2;
/// Of what two engines compute, where they share less than evenly.
static constexpr double unevenShare = 0.75;
/// Where there is no second copy of what lies between two instructions: of the
/// longest one, what the engines do not share.
static constexpr double shownOfLongest = 0.75;
/// Pieces of a straight line that must fit so that they overlap.
static constexpr int64_t piecesThatOverlap = 12;

static double transferTimeOf(TileType type, const isa::Target &target) {
  const TransferTime time = transferTime(type.getDimSize(0), freeElements(type),
                                         type.getElementType(), target);
  return std::max(time.longest, hiddenGap * target.dma_queue_gap_ns) +
         target.dma_queue_turnaround_ns;
}

/// The bit of the table that ScalarE needs. VectorE can take roots.
uint32_t StreamPlan::tableOf(const Node &node) {
  auto unary = node.source.getDefiningOp<UnaryOp>();
  const isa::FunctionTable table =
      unary ? isa::functionTable(unary.getOp()) : isa::FunctionTable::all;
  return table == isa::FunctionTable::all || table == isa::FunctionTable::root
             ? 0
             : 1u << static_cast<unsigned>(table);
}

namespace {
/// What one iteration of a loop does, or what is in front of it.
struct Level {
  explicit Level(const isa::Target &target)
      // Of the first datum, and of the last one.
      : latency(2 * transferLatency(target)),
        loadOfTable(target.activation_table_load_ns) {}

  double moved = 0, computed = 0;                 ///< All of it, in ns.
  double longestMove = 0, longestWork = 0;        ///< One instruction of it.
  int64_t arriving = 0, leaving = 0, between = 0; ///< Bytes of a partition.
  int64_t largestMove = 0;
  int64_t kept = 0;      ///< What the inner loop reads,
  double movedAhead = 0; ///< and what of it arrives in front of it.
  uint32_t tables = 0;   ///< Of the functions, a bit each.

  /// ScalarE has one table of functions: with several, it loads each of them
  /// again in each iteration.
  double loaded() const {
    const int count = llvm::popcount(tables);
    return count > 1 ? count * loadOfTable : 0;
  }
  /// Two engines share the work, one instruction is on one of them.
  double worked() const {
    return std::max(computed / 2, longestWork) + loaded();
  }
  /// Nothing overlaps. The first datum and the last one take their time.
  double alone() const { return moved + computed + loaded() + latency; }
  /// Once, in pieces that overlap if a dozen fit.
  double once(int64_t room) const {
    return piecesThatOverlap * largestMove > room
               ? alone()
               : std::min(alone(), std::max(moved, unevenShare * computed) +
                                       2 * longestMove + longestWork + latency);
  }
  /// As a loop of so many trips. With two copies of everything, iterations
  /// overlap; with two of what a transfer brings or takes, they do for the
  /// most part.
  double loop(double trips, int64_t room) const {
    if (2 * (arriving + leaving + between) <= room)
      return (trips - 1) * beside(moved, worked()) + alone();
    if (2 * (arriving + leaving) + between <= room)
      return (trips - 1) *
                 beside(moved, worked() + shownOfLongest * longestWork) +
             alone();
    return trips * alone();
  }

private:
  double latency, loadOfTable;
  /// The shorter one hides behind the longer one, but never quite.
  static double beside(double a, double b) {
    return std::max(a, b) + shownOfShorter * std::min(a, b);
  }
};
} // namespace

double StreamPlan::time(int64_t outerTrips, int64_t innerTrips, int64_t sbuf,
                        const isa::Target &target) const {
  const std::vector<SmallVector<int, 2>> users = usersOfNodes();
  const std::vector<bool> fused = fusedNodes(users);
  Level levels[3] = {Level(target), Level(target), Level(target)};
  auto transfer = [&](const Node &node) {
    Level &level = levels[node.level];
    const double time = transferTimeOf(typeOf(node), target);
    const int64_t bytes = bytesPerPartition(typeOf(node));
    level.moved += time;
    level.longestMove = std::max(level.longestMove, time);
    level.largestMove = std::max(level.largestMove, bytes);
    return bytes;
  };
  int deepest = 0;
  for (auto [i, node] : llvm::enumerate(nodes)) {
    deepest = std::max(deepest, node.level);
    Level &level = levels[node.level];
    const double before = level.moved;
    const bool arrives = takesFromHbm(node);
    if (arrives)
      level.arriving += transfer(node);
    if (llvm::any_of(users[i], [&, of = node.level](int user) {
          return nodes[user].level > of;
        })) {
      level.kept += bytesPerPartition(typeOf(node));
      level.movedAhead += level.moved - before;
    }
    if (arrives || node.kind == Kind::columnsOf || node.kind == Kind::viewOf)
      continue;
    level.tables |= tableOf(node);
    if (fused[i]) {
      // The values that are summed have no readers, but are written, in 16
      // bits.
      if (nodes[users[i][0]].source.getDefiningOp<ReduceOp>())
        level.between += bytesPerPartition(typeOf(node)) / 2;
      continue;
    }
    const double work = workTime(node, fused, target);
    level.computed += work;
    level.longestWork = std::max(level.longestWork, work);
    if (!isRoot(i))
      level.between += bytesPerPartition(typeOf(node));
  }
  for (const Part &part : partsOf) {
    Level &level = levels[nodes[part.root].level];
    level.leaving += transfer(nodes[part.root]);
  }
  const auto outer = static_cast<double>(outerTrips),
             inner = static_cast<double>(innerTrips);
  const Level &straight = levels[0], &around = levels[1];
  const int64_t room = sbuf - straight.kept;
  if (deepest == 0)
    return straight.once(sbuf);
  if (deepest == 1)
    return straight.once(sbuf) + around.loop(outer, room);
  // The rows of the next outer iteration arrive meanwhile, if there is room.
  const double body = levels[2].loop(inner, room - around.kept);
  double each = around.once(room) + body;
  if (2 * around.kept <= room)
    each = std::max(around.moved + inner * levels[2].moved,
                    each - around.movedAhead);
  return straight.once(sbuf) + outer * each;
}

//===- StreamTime.cpp - How long blocks of a product take -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks with the least traffic are low and wide, and then the loads are many
// small ones, whose descriptors take longer than the products. So blocks of
// products are chosen by the time of what works side by side: the tensor
// engine, the DMA engines, the generator of their descriptors, and the engines
// that add up what PSUM does not and compute what is between products and
// store. The first block waits for its loads, and nothing hides what follows
// the products of the last one: a large block makes that long.
//
//===----------------------------------------------------------------------===//

#include "PlanTimes.h"
#include "StreamPlan.h"

#include "kiln/compiler/dialect/tile/PsumShare.h"
#include "kiln/machine/dma_plan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

// What the model of a plan assumes beside the machine's own times. Choices:
// see docs/rationale.md, "A cost model for plans".

/// Loads come in bursts: to be hidden, they may take so much of the time.
static constexpr double busyAtMost = 0.8;
/// The same, where waits are counted by themselves.
static constexpr double busyOverlapped = 0.85;
/// Of what the first loads bring, what the first products wait for: all of
/// their rows, or only those of a part.
static constexpr double neededOfWhole = 0.7, neededOfPart = 0.3;
/// Where iterations have no room for two copies of their loads, what still
/// shows of these.
static constexpr double shownOfLoads = 0.2;
/// Of what an outer iteration loads, what the inner loop before it does not
/// hide.
static constexpr double shownAround = 0.3;
/// Of the sums of parts that PSUM cannot keep, what a loop and a straight line
/// do not hide: VectorE gets them together, at the end of a part.
static constexpr double shownInLoop = 0.3, shownOnce = 0.032;
/// The same, of sums of which each waits for the one before.
static constexpr double shownInTurn = 0.1;
/// Of a chain, what a loop does not hide, and how much more of it behind
/// products that leave no room in PSUM.
static constexpr double shownOfChain = 0.3, shownOfFull = 0.5;
/// VectorE rounds the sums of a block and clears them for the next one, partly
/// side by side; adds that have come in meanwhile follow.
static constexpr double clearings = 1.75;
/// Of the products that PSUM takes meanwhile.
static constexpr double takenMeanwhile = 0.7;
/// The head of a loop that is longer than its buffer waits for its block, which
/// itself waits for the transfers in front of it.
static constexpr double fetchesWaited = 2;

/// SyncE and ScalarE have generators of descriptors. Only in a loop of more
/// iterations than this does what one of them is late with not show.
static constexpr double generatorsOfLoads = 2;
static constexpr int64_t longLoop = 64;

/// Two engines share what is computed element by element, and sums of parts.
static constexpr double enginesOfChain = 2;

static constexpr int64_t columnsOfBank = isa::psumBankSums;

static double ceilDiv(int64_t a, int64_t b) {
  return static_cast<double>(llvm::divideCeil(a, b));
}

/// The sum over banks of so many columns.
static double ofBanks(int64_t columns,
                      llvm::function_ref<double(int64_t)> timeOf) {
  const int64_t full = columns / columnsOfBank, left = columns % columnsOfBank;
  return static_cast<double>(full) * timeOf(columnsOfBank) +
         (left > 0 ? timeOf(left) : 0);
}

/// What all descriptors take, from what one generator needs for them.
static double generatorTime(double time, int64_t outerTrips,
                            int64_t innerTrips) {
  const bool isNested = outerTrips > 1 && innerTrips > 1;
  return isNested || outerTrips * innerTrips <= longLoop
             ? time
             : time / generatorsOfLoads;
}

using Transfer = StreamPlan::Transfer;

struct StreamPlan::Transfer {
  double dma = 0, generator = 0, tensor = 0; ///< ns

  void add(const Transfer &other, double runs) {
    dma += runs * other.dma;
    generator += runs * other.generator;
    tensor += runs * other.tensor;
  }
};

/// Of `rows` rows as they are in HBM.
StreamPlan::Transfer StreamPlan::transferOf(int64_t rows, int64_t columns,
                                            Type element, bool transposes,
                                            const isa::Target &target) {
  const bool byDma = machine::transposesByDma(target) &&
                     element.isIntOrFloat() &&
                     element.getIntOrFloatBitWidth() > 8;
  const TransferTime time =
      transposes && byDma
          ? transposedTransferTime(rows, columns, element, target)
          : transferTime(rows, columns, element, target);
  Transfer result;
  result.dma = time.mean;
  result.generator = time.generator;
  if (transposes && !byDma)
    result.tensor = ceilDiv(rows, rowsOfSlot) * ceilDiv(columns, rowsOfSlot) *
                    transposeTime(element, target);
  return result;
}

bool StreamPlan::takesFromHbm(const Node &node) const {
  return isLoad(node) || (node.kind == Kind::original &&
                          mlir::isa_and_nonnull<LoadOp, LoadTransposedOp>(
                              node.source.getDefiningOp()));
}

StreamPlan::Transfer StreamPlan::loadOf(const Node &node,
                                        const isa::Target &target) const {
  const TileType type = typeOf(node);
  int64_t rows = type.getDimSize(0), columns = freeElements(type);
  Operation *load = node.source.getDefiningOp();
  const bool isTurned = mlir::isa<LoadTransposedOp>(load);
  if (isTurned)
    std::swap(rows, columns);
  Transfer result = transferOf(rows, columns, type.getElementType(),
                               isTurned != node.turned, target);
  // Descriptors of a place that is known are there before the kernel runs.
  if (node.level == 0 && mlir::isa<func::FuncOp>(load->getParentOp()))
    result.generator = 0;
  return result;
}

std::vector<SmallVector<int, 2>> StreamPlan::usersOfNodes() const {
  std::vector<SmallVector<int, 2>> users(nodes.size());
  for (auto [i, node] : llvm::enumerate(nodes))
    for (int operand : node.operands)
      users[operand].push_back(static_cast<int>(i));
  return users;
}

std::vector<bool> StreamPlan::behindProducts() const {
  std::vector<bool> behind(nodes.size(), false);
  for (auto [i, node] : llvm::enumerate(nodes))
    behind[i] = !takesFromHbm(node) &&
                (mlir::isa_and_nonnull<MatmulOp>(node.source.getDefiningOp()) ||
                 llvm::any_of(node.operands,
                              [&](int operand) { return behind[operand]; }));
  return behind;
}

double StreamPlan::chainTime(size_t index, ArrayRef<int> users,
                             const isa::Target &target) const {
  const Node &node = nodes[index];
  // A product is rounded as it leaves PSUM.
  const bool rounds = node.source.getDefiningOp<CastOp>() &&
                      !node.operands.empty() &&
                      nodes[node.operands[0]].kind != Kind::sums &&
                      nodes[node.operands[0]].source.getDefiningOp<MatmulOp>();
  return rounds || isFused(index, users) ? 0 : computeTime(node, target);
}

std::optional<double> StreamPlan::productTime(int64_t outerTrips,
                                              int64_t innerTrips,
                                              const isa::Target &target) const {
  Transfer all, first;
  double vector = 0, products = 0; // Instructions of an inner iteration.
  double addsInTurn = 0;           // Each needs the sum of the one before.
  double chain = 0, lastChain = 0; // Element by element, and behind products.
  bool multiplies = false;
  // Else the engines are also busy with taking transposes out of PSUM.
  const bool byDma = machine::transposesByDma(target);
  const std::vector<SmallVector<int, 2>> users = usersOfNodes();
  const std::vector<bool> isBehindProduct = behindProducts();
  const std::vector<double> runsOfNodes = runsOf(outerTrips, innerTrips);
  for (auto [i, node] : llvm::enumerate(nodes)) {
    const double runs = runsOfNodes[i];
    if (takesFromHbm(node)) {
      const Transfer one = loadOf(node, target);
      all.add(one, runs);
      if (!multiplies)
        first.add(one, 1);
      continue;
    }
    const TileType type = typeOf(node);
    const int64_t columns = freeElements(type);
    const double tiles = ceilDiv(type.getDimSize(0), rowsOfSlot);
    const double banks = ceilDiv(columns, columnsOfBank);
    auto matmul = node.source.getDefiningOp<MatmulOp>();
    if (!matmul && !byDma)
      continue;
    if (isQuantized(node)) {
      vector += runs * quantizeTimeOf(node, target);
      chain += runs * emptyTimeOf(node, target);
      all.tensor += runs * turnTimeOf(node, target);
      continue;
    }
    if (!matmul) {
      const double time = chainTime(i, users[i], target);
      chain += runs * time;
      lastChain += isBehindProduct[i] ? time : 0;
      continue;
    }
    if (node.kind == Kind::combine) {
      if (tiles * banks > banksOfSum) {
        const double once =
            runs * banks * addTime(std::min(columns, columnsOfBank), target);
        vector += tiles * once;
        addsInTurn += once / static_cast<double>(partsOf.size());
      }
    } else if (node.kind == Kind::window) {
      multiplies = true;
      const Node &a = nodes[node.operands[0]];
      const TileType given = typeOf(a);
      const double slots =
          ceilDiv(given.getDimSize(matmul.getTransposeA() ? 0 : 1), rowsOfSlot);
      if (node.level > 1 || (node.level == 1 && innerTrips == 1))
        products += slots * tiles * banks;
      all.tensor += runs * slots * tiles * banks *
                    multiplyTime(std::min(columns, columnsOfBank),
                                 given.getElementType(), target);
    }
  }
  if (!multiplies)
    return std::nullopt;
  const auto iterations = static_cast<double>(outerTrips * innerTrips);
  if (products > static_cast<double>(target.fetch_buffer_instructions))
    all.tensor += iterations * fetchesWaited * fetchLatency(target);
  const TileType result = typeOf(nodes[partsOf.front().root]);
  all.dma += iterations * transferOf(result.getDimSize(0), freeElements(result),
                                     result.getElementType(), false, target)
                              .dma;
  return std::max({all.tensor, vector + chain / enginesOfChain,
                   all.dma / busyAtMost,
                   generatorTime(all.generator, outerTrips, innerTrips) /
                       busyAtMost}) +
         std::max(first.dma, first.generator) + lastChain +
         (iterations > 1 ? 0 : shownInTurn * addsInTurn);
}

namespace {
/// What a plan does, in ns.
struct Work {
  Transfer all, first;
  /// Per iteration of a level, and what that takes of a partition.
  double loads[levelOfContracted + 1] = {};
  int64_t bytes[levelOfContracted + 1] = {};
  double adds = 0;                 ///< Of parts of a product.
  double addsInTurn = 0;           ///< Each needs the sum of the one before.
  double sums = 0;                 ///< Of loops over contracted rows.
  double chain = 0, lastChain = 0; ///< Element by element, and behind products.
  double fullChain = 0;            ///< Of products that fill PSUM.
  double quantizes = 0;            ///< For products of packed floats.
  double empties = 0;              ///< Of PSUM, for these.
  double firstQuantizes = 0;       ///< In front of the first product.
  double waits = 0;                ///< Of products.
  double fetches = 0;
  bool isInParts = false;

  double time(int64_t outerTrips, int64_t innerTrips, int64_t room,
              const isa::Target &target) const;
};
} // namespace

double Work::time(int64_t outerTrips, int64_t innerTrips, int64_t room,
                  const isa::Target &target) const {
  const auto iterations = static_cast<double>(outerTrips * innerTrips);
  const int each = innerTrips > 1 ? 2 : 1;
  const bool isNested = outerTrips > 1 && innerTrips > 1;
  const double around = isNested ? loads[1] : 0;
  double start = (isInParts ? neededOfPart : neededOfWhole) *
                 std::max({first.dma, first.generator, firstQuantizes});
  // The first iteration ends when all is there that it and what is around it
  // load.
  if (iterations > 1)
    start = std::max(start,
                     loads[0] + around + loads[each] - all.tensor / iterations);
  double products = start + all.tensor + waits +
                    fetches * fetchesWaited * fetchLatency(target) +
                    shownAround * static_cast<double>(outerTrips - 1) * around;
  // Chains take sums out of PSUM while it has room for the next ones, and end
  // before the next outer iteration begins.
  if (iterations > 1)
    products += shownOfChain * chain + shownOfFull * fullChain;
  if (isNested && lastChain > 0)
    products += static_cast<double>(outerTrips) *
                (lastChain + 2 * transferLatency(target));
  if (sums == 0)
    products += (iterations > 1 ? shownInLoop : shownOnce) * adds;
  // Of parts whose sums leave PSUM one by one, the loads do not overlap either.
  if (iterations > 1 && sums == 0 &&
      bytes[0] + 2 * (isNested ? bytes[1] : 0) + 2 * bytes[each] > room)
    products +=
        (1 - shownAround) * static_cast<double>(outerTrips - 1) * around +
        iterations * loads[each] * (adds > 0 ? 1 : shownOfLoads);
  // Blocks of a loop overlap, and so do the tiles of a block.
  const double inTurn = iterations > 1 || sums > 0 ? 0 : addsInTurn;
  return std::max({products, start + inTurn,
                   sums + quantizes + (adds + chain + empties) / enginesOfChain,
                   all.dma / busyOverlapped,
                   generatorTime(all.generator, outerTrips, innerTrips) /
                       busyOverlapped}) +
         lastChain + shownInTurn * inTurn;
}

/// Between two blocks of sums, those of the first one are rounded and those of
/// the next one cleared: only PSUM takes products.
static double betweenSums(double tiles, int64_t columns, double turn,
                          const isa::Target &target) {
  const double banks = tiles * ceilDiv(columns, columnsOfBank);
  const auto elements = static_cast<int64_t>(tiles) * columns;
  return std::max(0.0, clearings * elementwiseTime(elements, false, target) -
                           takenMeanwhile * turn *
                               std::min(1.0, isa::psumBanks / banks));
}

std::optional<double> StreamPlan::waitingTime(int64_t outerTrips,
                                              int64_t innerTrips, int64_t room,
                                              const isa::Target &target) const {
  Work work;
  work.isInParts = options.parts || options.step > 0;
  double products = 0; // Instructions of an inner iteration.
  bool multiplies = false;
  // Else the engines are also busy with taking transposes out of PSUM.
  const bool byDma = machine::transposesByDma(target);
  const std::vector<SmallVector<int, 2>> users = usersOfNodes();
  const std::vector<bool> isBehindProduct = behindProducts();
  const size_t lastPart =
      partsOf.size() > 1 ? partsOf[partsOf.size() - 2].end : 0;
  std::vector<Transfer> transfers(nodes.size());
  std::vector<double> quantizes(nodes.size(), 0);
  std::vector<double> multiplications(nodes.size(), 0);
  std::vector<double> chains(nodes.size(), 0); // Behind products.
  const std::vector<double> runsOfNodes = runsOf(outerTrips, innerTrips);
  for (auto [i, node] : llvm::enumerate(nodes)) {
    const TileType type = typeOf(node);
    const double runs = runsOfNodes[i];
    if (takesFromHbm(node)) {
      const Transfer one = loadOf(node, target);
      work.all.add(one, runs);
      if (!multiplies)
        work.first.add(one, 1);
      transfers[i] = one;
      work.loads[node.level] += one.dma;
      work.bytes[node.level] += std::max(bytesPerPartition(type),
                                         node.turned ? bytesTurned(type) : 0);
      continue;
    }
    const int64_t columns = freeElements(type);
    const double tiles = ceilDiv(type.getDimSize(0), rowsOfSlot);
    const double banks = ceilDiv(columns, columnsOfBank);
    auto matmul = node.source.getDefiningOp<MatmulOp>();
    if (!matmul && !byDma)
      continue;
    if (isQuantized(node)) {
      const double once = quantizeTimeOf(node, target);
      work.quantizes += runs * once;
      work.empties += runs * emptyTimeOf(node, target);
      work.all.tensor += runs * turnTimeOf(node, target);
      if (!multiplies)
        work.firstQuantizes += once;
      quantizes[i] = once;
      continue;
    }
    if (!matmul) {
      const double time = chainTime(i, users[i], target);
      work.chain += runs * time;
      chains[i] = isBehindProduct[i] ? time : 0;
      if (isBehindProduct[i] && i >= lastPart)
        work.lastChain += time;
      if (isBehindProduct[i] && tiles * banks > banksOfSum)
        work.fullChain += runs * time;
      continue;
    }
    if (node.kind == Kind::combine) {
      if (tiles * banks > banksOfSum) {
        const double once = runs * ofBanks(columns, [&](int64_t width) {
                              return addTime(width, target);
                            });
        work.adds += tiles * once;
        work.addsInTurn += once / static_cast<double>(partsOf.size());
      }
      continue;
    }
    if (node.kind != Kind::window && node.kind != Kind::sums)
      continue;
    multiplies = true;
    const TileType given = typeOf(nodes[node.operands[0]]);
    const int64_t contracted =
        tensorOf(matmul.getA()).getDimSize(matmul.getTransposeA() ? 0 : 1);
    const double row =
        tiles * ofBanks(columns, [&](int64_t width) {
          return multiplyTime(width, given.getElementType(), target);
        });
    if (node.kind == Kind::window) {
      const double slots =
          ceilDiv(given.getDimSize(matmul.getTransposeA() ? 0 : 1), rowsOfSlot);
      multiplications[i] = slots * row;
      work.all.tensor += runs * slots * row;
      if (node.level > 1 || (node.level == 1 && innerTrips == 1))
        products += slots * tiles * banks;
      continue;
    }
    const double slots = ceilDiv(options.step, rowsOfSlot);
    const auto turns = static_cast<double>(node.turns);
    const int64_t left = contracted - node.turns * options.step;
    work.all.tensor += runs * (turns * slots + ceilDiv(left, rowsOfSlot)) * row;
    work.sums +=
        runs * (turns + (left > 0 ? 1 : 0)) * tiles *
        ofBanks(columns, [&](int64_t width) { return sumTime(width, target); });
    if (slots * tiles * banks >
        static_cast<double>(target.fetch_buffer_instructions))
      work.fetches += runs * turns;
    Transfer inTurn;
    double quantizesInTurn = 0, turn = slots * row, chainInTurn = 0;
    for (size_t j = node.inner; j < i; ++j)
      if (nodes[j].level == levelOfContracted) {
        inTurn.dma += transfers[j].dma;
        inTurn.generator += transfers[j].generator;
        quantizesInTurn += quantizes[j];
        turn += multiplications[j];
        chainInTurn += chains[j];
      }
    const double load =
        std::max({inTurn.dma, inTurn.generator, quantizesInTurn}) /
        busyOverlapped;
    // An operand that is made of products leaves PSUM before it is multiplied.
    if (chainInTurn > 0)
      work.waits += runs * turns * (chainInTurn + 2 * transferLatency(target));
    // What is left of the rows arrives behind the loop.
    work.waits += runs * (turns * std::max(0.0, load - turn) +
                          betweenSums(tiles, columns, turn, target) +
                          inTurn.dma * static_cast<double>(left) /
                              static_cast<double>(options.step));
  }
  if (!multiplies)
    return std::nullopt;
  if (products > static_cast<double>(target.fetch_buffer_instructions))
    work.fetches += static_cast<double>(outerTrips * innerTrips);
  for (const Part &part : partsOf) {
    const TileType result = typeOf(nodes[part.root]);
    work.all.dma += runsOfNodes[part.root] *
                    transferOf(result.getDimSize(0), freeElements(result),
                               result.getElementType(), false, target)
                        .dma;
  }
  return work.time(outerTrips, innerTrips, room, target);
}

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
// see docs/rationale.md, "Plans have a model".

/// Loads come in bursts: to be hidden, they may take so much of the time.
static constexpr double busyAtMost = 0.8;
/// The head of a loop that is longer than its buffer waits for its block, which
/// itself waits for the transfers in front of it.
static constexpr double fetchesWaited = 2;

/// Two engines share what is computed element by element.
static constexpr double enginesOfChain = 2;

static constexpr int64_t rowsOfSlot = isa::maxPartitions,
                         columnsOfBank = isa::psumBankSums;

static double ceilDiv(int64_t a, int64_t b) {
  return static_cast<double>(llvm::divideCeil(a, b));
}

namespace {
struct Transfer {
  double dma = 0, generator = 0, tensor = 0; ///< ns
};
} // namespace

/// Of `rows` rows as they are in HBM.
static Transfer transferOf(int64_t rows, int64_t columns, Type element,
                           bool transposes, const isa::Target &target) {
  const bool byDma =
      machine::transposesByDma(target) && element.getIntOrFloatBitWidth() > 8;
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

std::optional<double> StreamPlan::productTime(int64_t outerTrips,
                                              int64_t innerTrips,
                                              const isa::Target &target) const {
  Transfer all, first;
  double vector = 0, products = 0; // Instructions of an inner iteration.
  double chain = 0, lastChain = 0; // Element by element, and behind products.
  bool multiplies = false;
  // Else the engines are also busy with taking transposes out of PSUM.
  const bool byDma = machine::transposesByDma(target);
  std::vector<SmallVector<int, 2>> users(nodes.size());
  for (auto [i, node] : llvm::enumerate(nodes))
    for (int operand : node.operands)
      users[operand].push_back(static_cast<int>(i));
  SmallVector<bool> isBehindProduct(nodes.size(), false);
  for (auto [i, node] : llvm::enumerate(nodes)) {
    const TileType type = typeOf(node);
    const double runs = static_cast<double>((node.level > 0 ? outerTrips : 1) *
                                            (node.level > 1 ? innerTrips : 1));
    const int64_t rows = type.getDimSize(0), columns = freeElements(type);
    Operation *op = node.source.getDefiningOp();
    if (isLoad(node) || (node.kind == Kind::original &&
                         mlir::isa_and_nonnull<LoadOp, LoadTransposedOp>(op))) {
      const bool isTurned = mlir::isa<LoadTransposedOp>(op);
      const Transfer one =
          transferOf(isTurned ? columns : rows, isTurned ? rows : columns,
                     type.getElementType(), isTurned != node.turned, target);
      all.dma += runs * one.dma;
      all.generator += runs * one.generator;
      all.tensor += runs * one.tensor;
      if (!multiplies) {
        first.dma += one.dma;
        first.generator += one.generator;
      }
      continue;
    }
    const double tiles = ceilDiv(rows, rowsOfSlot);
    const double banks = ceilDiv(columns, columnsOfBank);
    auto matmul = dyn_cast_or_null<MatmulOp>(op);
    isBehindProduct[i] =
        matmul || llvm::any_of(node.operands, [&](int operand) {
          return isBehindProduct[operand];
        });
    if (!matmul && !byDma)
      continue;
    if (!matmul) {
      // A product is rounded as it leaves PSUM.
      const bool rounds =
          mlir::isa_and_nonnull<CastOp>(op) && !node.operands.empty() &&
          nodes[node.operands[0]].source.getDefiningOp<MatmulOp>();
      const double time =
          rounds || isFused(i, users[i]) ? 0 : computeTime(node, target);
      chain += runs * time;
      lastChain += isBehindProduct[i] ? time : 0;
      continue;
    }
    if (node.kind == Kind::combine) {
      if (tiles * banks > banksOfSum)
        vector += runs * tiles * banks *
                  addTime(std::min(columns, columnsOfBank), target);
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
                   all.dma / busyAtMost, all.generator / busyAtMost}) +
         std::max(first.dma, first.generator) + lastChain;
}

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
// engine, the DMA engines, the generator of their descriptors, and the engine
// that adds up what PSUM does not.
//
//===----------------------------------------------------------------------===//

#include "StreamPlan.h"

#include "kiln/isa/rounding.h"
#include "kiln/machine/dma_plan.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

/// Loads come in bursts: to be hidden, they may take so much of the time.
static constexpr double busyAtMost = 0.8;
/// ns for which a stream waits at the head of a loop that is longer than its
/// buffer: the instructions come again.
static constexpr double fetchTime = 2500;
static constexpr int64_t rowsOfSlot = isa::maxPartitions,
                         columnsOfBank = isa::psumBankSums;
/// PSUM adds up products of at most so many banks: see ProductSums.
static constexpr int64_t banksOfSum = 4;

static double ceilDiv(int64_t a, int64_t b) {
  return static_cast<double>(isa::ceilDiv(a, b));
}

namespace {
struct Transfer {
  double dma = 0, generator = 0, tensor = 0; ///< ns
};
} // namespace

/// Of `rows` rows as they are in HBM; transposed, each 128 columns are a
/// transfer of their own.
static Transfer transferOf(int64_t rows, int64_t columns, Type element,
                           bool transposes, const isa::Target &target) {
  const int64_t bits = element.getIntOrFloatBitWidth();
  const double rowBytes = static_cast<double>(columns * bits) / 8;
  const double engines = target.dma_engines;
  const bool byDma = machine::transposesByDma(target) && bits > 8;
  const double transfers =
      transposes && byDma ? ceilDiv(columns, rowsOfSlot) : 1;
  Transfer result;
  // A short row costs a descriptor as a long one does.
  const double row = rowBytes / target.dma_engine_bytes_per_ns +
                     target.dma_descriptor_ns *
                         std::max(0.0, 1 - rowBytes / target.dma_packet_bytes);
  result.dma = static_cast<double>(rows) * row / engines;
  if (transposes && byDma)
    result.dma /= target.dma_transpose_efficiency_hbm;
  result.generator =
      transfers * (target.has_hwdge
                       ? target.hwdge_fixed_ns +
                             target.hwdge_row_ns * static_cast<double>(rows)
                       : target.swdge_ns);
  if (transposes && !byDma)
    result.tensor = ceilDiv(rows, rowsOfSlot) * ceilDiv(columns, rowsOfSlot) *
                    rowsOfSlot / target.tensor_ghz;
  return result;
}

std::optional<double> StreamPlan::productTime(int64_t outerTrips,
                                              int64_t innerTrips,
                                              const isa::Target &target) const {
  Transfer all, first;
  double vector = 0, products = 0; // Instructions of an inner iteration.
  bool multiplies = false;
  for (const Node &node : nodes) {
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
    if (!matmul)
      continue;
    if (node.kind == Kind::combine) {
      if (tiles * banks > banksOfSum)
        // A copy out of PSUM, and a sum of two tiles of f32 in SBUF.
        vector +=
            runs * tiles * 3 * static_cast<double>(columns) / target.vector_ghz;
    } else if (node.kind == Kind::window) {
      multiplies = true;
      const Node &a = nodes[node.operands[0]];
      const TileType given = typeOf(a);
      const double slots =
          ceilDiv(given.getDimSize(matmul.getTransposeA() ? 0 : 1), rowsOfSlot);
      const int passes =
          given.getElementType().isF32() ? target.pe_fp32_passes : 1;
      if (node.level > 1 || (node.level == 1 && innerTrips == 1))
        products += slots * tiles * banks;
      all.tensor +=
          runs * slots * tiles * passes *
          (static_cast<double>(columns) + banks * target.pe_bubble_cycles) /
          target.tensor_ghz;
    }
  }
  if (!multiplies)
    return std::nullopt;
  const auto iterations = static_cast<double>(outerTrips * innerTrips);
  if (products > static_cast<double>(target.fetch_buffer_instructions))
    all.tensor += iterations * fetchTime;
  const TileType result = typeOf(nodes[partsOf.front().root]);
  all.dma += iterations * transferOf(result.getDimSize(0), freeElements(result),
                                     result.getElementType(), false, target)
                              .dma;
  return std::max({all.tensor, vector, all.dma / busyAtMost,
                   all.generator / busyAtMost}) +
         std::max(first.dma, first.generator);
}

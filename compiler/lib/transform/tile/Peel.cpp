//===- Peel.cpp - The first iteration of a nest of products ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before the first product of a kernel, nothing hides the loads. In a loop, an
// iteration loads whole blocks, with descriptors made one after the other. The
// first iteration of the first nest stands alone: it runs once, so its
// transfers come in pieces, with descriptors made before the kernel runs, and
// nc-order starts products with the first piece.
//
//===----------------------------------------------------------------------===//

#include "JamProfit.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/dialect/tile/Tile.h"
#include "kiln/compiler/transform/tile/Passes.h"
#include "kiln/machine/dma_plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

#include <optional>
#include <string>

namespace kiln::compiler::tile {
#define GEN_PASS_DEF_TILEPEEL
#include "kiln/compiler/transform/tile/Passes.h.inc"
} // namespace kiln::compiler::tile

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

static constexpr Remarks peelRemarks("tile-peel");

/// The first loop of the block, if no product comes before it.
static scf::ForOp firstLoop(Block &block) {
  for (Operation &op : block) {
    if (op.getNumRegions() != 0)
      return dyn_cast<scf::ForOp>(op);
    if (mlir::isa<MatmulOp, TransposeOp>(op))
      return {};
  }
  return {};
}

/// Bytes of a partition that loads of the block bring, and the first loop in
/// it.
static int64_t loadedIn(Block &block, scf::ForOp &inner) {
  int64_t bytes = 0;
  for (Operation &op : block)
    if (mlir::isa<LoadOp, LoadTransposedOp>(op))
      bytes += bytesPerPartition(tensorOf(op.getResult(0)));
    else if (auto loop = dyn_cast<scf::ForOp>(op); loop && !inner)
      inner = loop;
  return bytes;
}

/// Bytes of a partition that all loads in the loop bring.
static int64_t loadedIn(scf::ForOp loop) {
  int64_t bytes = 0;
  loop.walk([&](Block *block) {
    scf::ForOp inner;
    bytes += loadedIn(*block, inner);
  });
  return bytes;
}

/// Bytes of a partition that the loop and what is peeled of it load, the loop
/// into two copies of everything. If the code after it had to wait for the
/// memory of the peeled iteration, nothing would be gained.
static int64_t neededFor(scf::ForOp loop) {
  int64_t bytes = 0;
  while (loop) {
    scf::ForOp inner;
    bytes += 2 * loadedIn(loop) + loadedIn(*loop.getBody(), inner);
    loop = inner;
  }
  return bytes;
}

/// Loaded, or a part of that, in another type or not.
static bool isLoaded(Value value) {
  Operation *op = value.getDefiningOp();
  if (mlir::isa_and_nonnull<SliceOp, CastOp>(op))
    return isLoaded(op->getOperand(0));
  return mlir::isa_and_nonnull<LoadOp, LoadTransposedOp>(op);
}

/// Why the first iteration stays in the loop, which has several, as many as the
/// text says, that multiply what they load. Empty if it does not; nothing if
/// the loop multiplies nothing, or has no other iteration. Where a product
/// waits for another one, its latency counts, and nc-pipeline-loops has more to
/// overlap.
static std::optional<std::string> whyNotPeeled(scf::ForOp loop) {
  bool multiplies = false;
  std::string why;
  loop.walk([&](Operation *op) {
    if (auto product = dyn_cast<MatmulOp>(op)) {
      multiplies = true;
      if (why.empty() &&
          (!isLoaded(product.getA()) || !isLoaded(product.getB())))
        why = "an operand of its products is computed";
    } else if (op->getNumRegions() != 0 && why.empty()) {
      auto inner = dyn_cast<scf::ForOp>(op);
      if (!inner || carriesValue(inner))
        why = "its iterations carry a value";
    }
  });
  const std::optional<uint64_t> trips = nc::constantTrips(loop);
  if (!multiplies || (trips && *trips < 2))
    return std::nullopt;
  if (!trips || loop.getNumResults() != 0 ||
      !nc::analyseIndex(loop.getLowerBound()).isConstant())
    return "its bounds are known only when the kernel runs";
  return why;
}

namespace {

class Peel : public tile::impl::TilePeelBase<Peel> {
public:
  void runOnOperation() override {
    Block &block = getOperation().getBody().front();
    const kiln::isa::Target target = nc::targetOf(getOperation());
    const scf::ForOp whole = firstLoop(block);
    // Where the tensor engine transposes what is loaded, it is busy before the
    // first product.
    if (!whole || !kiln::machine::transposesByDma(target))
      return;
    const int64_t needed = neededFor(whole);
    // The peeled iteration may itself begin with a loop.
    for (scf::ForOp loop = whole; loop; loop = firstLoop(block)) {
      std::optional<std::string> why = whyNotPeeled(loop);
      if (!why)
        return;
      if (why->empty() && needed > target.sbufBytes())
        why = "beside it, two copies of what the loop loads take " +
              std::to_string(needed) + " bytes per partition, but SBUF has " +
              std::to_string(target.sbufBytes());
      if (!why->empty()) {
        peelRemarks.missed(loop, "NotPeeled")
            << "products wait for everything that the first iteration loads: "
            << *why;
        return;
      }
      peel(loop);
    }
  }

private:
  static void peel(scf::ForOp loop) {
    peelRemarks.passed(loop, "Peeled")
        << "its first iteration is peeled: products start with the first piece "
           "that it loads";
    const int64_t first = nc::analyseIndex(loop.getLowerBound()).constant;
    OpBuilder builder(loop);
    const auto constant = [&](int64_t value) {
      return arith::ConstantIndexOp::create(builder, loop.getLoc(), value)
          .getResult();
    };
    IRMapping map;
    map.map(loop.getInductionVar(), constant(first));
    for (Operation &op : loop.getBody()->without_terminator())
      nc::noteTurn(builder.clone(op, map), loop, /*absolute=*/true, first);
    loop.setLowerBound(constant(first + nc::stepOf(loop)));
  }
};

} // namespace

//===- Pipeline.cpp - The passes in order, and their registration --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/pipeline/Pipeline.h"

#include "kiln/compiler/convert/Import.h"
#include "kiln/compiler/dialect/nc/Nc.h"
#include "kiln/compiler/dialect/tile/Tile.h"
#include "kiln/compiler/transform/nc/Passes.h"
#include "kiln/compiler/transform/tile/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace kiln::compiler;

/// Kernels have loops and no branches: there are no blocks to merge and no
/// unreachable blocks.
static std::unique_ptr<Pass> createCanonicalizer() {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return createCanonicalizerPass(config);
}

namespace {

/// Only loops and index arithmetic have simpler forms, and tiles that fold: in
/// straight-line code, there is rarely anything for MLIR's pass. The pass after
/// it removes dead operations there.
class CanonicalizeLoops
    : public PassWrapper<CanonicalizeLoops, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CanonicalizeLoops)

  StringRef getArgument() const override { return "kiln-canonicalize"; }
  StringRef getDescription() const override {
    return "canonicalize, if any operation may have a simpler form";
  }
  void runOnOperation() override {
    if (llvm::none_of(getOperation().getBody().front(), maySimplify))
      return;
    OpPassManager pipeline(func::FuncOp::getOperationName());
    pipeline.addPass(createCanonicalizer());
    if (failed(runPipeline(pipeline, getOperation())))
      signalPassFailure();
  }

private:
  static bool maySimplify(Operation &op) {
    if (llvm::isa_and_present<nc::NcDialect>(op.getDialect()) ||
        llvm::isa<func::ReturnOp, arith::ConstantOp>(op))
      return false;
    SmallVector<OpFoldResult, 1> folded;
    return !llvm::isa_and_present<tile::TileDialect>(op.getDialect()) ||
           succeeded(op.fold(folded));
  }
};

} // namespace

std::vector<PipelineStep>
kiln::compiler::pipelineSteps(const PipelineChoices &choices) {
  std::vector<PipelineStep> steps;
  auto add = [&](std::string name, auto create) {
    steps.push_back({std::move(name),
                     [create](OpPassManager &manager) {
                       manager.addNestedPass<func::FuncOp>(create());
                     },
                     false, false, false});
  };
  const auto addOptional = [&](std::string name, auto create) {
    add(std::move(name), create);
    steps.back().isOptional = true;
  };
  // It changes which memory holds the sums, so it runs before operations are
  // numbered.
  addOptional("tile-append-sums", [] { return tile::createTileAppendSums(); });
  add("nc-note-order", [] { return nc::createNcNoteOrder(); });
  add("tile-narrow", [] { return tile::createTileNarrow(); });
  addOptional("tile-stream", [choices] {
    tile::TileStreamOptions options;
    options.budget = choices.streamBudget;
    return tile::createTileStream(options);
  });
  addOptional("tile-split-exp", [] { return tile::createTileSplitExp(); });
  add("tile-negate", [] { return tile::createTileNegate(); });
  add("tile-legalize", [] { return tile::createTileLegalize(); });
  add("tile-orient", [] { return tile::createTileOrient(); });
  addOptional("tile-pair", [] { return tile::createTilePair(); });
  add("tile-fuse", [] { return tile::createTileFuse(); });
  // What fusion merged into its user is dead now, unless others use it too.
  add("canonicalize", [] { return std::make_unique<CanonicalizeLoops>(); });
  add("cse", [] { return nc::createNcMergeEqual(); });
  addOptional("tile-jam", [] { return tile::createTileJam(); });
  addOptional("tile-unroll", [] { return tile::createTileUnroll(); });
  add("tile-hoist", [] { return tile::createTileHoist(); });
  addOptional("tile-peel", [] { return tile::createTilePeel(); });
  steps.back().lastOfTile = true;
  add("tile-to-nc", [] { return tile::createTileToNc(); });
  steps.back().makesNc = true;
  addOptional("nc-keep-loads", [] { return nc::createNcKeepLoads(); });
  add("nc-check-order", [] { return nc::createNcCheckOrder(); });
  add("canonicalize", [] { return std::make_unique<CanonicalizeLoops>(); });
  add("cse", [] { return nc::createNcMergeEqual(); });
  addOptional("nc-share-work", [] { return nc::createNcShareWork(); });
  steps.back().makesNc = true;
  add("nc-check-products", [] { return nc::createNcCheckProducts(); });
  // From here on, for all memory, including the buffers of tiles. Emission
  // takes the notes to the streams, whose order is proved.
  add("nc-note-order", [] {
    nc::NcNoteOrderOptions options;
    options.allMemory = true;
    return nc::createNcNoteOrder(options);
  });
  // Loops that cannot be software pipelined, before their engines are chosen.
  addOptional("nc-rotate", [] {
    nc::NcRotateOptions options;
    options.early = true;
    return nc::createNcRotate(options);
  });
  addOptional("nc-advance", [] {
    nc::NcAdvanceOptions options;
    options.early = true;
    return nc::createNcAdvance(options);
  });
  add("nc-attach-schedule", [] { return nc::createNcAttachSchedule(); });
  addOptional("nc-fix-descriptors",
              [] { return nc::createNcFixDescriptors(); });
  add("nc-choose-engines", [] { return nc::createNcChooseEngines(); });
  add("nc-replicate-registers",
      [] { return nc::createNcReplicateRegisters(); });
  addOptional("nc-pipeline-loops", [choices] {
    nc::NcPipelineLoopsOptions options;
    options.exactSteps = choices.exactSteps;
    options.keepProblems = choices.keepProblems;
    options.overlapsInScopes = choices.overlapsInScopes;
    return nc::createNcPipelineLoops(options, choices.solver);
  });
  addOptional("nc-rotate", [] { return nc::createNcRotate(); });
  addOptional("nc-advance", [] { return nc::createNcAdvance(); });
  addOptional("nc-fix-descriptors",
              [] { return nc::createNcFixDescriptors(); });
  addOptional("nc-multi-buffer", [] { return nc::createNcMultiBuffer(); });
  add("nc-attach-schedule", [] {
    nc::NcAttachScheduleOptions options;
    options.rings = true;
    return nc::createNcAttachSchedule(options);
  });
  add("nc-order", [choices] {
    nc::NcOrderOptions options;
    options.aheadPercent = choices.aheadPercent;
    return nc::createNcOrder(options);
  });
  addOptional("nc-deal-queues", [] { return nc::createNcDealQueues(); });
  add("nc-allocate", [] { return nc::createNcAllocate(); });
  add("nc-check-semaphores", [] { return nc::createNcCheckSemaphores(); });
  add("nc-synchronize", [] { return nc::createNcSynchronize(); });
  add("nc-check-whole", [] { return nc::createNcCheckWhole(); });
  return steps;
}

void kiln::compiler::registerDialects(DialectRegistry &registry) {
  registerImportDialects(registry);
  registry.insert<nc::NcDialect, affine::AffineDialect, arith::ArithDialect,
                  func::FuncDialect, memref::MemRefDialect, scf::SCFDialect>();
}

void kiln::compiler::registerPasses() {
  tile::registerTilePasses();
  nc::registerNcPasses();
  registerCanonicalizer();
  registerCSE();
  registerPass(createFailingPass);
  registerPass([] { return std::make_unique<CanonicalizeLoops>(); });
  PassPipelineRegistration<>(
      "kiln", "the whole pipeline between import and emission, for trn2",
      [](OpPassManager &manager) {
        for (const PipelineStep &step : pipelineSteps())
          step.add(manager);
      });
}

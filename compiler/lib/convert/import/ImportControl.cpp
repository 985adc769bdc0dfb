//===- ImportControl.cpp - Registers, semaphores, ends of loops -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that exist only in the language, or whose operands differ from
// those of their records.

#include "Importer.h"

#include "kiln/compiler/dialect/nc/Registers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;

LogicalResult Importer::importRegisterLoad(const Op &op,
                                           const InstructionCall &call) {
  Value source = instructionView(call.operands.front().view);
  if (!source)
    return failure();
  Value loaded =
      nc::RegisterLoadOp::create(builder, location, builder.getIndexType(),
                                 source, IntegerAttr(), nc::EngineAttr());
  values[op.result] = loaded;
  loops.emplace_back(op.result, loaded);
  return success();
}

LogicalResult Importer::importRegisterStore(const InstructionCall &call) {
  const auto *index = call.get<program::IndexRef>("src");
  if (!index)
    return error("KILN-P111", "'register_store' needs an index 'src'");
  Value target = instructionView(call.operands.front().view);
  std::optional<AffineExpr> expr = affine(index->index);
  if (!target || !expr)
    return failure();
  nc::EngineAttr engine;
  if (failed(chosenEngine(call, engine)))
    return failure();
  nc::RegisterStoreOp::create(builder, location, target, applied(*expr),
                              engine);
  return success();
}

LogicalResult Importer::importRankRegister(const Op &op,
                                           const InstructionCall &call) {
  Value rank;
  if (call.mnemonic == "rank_id") {
    rank = nc::RankIdOp::create(builder, location, builder.getIndexType());
  } else {
    const auto *index = call.get<program::IndexRef>("iteration_id");
    std::optional<AffineExpr> step =
        index ? affine(index->index) : std::nullopt;
    if (!step)
      return index ? failure()
                   : error("KILN-P111", "'" + call.mnemonic +
                                            "' needs an index 'iteration_id'");
    rank = nc::RingRankOp::create(
        builder, location, builder.getIndexType(), applied(*step),
        rankLists(call.get<std::vector<int64_t>>("replica_group")),
        static_cast<uint32_t>(integer(call, "channel_id")));
  }
  values[op.result] = rank;
  loops.emplace_back(op.result, rank);
  return success();
}

LogicalResult Importer::importSemaphore(const InstructionCall &call) {
  StringRef name = text(call, "engine");
  auto engine = isa::parseEngine({name.data(), name.size()});
  if (!engine)
    return error("KILN-P111",
                 "'semaphore' must be in the stream of an engine, found '" +
                     name + "'");
  nc::SemaphoreOp::create(builder, location, *engine);
  return success();
}

LogicalResult Importer::importWhile(const InstructionCall &call) {
  const auto *index = call.get<program::IndexRef>("condition");
  if (!index ||
      !mlir::isa<scf::ForOp>(builder.getInsertionBlock()->getParentOp()))
    return error("KILN-P111",
                 "'while' must be in a loop and have an index 'condition'");
  Value condition = bound(index->index);
  if (!condition)
    return failure();
  nc::WhileOp::create(builder, location, condition);
  return success();
}

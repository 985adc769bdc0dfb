//===- NcRegisters.cpp - Register instructions of the nc dialect ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Blame.h"
#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Verify.h"
#include "kiln/isa/checks.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

/// The register itself is emission's to choose: see StreamEmitter.
isa::Body RegisterLoadOp::buildInstruction(OperandResolver &resolver) {
  isa::RegisterLoad body;
  body.src = resolver.access(getSrc());
  return body;
}

LogicalResult RegisterLoadOp::verify() { return verifyInstruction(*this); }

LogicalResult RingRankOp::verify() {
  isa::Module module;
  isa::Instruction instruction;
  isa::CurrentProcessingRankId body;
  body.replica_group = rankListsOf(getReplicaGroup());
  body.channel_id = static_cast<std::int32_t>(getChannelId());
  instruction.body = std::move(body);
  std::optional<isa::Diagnostic> error = isa::check(
      instruction, isa::Engine::sync, module, targetOf(getOperation()));
  if (!error)
    return success();
  return emitOpError() << error->text << codeBehind(error->code)
                       << Culprit::maker;
}

isa::Body RegisterStoreOp::buildInstruction(OperandResolver &resolver) {
  isa::RegisterStore body;
  body.dst = resolver.access(getDst());
  body.src = resolver.index(getSrc(), 0);
  return body;
}

LogicalResult RegisterStoreOp::verify() { return verifyInstruction(*this); }

isa::Body SemaphoreOp::buildInstruction(OperandResolver &) {
  return isa::Semaphore();
}

LogicalResult SemaphoreOp::verify() { return verifyInstruction(*this); }

#define GET_OP_CLASSES
#include "kiln/compiler/dialect/nc/NcRegisters.cpp.inc"

//===- StreamEmitter.cpp - One engine's stream ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamEmitter.h"

#include "kiln/compiler/dialect/nc/Blame.h"
#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/support/StableSort.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
namespace isa = kiln::isa;

FailureOr<std::vector<isa::Instruction>>
StreamEmitter::emit(func::FuncOp func) {
  levels.emplace_back();
  current.op = func;
  if (failed(emitBlock(func.getBody().front())) || failedOnce)
    return failure();
  VirtualCode code = std::move(levels.front().code);
  if (std::optional<RegisterShortage> shortage = assignRegisters(code)) {
    operationAt(shortage->position, func)->emitError()
        << Code{"KILN-C106"} << "stream "
        << StringRef(isa::name(engine).data(), isa::name(engine).size())
        << " needs about " << compiler::found(Twine(shortage->needed))
        << " registers at once, but it has "
        << compiler::allowed(Twine(isa::registersPerEngine))
        << "; use fewer different loop-dependent addresses in one loop";
    return failure();
  }
  return std::move(code.instructions);
}

Operation *StreamEmitter::operationAt(std::uint32_t position,
                                      func::FuncOp func) const {
  for (const auto &[block, members] : context.members)
    for (const Member &member : members[static_cast<size_t>(engine)])
      if (member.position == position)
        return member.op;
  return func; // It belongs to none of the program's operations.
}

InFlightDiagnostic StreamEmitter::error(StringRef code, StringRef text) {
  failedOnce = true;
  return current.op->emitError() << Code{code} << text;
}

void StreamEmitter::internalError(StringRef text) {
  error("KILN-C113", text) << Culprit::kiln;
}

isa::Instruction &StreamEmitter::append(size_t level, isa::Body body,
                                        SmallVector<unsigned, 2> registers) {
  isa::Instruction &instruction =
      levels[level].code.append(std::move(body), std::move(registers));
  instruction.position = current.position;
  instruction.location = current.location;
  return instruction;
}

isa::RegisterOrInt
StreamEmitter::operandOf(Scalar scalar, SmallVectorImpl<unsigned> &registers) {
  if (!scalar.reg) {
    if (!fitsRegister(scalar.value))
      error("KILN-C107", "an index, a bound or a condition is ")
          << scalar.value << "; registers have 32 bits";
    return isa::RegisterOrInt{static_cast<std::int32_t>(scalar.value)};
  }
  registers.push_back(*scalar.reg);
  return isa::RegisterOrInt{isa::Register{}};
}

LogicalResult StreamEmitter::emitBlock(Block &block) {
  auto members = context.members.find(&block);
  if (members == context.members.end())
    return success();
  ArrayRef<Member> own = members->second[static_cast<size_t>(engine)];
  levels.back().code.reserve(own.size());
  for (const Member &member : own) {
    current = member;
    if (auto loop = dyn_cast<scf::ForOp>(member.op)) {
      if (failed(emitLoop(loop)))
        return failure();
    } else {
      emitInstruction(cast<nc::NcInstruction>(member.op));
    }
  }
  return success();
}

template <class Token>
static std::vector<Token> isaTokens(Attribute attribute) {
  std::vector<Token> tokens;
  for (nc::TokenAttr token : nc::tokensOf(attribute))
    tokens.push_back(Token{static_cast<std::uint16_t>(token.getSemaphore()),
                           static_cast<std::uint16_t>(token.getValue())});
  return tokens;
}

void StreamEmitter::emitInstruction(nc::NcInstruction op) {
  SmallVector<unsigned, 2> registers;
  if (auto load = dyn_cast<nc::RegisterLoadOp>(op.getOperation())) {
    registers.push_back(newRegister(levels.size() - 1));
    loaded[static_cast<int64_t>(load.getGroup().value_or(0))] =
        registers.front();
  }
  operandRegisters = &registers;
  isa::Body body = op.buildInstruction(*this);
  operandRegisters = nullptr;
  isa::Instruction &emitted =
      append(levels.size() - 1, std::move(body), std::move(registers));
  emitted.waits =
      isaTokens<isa::Wait>(op->getDiscardableAttr(nc::waitsAttrName));
  emitted.signals =
      isaTokens<isa::Signal>(op->getDiscardableAttr(nc::signalsAttrName));
}

void StreamEmitter::emitFences(scf::ForOp loop, bool after) {
  auto fences = loop->getAttrOfType<ArrayAttr>(nc::fencesAttrName);
  if (!fences)
    return;
  for (auto fence : fences.getAsRange<nc::FenceAttr>()) {
    if (fence.getEngine().getValue() != engine || fence.getAfter() != after)
      continue;
    isa::Instruction &emitted = append(levels.size() - 1, isa::Semaphore{}, {});
    emitted.waits = isaTokens<isa::Wait>(fence.getWaits());
    emitted.signals = isaTokens<isa::Signal>(fence.getSignals());
  }
}

void StreamEmitter::emitCondition(unsigned reg, Scalar value) {
  SmallVector<unsigned, 2> registers{reg};
  isa::RegisterMove move;
  move.src = operandOf(value, registers);
  append(levels.size() - 1, move, std::move(registers));
}

LogicalResult StreamEmitter::emitLoop(scf::ForOp loop) {
  const Member here = current;
  emitFences(loop, /*after=*/false);
  int64_t step = nc::stepOf(loop);
  if (step <= 0) {
    error("KILN-C104", "needs a constant, positive step");
    return failure();
  }
  if (!fitsRegister(step)) {
    error("KILN-C107", "a loop has the step ")
        << step << "; registers have 32 bits";
    return failure();
  }
  auto repeats = loop.getBody()->getOps<nc::WhileOp>();
  bool isWhile = !repeats.empty();
  Scalar begin = valueOf(loop.getLowerBound());
  Scalar end = valueOf(loop.getUpperBound());
  // A counter belongs to the body; a condition outlives it.
  unsigned head = newRegister(levels.size() - (isWhile ? 1 : 0));
  if (isWhile)
    emitCondition(head, end);

  levels.emplace_back();
  levels.back().loop = loop;
  if (!isWhile)
    counters[loop.getInductionVar()] = head;
  if (failed(emitBlock(*loop.getBody())))
    return failure();
  current = here;
  emitRingSteps(loop);
  if (isWhile)
    emitCondition(head, valueOf((*repeats.begin()).getCondition()));
  Level body = std::move(levels.back());
  levels.pop_back();
  for (const auto &key : body.keys)
    computed.erase(key);

  SmallVector<unsigned, 2> registers{head};
  if (isWhile) {
    append(levels.size() - 1, isa::While{}, std::move(registers));
  } else {
    isa::LoopBegin open;
    open.begin = operandOf(begin, registers);
    if (!failedOnce) // Once is enough for one loop.
      open.end = operandOf(end, registers);
    open.step = static_cast<std::int32_t>(step);
    append(levels.size() - 1, open, std::move(registers));
  }
  levels.back().code.append(std::move(body.code));
  append(levels.size() - 1, isa::LoopEnd{}, {});
  emitFences(loop, /*after=*/true);
  return success();
}

/// Ring pointers count copies, 0 to slots - 1, so that buffers of different
/// sizes share them. They start with the stream and never start again: every
/// stream runs the same iterations, so all pointers agree.
unsigned StreamEmitter::ringPointer(nc::AllocOp alloc, scf::ForOp loop) {
  auto slots = static_cast<int64_t>(alloc.getRing());
  for (const Ring &ring : rings[loop])
    if (ring.slots == slots)
      return ring.reg;
  unsigned reg = newRegister(0);
  append(0, isa::RegisterMove{{}, isa::RegisterOrInt{0}}, {reg});
  rings[loop].push_back({slots, reg});
  return reg;
}

void StreamEmitter::emitRingSteps(scf::ForOp loop) {
  for (const Ring &ring : rings.lookup(loop)) {
    isa::RegisterWrap wrap;
    wrap.step = 1;
    wrap.end = static_cast<std::int32_t>(ring.slots);
    wrap.begin = 0;
    append(levels.size() - 1, wrap, {ring.reg});
  }
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

void StreamEmitter::addTerm(isa::Access &access, unsigned reg, int64_t scale) {
  if (!fitsRegister(scale)) {
    error("KILN-C107", "an address advances by ")
        << scale << " bytes per step of an index; at most 2147483647 fit";
    return;
  }
  access.terms[access.numTerms++] = {isa::Register{},
                                     static_cast<std::int32_t>(scale)};
  operandRegisters->push_back(reg);
}

isa::Access StreamEmitter::access(Value value) {
  auto view = value.getDefiningOp<nc::ViewOp>();
  isa::Access access = nc::accessShape(value);
  if (!view) {
    internalError("operand is not an nc.view");
    return access;
  }
  int64_t width = isa::sizeInBytes(access.dtype);
  auto alloc = view.getBase().getDefiningOp<nc::AllocOp>();
  if (access.space == isa::Space::hbm) {
    access.tensor = static_cast<std::uint16_t>(context.tensors[view.getBase()]);
  } else if (!alloc || !alloc.getByte()) {
    internalError("operand has no address; nc-allocate comes first");
    return access;
  } else {
    access.tensor = context.buffers.lookup(alloc.getMemory());
    access.partition =
        static_cast<std::uint8_t>(*alloc.getPartition() + view.getRow());
    access.offset = static_cast<int64_t>(*alloc.getByte());
    auto loop = dyn_cast<scf::ForOp>(alloc->getParentOp());
    if (loop && alloc.getRing() > 1)
      addTerm(access, ringPointer(alloc, loop),
              static_cast<int64_t>(*alloc.getSlotBytes()));
  }
  addTerms(access, nc::analyseIndex(view.getOffset(), view.getIndices()),
           width);
  return access;
}

void StreamEmitter::addTerms(isa::Access &access, const nc::IndexForm &form,
                             int64_t width) {
  access.offset += form.constant * width;
  SmallVector<std::pair<Scalar, int64_t>> parts;
  for (const nc::IndexForm::Term &term : form.terms)
    parts.emplace_back(valueOf(term.leaf), term.coefficient * width);
  for (const nc::IndexForm::Residue &residue : form.residues)
    parts.emplace_back(valueOf(residue.expr, form.leaves),
                       residue.coefficient * width);
  llvm::erase_if(parts, [&](const auto &part) {
    if (!part.first.reg)
      access.offset += part.first.value * part.second;
    return !part.first.reg;
  });
  size_t room = isa::Access::maxTerms - access.numTerms;
  if (parts.size() > room) {
    // Add up what changes least often; the innermost counter stays a term of
    // the address.
    stableSort(parts, [&](const auto &a, const auto &b) {
      return levelOf(a.first) < levelOf(b.first);
    });
    size_t summed = parts.size() - room + 1;
    int64_t unit = 0;
    for (size_t i = 0; i < summed; ++i)
      unit = std::gcd(unit, parts[i].second);
    Scalar sum{std::nullopt, 0};
    for (size_t i = 0; i < summed; ++i)
      sum = alu(isa::RegisterOp::add, sum,
                alu(isa::RegisterOp::multiply, parts[i].first,
                    Scalar{std::nullopt, parts[i].second / unit}));
    parts.erase(parts.begin(), parts.begin() + static_cast<long>(summed));
    parts.insert(parts.begin(), {sum, unit});
  }
  for (const auto &[scalar, scale] : parts)
    addTerm(access, *scalar.reg, scale);
}

isa::RegisterOrInt StreamEmitter::index(Value value, std::int32_t constant) {
  Scalar sum{std::nullopt, constant};
  if (value)
    sum = alu(isa::RegisterOp::add, valueOf(value), sum);
  return operandOf(sum, *operandRegisters);
}

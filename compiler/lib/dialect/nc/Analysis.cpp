//===- Analysis.cpp - What an nc instruction touches ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Analysis.h"

#include "llvm/Support/MathExtras.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

//===----------------------------------------------------------------------===//
// Index values
//===----------------------------------------------------------------------===//

namespace {

/// Writes index values as affine expressions over leaves.
class IndexReader {
public:
  explicit IndexReader(SmallVectorImpl<Value> &leaves) : leaves(leaves) {}

  AffineExpr read(Value value) {
    MLIRContext *context = value.getContext();
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return getAffineConstantExpr(constant.getSExtValue(), context);
    if (auto apply = value.getDefiningOp<affine::AffineApplyOp>())
      return read(apply.getAffineMap(), apply.getMapOperands());
    if (auto add = value.getDefiningOp<arith::AddIOp>())
      return read(add.getLhs()) + read(add.getRhs());
    if (auto sub = value.getDefiningOp<arith::SubIOp>())
      return read(sub.getLhs()) - read(sub.getRhs());
    if (auto mul = value.getDefiningOp<arith::MulIOp>()) {
      AffineExpr lhs = read(mul.getLhs()), rhs = read(mul.getRhs());
      if (llvm::isa<AffineConstantExpr>(lhs) ||
          llvm::isa<AffineConstantExpr>(rhs))
        return lhs * rhs;
    }
    auto [it, inserted] = dims.try_emplace(value, leaves.size());
    if (inserted)
      leaves.push_back(value);
    return getAffineDimExpr(it->second, context);
  }

  AffineExpr read(AffineMap map, ValueRange operands) {
    SmallVector<AffineExpr> dimExprs, symbolExprs;
    for (auto [i, operand] : llvm::enumerate(operands))
      (i < map.getNumDims() ? dimExprs : symbolExprs).push_back(read(operand));
    return map.getResult(0).replaceDimsAndSymbols(dimExprs, symbolExprs);
  }

private:
  SmallVectorImpl<Value> &leaves;
  DenseMap<Value, unsigned> dims;
};

void addTerms(IndexForm &form, AffineExpr expr, int64_t coefficient) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    form.constant += coefficient * constant.getValue();
    return;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    Value leaf = form.leaves[dim.getPosition()];
    for (IndexForm::Term &term : form.terms)
      if (term.leaf == leaf) {
        term.coefficient += coefficient;
        return;
      }
    form.terms.push_back({leaf, coefficient});
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (binary.getKind() == AffineExprKind::Add) {
    addTerms(form, binary.getLHS(), coefficient);
    addTerms(form, binary.getRHS(), coefficient);
    return;
  }
  if (binary.getKind() == AffineExprKind::Mul)
    if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS())) {
      addTerms(form, binary.getLHS(), coefficient * factor.getValue());
      return;
    }
  for (IndexForm::Residue &residue : form.residues)
    if (residue.expr == expr) {
      residue.coefficient += coefficient;
      return;
    }
  form.residues.push_back({expr, coefficient});
}

/// Adds what is linear; false if something else is met. Makes no expressions,
/// of which unrolled code would have very many.
class LinearReader {
public:
  explicit LinearReader(IndexForm &form) : form(form) {}

  bool add(Value value, int64_t coefficient) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant))) {
      form.constant += coefficient * constant.getSExtValue();
      return true;
    }
    if (auto apply = value.getDefiningOp<affine::AffineApplyOp>())
      return add(apply.getAffineMap().getResult(0), apply.getAffineMap(),
                 apply.getMapOperands(), coefficient);
    if (auto sum = value.getDefiningOp<arith::AddIOp>())
      return add(sum.getLhs(), coefficient) && add(sum.getRhs(), coefficient);
    if (value.getDefiningOp<arith::SubIOp>() ||
        value.getDefiningOp<arith::MulIOp>())
      return false;
    for (IndexForm::Term &term : form.terms)
      if (term.leaf == value) {
        term.coefficient += coefficient;
        return true;
      }
    form.terms.push_back({value, coefficient});
    return true;
  }

  bool add(AffineExpr expr, AffineMap map, ValueRange operands,
           int64_t coefficient) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      form.constant += coefficient * constant.getValue();
      return true;
    }
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return add(operands[dim.getPosition()], coefficient);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return add(operands[map.getNumDims() + symbol.getPosition()],
                 coefficient);
    auto binary = cast<AffineBinaryOpExpr>(expr);
    if (binary.getKind() == AffineExprKind::Add)
      return add(binary.getLHS(), map, operands, coefficient) &&
             add(binary.getRHS(), map, operands, coefficient);
    if (binary.getKind() == AffineExprKind::Mul)
      if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS()))
        return add(binary.getLHS(), map, operands,
                   coefficient * factor.getValue());
    return false;
  }

private:
  IndexForm &form;
};

void finish(IndexForm &form) {
  for (const IndexForm::Term &term : form.terms)
    form.leaves.push_back(term.leaf);
  llvm::erase_if(form.terms, [](auto &term) { return term.coefficient == 0; });
}

IndexForm formOf(AffineExpr expr, SmallVector<Value, 2> leaves) {
  IndexForm form;
  form.leaves = std::move(leaves);
  addTerms(form, simplifyIndex(expr), 1);
  llvm::erase_if(form.terms, [](auto &term) { return term.coefficient == 0; });
  llvm::erase_if(form.residues,
                 [](auto &residue) { return residue.coefficient == 0; });
  return form;
}

} // namespace

IndexForm kiln::compiler::nc::analyseIndex(AffineMap map, ValueRange operands) {
  IndexForm linear;
  if (LinearReader(linear).add(map.getResult(0), map, operands, 1)) {
    finish(linear);
    return linear;
  }
  SmallVector<Value, 2> leaves;
  AffineExpr expr = IndexReader(leaves).read(map, operands);
  return formOf(expr, std::move(leaves));
}

IndexForm kiln::compiler::nc::analyseIndex(Value value) {
  IndexForm linear;
  if (LinearReader(linear).add(value, 1)) {
    finish(linear);
    return linear;
  }
  SmallVector<Value, 2> leaves;
  AffineExpr expr = IndexReader(leaves).read(value);
  return formOf(expr, std::move(leaves));
}

scf::ForOp kiln::compiler::nc::loopOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return {};
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  return loop && loop.getInductionVar() == value ? loop : scf::ForOp();
}

int64_t kiln::compiler::nc::stepOf(scf::ForOp loop) {
  IndexForm form = analyseIndex(loop.getStep());
  return form.isConstant() ? form.constant : 0;
}

std::optional<uint64_t> kiln::compiler::nc::constantTrips(scf::ForOp loop) {
  IndexForm begin = analyseIndex(loop.getLowerBound());
  IndexForm end = analyseIndex(loop.getUpperBound());
  int64_t step = stepOf(loop);
  if (!begin.isConstant() || !end.isConstant() || step <= 0)
    return std::nullopt;
  int64_t span = end.constant - begin.constant;
  return span <= 0 ? 0 : llvm::divideCeil(span, step);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {

/// True if a register will be part of its address.
bool isMoved(Value value) {
  auto view = value.getDefiningOp<ViewOp>();
  if (!view)
    return false;
  auto alloc = view.getBase().getDefiningOp<AllocOp>();
  if (alloc && alloc.getRing() > 1 &&
      llvm::isa<scf::ForOp>(alloc->getParentOp()))
    return true;
  return !view.getIndices().empty() &&
         !analyseIndex(view.getOffset(), view.getIndices()).isConstant();
}

/// Numbers the views, so that accesses of the built struct lead back to them.
class ViewRecorder : public OperandResolver {
public:
  isa::Access access(Value view) override {
    isa::Access access = accessShape(view);
    access.tensor = static_cast<std::uint16_t>(views.size());
    access.numTerms = isMoved(view) ? 1 : 0;
    access.partition = partitionOf(view);
    views.push_back(view);
    return access;
  }
  isa::RegisterOrInt index(Value, std::int32_t constant) override {
    return isa::RegisterOrInt{constant};
  }
  SmallVector<Value, 4> views;

private:
  /// Which partitions a transfer moves decides which DMA engines do. Memory
  /// that has no place yet counts from the first.
  static std::uint8_t partitionOf(Value value) {
    auto view = value.getDefiningOp<ViewOp>();
    if (!view)
      return 0;
    int64_t partition = view.getRow();
    if (auto alloc = view.getBase().getDefiningOp<AllocOp>())
      partition += static_cast<int64_t>(
          alloc.getPartition().value_or(alloc.getPinPartition().value_or(0)));
    return static_cast<std::uint8_t>(partition);
  }
};

} // namespace

BuiltInstruction kiln::compiler::nc::built(NcInstruction op) {
  ViewRecorder recorder;
  BuiltInstruction instruction{op.buildInstruction(recorder), {}};
  std::vector<isa::OperandAccess> operands;
  operands.reserve(8); // Rarely more.
  isa::collectAccesses(instruction.body, operands);
  SmallVector<MemoryAccess, 4> &result = instruction.accesses;
  for (const isa::OperandAccess &operand : operands) {
    MemoryAccess access;
    access.operand = operand.name;
    access.effect = operand.effect;
    access.isIndexed = operand.isIndexed;
    access.view =
        recorder.views[operand.access->tensor].getDefiningOp<ViewOp>();
    if (!access.view)
      continue;
    access.base = access.view.getBase();
    access.shape = *operand.access;
    access.shape.tensor = 0;
    access.shape.numTerms = 0;
    access.shape.partition = static_cast<std::uint8_t>(access.view.getRow());
    result.push_back(access);
  }
  return instruction;
}

SmallVector<MemoryAccess, 4> kiln::compiler::nc::accessesOf(NcInstruction op) {
  return std::move(built(op).accesses);
}

ByteSpan kiln::compiler::nc::spanOf(const isa::Access &shape) {
  int64_t low = 0, high = 0;
  for (unsigned i = 0; i < shape.rank; ++i) {
    int64_t reach =
        int64_t(shape.dims[i].stride) * (int64_t(shape.dims[i].size) - 1);
    (reach < 0 ? low : high) += reach;
  }
  int64_t bytes = isa::sizeInBytes(shape.dtype);
  return {low * bytes, (high + 1) * bytes};
}

bool kiln::compiler::nc::provablyDisjoint(MemoryAccess a, MemoryAccess b) {
  return provablyDisjoint(a, formOfOffset(a), b, formOfOffset(b));
}

IndexForm kiln::compiler::nc::formOfOffset(const MemoryAccess &access) {
  ViewOp view = access.view;
  return analyseIndex(view.getOffset(), view.getIndices());
}

bool kiln::compiler::nc::provablyDisjoint(const MemoryAccess &a,
                                          const IndexForm &formA,
                                          const MemoryAccess &b,
                                          const IndexForm &formB) {
  if (a.shape.space != isa::Space::hbm &&
      (a.shape.partition + a.shape.partitions <= b.shape.partition ||
       b.shape.partition + b.shape.partitions <= a.shape.partition))
    return true;
  if (a.isIndexed || b.isIndexed)
    return false;
  if (!formA.residues.empty() || !formB.residues.empty() ||
      formA.terms.size() != formB.terms.size())
    return false;
  for (const IndexForm::Term &term : formA.terms)
    if (!llvm::is_contained(formB.terms, term))
      return false;
  int64_t bytes = isa::sizeInBytes(a.shape.dtype);
  // Offsets count elements; they can be compared only if these have the same
  // size.
  if (bytes != isa::sizeInBytes(b.shape.dtype))
    return false;
  ByteSpan spanA = spanOf(a.shape), spanB = spanOf(b.shape);
  int64_t beginA = spanA.begin + formA.constant * bytes;
  int64_t endA = spanA.end + formA.constant * bytes;
  int64_t beginB = spanB.begin + formB.constant * bytes;
  int64_t endB = spanB.end + formB.constant * bytes;
  return endA <= beginB || endB <= beginA;
}

bool kiln::compiler::nc::usesAccumulator(const isa::Body &body) {
  // Generators, too, must be used in order.
  const isa::HiddenState state = isa::info(isa::opcode(body)).state;
  bool used = state == isa::HiddenState::random;
  bool hasCommand = false;
  std::visit(
      [&](const auto &instruction) {
        isa::forEachOperand(
            instruction, [&](std::string_view, const auto &field) {
              if constexpr (std::is_same_v<std::decay_t<decltype(field)>,
                                           isa::ReduceCommand>) {
                hasCommand = true;
                used |= field != isa::ReduceCommand::idle;
              }
            });
      },
      body);
  return used || (state == isa::HiddenState::accumulator && !hasCommand);
}

static bool continuesAccumulator(NcInstruction op) {
  const isa::InstructionInfo &info = infoOf(op);
  if (info.state != isa::HiddenState::accumulator)
    return false;
  if (!info.operand("reduce_cmd"))
    return true;
  const auto command = op->getAttrOfType<ReduceCommandAttr>("reduce_cmd");
  return command && command.getValue() == isa::ReduceCommand::reduce;
}

bool kiln::compiler::nc::continuesAccumulators(func::FuncOp function) {
  return function
      .walk([](NcInstruction op) {
        return continuesAccumulator(op) ? WalkResult::interrupt()
                                        : WalkResult::advance();
      })
      .wasInterrupted();
}

const isa::InstructionInfo &kiln::compiler::nc::infoOf(NcInstruction op) {
  return isa::info(op.getOpcode());
}

bool kiln::compiler::nc::meetsPeers(NcInstruction op) {
  return infoOf(op).state == isa::HiddenState::peers;
}

int64_t kiln::compiler::nc::numberAround(Operation *op, StringRef name,
                                         int64_t otherwise) {
  for (; op; op = op->getParentOp())
    if (auto number =
            dyn_cast_if_present<IntegerAttr>(op->getDiscardableAttr(name)))
      return number.getInt();
  return otherwise;
}

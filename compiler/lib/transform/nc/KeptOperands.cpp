//===- KeptOperands.cpp - Tiles that a loop only reads, in PSUM -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptOperands.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Create.h"
#include "kiln/compiler/dialect/nc/MemoryScopes.h"
#include "kiln/compiler/dialect/nc/Verify.h"
#include "kiln/compiler/dialect/nc/WrittenMemory.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

namespace {

/// Elements of a partition of PSUM that an instruction may see.
constexpr int64_t mostElements = 4096;

/// Null if something other than loops is around them, or a loop that may not
/// run: then the tile may never be read.
scf::ForOp outermostOf(scf::ForOp loop) {
  while (auto around = dyn_cast<scf::ForOp>(loop->getParentOp())) {
    if (constantTrips(around).value_or(0) == 0)
      return {};
    loop = around;
  }
  return llvm::isa<func::FuncOp>(loop->getParentOp()) ? loop : scf::ForOp();
}

int64_t elementsOf(ViewOp view) {
  int64_t elements = 1;
  for (const int64_t size : view.getSizes().drop_front())
    elements *= size;
  return elements;
}

Type elementOf(ViewOp view) {
  return cast<MemRefType>(view.getBase().getType()).getElementType();
}

/// True for operands that VectorE reads at the same rate from either memory:
/// floats that GpSimd would compute as VectorE does.
class Finder {
public:
  explicit Finder(scf::ForOp outermost) : outermost(outermost) {
    written.add(outermost);
  }

  ViewOp find(NcInstruction op) const {
    const isa::Opcode opcode = infoOf(op).opcode;
    if (op.getAssignedEngine() || (opcode != isa::Opcode::TensorTensor &&
                                   opcode != isa::Opcode::ScalarTensorTensor))
      return {};
    const SmallVector<MemoryAccess, 4> accesses = accessesOf(op);
    ViewOp kept;
    unsigned tiles = 0, same = 0;
    for (const MemoryAccess &access : accesses) {
      if (access.isIndexed || !isa::isFloat(access.shape.dtype) ||
          access.shape.space != isa::Space::sbuf)
        return {};
      if (access.writes() || access.shape.elements() == 1)
        continue;
      ++tiles;
      if (!isKept(access))
        continue;
      ++same;
      kept = access.view;
    }
    const bool isOnVector =
        llvm::is_contained(legalEngines(op), isa::Engine::vector);
    return tiles == 2 && same == 1 && isOnVector ? kept : ViewOp();
  }

private:
  bool isKept(const MemoryAccess &access) const {
    auto view = ViewOp(access.view);
    auto alloc = access.base.getDefiningOp<AllocOp>();
    return alloc && !scf::ForOp(outermost)->isAncestor(alloc) &&
           !written.contains(access.base) && view.getIndices().empty() &&
           view.getRow() == 0 && elementsOf(view) <= mostElements &&
           llvm::all_of(view.getStrides(),
                        [](int64_t stride) { return stride > 0; });
  }

  scf::ForOp outermost;
  WrittenMemory written;
};

} // namespace

SmallVector<KeptOperand> kiln::compiler::nc::keptOperandsOf(scf::ForOp loop,
                                                            int64_t bytes,
                                                            size_t most) {
  SmallVector<KeptOperand> operands;
  llvm::SmallMapVector<Type, int64_t, 2> taken; // Each in banks of its own.
  const auto sum = [&] {
    int64_t all = 0;
    for (const auto &[type, size] : taken)
      all += static_cast<int64_t>(llvm::alignTo(size, isa::psumBankBytes));
    return all;
  };
  const scf::ForOp outermost = outermostOf(loop);
  if (!outermost)
    return operands;
  const Finder finder(outermost);
  for (auto op : loop.getBody()->getOps<NcInstruction>()) {
    const ViewOp view = finder.find(op);
    if (!view)
      continue;
    taken[elementOf(view)] +=
        elementsOf(view) *
        static_cast<int64_t>(elementOf(view).getIntOrFloatBitWidth() / 8);
    if (sum() > bytes || operands.size() == most)
      break;
    operands.push_back({op, view});
  }
  return operands;
}

void KeptCopies::make(ArrayRef<KeptOperand> operands) {
  if (operands.empty())
    return;
  struct Need {
    int64_t rows = 0, elements = 0;
  };
  /// Of one type and one memory scope.
  using Kind = std::pair<Type, Attribute>;
  const auto kindOf = [](const KeptOperand &operand) {
    return Kind(elementOf(operand.view), memoryScopeOf(operand.op));
  };
  llvm::SmallMapVector<Kind, Need, 2> needs;
  for (const KeptOperand &operand : operands) {
    Need &need = needs[kindOf(operand)];
    need.rows = std::max(need.rows, ViewOp(operand.view).getSizes().front());
    need.elements += elementsOf(operand.view);
  }
  OpBuilder before(outermostOf(
      cast<scf::ForOp>(NcInstruction(operands.front().op)->getParentOp())));
  llvm::SmallMapVector<Kind, AllocOp, 2> made;
  for (const auto &[kind, need] : needs) {
    const auto [type, scope] = kind;
    AllocOp alloc = made[kind] = AllocOp::create(
        before, NcInstruction(operands.front().op)->getLoc(),
        MemRefType::get({need.rows, need.elements}, type,
                        MemRefLayoutAttrInterface(),
                        SpaceAttr::get(before.getContext(), Space::psum)));
    alloc->setDiscardableAttr(besideAttrName, before.getUnitAttr());
    setMemoryScope(alloc, scope);
    allocs.push_back(alloc);
  }
  llvm::SmallMapVector<Kind, int64_t, 2> next;
  for (KeptOperand operand : operands) {
    const Location where = operand.op->getLoc();
    const ArrayRef<int64_t> sizes = operand.view.getSizes();
    SmallVector<int64_t> strides(sizes.size(), 1);
    for (size_t i = sizes.size(); i-- > 2;)
      strides[i - 1] = strides[i] * sizes[i];
    int64_t &first = next[kindOf(operand)];
    const auto viewOf = [&](OpBuilder &builder) {
      return ViewOp::create(
                 builder, where, made[kindOf(operand)].getMemory(),
                 ValueRange(), 0,
                 AffineMap::get(0, 0, builder.getAffineConstantExpr(first)),
                 sizes, strides)
          .getView();
    };
    const Value source = before.clone(*operand.view)->getResult(0);
    // No other engine waits for VectorE while the first iterations load.
    createInstruction(before, where, "tensor_copy", {viewOf(before), source},
                      {})
        .setAssignedEngine(isa::Engine::vector);
    OpBuilder inside(operand.op);
    operand.op->replaceUsesOfWith(operand.view.getView(), viewOf(inside));
    first += elementsOf(operand.view);
  }
}

void KeptCopies::erase() {
  for (AllocOp alloc : allocs) {
    for (Operation *view :
         llvm::make_early_inc_range(alloc.getMemory().getUsers())) {
      for (Operation *user : llvm::make_early_inc_range(view->getUsers())) {
        SmallVector<Value, 2> operands(user->getOperands());
        user->erase();
        for (Value operand : operands)
          if (operand != view->getResult(0) && operand.use_empty())
            operand.getDefiningOp()->erase();
      }
      view->erase();
    }
    alloc.erase();
  }
  allocs.clear();
}

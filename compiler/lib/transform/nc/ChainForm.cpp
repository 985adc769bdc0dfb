//===- ChainForm.cpp - Chains of VectorE as passes of GpSimd --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainForm.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Create.h"
#include "kiln/compiler/dialect/nc/MemoryScopes.h"
#include "kiln/compiler/dialect/nc/Registers.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

namespace {

/// A tile, or a number.
struct Operand {
  ViewOp view;
  float value = 0;
};

/// What tensor_scalar and scalar_tensor_tensor have in common.
struct Chain {
  ViewOp dst, data;
  Operand first, second;
  isa::AluOp op0, op1;
  bool isReversed0, isReversed1;
};

class ChainReader {
public:
  explicit ChainReader(NcInstruction op) : instruction(built(op)) {}

  std::optional<Chain> read() {
    Chain chain{};
    chain.dst = viewOf("dst");
    chain.data = viewOf("data");
    if (!chain.dst || !chain.data)
      return std::nullopt;
    if (const auto *both =
            std::get_if<isa::ScalarTensorTensor>(&instruction.body)) {
      chain.op0 = both->op0;
      chain.op1 = both->op1;
      chain.isReversed0 = both->reverse0;
      chain.isReversed1 = both->reverse1;
      chain.second.view = viewOf("operand1");
      if (!chain.second.view || !fill(chain.first, "operand0", both->operand0))
        return std::nullopt;
    } else if (const auto *scalar =
                   std::get_if<isa::TensorScalar>(&instruction.body)) {
      if (!scalar->op1 || !scalar->operand0 || !scalar->operand1 ||
          !fill(chain.first, "operand0", *scalar->operand0) ||
          !fill(chain.second, "operand1", *scalar->operand1))
        return std::nullopt;
      chain.op0 = scalar->op0;
      chain.op1 = *scalar->op1;
      chain.isReversed0 = scalar->reverse0;
      chain.isReversed1 = scalar->reverse1;
    } else {
      return std::nullopt;
    }
    return used == instruction.accesses.size() ? std::optional(chain)
                                               : std::nullopt;
  }

private:
  ViewOp viewOf(StringRef name) {
    for (const MemoryAccess &access : instruction.accesses)
      if (StringRef(access.operand) == name && !access.isIndexed &&
          access.shape.dtype == isa::DType::f32) {
        ++used;
        return access.view;
      }
    return {};
  }

  bool fill(Operand &operand, StringRef name, const isa::ScalarOrTile &given) {
    if (const auto *value = std::get_if<float>(&given)) {
      operand.value = *value;
      return true;
    }
    operand.view = viewOf(name);
    return static_cast<bool>(operand.view);
  }

  BuiltInstruction instruction;
  size_t used = 0; ///< Accesses that are understood.
};

/// The same elements for each element of `like`: a column with a stride of 0.
Value spread(OpBuilder &builder, ViewOp column, ViewOp like) {
  if (column.getSizes() == like.getSizes())
    return column.getView();
  SmallVector<int64_t> strides(like.getSizes().size(), 0);
  strides.front() = column.getStrides().front();
  const ViewType type = column.getView().getType();
  return ViewOp::create(builder, column.getLoc(),
                        ViewType::get(builder.getContext(), like.getSizes(),
                                      type.getElementType(), type.getSpace()),
                        column.getBase(), column.getIndices(), column.getRow(),
                        column.getOffset(), like.getSizes(), strides,
                        column.getRowsByIndex())
      .getView();
}

/// A dense buffer in SBUF for as many elements.
ViewOp bufferLike(OpBuilder &builder, ViewOp view) {
  const ArrayRef<int64_t> sizes = view.getSizes();
  auto alloc = AllocOp::create(
      builder, view.getLoc(),
      MemRefType::get(sizes, builder.getF32Type(), MemRefLayoutAttrInterface(),
                      SpaceAttr::get(builder.getContext(), Space::sbuf)));
  SmallVector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 2;)
    strides[i - 1] = strides[i] * sizes[i];
  return ViewOp::create(
      builder, view.getLoc(), alloc.getMemory(), ValueRange(), 0,
      AffineMap::get(0, 0, builder.getAffineConstantExpr(0)), sizes, strides);
}

/// The view itself, or one of a copy if it is in PSUM.
ViewOp inSbuf(OpBuilder &builder, ViewOp view) {
  const auto type = cast<MemRefType>(view.getBase().getType());
  if (cast<SpaceAttr>(type.getMemorySpace()).getValue() == Space::sbuf)
    return view;
  ViewOp copy = bufferLike(builder, view);
  createInstruction(builder, view.getLoc(), "tensor_copy",
                    {copy.getView(), view.getView()}, {});
  return copy;
}

void makePass(OpBuilder &builder, Location where, isa::AluOp op, Value dst,
              Value left, Value right, bool isReversed) {
  if (isReversed)
    std::swap(left, right);
  createInstruction(
      builder, where, "tensor_tensor", {dst, left, right},
      builder.getNamedAttr("op", AluOpAttr::get(builder.getContext(), op)));
}

/// An operation can run on an engine other than the default one only if its
/// operands allow it.
bool isBinary(isa::AluOp op) {
  switch (op) {
  case isa::AluOp::add:
  case isa::AluOp::subtract:
  case isa::AluOp::multiply:
  case isa::AluOp::maximum:
  case isa::AluOp::minimum:
    return true;
  default:
    return false;
  }
}

} // namespace

ViewOp ConstantColumns::at(OpBuilder &builder, Operation *op, int64_t rows,
                           float value) {
  const Attribute scope = memoryScopeOf(op);
  for (auto &[known, its, alloc] : columns)
    if (known == value && its == scope &&
        alloc.getMemory().getType().getShape().front() == rows)
      return ViewOp::create(builder, op->getLoc(), alloc.getMemory());
  Operation *outermost = op;
  while (auto loop = outermost->getParentOfType<scf::ForOp>())
    outermost = loop;
  OpBuilder before(outermost);
  auto alloc = AllocOp::create(
      before, op->getLoc(),
      MemRefType::get({rows, 1}, before.getF32Type(),
                      MemRefLayoutAttrInterface(),
                      SpaceAttr::get(before.getContext(), Space::sbuf)));
  setMemoryScope(alloc, scope);
  createInstruction(
      before, op->getLoc(), "memset",
      ViewOp::create(before, op->getLoc(), alloc.getMemory()).getView(),
      before.getNamedAttr("value", before.getF32FloatAttr(value)));
  columns.push_back({value, scope, alloc});
  return ViewOp::create(builder, op->getLoc(), alloc.getMemory());
}

void ConstantColumns::eraseUnused() {
  for (auto &[value, scope, alloc] : columns) {
    SmallVector<Operation *> views(alloc.getMemory().getUsers());
    // The memset has the first view; users are listed last to first.
    if (llvm::any_of(ArrayRef(views).drop_back(),
                     [](Operation *view) { return !view->use_empty(); }))
      continue;
    for (Operation *view : views) {
      for (Operation *fill : llvm::make_early_inc_range(view->getUsers()))
        fill->erase();
      view->erase();
    }
    alloc.erase();
  }
  columns.clear();
}

bool kiln::compiler::nc::isDivisibleChain(NcInstruction op) {
  if (op.getAssignedEngine() ||
      (infoOf(op).opcode != isa::Opcode::TensorScalar &&
       infoOf(op).opcode != isa::Opcode::ScalarTensorTensor))
    return false;
  const std::optional<Chain> chain = ChainReader(op).read();
  return chain && isBinary(chain->op0) && isBinary(chain->op1);
}

void kiln::compiler::nc::divideChain(NcInstruction op,
                                     ConstantColumns &constants) {
  Chain chain = *ChainReader(op).read();
  OpBuilder builder(op);
  const auto tileOf = [&](const Operand &operand, ViewOp like) {
    ViewOp view = operand.view;
    if (!view)
      view = constants.at(builder, op, like.getSizes().front(), operand.value);
    return spread(builder, inSbuf(builder, view), like);
  };
  const Value data = inSbuf(builder, chain.data).getView();
  const Value first = tileOf(chain.first, chain.data);
  const Value second = tileOf(chain.second, chain.dst);
  const Value between = bufferLike(builder, chain.dst).getView();
  makePass(builder, op.getLoc(), chain.op0, between, data, first,
           chain.isReversed0);
  makePass(builder, op.getLoc(), chain.op1, chain.dst.getView(), between,
           second, chain.isReversed1);
  op->erase();
}

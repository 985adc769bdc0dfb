//===- TransposeGroup.cpp - Transposes through PSUM that DMA may take -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransposeGroup.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Create.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

static constexpr int64_t blockSize = isa::maxPartitions;

/// The DMA engines transpose 16 bits of a type that this target lets pass.
static bool isMovable(NcInstruction block) {
  SmallVector<MemoryAccess, 4> accesses = accessesOf(block);
  return accesses.size() == 2 &&
         llvm::all_of(accesses, [](const MemoryAccess &access) {
           return isa::sizeInBytes(access.shape.dtype) == 2 &&
                  access.shape.partitions == blockSize &&
                  access.shape.elements() == blockSize;
         });
}

/// Its columns lie side by side.
static bool isDense(const MemoryAccess &access, int64_t columns) {
  int64_t elements = 1;
  for (unsigned i = access.shape.rank; i-- > 0;) {
    const auto &dim = access.shape.dims[i];
    if (dim.size == 1)
      continue;
    if (dim.stride != elements)
      return false;
    elements *= static_cast<int64_t>(dim.size);
  }
  return elements == columns;
}

std::optional<TransposeGroup> TransposeGroup::of(NcInstruction copy) {
  if (infoOf(copy).opcode != isa::Opcode::TensorCopy)
    return std::nullopt;
  const MemoryAccess *source = nullptr;
  SmallVector<MemoryAccess, 4> accesses = accessesOf(copy);
  for (const MemoryAccess &access : accesses)
    if (access.reads())
      source = &access;
  if (!source || accesses.size() != 2)
    return std::nullopt;
  TransposeGroup group;
  group.emptied = copy;
  Block *body = copy->getBlock();
  auto psum = source->base.getDefiningOp<AllocOp>();
  if (!psum || psum.getSpace() != Space::psum || psum->getBlock() != body)
    return std::nullopt;
  SmallVector<std::pair<int64_t, NcInstruction>> found;
  for (Operation *user : psum.getMemory().getUsers()) {
    auto view = dyn_cast<ViewOp>(user);
    if (!view || !view.getOffset().isSingleConstant())
      return std::nullopt;
    for (Operation *other : view->getUsers()) {
      auto instruction = dyn_cast<NcInstruction>(other);
      if (!instruction || other->getBlock() != body)
        return std::nullopt;
      if (instruction == copy)
        continue;
      if (infoOf(instruction).opcode != isa::Opcode::NcTranspose ||
          !isMovable(instruction) || !other->isBeforeInBlock(copy))
        return std::nullopt;
      found.push_back(
          {view.getOffset().getSingleConstantResult(), instruction});
    }
  }
  llvm::sort(found,
             [](const auto &a, const auto &b) { return a.first < b.first; });
  for (auto [i, entry] : llvm::enumerate(found)) {
    if (entry.first != static_cast<int64_t>(i) * blockSize)
      return std::nullopt;
    group.inOrder.push_back(entry.second);
  }
  const auto columns = static_cast<int64_t>(found.size()) * blockSize;
  for (const MemoryAccess &access : accesses)
    if (ViewOp(access.view).getRow() != 0 || !isDense(access, columns))
      return std::nullopt;
  return group.inOrder.empty() ? std::nullopt : std::optional(group);
}

/// Columns first .. first + count - 1 of a dense view.
static Value part(OpBuilder &builder, ViewOp view, int64_t first,
                  int64_t count) {
  AffineMap offset = view.getOffset();
  offset = AffineMap::get(offset.getNumDims(), 0, offset.getResult(0) + first);
  const int64_t sizes[] = {view.getSizes().front(), count}, strides[] = {1, 1};
  const ViewType type = view.getView().getType();
  return ViewOp::create(builder, view.getLoc(),
                        ViewType::get(builder.getContext(), sizes,
                                      type.getElementType(), type.getSpace()),
                        view.getBase(), view.getIndices(), view.getRow(),
                        offset, sizes, strides, view.getRowsByIndex())
      .getView();
}

NcInstruction TransposeGroup::makeTransfer(size_t block) const {
  OpBuilder builder(emptied);
  Value source, destination;
  for (const MemoryAccess &access : accessesOf(inOrder[block]))
    if (access.reads())
      source = ViewOp(access.view).getView();
  for (const MemoryAccess &access : accessesOf(emptied))
    if (access.writes())
      destination = part(builder, access.view,
                         static_cast<int64_t>(block) * blockSize, blockSize);
  return createInstruction(builder, NcInstruction(inOrder[block])->getLoc(),
                           "dma_transpose", {destination, source}, {});
}

NcInstruction TransposeGroup::makeCopy(size_t kept) const {
  OpBuilder builder(emptied);
  IRMapping map;
  const auto columns = static_cast<int64_t>(kept) * blockSize;
  for (Value operand : NcInstruction(emptied)->getOperands())
    if (auto view = operand.getDefiningOp<ViewOp>())
      map.map(operand, part(builder, view, 0, columns));
  return cast<NcInstruction>(
      builder.clone(*NcInstruction(emptied).getOperation(), map));
}

void TransposeGroup::rewrite(size_t kept) const {
  if (kept == inOrder.size())
    return;
  for (size_t i = kept; i < inOrder.size(); ++i) {
    makeTransfer(i);
    NcInstruction(inOrder[i])->erase();
  }
  if (kept > 0)
    makeCopy(kept);
  NcInstruction(emptied)->erase();
}

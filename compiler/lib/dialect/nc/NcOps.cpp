//===- NcOps.cpp - Memory and views of the nc dialect ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/Nc.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mlir;
using namespace kiln::compiler::nc;
using kiln::compiler::allowed;
using kiln::compiler::found;
namespace isa = kiln::isa;

OperandResolver::~OperandResolver() = default;

static int64_t product(ArrayRef<int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t(1),
                         std::multiplies<>());
}

//===----------------------------------------------------------------------===//
// AllocOp
//===----------------------------------------------------------------------===//

Space AllocOp::getSpace() {
  return spaceOf(cast<MemRefType>(getMemory().getType())).value_or(Space::hbm);
}

int64_t AllocOp::getPartitions() {
  auto type = cast<MemRefType>(getMemory().getType());
  return getSpace() == Space::hbm ? 0 : type.getDimSize(0);
}

int64_t AllocOp::getBytesPerPartition() {
  auto type = cast<MemRefType>(getMemory().getType());
  ArrayRef<int64_t> shape = type.getShape();
  std::optional<isa::DType> dtype = dtypeOf(type.getElementType());
  int64_t elements =
      product(getSpace() == Space::hbm ? shape : shape.drop_front());
  return elements * (dtype ? isa::sizeInBytes(*dtype) : 1);
}

static LogicalResult checkMemory(Operation *op, MemRefType type) {
  if (!type.hasStaticShape())
    return op->emitOpError("needs a static shape, found ") << type;
  if (!dtypeOf(type.getElementType()))
    return op->emitOpError("element type ")
           << type.getElementType()
           << " is not an element type of the instruction set";
  std::optional<Space> space = spaceOf(type);
  if (!space)
    return op->emitOpError("needs a memory space #nc.space<..>, found ")
           << type;
  if (!type.getLayout().isIdentity())
    return op->emitOpError("needs a dense row-major memref, found ") << type;
  if (*space == Space::hbm)
    return success();
  if (type.getRank() < 1 || type.getDimSize(0) < 1 ||
      type.getDimSize(0) > isa::maxPartitions)
    return op->emitOpError("on-chip memory has ")
           << allowed("1 to " + Twine(isa::maxPartitions))
           << " partitions, found " << type;
  return success();
}

/// Numbers beyond any memory would overflow in later computations.
static LogicalResult checkPlace(AllocOp op) {
  constexpr uint64_t most = uint64_t{1} << 31;
  if (op.getByte().value_or(0) > most || op.getSlotBytes().value_or(0) > most ||
      op.getRing() > most)
    return op.emitOpError("is at byte ")
           << found(Twine(op.getByte().value_or(0))) << " with " << op.getRing()
           << " slots of " << op.getSlotBytes().value_or(0)
           << " bytes; no memory has more than " << allowed(Twine(most));
  const uint64_t end =
      op.getByte().value_or(0) + op.getRing() * op.getSlotBytes().value_or(0);
  if (end > most)
    return op.emitOpError("ends at byte ")
           << found(Twine(end)) << "; no memory has more than "
           << allowed(Twine(most));
  if (op.getPartition().value_or(0) >= isa::maxPartitions)
    return op.emitOpError("starts at partition ")
           << found(Twine(*op.getPartition())) << ", expected "
           << allowed("0 to 127");
  return success();
}

LogicalResult AllocOp::verify() {
  if (failed(checkMemory(*this, cast<MemRefType>(getMemory().getType()))))
    return failure();
  if (static_cast<int64_t>(getRing()) < 1)
    return emitOpError("ring must be ")
           << allowed("at least 1") << ", found "
           << found(Twine(static_cast<int64_t>(getRing())));
  if (failed(checkPlace(*this)))
    return failure();
  if (getValue() && getSpace() != Space::hbm)
    return emitOpError("only memory in HBM can hold a constant");
  if (getPinPartition() &&
      (*getPinPartition() + getPartitions() > isa::maxPartitions))
    return emitOpError() << Code{"KILN-C103"} << "is pinned to partitions "
                         << found(
                                Twine(*getPinPartition()) + " to " +
                                Twine(*getPinPartition() + getPartitions() - 1))
                         << ", expected " << allowed("0 to 127");
  return success();
}

//===----------------------------------------------------------------------===//
// ViewOp
//===----------------------------------------------------------------------===//

void ViewOp::build(OpBuilder &builder, OperationState &state, Value base,
                   ValueRange indices, int64_t row, AffineMap offset,
                   ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                   bool rowsByIndex) {
  auto type = cast<MemRefType>(base.getType());
  auto view = ViewType::get(builder.getContext(), sizes, type.getElementType(),
                            spaceOf(type).value_or(Space::hbm));
  build(builder, state, view, base, indices, static_cast<uint64_t>(row), offset,
        sizes, strides, rowsByIndex);
}

void ViewOp::build(OpBuilder &builder, OperationState &state, Value base) {
  auto type = cast<MemRefType>(base.getType());
  SmallVector<int64_t> strides(type.getRank(), 1);
  for (int64_t i = type.getRank() - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * type.getDimSize(i + 1);
  if (spaceOf(type).value_or(Space::hbm) != Space::hbm)
    strides[0] = 1;
  build(builder, state, base, ValueRange{}, 0,
        AffineMap::get(0, 0, builder.getAffineConstantExpr(0)), type.getShape(),
        strides);
}

/// The window must lie in its base. An offset that depends on loops is checked
/// at its constant part's granularity by emission, once ranges are known.
static LogicalResult checkBounds(ViewOp op, MemRefType base, bool onChip,
                                 ArrayRef<int64_t> sizes,
                                 ArrayRef<int64_t> strides) {
  IndexForm offset = analyseIndex(op.getOffset(), op.getIndices());
  if (!offset.isConstant())
    return success();
  int64_t low = offset.constant, high = low;
  for (auto [size, stride] : llvm::drop_begin(
           llvm::zip(sizes, strides), onChip || op.getRowsByIndex() ? 1 : 0))
    (stride < 0 ? low : high) += (size - 1) * stride;
  int64_t limit =
      product(onChip ? base.getShape().drop_front() : base.getShape());
  const auto bytesOf = [](Type element) -> int64_t {
    return isa::sizeInBytes(dtypeOf(element).value_or(isa::DType::f32));
  };
  limit = limit * bytesOf(base.getElementType()) /
          bytesOf(op.getView().getType().getElementType());
  if (low < 0 || high >= limit)
    return op.emitOpError("touches elements ")
           << low << " to " << high << (onChip ? " of each partition" : "")
           << ", but its base has 0 to " << limit - 1;
  return success();
}

LogicalResult ViewOp::verify() {
  auto base = cast<MemRefType>(getBase().getType());
  if (failed(checkMemory(*this, base)))
    return failure();
  ViewType view = getView().getType();
  ArrayRef<int64_t> sizes = getSizes(), strides = getStrides();
  if (sizes != view.getShape() || strides.size() != sizes.size())
    return emitOpError("sizes, strides and result type disagree");
  if (!dtypeOf(view.getElementType()) || view.getSpace() != *spaceOf(base))
    return emitOpError("result ")
           << view << " does not match its base " << base;
  if (getOffset().getNumResults() != 1 || getOffset().getNumSymbols() != 0 ||
      getOffset().getNumDims() != getIndices().size())
    return emitOpError("offset must map ")
           << getIndices().size() << " indices to one value, found "
           << getOffsetAttr();
  if (llvm::any_of(sizes, [](int64_t size) { return size < 1; }))
    return emitOpError("sizes must be positive");
  bool onChip = *spaceOf(base) != Space::hbm;
  if (getRowsByIndex() && (onChip || sizes.empty()))
    return emitOpError("has rows_by_index, which is for tensors in HBM");
  if (onChip) {
    int64_t row = static_cast<int64_t>(getRow());
    if (sizes.empty() || strides[0] != 1)
      return emitOpError("dimension 0 is partitions and needs stride 1");
    if (row < 0 || row + sizes[0] > base.getDimSize(0))
      return emitOpError("touches partitions ")
             << row << " to " << row + sizes[0] - 1
             << ", but its base has 0 to " << base.getDimSize(0) - 1;
  }
  size_t limit = onChip ? isa::maxFreeDims + 1 : isa::Access::maxDims;
  if (sizes.size() > limit)
    return emitOpError("has ")
           << sizes.size() << " dimensions, expected at most " << limit;
  return checkBounds(*this, base, onChip, sizes, strides);
}

isa::Access kiln::compiler::nc::accessShape(Value value) {
  isa::Access access;
  auto view = value.getDefiningOp<ViewOp>();
  ViewType type = cast<ViewType>(value.getType());
  access.space = toIsa(type.getSpace());
  access.dtype = dtypeOf(type.getElementType()).value_or(isa::DType::f32);
  bool onChip = type.getSpace() != Space::hbm;
  ArrayRef<int64_t> sizes = type.getShape();
  if (onChip) {
    access.partitions = static_cast<std::uint8_t>(sizes.front());
    sizes = sizes.drop_front();
  }
  ArrayRef<int64_t> strides;
  if (view)
    strides = view.getStrides().take_back(sizes.size());
  // A tile [P] has no free dimension of its own: one element per partition.
  access.rank = 0;
  for (auto [i, size] : llvm::enumerate(sizes))
    access.dims[access.rank++] =
        isa::Dim{view ? static_cast<std::int32_t>(strides[i]) : 1,
                 static_cast<std::uint32_t>(size)};
  if (access.rank == 0)
    access.dims[access.rank++] = isa::Dim{1, 1};
  return access;
}

#define GET_OP_CLASSES
#include "kiln/compiler/dialect/nc/NcOps.cpp.inc"

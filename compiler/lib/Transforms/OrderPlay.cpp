//===- OrderPlay.cpp - Accesses in the order of the final program ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderPlay.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>

using namespace mlir;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

namespace {

/// The views that an instruction was built of, by their order.
class Views : public OperandResolver {
public:
  isa::Access access(Value view) override {
    isa::Access access = accessShape(view);
    access.tensor = static_cast<std::uint16_t>(views.size());
    views.push_back(view.getDefiningOp<ViewOp>());
    return access;
  }
  isa::RegisterOrInt index(Value, std::int32_t constant) override {
    return isa::RegisterOrInt{constant};
  }
  SmallVector<ViewOp, 4> views;
};

} // namespace

SmallVector<PlayedOperand, 4> kiln::compiler::nc::operandsOf(NcInstruction op) {
  Views views;
  isa::Body body = op.buildInstruction(views);
  std::vector<isa::OperandAccess> accesses;
  isa::collectAccesses(body, accesses);
  SmallVector<PlayedOperand, 4> operands;
  for (const isa::OperandAccess &access : accesses)
    if (ViewOp view = views.views[access.access->tensor])
      operands.push_back(
          {view, access.effect, *access.access, access.isIndexed});
  return operands;
}

int64_t Counters::at(Value value, bool &known) const {
  if (auto found = values.find(value); found != values.end())
    return found->second;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  Operation *op = value.getDefiningOp();
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op))
    return at(apply.getAffineMap(), apply.getMapOperands(), known)[0];
  if (auto least = dyn_cast_or_null<affine::AffineMinOp>(op))
    return *llvm::min_element(at(least.getMap(), least.getOperands(), known));
  if (auto most = dyn_cast_or_null<affine::AffineMaxOp>(op))
    return *llvm::max_element(at(most.getMap(), most.getOperands(), known));
  if (op && llvm::isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) {
    int64_t a = at(op->getOperand(0), known), b = at(op->getOperand(1), known);
    return llvm::isa<arith::AddIOp>(op)   ? a + b
           : llvm::isa<arith::SubIOp>(op) ? a - b
                                          : a * b;
  }
  known = false;
  return 0;
}

SmallVector<int64_t, 1> Counters::at(AffineMap map, ValueRange operands,
                                     bool &known) const {
  SmallVector<int64_t, 1> results;
  if (map.isSingleConstant()) {
    results.push_back(map.getSingleConstantResult());
    return results;
  }
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> dims, symbols;
  for (auto [i, operand] : llvm::enumerate(operands))
    (i < map.getNumDims() ? dims : symbols)
        .push_back(getAffineConstantExpr(at(operand, known), context));
  for (AffineExpr result : map.getResults()) {
    auto number = dyn_cast<AffineConstantExpr>(
        result.replaceDimsAndSymbols(dims, symbols));
    known &= static_cast<bool>(number);
    results.push_back(number ? number.getValue() : 0);
  }
  return results;
}

namespace {

/// A pattern from dimension `depth` on.
struct Piece {
  const PlayedBytes *bytes;
  int64_t offset;
  size_t depth;
  int64_t extent;

  bool solid() const { return depth == bytes->strides.size(); }
};

bool meetPieces(const Piece &a, const Piece &b) {
  if (a.offset >= b.offset + b.extent || b.offset >= a.offset + a.extent)
    return false;
  if (a.solid() && b.solid())
    return true;
  bool cutA = !a.solid() && (b.solid() || a.extent >= b.extent);
  const Piece &whole = cutA ? a : b, &other = cutA ? b : a;
  const PlayedBytes::Stride &stride = whole.bytes->strides[whole.depth];
  int64_t inner = whole.extent - stride.bytes * (stride.count - 1);
  int64_t low = other.offset - whole.offset - inner + 1;
  int64_t high = other.offset + other.extent - whole.offset - 1;
  int64_t from = low <= 0 ? 0 : (low + stride.bytes - 1) / stride.bytes;
  int64_t to = std::min(stride.count - 1, high / stride.bytes);
  for (int64_t i = from; i <= to; ++i)
    if (meetPieces({whole.bytes, whole.offset + i * stride.bytes,
                    whole.depth + 1, inner},
                   other))
      return true;
  return false;
}

int64_t extentOf(const PlayedBytes &bytes) {
  int64_t extent = bytes.run;
  for (const PlayedBytes::Stride &stride : bytes.strides)
    extent += stride.bytes * (stride.count - 1);
  return extent;
}

} // namespace

bool kiln::compiler::nc::meet(const PlayedBytes &a, const PlayedBytes &b) {
  if (a.partition >= b.partitionEnd || b.partition >= a.partitionEnd)
    return false;
  if (a.anywhere || b.anywhere)
    return true;
  return meetPieces({&a, a.offset, 0, extentOf(a)},
                    {&b, b.offset, 0, extentOf(b)});
}

/// Of those that stand for something later than `time`.
const PlayedAccess *PlayedMemory::later(const std::vector<PlayedAccess> &list,
                                        const SourceTime &time,
                                        const PlayedAccess &access) {
  for (size_t i = list.size(); i-- > 0 && list[i].last > time;)
    if (list[i].op != access.op && meet(list[i].bytes, access.bytes))
      return &list[i];
  return nullptr;
}

void PlayedMemory::insert(std::vector<PlayedAccess> &list,
                          const PlayedAccess &access) {
  // The same bytes for a later time: whoever comes too late for the one before
  // comes too late for this.
  if (!list.empty() && list.back().last <= access.last &&
      list.back().bytes == access.bytes) {
    list.back() = access;
    return;
  }
  auto at = list.end();
  while (at != list.begin() && std::prev(at)->last > access.last)
    --at;
  list.insert(at, access);
}

const PlayedAccess *PlayedMemory::add(const PlayedAccess &access) {
  const PlayedAccess *wrong = later(writes, access.first, access);
  if (!wrong && access.writes)
    wrong = later(reads, access.first, access);
  if (wrong)
    return wrong;
  if (access.writes)
    insert(writes, access);
  if (access.reads)
    insert(reads, access);
  return nullptr;
}

//===- OrderPlay.cpp - Accesses in the order of the final program ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderPlay.h"

#include "llvm/Support/MathExtras.h"

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
  accesses.reserve(8); // Rarely more.
  isa::collectAccesses(body, accesses);
  SmallVector<PlayedOperand, 4> operands;
  for (const isa::OperandAccess &access : accesses)
    if (ViewOp view = views.views[access.access->tensor])
      operands.push_back(
          {view, access.effect, *access.access, access.isIndexed});
  return operands;
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
  int64_t from = low <= 0 ? 0 : llvm::divideCeilSigned(low, stride.bytes);
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
  if (a.unknown == b.unknown)
    return meetPieces({&a, a.offset, 0, extentOf(a)},
                      {&b, b.offset, 0, extentOf(b)});
  // Any place that a register may select.
  auto pieceOf = [](const PlayedBytes &bytes) -> Piece {
    int64_t extent = extentOf(bytes);
    if (bytes.unknown == 0)
      return {&bytes, bytes.offset, 0, extent};
    return {&bytes, bytes.low, bytes.strides.size(),
            bytes.high - bytes.low + extent};
  };
  return meetPieces(pieceOf(a), pieceOf(b));
}

/// Among those that stand for a later time than `time`.
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
  // The same bytes for a later time: an access that is too late for the
  // previous one is too late for this one.
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

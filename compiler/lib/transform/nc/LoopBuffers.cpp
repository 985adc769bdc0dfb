//===- LoopBuffers.cpp - Memory of overlapping iterations -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopProblemBuilder.h"

#include "kiln/compiler/dialect/nc/MemoryScopes.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;

static bool isIn(AllocOp alloc, kiln::isa::Space space) {
  return alloc.getSpace() != Space::hbm && toIsa(alloc.getSpace()) == space;
}

/// Bytes per partition that no buffer from outside needs while the loop runs.
/// Where a memory scope limits some buffers of the body, all of them get no
/// more than its room: the problem has one room for each memory.
int64_t LoopProblemBuilder::roomBeside(isa::Space space) const {
  int64_t room = roomWithin(space, std::nullopt);
  if (!describes)
    for (auto alloc : loop.getBody()->getOps<AllocOp>())
      if (const std::optional<MemoryLimit> limit = limitOf(alloc);
          limit && isIn(alloc, space))
        room = std::min(room, roomWithin(space, limit));
  return room;
}

/// The same of a part of the memory.
int64_t
LoopProblemBuilder::roomWithin(isa::Space space,
                               const std::optional<MemoryLimit> &limit) const {
  const auto mayLieThere = [&](AllocOp alloc) {
    const std::optional<MemoryLimit> other = limitOf(alloc);
    return !limit ||
           (other && other->begin < limit->end && limit->begin < other->end);
  };
  auto room = limit ? static_cast<int64_t>(limit->end - limit->begin)
                    : static_cast<int64_t>(target.bytes(space));
  for (Operation *inner = loop; Block *block = inner->getBlock();
       inner = block->getParentOp()) {
    const bool isAlone = standsAlone(inner);
    for (auto alloc : block->getOps<AllocOp>())
      if (isIn(alloc, space) && mayLieThere(alloc) &&
          livesAcross(alloc, *inner, isAlone))
        room -= bytesOf(alloc);
    if (llvm::isa<func::FuncOp>(block->getParentOp()))
      break;
  }
  return std::max<int64_t>(room, 0);
}

/// With the second copy that nc-multi-buffer gives to an iteration's own.
int64_t LoopProblemBuilder::bytesOf(AllocOp alloc) const {
  int64_t bytes = alloc.getBytesPerPartition() * alloc.getRing();
  if (alloc.getSpace() == Space::psum)
    return static_cast<int64_t>(llvm::alignTo(bytes, isa::psumBankBytes));
  const bool isDoubled =
      llvm::isa<scf::ForOp>(alloc->getParentOp()) && alloc.getRing() == 1;
  return isDoubled ? 2 * bytes : bytes;
}

/// Used at `inner` or before it, and at `inner` or behind it.
bool LoopProblemBuilder::livesAcross(AllocOp alloc, Operation &inner,
                                     bool isAlone) {
  // An iteration's own may hold the bytes until the next one has come.
  if (isAlone && llvm::isa<scf::ForOp>(alloc->getParentOp()))
    return true;
  bool before = false, behind = false;
  for (Operation *view : alloc.getMemory().getUsers())
    for (Operation *user : view->getUsers()) {
      Operation *place = inner.getBlock()->findAncestorOpInBlock(*user);
      const bool isEarlier = place && place->isBeforeInBlock(&inner);
      before |= place == &inner || isEarlier;
      behind |= place == &inner || !isEarlier;
      if (before && behind)
        return true;
    }
  return false;
}

/// Two copies lie in one bank. In a nest, the copies must come round where
/// the loop around this one comes here again.
bool LoopProblemBuilder::sharesBank(AllocOp alloc) const {
  const bool isNested = loop->getParentOfType<scf::ForOp>() != nullptr;
  return alloc.getRing() == 1 && !alloc.getPinByte() &&
         2 * pitchOf(alloc) <= static_cast<int64_t>(isa::psumBankBytes) &&
         (!isNested || trips % 2 == 0);
}

/// Memory of the body: each iteration takes a copy.
void LoopProblemBuilder::addBuffers() {
  llvm::MapVector<Value, std::vector<problems::ModuloBuffer::User>> users;
  for (auto &[base, place] : places)
    for (const Access &access : place.accesses) {
      if (!isLocal(access.base))
        continue;
      auto &list = users[access.base];
      const uint32_t index = access.bytes.operation;
      const Times &own = times[index];
      const int64_t release =
          own.isTransfer ? own.times.latency
                         : std::max(own.times.occupancy, own.times.latency) +
                               static_cast<int64_t>(1000 * target.semaphore_ns);
      if (!list.empty() && list.back().operation == index) {
        list.back().alsoReads |= list.back().writes != access.bytes.writes;
        list.back().writes |= access.bytes.writes;
        list.back().release = std::max(list.back().release, release);
      } else {
        list.push_back({index, access.bytes.writes, release});
      }
    }
  for (auto &[base, list] : users) {
    auto alloc = cast<AllocOp>(base.getDefiningOp());
    problems::ModuloBuffer buffer;
    buffer.name = alloc.getLabel().value_or("").str();
    if (buffer.name.empty())
      buffer.name = ("b" + Twine(result.buffers.size())).str();
    buffer.space = toIsa(alloc.getSpace());
    buffer.bytes = alloc.getBytesPerPartition();
    if (alloc.getSpace() == Space::psum) {
      if (!describes && sharesBank(alloc))
        buffer.shared = 2;
      buffer.bytes =
          static_cast<int64_t>(llvm::alignTo(buffer.bytes, isa::psumBankBytes));
    }
    buffer.users = std::move(list);
    if (describes)
      buffer.copies = static_cast<uint32_t>(alloc.getRing());
    // A buffer that nothing writes first is never read, either.
    buffer.users.front().writes = true;
    buffer.users.front().alsoReads = false;
    result.buffers.push_back(alloc);
    result.problem.buffers.push_back(std::move(buffer));
  }
  if (!describes)
    pairSmall();
}

/// Two buffers that take no more than half a bank may lie in one, smallest
/// first.
void LoopProblemBuilder::pairSmall() {
  SmallVector<uint32_t> small;
  for (auto [index, buffer] : llvm::enumerate(result.problem.buffers))
    if (buffer.shared > 1)
      small.push_back(static_cast<uint32_t>(index));
  llvm::stable_sort(small, [&](uint32_t a, uint32_t b) {
    return pitchOf(result.buffers[a]) < pitchOf(result.buffers[b]);
  });
  const auto typeOf = [&](uint32_t index) {
    return cast<MemRefType>(result.buffers[index].getMemory().getType());
  };
  // By element type, partitions and scope: the one that has no partner yet.
  DenseMap<std::tuple<Type, int64_t, Attribute>, uint32_t> alone;
  for (const uint32_t index : small) {
    const MemRefType type = typeOf(index);
    const auto [found, isAlone] =
        alone.try_emplace({type.getElementType(), type.getDimSize(0),
                           memoryScopeOf(result.buffers[index])},
                          index);
    if (isAlone)
      continue;
    const auto [first, second] = std::minmax(found->second, index);
    result.problem.buffers[second].beside = first;
    alone.erase(found);
  }
}

//===- AllocatedCopies.cpp - How many copies of a buffer have room --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AllocatedCopies.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Promises.h"

#include "llvm/ADT/MapVector.h"

#include <algorithm>
#include <tuple>
#include <utility>

using namespace mlir;

namespace kiln::compiler::nc {

/// Where an iteration needs each of so many loads for a short time, one copy is
/// loaded again before the next iteration needs it.
static constexpr int64_t manyLoads = 16;

bool takeCopiesBack(MutableArrayRef<Buffer> buffers,
                    llvm::function_ref<bool(const Buffer &)> mayGive) {
  constexpr int64_t worthwhile = 1024; // Many smaller ones help no inner loop.
  auto bytes =
      [&](const Buffer &buffer) -> std::tuple<bool, bool, bool, bool, int64_t> {
    AllocOp op = buffer.op;
    if (buffer.slots <= 1 || op->hasAttr(userRingAttrName) || !mayGive(buffer))
      return {false, false, false, false, 0};
    const bool isOuter =
        buffer.aroundLoops && op.getBytesPerPartition() >= worthwhile;
    return {buffer.slots > 2, isOuter && !buffer.filled, !buffer.transferred,
            isOuter, op.getBytesPerPartition() * buffer.slots};
  };
  Buffer *largest = std::max_element(
      buffers.begin(), buffers.end(),
      [&](const Buffer &a, const Buffer &b) { return bytes(a) < bytes(b); });
  if (largest == buffers.end() || std::get<4>(bytes(*largest)) == 0)
    return false;
  --largest->slots;
  return true;
}

/// Loops around it.
static unsigned depthOf(AllocOp op) {
  unsigned depth = 0;
  for (Operation *loop = op->getParentOp(); llvm::isa<scf::ForOp>(loop);
       loop = loop->getParentOp())
    ++depth;
  return depth;
}

/// The outermost loop around it, if one.
static Operation *outermostLoop(AllocOp op) {
  Operation *nest = nullptr;
  for (Operation *loop = op->getParentOp(); llvm::isa<scf::ForOp>(loop);
       loop = loop->getParentOp())
    nest = loop;
  return nest;
}

/// Whether everything has a place with the present copies, without a tile in a
/// bank that was just given up while others are free. If so, that is the
/// answer.
static bool hasPlace(llvm::function_ref<problems::SpaceProblem()> instance,
                     problems::SpaceProblem &problem,
                     problems::SpaceResult &result) {
  problems::SpaceProblem wider = instance();
  problems::SpaceResult found = problems::solveSpace(wider);
  if (!found.solution || (result.isSpread && !found.isSpread) ||
      problems::verify(wider, *found.solution))
    return false;
  problem = std::move(wider);
  result = std::move(found);
  return true;
}

/// Whether all still has a place if the buffer has so many copies, which it
/// keeps then.
static bool takesCopies(Buffer &buffer, std::uint32_t slots,
                        llvm::function_ref<problems::SpaceProblem()> instance,
                        problems::SpaceProblem &problem,
                        problems::SpaceResult &result) {
  const std::uint32_t before = std::exchange(buffer.slots, slots);
  if (hasPlace(instance, problem, result))
    return true;
  buffer.slots = before;
  return false;
}

void giveSecondCopies(MutableArrayRef<Buffer> buffers,
                      llvm::function_ref<problems::SpaceProblem()> instance,
                      problems::SpaceProblem &problem,
                      problems::SpaceResult &result) {
  constexpr unsigned few = 2, most = 32;
  DenseMap<Block *, SmallVector<Buffer *>> inBlock;
  SmallVector<Block *> blocks;
  for (Buffer &buffer : buffers)
    if (Block *block = buffer.op->getBlock();
        buffer.transferred && buffer.op.getRing() > 1 &&
        llvm::isa<scf::ForOp>(block->getParentOp())) {
      SmallVector<Buffer *> &known = inBlock[block];
      if (known.empty())
        blocks.push_back(block);
      known.push_back(&buffer);
    }
  unsigned asked = 0;
  for (Block *block : blocks) {
    const SmallVector<Buffer *> &all = inBlock[block];
    if (all.size() > few)
      continue;
    for (Buffer *buffer : all)
      if (buffer->slots == 1 && asked++ < most)
        takesCopies(*buffer, 2, instance, problem, result);
  }
}

void giveLoopsAllCopies(MutableArrayRef<Buffer> buffers,
                        llvm::function_ref<problems::SpaceProblem()> instance,
                        problems::SpaceProblem &problem,
                        problems::SpaceResult &result) {
  constexpr size_t most = 16;
  llvm::MapVector<Block *, SmallVector<Buffer *>> inBlock;
  for (Buffer &buffer : buffers)
    if (llvm::isa<scf::ForOp>(AllocOp(buffer.op)->getParentOp()) &&
        !buffer.aroundLoops && !buffer.alone)
      inBlock[buffer.op->getBlock()].push_back(&buffer);
  // Those that an attached schedule gives were never taken back, but share no
  // bytes either.
  inBlock.remove_if([](const auto &entry) {
    return llvm::all_of(entry.second, [](Buffer *buffer) {
      return AllocOp(buffer->op).getRing() == 1;
    });
  });
  auto poor = inBlock.takeVector();
  llvm::stable_sort(poor, [](const auto &a, const auto &b) {
    return depthOf(a.second.front()->op) > depthOf(b.second.front()->op);
  });
  for (auto &[block, all] : MutableArrayRef(poor).take_front(most)) {
    SmallVector<std::uint32_t> before;
    std::uint32_t wanted = 0;
    for (Buffer *buffer : all) {
      before.push_back(buffer->slots);
      buffer->alone = true;
      if (!buffer->op->hasAttr(userRingAttrName))
        wanted =
            std::max(wanted, static_cast<std::uint32_t>(buffer->op.getRing()));
    }
    const auto fits = [&](std::uint32_t limit, std::uint32_t ofLoads) {
      for (Buffer *buffer : all) {
        const auto ring = static_cast<std::uint32_t>(buffer->op.getRing());
        buffer->slots = buffer->op->hasAttr(userRingAttrName)
                            ? ring
                            : std::min(ring, buffer->filled ? ofLoads : limit);
      }
      return hasPlace(instance, problem, result);
    };
    // Two copies hide a load as well as three do, if nothing else is in their
    // bytes.
    constexpr std::uint32_t enough = 2;
    if (fits(wanted, wanted) || (wanted > enough && fits(enough, enough)))
      continue;
    if (llvm::count_if(all, [](Buffer *buffer) { return buffer->filled; }) >=
            manyLoads &&
        fits(enough, 1))
      continue;
    for (auto [buffer, slots] : llvm::zip(all, before)) {
      buffer->slots = slots;
      buffer->alone = false;
    }
  }
}

void giveNestsApart(MutableArrayRef<Buffer> buffers,
                    llvm::function_ref<problems::SpaceProblem()> instance,
                    problems::SpaceProblem &problem,
                    problems::SpaceResult &result) {
  constexpr size_t most = 8;
  llvm::MapVector<Operation *, SmallVector<Buffer *>> inNest;
  DenseMap<Block *, int64_t> loadsIn; // Only looked up.
  for (Buffer &buffer : buffers)
    if (Operation *nest = outermostLoop(buffer.op)) {
      inNest[nest].push_back(&buffer);
      loadsIn[buffer.op->getBlock()] += buffer.filled;
    }
  inNest.remove_if([](const auto &entry) {
    return llvm::none_of(entry.second, [](Buffer *buffer) {
      return buffer->aroundLoops && buffer->filled && buffer->op.getRing() > 1;
    });
  });
  auto nests = inNest.takeVector();
  for (auto &[nest, all] : MutableArrayRef(nests).take_front(most)) {
    SmallVector<Buffer> before;
    for (Buffer *buffer : all) {
      before.push_back(*buffer);
      buffer->alone = true;
      buffer->slots = static_cast<std::uint32_t>(buffer->op.getRing());
    }
    const auto mayGive = [&, nest = nest](const Buffer &buffer) {
      return outermostLoop(buffer.op) == nest &&
             (buffer.slots > 2 || !buffer.filled || buffer.aroundLoops ||
              loadsIn.lookup(buffer.op->getBlock()) >= manyLoads);
    };
    const auto fits = [&] {
      return problems::mayHaveRoom(instance()) &&
             hasPlace(instance, problem, result);
    };
    bool isApart = fits();
    while (!isApart && takeCopiesBack(buffers, mayGive))
      isApart = fits();
    if (isApart)
      continue;
    for (auto [buffer, its] : llvm::zip(all, before))
      *buffer = its;
  }
}

/// Whether data bounds the loop around it.
static bool isInLoopBoundByData(const Buffer &buffer) {
  auto loop = dyn_cast<scf::ForOp>(AllocOp(buffer.op)->getParentOp());
  return loop && isBoundByData(loop);
}

void giveNestsTheirBytes(MutableArrayRef<Buffer> buffers,
                         llvm::function_ref<problems::SpaceProblem()> instance,
                         problems::SpaceProblem &problem,
                         problems::SpaceResult &result) {
  constexpr size_t most = 8;
  llvm::MapVector<Operation *, SmallVector<Buffer *>> nests;
  for (Buffer &buffer : buffers) {
    if (Operation *nest = outermostLoop(buffer.op))
      nests[nest].push_back(&buffer);
  }
  nests.remove_if([](const auto &entry) {
    return llvm::none_of(entry.second, [](const Buffer *buffer) {
      return isInLoopBoundByData(*buffer);
    });
  });
  auto bound = nests.takeVector();
  for (auto &[nest, all] : MutableArrayRef(bound).take_front(most)) {
    for (Buffer *buffer : all)
      buffer->inNest = true;
    if (hasPlace(instance, problem, result))
      continue;
    for (Buffer *buffer : all)
      buffer->inNest = false;
  }
}

void giveCopies(MutableArrayRef<Buffer> buffers,
                llvm::function_ref<problems::SpaceProblem()> instance,
                problems::SpaceProblem &problem,
                problems::SpaceResult &result) {
  if (llvm::none_of(buffers, isInLoopBoundByData))
    return;
  constexpr size_t most = 32;
  SmallVector<std::pair<unsigned, Buffer *>> poor;
  for (Buffer &buffer : buffers)
    if (buffer.slots < buffer.op.getRing())
      poor.push_back({depthOf(buffer.op), &buffer});
  llvm::stable_sort(
      poor, [](const auto &a, const auto &b) { return a.first > b.first; });
  for (const auto &[depth, buffer] : ArrayRef(poor).take_front(most))
    takesCopies(*buffer, static_cast<std::uint32_t>(buffer->op.getRing()),
                instance, problem, result);
}

} // namespace kiln::compiler::nc

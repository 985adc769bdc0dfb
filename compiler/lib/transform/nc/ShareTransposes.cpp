//===- ShareTransposes.cpp - Transposes shared between two units ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tile-to-nc transposes in blocks of 128 by 128 on the tensor engine, into
// PSUM, and one copy brings several blocks to SBUF. The DMA engines transpose
// from SBUF to SBUF as well, without that copy, but with a long latency, which
// only a loop hides that is software pipelined. In the body of a loop that may
// be, so many blocks of each group go to the DMA engines that whatever is
// busiest then is least busy.
//
//===----------------------------------------------------------------------===//

#include "BodyLoads.h"
#include "FixedOrder.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Nc.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/transform/nc/Passes.h"

#include <vector>

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCSHARETRANSPOSES
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

static constexpr Remarks remarks("nc-share-transposes");

namespace {

/// Iterations without which the latency of a transfer is not hidden.
constexpr uint64_t leastTrips = 8;
/// Instructions of a body that nc-pipeline-loops is sure to schedule.
constexpr size_t mostInstructions = 96;
constexpr int64_t blockSize = 128;

/// Blocks that the tensor engine transposes into a buffer in PSUM, and the copy
/// that empties it.
struct Group {
  NcInstruction copy;
  SmallVector<NcInstruction, 8> blocks; ///< In the order of their columns.
  AllocOp psum;
  size_t moved = 0; ///< Blocks at the end that the DMA engines take.
};

class ShareTransposes
    : public kiln::compiler::nc::impl::NcShareTransposesBase<ShareTransposes> {
public:
  void runOnOperation() override {
    costs.emplace(targetOf(getOperation()));
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      share(loop);
  }

private:
  /// The DMA engines transpose 16 bits of a type that this target lets pass.
  static bool isMovable(NcInstruction block) {
    SmallVector<MemoryAccess, 4> accesses = accessesOf(block);
    if (accesses.size() != 2)
      return false;
    for (const MemoryAccess &access : accesses)
      if (isa::sizeInBytes(access.shape.dtype) != 2 ||
          access.shape.partitions != blockSize ||
          access.shape.elements() != blockSize)
        return false;
    return true;
  }

  /// The only other users of what `copy` reads are transposes that fill it,
  /// block by block, or nothing.
  static std::optional<Group> groupOf(NcInstruction copy, Block *body) {
    if (infoOf(copy).opcode != isa::Opcode::TensorCopy)
      return std::nullopt;
    const MemoryAccess *source = nullptr;
    SmallVector<MemoryAccess, 4> accesses = accessesOf(copy);
    for (const MemoryAccess &access : accesses)
      if (access.reads())
        source = &access;
    if (!source || accesses.size() != 2)
      return std::nullopt;
    Group group;
    group.copy = copy;
    group.psum = source->base.getDefiningOp<AllocOp>();
    if (!group.psum || group.psum.getSpace() != Space::psum ||
        group.psum->getBlock() != body)
      return std::nullopt;
    SmallVector<std::pair<int64_t, NcInstruction>> found;
    for (Operation *user : group.psum.getMemory().getUsers()) {
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
      group.blocks.push_back(entry.second);
    }
    const auto columns = static_cast<int64_t>(found.size()) * blockSize;
    for (const MemoryAccess &access : accesses)
      if (ViewOp(access.view).getRow() != 0 || !isDense(access, columns))
        return std::nullopt;
    return group.blocks.empty() ? std::nullopt : std::optional(group);
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

  /// Columns first .. first + count - 1 of a dense view.
  static Value part(OpBuilder &builder, ViewOp view, int64_t first,
                    int64_t count) {
    AffineMap offset = view.getOffset();
    offset =
        AffineMap::get(offset.getNumDims(), 0, offset.getResult(0) + first);
    return ViewOp::create(builder, view.getLoc(), view.getBase(),
                          view.getIndices(), view.getRow(), offset,
                          {view.getSizes().front(), count}, {1, 1})
        .getView();
  }

  /// The copy of what the tensor engine still transposes.
  static Operation *shorten(OpBuilder &builder, const Group &group) {
    IRMapping map;
    const auto columns =
        static_cast<int64_t>(group.blocks.size() - group.moved) * blockSize;
    for (Value operand : NcInstruction(group.copy)->getOperands())
      if (auto view = operand.getDefiningOp<ViewOp>())
        map.map(operand, part(builder, view, 0, columns));
    return builder.clone(*group.copy, map);
  }

  Operation *transfer(OpBuilder &builder, const Group &group,
                      size_t index) const {
    NcInstruction block = group.blocks[index];
    Value source, destination;
    for (const MemoryAccess &access : accessesOf(block))
      if (access.reads())
        source = ViewOp(access.view).getView();
    for (const MemoryAccess &access : accessesOf(group.copy))
      if (access.writes())
        destination = part(builder, access.view,
                           static_cast<int64_t>(index) * blockSize, blockSize);
    OperationState state(block->getLoc(), "nc.dma_transpose");
    state.addOperands({destination, source});
    return builder.create(state);
  }

  /// Iterations cannot overlap without a copy of each buffer in PSUM, and those
  /// of the loops around it stay.
  bool hasBanks(scf::ForOp loop) const {
    auto left = static_cast<int64_t>(costs->target().bytes(isa::Space::psum));
    for (; loop; loop = loop->getParentOfType<scf::ForOp>())
      for (auto alloc : loop.getBody()->getOps<AllocOp>())
        if (alloc.getSpace() == Space::psum)
          left -= static_cast<int64_t>(
              llvm::alignTo(alloc.getBytesPerPartition(), isa::psumBankBytes));
    return left >= 0;
  }

  void share(scf::ForOp loop) {
    const std::optional<uint64_t> trips = constantTrips(loop);
    if (!trips || *trips < leastTrips || loop.getNumResults() != 0)
      return;
    SmallVector<NcInstruction> others;
    std::vector<Group> groups;
    size_t instructions = 0;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (op.getNumRegions() != 0 || llvm::isa<RegisterLoadOp>(op) ||
          !whyOrderIsFixed(&op).empty())
        return;
      auto instruction = dyn_cast<NcInstruction>(op);
      if (!instruction)
        continue;
      ++instructions;
      if (std::optional<Group> group = groupOf(instruction, loop.getBody()))
        groups.push_back(std::move(*group));
    }
    if (groups.empty() || instructions > mostInstructions || !hasBanks(loop))
      return;
    llvm::SmallDenseSet<Operation *> grouped;
    size_t blocks = 0;
    for (const Group &group : groups) {
      grouped.insert(group.copy);
      for (NcInstruction block : group.blocks)
        grouped.insert(block);
      blocks += group.blocks.size();
    }
    BodyLoads rest(*costs);
    for (auto op : loop.getBody()->getOps<NcInstruction>())
      if (!grouped.contains(op))
        rest.add(op);
    size_t best = 0;
    double least = 0;
    for (size_t moved = 0; moved <= blocks; ++moved) {
      divide(groups, moved);
      const double time = timeWith(rest, groups);
      if (moved == 0 || time < least * 0.99) {
        best = moved;
        least = time;
      }
    }
    divide(groups, best);
    if (best == 0)
      return;
    remarks.passed(groups.front().copy, "Shared")
        << "the DMA engines transpose " << measure("moved", best) << " of "
        << measure("blocks", blocks)
        << " blocks: whatever is busiest then is busy for "
        << nanoseconds("busy_ns", least) << " ns an iteration";
    for (const Group &group : groups)
      rewrite(group);
  }

  /// So many blocks in all, evenly.
  static void divide(std::vector<Group> &groups, size_t moved) {
    size_t left = moved;
    for (Group &group : groups)
      group.moved = 0;
    while (left > 0)
      for (Group &group : groups)
        if (left > 0 && group.moved < group.blocks.size()) {
          ++group.moved;
          --left;
        }
  }

  double timeWith(BodyLoads loads, const std::vector<Group> &groups) {
    for (const Group &group : groups) {
      OpBuilder builder(group.copy);
      for (size_t i = 0; i < group.blocks.size(); ++i) {
        if (i < group.blocks.size() - group.moved) {
          loads.add(group.blocks[i]);
          continue;
        }
        erase(
            group, [&](Operation *op) { addStatic(loads, op); },
            transfer(builder, group, i));
      }
      if (group.moved == 0)
        loads.add(group.copy);
      else if (group.moved < group.blocks.size())
        erase(
            group, [&](Operation *op) { loads.add(cast<NcInstruction>(op)); },
            shorten(builder, group));
    }
    return loads.busiest();
  }

  /// Looks at an operation that is only made to be looked at.
  template <class Look>
  static void erase(const Group &, Look &&look, Operation *op) {
    look(op);
    SmallVector<Operation *, 4> views;
    for (Value operand : op->getOperands())
      views.push_back(operand.getDefiningOp());
    op->erase();
    for (Operation *view : views)
      if (view && view->use_empty())
        view->erase();
  }

  /// With the descriptors that nc-pipeline-loops gives it.
  static void addStatic(BodyLoads &loads, Operation *op) {
    op->setAttr("dge_mode",
                DgeModeAttr::get(op->getContext(), isa::DgeMode::none));
    loads.add(cast<NcInstruction>(op));
  }

  void rewrite(const Group &group) const {
    if (group.moved == 0)
      return;
    OpBuilder builder(group.copy);
    const size_t kept = group.blocks.size() - group.moved;
    for (size_t i = kept; i < group.blocks.size(); ++i) {
      transfer(builder, group, i);
      NcInstruction(group.blocks[i])->erase();
    }
    if (kept > 0)
      shorten(builder, group);
    NcInstruction(group.copy)->erase();
  }

  std::optional<Costs> costs;
};

} // namespace

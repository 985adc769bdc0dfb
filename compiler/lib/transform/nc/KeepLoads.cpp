//===- KeepLoads.cpp - Loads that every outer iteration repeats -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a nest whose inner loop loads blocks that only its own counter chooses,
// every outer iteration loads the same blocks again:
//
//   for i in [b, n): H(i); for j: x = load(j); use(i, x); T(i)
//
// Where all blocks together fit in SBUF, the first outer iteration loads them
// and they stay (scalar expansion of the buffer over j, then peeling):
//
//   H(b); for j: X[j] = load(j); use(b, X[j]); T(b)
//   for i in [b + 1, n): H(i); for j: use(i, X[j]); T(i)
//
// If the inner loop is one that nc-pipeline-loops takes, nothing is peeled:
//
//   X[0] = load(0); X[1] = load(1); ...
//   for i in [b, n): H(i); for j: use(i, X[j]); T(i)
//
// nc-advance peels the first iteration of such a nest, which then waits for one
// load after the other, and overlaps the second one as all others do.
//
//===----------------------------------------------------------------------===//

#include "BodyLoads.h"
#include "FixedOrder.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/MemoryScopes.h"
#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/dialect/nc/WrittenMemory.h"
#include "kiln/compiler/transform/nc/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCKEEPLOADS
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

static constexpr Remarks keepLoadsRemarks("nc-keep-loads");

/// Elements that a block has in a partition, as the view sees them; 0 if it
/// sees no whole number of them.
static int64_t elementsOf(AllocOp alloc, ViewOp view) {
  const auto dtype = dtypeOf(view.getView().getType().getElementType());
  const int64_t bytes = alloc.getBytesPerPartition();
  const int64_t width = isa::sizeInBytes(dtype.value_or(isa::DType::f32));
  return bytes % width == 0 ? bytes / width : 0;
}

namespace {

/// Copies of a buffer of a loop that later passes may make.
constexpr int64_t copiesInLoops = 4;
/// Trips of an inner loop whose loads all stand in front of the nest: fewer are
/// not software pipelined, more make too much code.
constexpr int64_t leastTrips = 8, mostAhead = 32;
/// Instructions of an outer iteration, which peeling doubles.
constexpr size_t mostPeeled = 1024;

/// A buffer of an inner loop, and the loads that fill it, with what fills the
/// rest of it with constants.
struct LoadedBlock {
  AllocOp alloc;
  scf::ForOp inner;
  llvm::SetVector<Operation *> loads;

  int64_t trips() const { return static_cast<int64_t>(*constantTrips(inner)); }
  int64_t bytes() const {
    return AllocOp(alloc).getBytesPerPartition() * trips();
  }
};

/// One loop around others.
class Nest {
public:
  Nest(scf::ForOp outer, const WrittenMemory &written)
      : outer(outer), written(written) {}

  /// The buffers that every iteration fills with the same.
  SmallVector<LoadedBlock> blocks() const {
    SmallVector<LoadedBlock> result;
    for (auto inner : scf::ForOp(outer).getBody()->getOps<scf::ForOp>()) {
      const std::optional<uint64_t> trips = constantTrips(inner);
      if (!trips || *trips == 0 || inner.getNumResults() != 0 ||
          inner->hasAttr(onceAttrName))
        continue;
      for (auto alloc : inner.getBody()->getOps<AllocOp>())
        if (std::optional<LoadedBlock> block = blockOf(alloc, inner))
          result.push_back(std::move(*block));
    }
    return result;
  }

  /// Whether a second copy of an iteration has the same effect as the first
  /// one.
  bool maySplit() const {
    const std::optional<uint64_t> trips = constantTrips(outer);
    if (!trips || *trips < 2 || scf::ForOp(outer).getNumResults() != 0 ||
        scf::ForOp(outer)->hasAttr(onceAttrName))
      return false;
    size_t instructions = 0;
    const WalkResult walked =
        scf::ForOp(outer).getBody()->walk([&](Operation *op) {
          instructions += llvm::isa<NcInstruction>(op);
          const bool stays = llvm::isa<RegisterLoadOp, WhileOp>(op) ||
                             !whyOrderIsFixed(op).empty();
          return stays ? WalkResult::interrupt() : WalkResult::advance();
        });
    return !walked.wasInterrupted() && instructions <= mostPeeled;
  }

private:
  std::optional<LoadedBlock> blockOf(AllocOp alloc, scf::ForOp inner) const {
    if (alloc.getSpace() != Space::sbuf)
      return std::nullopt;
    LoadedBlock block{alloc, inner, {}};
    for (Operation *user : alloc.getMemory().getUsers()) {
      auto view = dyn_cast<ViewOp>(user);
      if (!view || view.getRowsByIndex() || elementsOf(alloc, view) == 0)
        return std::nullopt;
      for (Operation *reader : view->getUsers()) {
        auto instruction = dyn_cast<NcInstruction>(reader);
        if (!instruction || reader->getBlock() != inner.getBody())
          return std::nullopt;
        for (const MemoryAccess &access : accessesOf(instruction))
          if (access.base == alloc.getMemory() && access.writes()) {
            if (!isRepeated(instruction, alloc, inner))
              return std::nullopt;
            block.loads.insert(reader);
          }
      }
    }
    const bool isLoaded = llvm::any_of(block.loads, [](Operation *op) {
      return infoOf(cast<NcInstruction>(op)).isDma;
    });
    return isLoaded ? std::optional(std::move(block)) : std::nullopt;
  }

  /// Writes to the buffer what only the counter of the inner loop chooses: a
  /// transfer from HBM that nothing in the kernel writes, or what reads no
  /// memory at all. What the source itself writes is written as often as it
  /// says.
  bool isRepeated(NcInstruction op, AllocOp alloc, scf::ForOp inner) const {
    const bool isMistaken = isMutated(Mutation::keepLegality);
    if (op->getNumRegions() != 0 || meetsPeers(op) ||
        (isNoted(op) && !isMistaken) ||
        infoOf(op).state != isa::HiddenState::none)
      return false;
    for (const MemoryAccess &access : accessesOf(op)) {
      if (access.isIndexed)
        return false;
      if (access.base == alloc.getMemory()) {
        if (access.reads() ||
            (notesAt(ViewOp(access.view).getLoc()) && !isMistaken))
          return false;
        continue;
      }
      auto type = dyn_cast<MemRefType>(access.base.getType());
      if (access.writes() || !type || spaceOf(type) != Space::hbm ||
          (written.contains(access.base) && !isMistaken))
        return false;
    }
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return followsOnly(operand, alloc, inner);
    });
  }

  /// Computed from the counter of `inner` and from what is outside of the nest.
  bool followsOnly(Value value, AllocOp alloc, scf::ForOp inner) const {
    if (value == inner.getInductionVar() || value == alloc.getMemory() ||
        !scf::ForOp(outer).getBodyRegion().isAncestor(value.getParentRegion()))
      return true;
    Operation *source = value.getDefiningOp();
    return source && isPure(source) && source->getNumRegions() == 0 &&
           llvm::all_of(source->getOperands(), [&](Value operand) {
             return followsOnly(operand, alloc, inner);
           });
  }

  scf::ForOp outer;
  const WrittenMemory &written;
};

class KeepLoads : public kiln::compiler::nc::impl::NcKeepLoadsBase<KeepLoads> {
public:
  void runOnOperation() override {
    written = {};
    for (Operation &op : getOperation().getBody().front())
      written.add(&op);
    costs.emplace(getOperation());
    left = static_cast<int64_t>(costs->target().bytes(isa::Space::sbuf));
    getOperation().walk([&](AllocOp alloc) {
      if (alloc.getSpace() == Space::sbuf)
        left -=
            alloc.getBytesPerPartition() * alloc.getRing() *
            (llvm::isa<scf::ForOp>(alloc->getParentOp()) ? copiesInLoops : 1);
    });
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      keep(loop);
  }

private:
  void keep(scf::ForOp outer) {
    const Nest nest(outer, written);
    SmallVector<LoadedBlock> blocks = nest.blocks();
    if (blocks.empty())
      return;
    if (!nest.maySplit()) {
      for (const LoadedBlock &block : blocks)
        decline(block, "the loop around it cannot be peeled");
      return;
    }
    SmallVector<LoadedBlock> kept;
    for (LoadedBlock &block : blocks) {
      if (!binds(block)) {
        decline(block, "the engines take longer than the loads");
        continue;
      }
      if (block.bytes() > left) {
        decline(block, "all blocks take " + Twine(block.bytes()) +
                           " bytes per partition, but only " +
                           Twine(std::max<int64_t>(left, 0)) + " are free");
        continue;
      }
      left -= block.bytes();
      keepLoadsRemarks.passed(block.loads.front(), "Kept")
          << "every iteration of the loop around it loads the same data: it is "
             "loaded once and occupies "
          << count("bytes", block.bytes()) << noun(block.bytes(), " byte")
          << " per partition";
      kept.push_back(std::move(block));
    }
    if (!kept.empty())
      rewrite(outer, kept);
  }

  /// Few loads, and a body that is likely to be software pipelined.
  static bool loadsAhead(const LoadedBlock &block) {
    if (block.trips() < leastTrips || block.trips() > mostAhead)
      return false;
    return llvm::none_of(
        scf::ForOp(block.inner).getBody()->without_terminator(),
        [](Operation &op) { return op.getNumRegions() != 0; });
  }

  /// The transfers of the inner loop take longer than anything else in it.
  bool binds(const LoadedBlock &block) {
    BodyLoads loads(*costs), others(*costs);
    scf::ForOp(block.inner).getBody()->walk([&](NcInstruction op) {
      loads.add(op);
      if (!infoOf(op).isDma)
        others.add(op);
    });
    return loads.transfers() > others.busiestEngine();
  }

  static void decline(const LoadedBlock &block, const Twine &why) {
    keepLoadsRemarks.missed(block.loads.front(), "NotKept")
        << "every iteration of the loop around it loads the same data again: "
        << why.str();
  }

  static void rewrite(scf::ForOp outer, ArrayRef<LoadedBlock> kept) {
    for (const LoadedBlock &block : kept)
      expand(outer, block);
    if (llvm::all_of(kept, loadsAhead))
      return hoist(outer, kept);
    OpBuilder builder(outer);
    const Location where = outer.getLoc();
    const int64_t first = analyseIndex(outer.getLowerBound()).constant;
    const int64_t step = stepOf(outer);
    // A load stands for those of all iterations, and is checked as such:
    // nothing in between may have written its source.
    const int64_t last =
        first + step * (static_cast<int64_t>(*constantTrips(outer)) - 1);
    for (const LoadedBlock &block : kept)
      for (Operation *load : block.loads) {
        if (!infoOf(cast<NcInstruction>(load)).isDma)
          continue;
        noteTurn(load, outer, /*absolute=*/true, first, last);
        for (const MemoryAccess &access : accessesOf(cast<NcInstruction>(load)))
          if (access.reads())
            noteTurn(access.view, outer, /*absolute=*/true, first, last);
      }
    IRMapping map;
    map.map(outer.getInductionVar(), outer.getLowerBound());
    for (Operation &op : outer.getBody()->without_terminator()) {
      noteTurn(builder.clone(op, map), outer, /*absolute=*/true, first);
    }
    outer.setLowerBound(
        arith::ConstantIndexOp::create(builder, where, first + step));
    for (const LoadedBlock &block : kept)
      for (Operation *load : block.loads)
        load->erase();
  }

  /// All loads in front of the nest, in the order in which the first iteration
  /// needs them.
  static void hoist(scf::ForOp outer, ArrayRef<LoadedBlock> kept) {
    OpBuilder builder(outer);
    const int64_t first = analyseIndex(outer.getLowerBound()).constant;
    const int64_t last =
        first +
        stepOf(outer) * (static_cast<int64_t>(*constantTrips(outer)) - 1);
    llvm::SetVector<Operation *> loops;
    llvm::SmallDenseSet<Operation *> loads;
    for (const LoadedBlock &block : kept) {
      loops.insert(scf::ForOp(block.inner));
      loads.insert(block.loads.begin(), block.loads.end());
    }
    for (Operation *loop : loops) {
      auto inner = cast<scf::ForOp>(loop);
      SmallVector<NcInstruction> own;
      for (auto op : inner.getBody()->getOps<NcInstruction>())
        if (loads.contains(op))
          own.push_back(op);
      const int64_t begin = analyseIndex(inner.getLowerBound()).constant;
      const auto trips = static_cast<int64_t>(*constantTrips(inner));
      for (int64_t j = 0; j < trips; ++j) {
        const int64_t turn = begin + stepOf(inner) * j;
        Value index =
            arith::ConstantIndexOp::create(builder, inner.getLoc(), turn);
        for (NcInstruction op : own) {
          IRMapping map;
          map.map(inner.getInductionVar(), index);
          copySources(builder, op, outer, map);
          auto made = cast<NcInstruction>(builder.clone(*op, map));
          noteTurn(made, inner, /*absolute=*/true, turn);
          if (!infoOf(made).isDma) {
            noteTurn(made, outer, /*absolute=*/true, first);
            continue;
          }
          // It stands for those of all iterations.
          noteTurn(made, outer, /*absolute=*/true, first, last);
          for (const MemoryAccess &access : accessesOf(made)) {
            noteTurn(access.view, inner, /*absolute=*/true, turn);
            if (access.reads())
              noteTurn(access.view, outer, /*absolute=*/true, first, last);
            else
              noteTurn(access.view, outer, /*absolute=*/true, first);
          }
        }
      }
    }
    for (const LoadedBlock &block : kept)
      for (Operation *load : block.loads)
        load->erase();
  }

  /// Views and index arithmetic of the nest that `op` needs.
  static void copySources(OpBuilder &builder, Operation *op, scf::ForOp outer,
                          IRMapping &map) {
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (!source || map.contains(operand) || !outer->isAncestor(source))
        continue;
      copySources(builder, source, outer, map);
      builder.clone(*source, map);
    }
  }

  /// A block for each iteration of the inner loop, side by side, outside.
  static void expand(scf::ForOp outer, const LoadedBlock &block) {
    AllocOp alloc = block.alloc;
    scf::ForOp inner = block.inner;
    auto type = cast<MemRefType>(alloc.getMemory().getType());
    int64_t elements = 1; // Of a block, in a partition.
    for (const int64_t size : type.getShape().drop_front())
      elements *= size;
    OpBuilder builder(outer);
    auto whole = AllocOp::create(
        builder, alloc.getLoc(),
        MemRefType::get({type.getDimSize(0), block.trips() * elements},
                        type.getElementType(), MemRefLayoutAttrInterface(),
                        type.getMemorySpace()),
        alloc.getLabel().value_or(""));
    setMemoryScope(whole, memoryScopeOf(alloc));
    const int64_t first = analyseIndex(inner.getLowerBound()).constant;
    const int64_t step = stepOf(inner);
    for (Operation *user :
         llvm::make_early_inc_range(alloc.getMemory().getUsers())) {
      auto view = cast<ViewOp>(user);
      AffineMap offset = view.getOffset();
      const unsigned dims = offset.getNumDims();
      builder.setInsertionPoint(view);
      // Block (j - first) / step; the counter is a multiple of the step away.
      AffineExpr turn = builder.getAffineDimExpr(dims) - first;
      if (step != 1)
        turn = turn.floorDiv(step);
      SmallVector<Value> indices(view.getIndices());
      indices.push_back(inner.getInductionVar());
      auto made = ViewOp::create(
          builder, view.getLoc(), view.getView().getType(), whole.getMemory(),
          indices, view.getRow(),
          AffineMap::get(dims + 1, 0,
                         offset.getResult(0) + turn * elementsOf(alloc, view)),
          view.getSizes(), view.getStrides(), view.getRowsByIndex());
      view.getView().replaceAllUsesWith(made.getView());
      view.erase();
    }
    alloc.erase();
  }

  std::optional<Costs> costs;
  WrittenMemory written;
  int64_t left = 0; ///< Bytes of a partition.
};

} // namespace

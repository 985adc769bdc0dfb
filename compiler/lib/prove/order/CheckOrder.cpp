//===- CheckOrder.cpp - Conflicting accesses as the source has them -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simulates the program, with a few iterations of each loop, and determines for
// each access when the source performs it. If an access comes after a
// conflicting one that is later in the source, Kiln has made a mistake. What
// the source writes must also be written as often. This shares no code with the
// passes that change the order: operands are read from the instructions that
// the operations build.
//
//===----------------------------------------------------------------------===//

#include "OrderPlay.h"
#include "PlayedIndices.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/prove/OrderRecord.h"
#include "kiln/compiler/transform/nc/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCCHECKORDER
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

static constexpr Remarks checkOrderRemarks("nc-check-order");

namespace {

/// Iterations of a loop that has this many levels of loops in it.
int64_t playedTrips(unsigned levels) {
  return levels < 2 ? 3 : levels < 6 ? 2 : 1;
}

class Player {
public:
  Player(func::FuncOp func, const OrderRecord &record)
      : func(func), record(record), loopOf(record.parents.size()) {
    for (const OrderRecord::Loop &loop : record.loops)
      loopOf[loop.number] = &loop;
  }

  LogicalResult run() {
    levelsOf(func.getBody().front());
    return play(func.getBody().front());
  }

  /// How many accesses were compared with those before them.
  std::uint64_t compared = 0;

private:
  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  /// Also notes which memory is written at all: accesses to other memory have
  /// no order.
  unsigned levelsOf(Block &block) {
    unsigned most = 0;
    for (Operation &op : block) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        unsigned inner = levelsOf(*loop.getBody());
        levels[&op] = inner;
        most = std::max(most, inner + 1);
      } else if (auto instruction = dyn_cast<NcInstruction>(op)) {
        if (usesTensors(&op))
          for (const PlayedOperand &operand : operandsOf(instruction))
            if (operand.effect != isa::Effect::read)
              everWritten.insert(operand.view.getBase());
      }
    }
    return most;
  }

  struct OpenLoop {
    int64_t number = OrderRecord::none;
    int64_t counter = 0;
  };

  LogicalResult play(Block &block) {
    for (Operation &op : block) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        if (failed(playLoop(loop)))
          return failure();
      } else if (auto alloc = dyn_cast<AllocOp>(op)) {
        if (!alloc.getPinByte())
          memories.erase(alloc.getMemory());
      } else if (auto instruction = dyn_cast<NcInstruction>(op)) {
        if (failed(visit(instruction)))
          return failure();
      }
    }
    return success();
  }

  LogicalResult playLoop(scf::ForOp loop) {
    const PlayedIndices::Bounds bounds = indices.boundsOf(loop);
    if (!bounds.step)
      return loop.emitOpError()
             << Code{"KILN-C104"} << "needs a constant, positive step";
    int64_t trips = std::min(bounds.mostTrips,
                             playedTrips(levels.lookup(loop.getOperation())));
    SmallVector<int64_t, 1> number = numbersOf(loop);
    open.push_back({number.empty() ? OrderRecord::none : number.front(), 0});
    for (int64_t i = 0; i < trips; ++i) {
      Amount counter = indices.sum(bounds.begin, Amount::of(i * *bounds.step));
      counter.high =
          std::max(counter.low, std::min(counter.high, bounds.end.high - 1));
      indices.set(loop.getInductionVar(), counter);
      open.back().counter = counter.constant;
      if (failed(play(*loop.getBody())))
        return failure();
    }
    open.pop_back();
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Accesses
  //===--------------------------------------------------------------------===//

  /// True if it accesses memory whose order is recorded.
  bool isConcerned(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      auto view = operand.getDefiningOp<ViewOp>();
      return view && isOfSource(view.getBase());
    });
  }
  static bool inHbm(Value base) {
    return spaceOf(cast<MemRefType>(base.getType())) == Space::hbm;
  }
  static bool usesTensors(Operation *op) {
    return llvm::any_of(op->getOperands(), [](Value operand) {
      auto view = operand.getDefiningOp<ViewOp>();
      return view && inHbm(view.getBase());
    });
  }
  /// Tensors, and the buffers that the program has declared.
  static bool isOfSource(Value base) {
    Operation *alloc = base.getDefiningOp();
    return !alloc || isNoted(alloc) || notesAt(alloc->getLoc());
  }

  /// All buffers that are pinned in one memory count as one, because addresses
  /// are absolute.
  Value placeOf(Value base) {
    auto alloc = base.getDefiningOp<AllocOp>();
    if (!alloc || !alloc.getPinByte() || alloc.getRing() != 1)
      return base;
    Value &first = pinned[static_cast<size_t>(alloc.getSpace())];
    if (!first)
      first = base;
    return first;
  }

  PlayedBytes bytesOf(const PlayedOperand &operand) {
    PlayedBytes bytes;
    ViewOp view = operand.view;
    auto alloc = view.getBase().getDefiningOp<AllocOp>();
    bool absolute = alloc && alloc.getPinByte() && alloc.getRing() == 1;
    if (operand.shape.space != isa::Space::hbm) {
      bytes.partition = static_cast<uint32_t>(view.getRow());
      if (absolute)
        bytes.partition +=
            static_cast<uint32_t>(alloc.getPinPartition().value_or(0));
      bytes.partitionEnd = bytes.partition + operand.shape.partitions;
    }
    bytes.anywhere = operand.isIndexed;
    int64_t width = isa::sizeInBytes(operand.shape.dtype);
    Amount first =
        indices.product(indices.at(view.getOffset(), view.getIndices()), width);
    if (absolute)
      first = indices.sum(
          first, Amount::of(static_cast<int64_t>(*alloc.getPinByte())));
    int64_t before = 0; // Of the first byte to that of the first element.
    for (unsigned i = 0; i < operand.shape.rank; ++i) {
      int64_t stride = operand.shape.dims[i].stride * width;
      auto count = static_cast<int64_t>(operand.shape.dims[i].size);
      if (stride == 0 || count <= 1)
        continue;
      if (stride < 0) {
        before += stride * (count - 1);
        stride = -stride;
      }
      bytes.strides.push_back({stride, count});
    }
    first = indices.sum(first, Amount::of(before));
    bytes.offset = first.constant;
    bytes.unknown = first.unknown;
    bytes.low = first.low;
    bytes.high = first.high;
    llvm::sort(bytes.strides, [](const auto &a, const auto &b) {
      return std::pair(a.bytes, a.count) > std::pair(b.bytes, b.count);
    });
    bytes.run = width;
    while (!bytes.strides.empty() && bytes.strides.back().bytes <= bytes.run) {
      const PlayedBytes::Stride last = bytes.strides.pop_back_val();
      bytes.run += last.bytes * (last.count - 1);
    }
    return bytes;
  }

  LogicalResult visit(NcInstruction op) {
    if (auto load = dyn_cast<RegisterLoadOp>(op.getOperation()))
      indices.load(load);
    if (!isConcerned(op))
      return success();
    for (const PlayedOperand &operand : operandsOf(op)) {
      Value base = operand.view.getBase();
      if (!isOfSource(base))
        continue;
      if (inHbm(base) && !everWritten.contains(base))
        continue;
      // An access on behalf of another operation has that note at its view.
      Attribute notes = notesAt(operand.view.getLoc());
      SmallVector<int64_t, 1> numbers =
          notes ? numbersOf(notes) : numbersOf(op);
      DenseI64ArrayAttr turns = notes ? turnsOf(notes) : turnsOf(op);
      if (numbers.empty())
        return fail(op) << "it is not known for which operation of the source "
                           "it accesses memory";
      PlayedAccess access;
      access.op = op;
      access.reads = operand.effect != isa::Effect::write;
      access.writes = operand.effect != isa::Effect::read;
      if (access.writes && numbers.size() != 1)
        return fail(op) << "it writes for several operations of the source";
      Value place = placeOf(base);
      for (int64_t number : numbers) {
        SourceTime first, last;
        if (number >= static_cast<int64_t>(record.parents.size()) ||
            !timeOf(number, turns, access.writes, first, last) ||
            (access.writes && first != last))
          return fail(op) << "it is not known for which iterations it "
                          << (access.writes ? "writes" : "reads");
        if (access.first.empty() || first < access.first)
          access.first = first;
        if (last > access.last)
          access.last = last;
      }
      access.bytes = bytesOf(operand);
      ++compared;
      if (const PlayedAccess *wrong = memories[place].add(access)) {
        InFlightDiagnostic diagnostic = fail(op);
        diagnostic << "it " << verb(access)
                   << " what another operation, which is later in the source, "
                   << verb(*wrong) << " before";
        diagnostic.attachNote(wrong->op->getLoc()) << "the other operation";
        return diagnostic;
      }
    }
    return success();
  }

  static const char *verb(const PlayedAccess &access) {
    return !access.writes ? "reads" : access.reads ? "updates" : "writes";
  }

  InFlightDiagnostic fail(Operation *op) {
    return op->emitOpError()
           << Code{"KILN-C900"}
           << "internal: the order of the source is not kept: ";
  }

  /// False if that cannot be said.
  bool timeOf(int64_t number, DenseI64ArrayAttr turns, bool isWrite,
              SourceTime &first, SourceTime &last) const {
    SmallVector<int64_t, 4> chain;
    for (int64_t at = record.parents[number]; at != OrderRecord::none;
         at = record.parents[at])
      chain.push_back(at);
    for (int64_t loop : llvm::reverse(chain)) {
      const OrderRecord::Loop *noted = loopOf[loop];
      if (!noted)
        return false;
      int64_t low = noted->begin, high = std::numeric_limits<int64_t>::max();
      // Loops of one iteration are opened up. A write runs in one of them.
      if (noted->trips == 1 || noted->trips == OrderRecord::atMostOnce ||
          (isWrite && noted->trips == OrderRecord::none))
        high = low;
      const auto *around = llvm::find_if(
          open, [&](const OpenLoop &entry) { return entry.number == loop; });
      if (around != open.end())
        low = high = around->counter;
      for (int64_t i = 0; turns && i + 3 < turns.size(); i += 4) {
        if (turns[i] != loop)
          continue;
        if (turns[i + 1]) {
          low = turns[i + 2];
          high = turns[i + 3];
        } else if (around != open.end()) {
          low += turns[i + 2];
          high += turns[i + 3];
        }
      }
      first.append({loop, low});
      last.append({loop, high});
    }
    first.push_back(number);
    last.push_back(number);
    return true;
  }

  func::FuncOp func;
  const OrderRecord &record;
  std::vector<const OrderRecord::Loop *> loopOf;
  DenseMap<Operation *, unsigned> levels;
  llvm::DenseSet<Value> everWritten; ///< Tensors.
  PlayedIndices indices;
  SmallVector<OpenLoop, 4> open;
  Value pinned[3];
  DenseMap<Value, PlayedMemory> memories;
};

class CheckOrder
    : public kiln::compiler::nc::impl::NcCheckOrderBase<CheckOrder> {
public:
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    std::optional<OrderRecord> record =
        OrderRecord::fromAttribute(func->getAttr(orderRecordAttrName));
    if (!record) {
      func.emitError() << Code{"KILN-C900"}
                       << "internal: nc-note-order comes before "
                          "nc-check-order";
      return signalPassFailure();
    }
    Player player(func, *record);
    if (failed(player.run()) || failed(checkWhole(func, *record)))
      return signalPassFailure();
    removeSourceNotes(func);
    checkOrderRemarks.analysis(func, "OrderKept")
        << "conflicting accesses are in source order: compared "
        << count("accesses", player.compared)
        << noun(player.compared, " access", " accesses")
        << " of the first iterations of each loop";
  }
};

} // namespace

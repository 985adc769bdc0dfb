//===- CheckWhole.cpp - Nothing that the source does is lost --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over the program: what an operation of the source writes is written
// as often, and a buffer that each iteration writes before it reads is still
// written there first.
//
//===----------------------------------------------------------------------===//

#include "OrderPlay.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/MemoryScopes.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/prove/OrderRecord.h"
#include "kiln/compiler/transform/nc/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/FormatVariadic.h"

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCCHECKWHOLE
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

static constexpr Remarks checkWholeRemarks("nc-check-whole");

namespace {

class Walker {
public:
  Walker(func::FuncOp func, const OrderRecord &record)
      : func(func), record(record), written(record.parents.size(), 0),
        loopOf(record.parents.size()) {
    for (const OrderRecord::Loop &loop : record.loops)
      loopOf[loop.number] = &loop;
  }

  LogicalResult run() {
    return failure(failed(visit(func.getBody().front(), 1)) || failed(weigh()));
  }

  /// Operations of the source whose writes were counted, and those whose number
  /// of runs depends on data.
  std::uint64_t counted = 0, unknown = 0;

private:
  static constexpr double unknownCount = -1;

  /// `runs`: how often the block runs in all, beyond 64 bits in deep nests.
  LogicalResult visit(Block &block, std::optional<double> runs) {
    for (Operation &op : block) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        std::optional<uint64_t> trips = constantTrips(loop);
        std::optional<double> inner;
        if (trips && runs)
          inner = *runs * static_cast<double>(*trips);
        if (failed(visit(*loop.getBody(), inner)))
          return failure();
      } else if (auto alloc = dyn_cast<AllocOp>(op)) {
        if (alloc->hasAttr(writtenFirstAttrName))
          unwritten.insert(alloc.getMemory());
      } else if (auto instruction = dyn_cast<NcInstruction>(op)) {
        if (failed(visit(instruction, runs)))
          return failure();
      }
    }
    return success();
  }

  LogicalResult visit(NcInstruction op, std::optional<double> runs) {
    bool measures = false, isFirst = false;
    for (int64_t number : numbersOf(op))
      if (isMeasured(number, false))
        add(number, runs, 1);
      else
        measures |= isMeasured(number, true);
    for (Value operand : op->getOperands())
      if (auto view = operand.getDefiningOp<ViewOp>()) {
        measures |= static_cast<bool>(notesAt(view.getLoc()));
        isFirst |= unwritten.contains(view.getBase());
      }
    if (!measures && !isFirst)
      return success();
    for (const PlayedOperand &operand : operandsOf(op)) {
      const bool writes = operand.effect != isa::Effect::read;
      Attribute notes = notesAt(operand.view.getLoc());
      SmallVector<int64_t, 1> numbers =
          notes ? numbersOf(notes) : numbersOf(op);
      if (writes && numbers.size() == 1 && isMeasured(numbers.front(), true))
        add(numbers.front(), runs, operand.shape.totalElements());
      if (!unwritten.contains(operand.view.getBase()))
        continue;
      if (!writes)
        return op->emitOpError()
               << Code{"KILN-C900"}
               << "internal: the order of the source "
                  "is not kept: it reads a buffer that nothing "
                  "has written in this iteration";
      unwritten.erase(operand.view.getBase());
    }
    return success();
  }

  void add(int64_t number, std::optional<double> runs, uint64_t amount) {
    double &sum = written[number];
    if (!runs || sum == unknownCount)
      sum = unknownCount;
    else
      sum += *runs * static_cast<double>(amount);
  }
  bool isMeasured(int64_t number, bool byElements) const {
    return number >= 0 && number < static_cast<int64_t>(written.size()) &&
           record.writes[number] != 0 &&
           (record.writes[number] != OrderRecord::once) == byElements;
  }

  /// What the source writes is written: as many elements, or as often.
  LogicalResult weigh() {
    for (auto [number, sum] : llvm::enumerate(written)) {
      int64_t elements = record.writes[number];
      if (elements == 0)
        continue;
      if (sum == unknownCount) {
        ++unknown;
        continue;
      }
      double wanted =
          elements == OrderRecord::once ? 1 : static_cast<double>(elements);
      bool known = true;
      for (int64_t at = record.parents[number]; at != OrderRecord::none;
           at = record.parents[at]) {
        known &= loopOf[at] && loopOf[at]->trips >= 0;
        if (known)
          wanted *= static_cast<double>(loopOf[at]->trips);
      }
      ++(known ? counted : unknown);
      // Products of many extents are rounded.
      if (known && sum < wanted * (1 - 1e-9))
        return func.emitError()
               << Code{"KILN-C900"} << "internal: operation "
               << static_cast<int64_t>(number) << " of the source "
               << (elements == OrderRecord::once ? "runs " : "writes ")
               << llvm::formatv("{0:f0}", wanted).str()
               << (elements == OrderRecord::once ? " times" : " elements")
               << ", but its instructions only "
               << llvm::formatv("{0:f0}", sum).str();
    }
    return success();
  }

  func::FuncOp func;
  const OrderRecord &record;
  std::vector<double> written; ///< By number.
  std::vector<const OrderRecord::Loop *> loopOf;
  llvm::DenseSet<Value> unwritten;
};

/// What the user keeps in a part of a memory is there, whatever nc-allocate
/// thought of it.
LogicalResult checkMemoryScopes(func::FuncOp func) {
  const WalkResult result = func.walk([](AllocOp alloc) {
    const std::optional<MemoryLimit> limit = limitOf(alloc);
    const std::optional<int64_t> byte = alloc.getByte();
    if (!limit || !byte)
      return WalkResult::advance();
    const auto begin = static_cast<std::uint64_t>(*byte);
    const std::uint64_t end =
        begin + alloc.getRing() * alloc.getSlotBytes().value_or(0);
    if (begin >= limit->begin && end <= limit->end)
      return WalkResult::advance();
    alloc.emitOpError() << Code{"KILN-C900"} << "internal: it is at bytes "
                        << begin << " to " << end
                        << ", outside of memory scope '" << limit->name << "'";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

class CheckWhole
    : public kiln::compiler::nc::impl::NcCheckWholeBase<CheckWhole> {
public:
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    std::optional<OrderRecord> record =
        OrderRecord::fromAttribute(func->getAttr(orderRecordAttrName));
    if (!record) {
      func.emitError() << Code{"KILN-C900"}
                       << "internal: nc-note-order comes before "
                          "nc-check-whole";
      return signalPassFailure();
    }
    Walker walker(func, *record);
    if (failed(walker.run()) || failed(checkMemoryScopes(func)))
      return signalPassFailure();
    checkWholeRemarks.analysis(func, "NothingLost")
        << "no write of the source is lost: counted "
        << count("operations", walker.counted)
        << noun(walker.counted, " operation") << ", "
        << count("unknown", walker.unknown)
        << " of them in loops whose trip count depends on data";
    func.walk([](AllocOp alloc) {
      alloc->removeDiscardableAttr(writtenFirstAttrName);
    });
  }
};

} // namespace

LogicalResult kiln::compiler::nc::checkWhole(func::FuncOp func,
                                             const OrderRecord &record) {
  return Walker(func, record).run();
}

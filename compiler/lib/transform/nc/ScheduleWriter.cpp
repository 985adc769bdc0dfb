//===- ScheduleWriter.cpp - What was decided for each loop ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttachedSchedule.h"

#include "kiln/compiler/dialect/nc/Locations.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/transform/nc/Schedules.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace schedule = kiln::schedule;

/// Nothing else is in the order of the block: no inner loop, nothing that
/// nc-order keeps in its place, nothing of other loops.
static std::optional<SmallVector<NcInstruction>> orderOf(Block &block,
                                                         StringRef loop) {
  SmallVector<NcInstruction> order;
  for (Operation &op : block) {
    if (op.getNumRegions() != 0 || llvm::isa<RegisterLoadOp>(op) ||
        op.hasAttr(scheduledAttrName))
      return std::nullopt;
    auto instruction = dyn_cast<NcInstruction>(op);
    if (!instruction)
      continue;
    if (calledName(&op).rsplit(':').first != loop || calledName(&op).empty())
      return std::nullopt;
    order.push_back(instruction);
  }
  return order;
}

schedule::Loop *ScheduleWriter::find(StringRef name) {
  for (schedule::Loop &loop : loops)
    if (loop.name == name)
      return &loop;
  return nullptr;
}

void ScheduleWriter::readEngines(func::FuncOp func) {
  const auto add = [&](Operation *loop, Block &block) {
    schedule::Loop section;
    section.name = loop == func ? "" : calledName(loop).str();
    if (llvm::any_of(block, [](Operation &op) {
          return op.hasAttr(takesTurnsAttrName);
        }))
      undecided.insert(section.name);
    section.place = loop == func ? "" : fileAndLine(loop->getLoc());
    for (auto op : block.getOps<NcInstruction>()) {
      // Goes to every stream that uses it: nc-replicate-registers.
      if (std::optional<kiln::isa::Engine> engine = op.getAssignedEngine())
        section.operations.push_back(
            {ownName(op).str(), *engine, 0, 0, {}, fileAndLine(op->getLoc())});
    }
    if (loop != func || !section.operations.empty())
      loops.push_back(std::move(section));
  };
  add(func, func.getBody().front());
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != func && op->getNumRegions() != 0)
      add(op, op->getRegion(0).front());
  });
}

void ScheduleWriter::readPipelines(func::FuncOp func) {
  auto texts = llvm::dyn_cast_if_present<ArrayAttr>(
      func->removeAttr(loopSchedulesAttrName));
  if (!texts)
    return dropUndecided();
  for (auto text : texts.getAsRange<StringAttr>()) {
    schedule::Loop read =
        schedule::parseSchedules(text.getValue())->front().loops.front();
    schedule::Loop *loop = find(read.name);
    if (!loop)
      continue;
    // Comments come from where the names were given.
    llvm::StringMap<std::string> places;
    for (const schedule::Operation &op : loop->operations)
      places[op.name] = op.place;
    for (schedule::Operation &op : read.operations)
      op.place = places.lookup(op.name);
    read.place = loop->place;
    undecided.erase(read.name);
    *loop = std::move(read);
  }
  dropUndecided();
}

/// Without turns, a loop that engines might have taken turns in, and that is
/// not pipelined, would be another one: the compiler decides again.
void ScheduleWriter::dropUndecided() {
  llvm::erase_if(loops, [&](const schedule::Loop &loop) {
    return undecided.contains(loop.name);
  });
  undecided.clear();
}

void ScheduleWriter::readOrders(func::FuncOp func) {
  // A loop that was peeled is there more than once, in several orders.
  llvm::StringMap<unsigned> times;
  func.walk([&](Operation *op) {
    if (op->getNumRegions() != 0)
      ++times[calledName(op)];
  });
  func.walk([&](Operation *op) {
    if (op == func || op->getNumRegions() == 0)
      return;
    const StringRef name = calledName(op);
    schedule::Loop *loop = name.empty() ? nullptr : find(name);
    if (!loop || loop->form == schedule::Form::pipelined || times[name] != 1)
      return;
    Block &block = op->getRegion(0).front();
    const auto order = orderOf(block, name);
    if (!order || order->empty() || order->size() != loop->operations.size())
      return;
    // A buffer without room for more copies will have none again: if it asked
    // for fewer, others would take the room.
    for (auto alloc : block.getOps<AllocOp>())
      if (calledName(alloc).rsplit(':').first == name &&
          alloc.getSpace() != Space::hbm &&
          !alloc->hasAttr(fewerCopiesAttrName))
        loop->rings.push_back(
            {ownName(alloc).str(), static_cast<uint32_t>(alloc.getRing())});
    llvm::StringMap<schedule::Operation> known;
    for (schedule::Operation &said : loop->operations)
      known[said.name] = said;
    loop->operations.clear();
    for (NcInstruction instruction : *order)
      loop->operations.push_back(known.lookup(ownName(instruction)));
    loop->form = schedule::Form::ordered;
  });
}

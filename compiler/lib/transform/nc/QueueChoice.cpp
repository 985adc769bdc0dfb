//===- QueueChoice.cpp - Streams and queues of transfers ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QueueChoice.h"

#include "kiln/compiler/dialect/nc/Code.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

/// By engine: the queues that its stream feeds. Disjoint, and most for sync,
/// which issues the loads.
static constexpr std::array<QueueChoice::Range, isa::numEngines> queuesOf{
    {{15, 1}, {14, 1}, {12, 2}, {8, 4}, {0, 8}}};

/// With fewer queues, the least time between two transfers of a queue is more
/// than it takes to make descriptors.
static constexpr unsigned leastEven = 2;

/// The queue that the user names, if one.
static std::optional<int64_t> userQueue(NcInstruction op) {
  auto given = op->getAttrOfType<IntegerAttr>(queueAttrName);
  if (!given || given.getInt() == 0)
    return std::nullopt;
  return given.getInt();
}

bool QueueChoice::hasUserQueue(NcInstruction op) {
  return userQueue(op).has_value();
}

static StringRef nameOf(isa::Engine engine) {
  return StringRef(isa::name(engine));
}

static bool isStore(ArrayRef<MemoryAccess> accesses) {
  return llvm::any_of(accesses, [](const MemoryAccess &access) {
    return access.writes() && access.shape.space == isa::Space::hbm;
  });
}

QueueChoice::QueueChoice(func::FuncOp function) : function(function) {
  function.walk([&](NcInstruction op) {
    if (infoOf(op).isDma && !isStore(accessesOf(op)))
      lastLoad = op;
  });
}

isa::Engine QueueChoice::streamOf(NcInstruction op,
                                  ArrayRef<MemoryAccess> accesses) {
  const isa::Engine usual = streamOfTransfer(op, accesses);
  std::optional<int64_t> queue = userQueue(op);
  if (!queue)
    return usual;
  if (namedStreams.empty())
    function.walk([&](NcInstruction other) {
      std::optional<isa::Engine> engine = other.getAssignedEngine();
      if (std::optional<int64_t> named = userQueue(other); named && engine)
        namedStreams.try_emplace(*named, *engine);
    });
  return namedStreams.try_emplace(*queue, usual).first->second;
}

LogicalResult QueueChoice::assign() {
  if (failed(takeQueues()))
    return failure();
  for (NcInstruction transfer : transfers) {
    auto &has = meetsPeers(transfer) ? hasMeetings : hasCopies;
    has[static_cast<size_t>(*transfer.getAssignedEngine())] = true;
  }
  countInLoops();
  for (NcInstruction transfer : transfers)
    if (failed(assignQueue(transfer)))
      return failure();
  return success();
}

/// Engines serve queues in turn. If a body has more loads than queues, and not
/// a multiple of their number, one queue has more of them than the others, and
/// what an iteration issues last overtakes what the next one issues first.
/// Other transfers wait for what they move, so they have no such order.
void QueueChoice::countInLoops() {
  for (NcInstruction transfer : transfers) {
    if (!llvm::isa<scf::ForOp>(transfer->getParentOp()))
      continue;
    InLoop &body = inLoops[placeOf(transfer)];
    ++body.count;
    body.loadsOnly &=
        llvm::none_of(accessesOf(transfer), [](const MemoryAccess &access) {
          return access.reads() && access.shape.space != isa::Space::hbm;
        });
  }
}

/// The number of queues among which the transfers of a body are divided evenly,
/// or as many as there are.
unsigned QueueChoice::evenQueues(unsigned transfers, unsigned queues) {
  for (unsigned count = queues; count >= leastEven; --count)
    if (transfers > queues && transfers % count == 0)
      return count;
  return queues;
}

/// The streams that own the queues which the user names.
LogicalResult QueueChoice::takeQueues() {
  for (NcInstruction op : transfers) {
    std::optional<int64_t> queue = userQueue(op);
    if (!queue || *queue < 0 || *queue >= isa::dmaQueues)
      continue; // A wrong number is reported elsewhere.
    NcInstruction &first = owners[*queue];
    if (!first)
      first = op;
    if (first.getAssignedEngine() == op.getAssignedEngine())
      continue;
    InFlightDiagnostic error =
        op->emitError()
        << Code{"KILN-C185"} << "DMA queue " << found(Twine(*queue))
        << " is fed by the " << nameOf(*op.getAssignedEngine())
        << " stream here and by the " << nameOf(*first.getAssignedEngine())
        << " stream already; a queue belongs to one stream: give both "
           "transfers the same engine, or use two of the queues "
        << allowed("1 to " + Twine(isa::dmaQueues - 1));
    error.attachNote(first->getLoc()) << "the first transfer on it is here";
    return error;
  }
  return success();
}

/// Loads on sync, stores and copies where waiting hurts least.
isa::Engine QueueChoice::streamOfTransfer(NcInstruction op,
                                          ArrayRef<MemoryAccess> accesses) {
  return isStore(accesses) && !isBesideLoops(op) && !isLateCopy(op, accesses)
             ? isa::Engine::gpsimd
             : isa::Engine::sync;
}

/// It does not wait for data on chip, as stores in GpSimd's stream do, and no
/// load follows that it could block.
bool QueueChoice::isLateCopy(NcInstruction op,
                             ArrayRef<MemoryAccess> accesses) {
  Region &body = function.getBody();
  for (const MemoryAccess &access : accesses)
    if (access.shape.space != isa::Space::hbm)
      return false;
  return lastLoad && body.findAncestorOpInRegion(*lastLoad)->isBeforeInBlock(
                         body.findAncestorOpInRegion(*op.getOperation()));
}

/// It stands beside loops that load nothing from HBM: a store that waits for
/// its data blocks no load, and GpSimd, which would make its descriptors,
/// continues with its work in the loops.
bool QueueChoice::isBesideLoops(NcInstruction op) {
  auto [known, isNew] = besideLoops.try_emplace(op->getBlock(), false);
  if (!isNew)
    return known->second;
  bool loops = false, loads = false;
  for (auto loop : op->getBlock()->getOps<scf::ForOp>()) {
    loops = true;
    loop.getBody()->walk([&](NcInstruction inner) {
      if (infoOf(inner).isDma)
        for (const MemoryAccess &access : accessesOf(inner))
          loads |= access.shape.space == isa::Space::hbm;
    });
  }
  return known->second = loops && !loads;
}

/// A collective holds its queue until all ranks have met and moved: the other
/// transfers of its stream take other queues.
QueueChoice::Range QueueChoice::usualQueuesOf(NcInstruction op,
                                              isa::Engine stream) const {
  const auto engine = static_cast<size_t>(stream);
  const Range all = queuesOf[engine];
  if (!hasMeetings[engine] || !hasCopies[engine] || all.count == 1)
    return all;
  return meetsPeers(op) ? Range{all.first + all.count - 1, 1}
                        : Range{all.first, all.count - 1};
}

LogicalResult QueueChoice::assignQueue(NcInstruction op) {
  if (userQueue(op))
    return success();
  const isa::Engine stream = *op.getAssignedEngine();
  auto engine = static_cast<size_t>(stream);
  auto isFree = [&](unsigned queue) {
    NcInstruction owner = owners[queue];
    return !owner || owner.getAssignedEngine() == stream;
  };
  const Range range = usualQueuesOf(op, stream);
  if (const auto body = inLoops.find(placeOf(op));
      body != inLoops.end() && body->second.loadsOnly) {
    const unsigned count = evenQueues(body->second.count, range.count);
    if (count < range.count)
      nextQueue[engine] = body->second.begun++ % count;
  }
  for (unsigned i = 0; i < range.count; ++i) {
    unsigned queue = range.first + nextQueue[engine]++ % range.count;
    if (!isFree(queue))
      continue;
    op->setAttr(queueAttrName, Builder(op).getI32IntegerAttr(queue));
    op->setAttr(dealtQueueAttrName, UnitAttr::get(op->getContext()));
    return success();
  }
  // The user gave all of them to other streams: one that no stream uses.
  for (unsigned queue = 0; queue < isa::dmaQueues; ++queue) {
    const bool isUsual = llvm::any_of(queuesOf, [&](const Range &other) {
      return queue >= other.first && queue < other.first + other.count &&
             feeds(static_cast<size_t>(&other - queuesOf.data()));
    });
    if (!isFree(queue) || isUsual)
      continue;
    owners[queue] = op;
    op->setAttr(queueAttrName, Builder(op).getI32IntegerAttr(queue));
    return success();
  }
  return op->emitError()
         << Code{"KILN-C186"} << "no DMA queue is left for the "
         << nameOf(stream)
         << " stream: the kernel gives them all to other streams; leave "
            "'queue' out of some transfers";
}

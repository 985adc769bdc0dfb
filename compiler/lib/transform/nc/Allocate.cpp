//===- Allocate.cpp - Addresses for SBUF and PSUM buffers ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AllocatedCopies.h"
#include "AttachedSchedule.h"
#include "BufferLifetimes.h"
#include "BufferText.h"
#include "Pins.h"
#include "SharedBanks.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/MemoryScopes.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/problem/SpaceProblem.h"
#include "kiln/compiler/transform/nc/Passes.h"
#include "kiln/compiler/transform/nc/Schedules.h"

#include <algorithm>

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCALLOCATE
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;
namespace problems = kiln::problems;

static constexpr Remarks allocateRemarks("nc-allocate");

namespace {

/// Rows of this many bytes start aligned, which every engine reads fastest.
constexpr std::uint32_t alignment = 64;
/// Those of a memory scope that has no room otherwise: all types have this.
constexpr std::uint32_t leastAlignment = 4;
/// Buffers named in an error message.
constexpr size_t mapEntries = 12;

/// How long a buffer of a loop body keeps its bytes for itself. Two that share
/// bytes make the streams wait for each other; so the longest first.
enum class Lifetime { nest, loop, uses };

/// What a DMA fills has its memory so many operations before.
struct Ahead {
  std::uint32_t operations = 0;
  bool inLoops = false; ///< Buffers of loops, too.
};

class Allocate : public kiln::compiler::nc::impl::NcAllocateBase<Allocate> {
public:
  void runOnOperation() override {
    target = targetOf(getOperation());
    keepsBanks = true;
    if (failed(checkHbm()))
      return signalPassFailure();
    const BufferLifetimes lifetimes(getOperation());
    for (isa::Space space : {isa::Space::sbuf, isa::Space::psum})
      if (failed(place(space, lifetimes)))
        return signalPassFailure();
  }

private:
  /// Tensors have no addresses here, but all of them must find room.
  LogicalResult checkHbm() {
    std::uint64_t bytes = 0, most = 0;
    std::optional<Location> largest;
    auto add = [&](Value memory) {
      auto type = cast<MemRefType>(memory.getType());
      if (spaceOf(type) != Space::hbm)
        return;
      const std::uint64_t own = llvm::SaturatingMultiply<std::uint64_t>(
          static_cast<std::uint64_t>(type.getNumElements()),
          isa::sizeInBytes(*dtypeOf(type.getElementType())));
      bytes = llvm::SaturatingAdd(bytes, own);
      if (own > most) {
        most = own;
        largest = memory.getLoc();
      }
    };
    for (BlockArgument tensor : getOperation().getArguments())
      if (llvm::isa<MemRefType>(tensor.getType()))
        add(tensor);
    getOperation().walk([&](AllocOp alloc) { add(alloc.getMemory()); });
    const auto capacity = std::uint64_t(target.hbm_stack_gib) << 30;
    if (bytes <= capacity)
      return success();
    return emitError(*largest)
           << Code{"KILN-C115"} << "the tensors of the kernel take "
           << found(Twine(bytes)) << " bytes; the HBM stack of a core of "
           << StringRef(target.name.view()) << " has "
           << allowed(Twine(capacity)) << " (" << target.hbm_stack_gib
           << " GiB); the largest takes " << most;
  }

  /// With all names, which take long to create, for error messages.
  problems::SpaceProblem instance(isa::Space space, ArrayRef<Buffer> buffers,
                                  Lifetime lifetime, bool named = false,
                                  Ahead ahead = {}) {
    problems::SpaceProblem problem;
    // In straight-line code, a buffer that gets a bank which is just being read
    // waits for it, although others are free.
    const bool hasLoops = llvm::any_of(buffers, [](const Buffer &buffer) {
      return llvm::isa<scf::ForOp>(AllocOp(buffer.op)->getParentOp());
    });
    problem.spread =
        space == isa::Space::psum && (lifetime == Lifetime::uses || !hasLoops);
    problem.space = space;
    problem.capacity = static_cast<std::uint64_t>(target.bytes(space));
    for (const Buffer &buffer : buffers) {
      AllocOp op = buffer.op;
      problems::SpaceRectangle rectangle;
      if (named || op.getPinByte())
        rectangle.name = nameOf(op);
      rectangle.partitions = static_cast<std::uint32_t>(op.getPartitions());
      rectangle.bytes = static_cast<std::uint64_t>(op.getBytesPerPartition());
      rectangle.alignment =
          rectangle.bytes < alignment ? leastAlignment : alignment;
      bool loopLocal = llvm::isa<scf::ForOp>(op->getParentOp());
      const bool wholeNest = lifetime == Lifetime::nest || buffer.inNest;
      const bool wholeLoop = lifetime == Lifetime::loop || buffer.alone;
      Steps life = !loopLocal  ? buffer.uses
                   : wholeNest ? buffer.nest
                   : wholeLoop ? buffer.loop
                               : buffer.uses;
      rectangle.begin =
          (loopLocal && !ahead.inLoops) || !buffer.transferred ||
                  op->hasAttr(copyAttrName)
              ? life.begin
              : life.begin - std::min(life.begin, ahead.operations);
      rectangle.end = life.end;
      rectangle.slots = buffer.slots;
      rectangle.wholeBank =
          space == isa::Space::psum && buffer.tensorEngineWrites;
      if (op.getPinByte()) {
        rectangle.alignment = 1;
        rectangle.wholeBank = false;
        rectangle.pin = problems::SpacePin{
            static_cast<std::uint32_t>(op.getPinPartition().value_or(0)),
            static_cast<std::uint64_t>(*op.getPinByte())};
      } else if (const std::optional<int64_t> bank = bankOf(op);
                 bank && keepsBanks) {
        rectangle.pin = problems::SpacePin{
            0, static_cast<std::uint64_t>(*bank) * isa::psumBankBytes};
      }
      limit(rectangle, op);
      if (rectangle.within && isTight && !rectangle.pin)
        rectangle.alignment = std::min(rectangle.alignment, leastAlignment);
      problem.rectangles.push_back(std::move(rectangle));
    }
    return problem;
  }

  /// Where only the tiles of a memory scope find no room, copies of other ones
  /// do not help.
  static bool takeCopiesBack(MutableArrayRef<Buffer> buffers,
                             const problems::SpaceProblem &problem,
                             const problems::SpaceResult &result) {
    const bool isInScope =
        problem.rectangles[result.failure.rectangle].within &&
        problems::mayHaveRoom(problem);
    return nc::takeCopiesBack(buffers, [&](const Buffer &buffer) {
      return !isInScope || limitOf(buffer.op);
    });
  }

  LogicalResult place(isa::Space space, const BufferLifetimes &lifetimes) {
    SmallVector<Buffer> buffers;
    getOperation().walk<WalkOrder::PreOrder>([&](AllocOp alloc) {
      if (toIsa(alloc.getSpace()) == space && !alloc.getMemory().use_empty())
        buffers.push_back(lifetimes.describe(alloc));
    });
    isTight = false;
    auto lifetime = Lifetime::nest;
    for (bool first = true;; first = false) {
      problems::SpaceProblem problem = instance(space, buffers, lifetime);
      for (const auto &[buffer, tile] : llvm::zip(buffers, problem.rectangles))
        if (first && ((tile.pin && !bankOf(buffer.op) &&
                       failed(checkPin(buffer.op, tile, target))) ||
                      failed(checkScope(buffer.op, tile, target))))
          return failure();
      if (problem.check())
        return getOperation().emitError()
               << Code{"KILN-C103"} << "allocation: "
               << *instance(space, buffers, lifetime, /*named=*/true).check();
      // Pinned buffers cannot move, but may share bytes at different times.
      if (problems::Problem wrong = collision(problem)) {
        if (lifetime == Lifetime::uses && hasBanks(space, buffers)) {
          keepsBanks = false;
          continue;
        }
        if (lifetime == Lifetime::uses)
          return llvm::find_if(buffers,
                               [](const Buffer &buffer) {
                                 return AllocOp(buffer.op).getPinByte();
                               })
                     ->op->emitError()
                 << Code{"KILN-C103"} << "allocation: pinned " << *wrong
                 << "; pin one of them elsewhere";
        lifetime = lifetime == Lifetime::nest ? Lifetime::loop : Lifetime::uses;
        continue;
      }
      problems::SpaceResult result;
      if (problems::mayHaveRoom(problem))
        result = problems::solveSpace(problem);
      if (result.solution) {
        if (problems::verify(problem, *result.solution))
          return getOperation().emitError()
                 << Code{"KILN-C900"} << "internal: the allocation is wrong: "
                 << *problems::verify(instance(space, buffers, lifetime, true),
                                      *result.solution);
        const auto now = [&] { return instance(space, buffers, lifetime); };
        const bool shares = lifetime == Lifetime::uses;
        if (space == isa::Space::sbuf || shares)
          giveCopies(buffers, now, problem, result);
        if (space == isa::Space::sbuf) {
          giveNestsTheirBytes(buffers, now, problem, result);
          giveSecondCopies(buffers, now, problem, result);
        }
        if (shares && space == isa::Space::sbuf)
          giveNestsApart(buffers, now, problem, result);
        if (shares)
          giveLoopsAllCopies(buffers, now, problem, result);
        letTransfersBeAhead(space, buffers, lifetime, problem, result);
        if (space == isa::Space::sbuf && shares)
          spreadBytes(problem, result);
        return apply(space, problem, *result.solution, buffers, shares);
      }
      if (lifetime == Lifetime::nest) {
        lifetime = Lifetime::loop;
        continue;
      }
      // A second copy helps only the next iteration; separate memory helps this
      // one, too, and no iteration waits for the buffers of another one.
      if (lifetime == Lifetime::loop &&
          !takeCopiesBack(buffers, problem, result)) {
        lifetime = Lifetime::uses;
        // Banks are few: there, copies return once everything has a place.
        if (space == isa::Space::sbuf)
          for (Buffer &buffer : buffers)
            buffer.slots = static_cast<std::uint32_t>(buffer.op.getRing());
        continue;
      }
      // Banks that two loops share are no more than a wish.
      if (lifetime == Lifetime::uses && hasBanks(space, buffers)) {
        keepsBanks = false;
        continue;
      }
      if (lifetime == Lifetime::uses && !isTight &&
          problem.rectangles[result.failure.rectangle].within) {
        isTight = true;
        continue;
      }
      if (lifetime == Lifetime::uses &&
          !takeCopiesBack(buffers, problem, result))
        return report(space, instance(space, buffers, lifetime, true),
                      problems::solveSpace(problem).failure, buffers);
    }
  }

  /// Where one load follows the other, as for the pieces of a long row, each
  /// would wait for the memory of the one before, and those of a loop for that
  /// of what runs in front of it: as far as there is room, they get memory of
  /// their own.
  void letTransfersBeAhead(isa::Space space, ArrayRef<Buffer> buffers,
                           Lifetime lifetime, problems::SpaceProblem &problem,
                           problems::SpaceResult &result) {
    constexpr long few = 4;
    const long outside = llvm::count_if(buffers, [](const Buffer &buffer) {
      AllocOp op = buffer.op;
      return buffer.transferred && !op->hasAttr(copyAttrName) &&
             !llvm::isa<scf::ForOp>(op->getParentOp());
    });
    if (space != isa::Space::sbuf || outside == 0)
      return;
    constexpr Ahead distances[] = {{4096, true}, {2048, true}, {1024, true},
                                   {512},        {256},        {128},
                                   {64},         {32}};
    const bool hasLoops = llvm::any_of(buffers, [](const Buffer &buffer) {
      return buffer.transferred &&
             llvm::isa<scf::ForOp>(AllocOp(buffer.op)->getParentOp());
    });
    for (const Ahead ahead : distances) {
      if (ahead.inLoops && !hasLoops)
        continue;
      if (!ahead.inLoops && outside < few)
        return;
      problems::SpaceProblem wider =
          instance(space, buffers, lifetime, /*named=*/false, ahead);
      problems::SpaceResult found = problems::solveSpace(wider);
      if (!found.solution || problems::verify(wider, *found.solution))
        continue;
      problem = std::move(wider);
      result = std::move(found);
      return;
    }
  }

  /// A buffer that gets bytes which are just being read waits for them: the
  /// bytes that were released first are reused first.
  static void spreadBytes(problems::SpaceProblem &problem,
                          problems::SpaceResult &result) {
    problem.spread = true;
    problems::SpaceResult found = problems::solveSpace(problem);
    if (found.isSpread && !problems::verify(problem, *found.solution))
      result = std::move(found);
  }

  bool hasBanks(isa::Space space, ArrayRef<Buffer> buffers) const {
    return space == isa::Space::psum && keepsBanks &&
           llvm::any_of(buffers, [](const Buffer &buffer) {
             return bankOf(buffer.op).has_value();
           });
  }

  /// An attached schedule is kept, or refused.
  LogicalResult checkAttached(const Buffer &buffer) {
    AllocOp op = buffer.op;
    auto line = op->getAttrOfType<IntegerAttr>(attachedRingAttrName);
    if (!line)
      return success();
    const AttachedSchedule attached(getOperation());
    return attached.refuse(
        op, *attached.named(calledName(op).rsplit(':').first),
        static_cast<std::uint32_t>(line.getInt()),
        "memory is short: buffer " + ownName(op) + " is to have " +
            Twine(op.getRing()) + " copies, but " + Twine(buffer.slots) +
            isa::noun(buffer.slots, " has", " have") +
            " room; leave out its ring, or give others fewer copies");
  }

  LogicalResult apply(isa::Space space, const problems::SpaceProblem &problem,
                      const problems::SpaceSolution &solution,
                      MutableArrayRef<Buffer> buffers, bool shares) {
    Builder builder(&getContext());
    // Few differ, and looking one up in the context takes long.
    DenseMap<int64_t, IntegerAttr> numbers;
    auto number = [&](std::uint64_t value) {
      IntegerAttr &known = numbers[static_cast<int64_t>(value)];
      if (!known)
        known = builder.getI64IntegerAttr(static_cast<int64_t>(value));
      return known;
    };
    Operation *last = nullptr;
    uint64_t lastEnd = 0;
    for (auto [buffer, rectangle, place] :
         llvm::zip(buffers, problem.rectangles, solution.places)) {
      if (buffer.op.getRing() != buffer.slots) {
        if (failed(checkAttached(buffer)))
          return failure();
        allocateRemarks.missed(buffer.op, "FewerCopies")
            << "memory is short: there is room for "
            << measure("slots", buffer.slots) << " of "
            << measure("wanted", buffer.op.getRing()) << " copies of "
            << measure("bytes", rectangle.bytes)
            << noun(rectangle.bytes, " byte") << " per partition";
        buffer.op.setRing(buffer.slots);
        if (getOperation()->hasAttr(scheduleAttrName)) // Read by its writer.
          buffer.op->setDiscardableAttr(fewerCopiesAttrName,
                                        builder.getUnitAttr());
      }
      buffer.op.setPartitionAttr(number(place.partition));
      buffer.op.setByteAttr(number(place.offset));
      buffer.op.setSlotBytesAttr(number(rectangle.slotBytes()));
      if (const uint64_t end = place.offset + rectangle.totalBytes();
          !last || end > lastEnd) {
        last = buffer.op;
        lastEnd = end;
      }
    }
    if (last)
      allocateRemarks.analysis(last, "Allocated")
          << StringRef(isa::name(space)) << ": "
          << count("buffers", buffers.size())
          << noun(buffers.size(), " buffer takes ", " buffers take ")
          << measure("peak_bytes", solution.peakBytes) << " of "
          << measure("capacity_bytes", problem.capacity)
          << " bytes per partition, up to the end of this one"
          << (shares ? "; loops share bytes, so iterations wait for each other"
                     : "");
    const bool inSbuf = space == isa::Space::sbuf;
    const uint64_t unit = inSbuf ? 1 : isa::psumBankBytes;
    getOperation()->setAttr(inSbuf ? sbufPeakAttrName : psumPeakAttrName,
                            number(llvm::divideCeil(solution.peakBytes, unit)));
    return success();
  }

  LogicalResult report(isa::Space space, const problems::SpaceProblem &problem,
                       const problems::SpaceFailure &failure,
                       ArrayRef<Buffer> buffers) {
    AllocOp culprit = buffers[failure.rectangle].op;
    const bool isInScope =
        problem.rectangles[failure.rectangle].within.has_value();
    InFlightDiagnostic diagnostic =
        isInScope ? reportScope(culprit, problem, failure)
                  : reportSpace(space, problem, failure, buffers);
    std::vector<std::uint32_t> live = failure.live;
    if (isInScope)
      llvm::erase_if(live, [&](std::uint32_t index) {
        return !problem.rectangles[index].within;
      });
    for (std::uint32_t index : ArrayRef(live).take_front(mapEntries)) {
      AllocOp op = buffers[index].op;
      diagnostic.attachNote(op.getLoc())
          << problem.rectangles[index].name << ": "
          << problem.rectangles[index].totalBytes()
          << " bytes per partition, declared here";
    }
    return diagnostic;
  }

  static InFlightDiagnostic reportSpace(isa::Space space,
                                        const problems::SpaceProblem &problem,
                                        const problems::SpaceFailure &failure,
                                        ArrayRef<Buffer> buffers) {
    const bool sbuf = space == isa::Space::sbuf;
    AllocOp culprit = buffers[failure.rectangle].op;
    InFlightDiagnostic diagnostic =
        culprit->emitError() << Code{sbuf ? "KILN-C101" : "KILN-C102"}
                             << (sbuf ? "SBUF" : "PSUM") << " is too small: ";
    diagnostic << found(Twine(failure.liveBytes))
               << " bytes per partition are live at once, but only "
               << allowed(Twine(problem.capacity)) << " exist; "
               << adviceOn(buffers[failure.live.front()].op,
                           std::max<std::uint64_t>(
                               2, llvm::divideCeil(failure.liveBytes,
                                                   problem.capacity)))
               << "\n"
               << problems::describeFailure(problem, failure);
    return diagnostic;
  }

  isa::Target target;
  bool keepsBanks = true; ///< Those that nc-pipeline-loops gave.
  bool isTight = false;   ///< A memory scope has no room for gaps.
};

} // namespace

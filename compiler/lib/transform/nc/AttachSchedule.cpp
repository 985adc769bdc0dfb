//===- AttachSchedule.cpp - Names, and decisions that came with a kernel --===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttachedSchedule.h"

#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/Locations.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/Verify.h"
#include "kiln/compiler/transform/nc/Passes.h"
#include "kiln/compiler/transform/nc/Schedules.h"

#include "llvm/ADT/StringSet.h"

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCATTACHSCHEDULE
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;
namespace schedule = kiln::schedule;

static constexpr Remarks attachScheduleRemarks("nc-attach-schedule");

namespace {

/// `wanted`, or with a number behind it, as nothing else in `taken`.
std::string unique(std::string wanted, llvm::StringSet<> &taken) {
  // These have a meaning in the text.
  for (char &c : wanted)
    if (c == ' ' || c == '\t' || c == '#' || c == ':' || c == '\n')
      c = '_';
  std::string name = wanted;
  for (unsigned i = 2; !taken.insert(name).second; ++i)
    name = wanted + "." + std::to_string(i);
  return name;
}

/// The open scopes and loops of a place, and the user's name for it.
std::pair<StringRef, StringRef> scopesOf(Operation *op) {
  const PlaceNames names = namesOf(op->getLoc());
  return {names.scopes, names.name};
}

class AttachSchedule
    : public kiln::compiler::nc::impl::NcAttachScheduleBase<AttachSchedule> {
public:
  using Base::Base;

  void runOnOperation() override {
    const AttachedSchedule attached(getOperation());
    if (!attached.isWanted())
      return;
    if (!rings) {
      loopNames.clear();
      nameBlock(getOperation().getBody().front(), "");
    }
    if (!attached.get())
      return;
    const LogicalResult taken =
        rings ? takeRings(attached) : takeEngines(attached);
    if (failed(taken))
      signalPassFailure();
  }

private:
  void nameBlock(Block &block, StringRef path) {
    llvm::StringSet<> operations, buffers;
    unsigned instruction = 0, buffer = 0;
    for (Operation &op : block) {
      if (auto alloc = dyn_cast<AllocOp>(op)) {
        std::string name = alloc.getLabel().value_or("").str();
        if (name.empty())
          name = ("b" + Twine(buffer)).str();
        ++buffer;
        call(op, path, unique(std::move(name), buffers));
      } else if (auto nc = dyn_cast<NcInstruction>(op);
                 nc && !llvm::isa<RegisterLoadOp>(op)) {
        // A register load goes to every stream that uses it.
        std::string name = scopesOf(nc).second.str();
        if (name.empty())
          name = (op.getName().stripDialect() + "." + Twine(instruction)).str();
        ++instruction;
        call(op, path, unique(std::move(name), operations));
      }
      for (Region &region : op.getRegions())
        for (Block &inner : region) {
          const std::string name = unique(nameOfLoop(op, path), loopNames);
          op.setDiscardableAttr(calledAttrName,
                                StringAttr::get(&getContext(), name));
          nameBlock(inner, name);
        }
    }
  }

  void call(Operation &op, StringRef path, const std::string &name) {
    op.setDiscardableAttr(calledAttrName,
                          StringAttr::get(&getContext(), path + ":" + name));
  }

  /// The path of the loop around it, and the next part of the scopes of what is
  /// in it.
  std::string nameOfLoop(Operation &loop, StringRef path) {
    const StringRef around = scopesOf(&loop).first;
    StringRef inside;
    loop.walk([&](NcInstruction op) {
      inside = scopesOf(op).first;
      return inside.empty() ? WalkResult::advance() : WalkResult::interrupt();
    });
    std::string own = "loop";
    if (inside.consume_front(around)) {
      inside.consume_front("/");
      if (const StringRef part = inside.split('/').first; !part.empty())
        own = part.str();
    }
    return path.empty() ? own : path.str() + "/" + own;
  }

  /// By name, with what is directly inside.
  struct Named {
    Operation *loop = nullptr;
    SmallVector<NcInstruction> operations;
    SmallVector<AllocOp> buffers;
  };
  llvm::StringMap<Named> collect() {
    llvm::StringMap<Named> all;
    all[""].loop = getOperation();
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == getOperation())
        return;
      const StringRef called = calledName(op);
      if (op->getNumRegions() != 0 && !called.empty())
        all[called].loop = op;
      else if (auto instruction = dyn_cast<NcInstruction>(op);
               instruction && !called.empty())
        all[called.rsplit(':').first].operations.push_back(instruction);
      else if (auto alloc = dyn_cast<AllocOp>(op);
               alloc && !called.empty() && alloc.getSpace() != Space::hbm)
        all[called.rsplit(':').first].buffers.push_back(alloc);
    });
    return all;
  }

  InFlightDiagnostic wrongName(const AttachedSchedule &attached,
                               uint32_t line) {
    InFlightDiagnostic error = getOperation().emitError();
    attached.noteLine(error, line);
    error << Code{"KILN-C190"} << "the schedule ";
    return error;
  }

  LogicalResult takeEngines(const AttachedSchedule &attached) {
    const schedule::Schedule &given = *attached.get();
    const llvm::StringMap<Named> named = collect();
    if (given.kernel != getOperation().getName())
      return wrongName(attached, given.line)
             << "is for kernel '" << found(given.kernel) << "', but this is '"
             << allowed(getOperation().getName()) << "'";
    const std::string target(targetOf(getOperation()).name.view());
    if (given.target != target)
      return wrongName(attached, given.line)
             << "is for " << found(given.target)
             << ", but the kernel is compiled for " << allowed(target);
    llvm::StringSet<> seen;
    for (const schedule::Loop &section : given.loops) {
      const auto known = named.find(section.name);
      if (known == named.end())
        return wrongName(attached, section.line)
               << "names loop '" << found(section.name)
               << "', which does not exist; loops: " << allowed(listed());
      if (section.name.empty() && !section.rings.empty())
        return attached.refuse(getOperation(), section,
                               section.rings.front().line,
                               "a buffer outside of loops has one copy");
      if (!seen.insert(section.name).second)
        return wrongName(attached, section.line)
               << "has " << found("two") << " sections of loop '"
               << section.name << "', expected " << allowed("one");
      const Named &own = known->second;
      if (failed(checkNames(own.loop, own.operations, own.buffers, attached,
                            section,
                            /*demandsRings=*/false)) ||
          failed(takeEngines(own, section, attached)))
        return failure();
      attachScheduleRemarks.passed(own.loop, "Attached")
          << "the attached schedule gives the engines, of "
          << measure("instructions", own.operations.size())
          << noun(own.operations.size(), " instruction");
      if (section.form == schedule::Form::ordered)
        own.loop->setDiscardableAttr(orderGivenAttrName,
                                     UnitAttr::get(&getContext()));
    }
    return success();
  }

  std::string listed() {
    std::string text;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != getOperation() && op->getNumRegions() != 0)
        text += (text.empty() ? "" : ", ") + calledName(op).str();
    });
    return text.empty() ? "none" : text;
  }

  static LogicalResult takeEngines(const Named &own,
                                   const schedule::Loop &section,
                                   const AttachedSchedule &attached) {
    llvm::StringMap<const schedule::Operation *> said, turns;
    for (const schedule::Operation &op : section.operations) {
      const auto [known, isNew] =
          (op.isTurn() ? turns : said).try_emplace(op.name, &op);
      if (!isNew && known->second->engine != op.engine)
        return attached.refuse(own.loop, section, op.line,
                               op.name + " is given two engines");
      if (!isNew && known->second->share != op.share)
        return attached.refuse(own.loop, section, op.line,
                               "the turns of " + op.name +
                                   " have two shares: " + Twine(op.share) +
                                   " and " + Twine(known->second->share));
    }
    for (const schedule::Operation &op : section.operations)
      if (op.isTurn() && !said.contains(op.name))
        return attached.refuse(own.loop, section, op.line,
                               "there is no instruction " + op.name +
                                   " that an engine can take turns with");
    for (NcInstruction op : own.operations) {
      const SmallVector<isa::Engine, 4> free = enginesOf(op);
      const schedule::Operation &wanted = *said.lookup(ownName(op));
      if (failed(takeEngine(op, free, wanted, section, attached)))
        return failure();
      if (const schedule::Operation *turn = turns.lookup(ownName(op)))
        if (failed(takeTurn(op, free, *turn, section, attached)))
          return failure();
    }
    return success();
  }

  /// Those that may run it: one, if the kernel chose it, or because its
  /// neighbours run there.
  static SmallVector<isa::Engine, 4> enginesOf(NcInstruction op) {
    if (const std::optional<isa::Engine> chosen = op.getAssignedEngine())
      return {*chosen};
    return equalEngines(op);
  }

  /// As nc-choose-engines marks an instruction that two engines share.
  static LogicalResult takeTurn(NcInstruction op, ArrayRef<isa::Engine> free,
                                const schedule::Operation &turn,
                                const schedule::Loop &section,
                                const AttachedSchedule &attached) {
    if (turn.engine == op.getAssignedEngine())
      return attached.refuse(op, section, turn.line,
                             turn.name + " is to take turns on " +
                                 isa::name(turn.engine).data() +
                                 ", which runs it anyway");
    if (failed(checkEngine(op, free, turn, section, attached)))
      return failure();
    op->setDiscardableAttr(
        takesTurnsAttrName,
        DenseI64ArrayAttr::get(op->getContext(),
                               {static_cast<int64_t>(turn.engine),
                                static_cast<int64_t>(turn.share)}));
    return success();
  }

  static LogicalResult checkEngine(NcInstruction op, ArrayRef<isa::Engine> free,
                                   const schedule::Operation &wanted,
                                   const schedule::Loop &section,
                                   const AttachedSchedule &attached) {
    if (llvm::is_contained(free, wanted.engine))
      return success();
    std::string text = "only";
    for (isa::Engine engine : free)
      text.append(" ").append(isa::name(engine));
    return attached.refuse(op, section, wanted.line,
                           wanted.name + " is to run on " +
                               isa::name(wanted.engine).data() + ", but " +
                               text + " may run it");
  }

  static LogicalResult takeEngine(NcInstruction op, ArrayRef<isa::Engine> free,
                                  const schedule::Operation &wanted,
                                  const schedule::Loop &section,
                                  const AttachedSchedule &attached) {
    if (failed(checkEngine(op, free, wanted, section, attached)))
      return failure();
    op.setAssignedEngine(wanted.engine);
    return success();
  }

  LogicalResult takeRings(const AttachedSchedule &attached) {
    const llvm::StringMap<Named> named = collect();
    for (const schedule::Loop &section : attached.get()->loops) {
      const auto known = named.find(section.name);
      if (section.form == schedule::Form::pipelined) {
        // The loops that nc-pipeline-loops creates have no names.
        if (known != named.end() && known->second.loop)
          return attached.refuse(known->second.loop, section, section.line,
                                 "nc-pipeline-loops has not run");
        continue;
      }
      for (const schedule::Ring &ring : section.rings) {
        AllocOp buffer;
        if (known != named.end())
          for (AllocOp alloc : known->second.buffers)
            if (ownName(alloc) == ring.name)
              buffer = alloc;
        if (!buffer)
          return attached.refuse(getOperation(), section, ring.line,
                                 "buffer " + ring.name +
                                     " is no longer in the loop");
        if (buffer->hasAttr(userRingAttrName) || buffer.getPinByte()) {
          if (static_cast<uint64_t>(buffer.getRing()) != ring.copies)
            return attached.refuse(
                buffer, section, ring.line,
                "buffer " + ring.name + " is to have " + Twine(ring.copies) +
                    " copies, but the kernel says " + Twine(buffer.getRing()));
          continue;
        }
        attachScheduleRemarks.passed(buffer, "Copies")
            << "copies of buffer " << measure("buffer", StringRef(ring.name))
            << ", as the attached schedule says: "
            << measure("copies", ring.copies);
        // If the compiler wants the same, nc-allocate decides as it would
        // without a schedule.
        if (static_cast<uint64_t>(buffer.getRing()) == ring.copies) {
          buffer->setDiscardableAttr(
              attachedRingAttrName,
              Builder(&getContext()).getI64IntegerAttr(ring.line));
          continue;
        }
        buffer.setRing(ring.copies);
        buffer->setDiscardableAttr(userRingAttrName,
                                   UnitAttr::get(&getContext()));
      }
    }
    return success();
  }

  llvm::StringSet<> loopNames;
};

} // namespace

//===- LoopResources.cpp - What an iteration occupies ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopResources.h"

#include "kiln/machine/dma_plan.h"
#include "kiln/machine/instruction_cost.h"
#include "kiln/machine/ports.h"

#include <algorithm>
#include <array>

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

ScheduleReport::Place kiln::compiler::nc::placeOf(Operation *op) {
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    return {place.getFilename().str(), place.getLine()};
  return {};
}

ScheduleReport::Operation kiln::compiler::nc::operationOf(NcInstruction op) {
  ScheduleReport::Operation made;
  made.name = op->getName().stripDialect().str();
  if (std::optional<isa::Engine> engine = op.getAssignedEngine())
    made.engine = isa::name(*engine);
  made.place = placeOf(op);
  return made;
}

void kiln::compiler::nc::sortUsers(ScheduleReport::Resource &resource) {
  std::stable_sort(
      resource.users.begin(), resource.users.end(),
      [](const auto &a, const auto &b) { return a.time > b.time; });
}

void kiln::compiler::nc::sortResources(
    std::vector<ScheduleReport::Resource> &resources) {
  std::stable_sort(
      resources.begin(), resources.end(),
      [](const auto &a, const auto &b) { return a.bound > b.bound; });
}

using Name = ScheduleReport::ResourceName;

static Name nameOf(isa::Engine engine) {
  return {Name::Kind::engine, static_cast<unsigned>(engine)};
}

LoopResources::LoopResources(scf::ForOp loop, Costs &costs) {
  addBlock(*loop.getBody(), 1, costs);
}

void LoopResources::note(std::string text) {
  if (!llvm::is_contained(remarksOnIt, text))
    remarksOnIt.push_back(std::move(text));
}

void LoopResources::addBlock(Block &block, uint64_t times, Costs &costs) {
  for (Operation &op : block) {
    if (auto instruction = dyn_cast<NcInstruction>(op))
      add(instruction, times, costs);
    uint64_t inside = times;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      const std::optional<uint64_t> trips = constantTrips(loop);
      if (!trips)
        note("the bounds do not include an inner loop: it may run any number "
             "of times, or never");
      inside *= trips.value_or(0);
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        addBlock(inner, inside, costs);
  }
}

void LoopResources::add(NcInstruction op, uint64_t times, Costs &costs) {
  const std::optional<isa::Engine> engine = op.getAssignedEngine();
  if (!engine)
    return;
  if (meetsPeers(op)) // What it moves depends on the others.
    return note("the bounds do not include instructions that synchronise with "
                "other cores or ranks");
  if (infoOf(op).isControl) // The data path continues beside its sequencer.
    return;
  const isa::Target &target = costs.target();
  const BuiltInstruction instruction = built(op);
  const machine::InstructionTimes cost = costs.of(instruction, *engine);
  if (!infoOf(op).isDma) {
    charge(cost.pace < cost.occupancy ? Name{Name::Kind::behindTensor}
                                      : nameOf(*engine),
           op, static_cast<double>(cost.occupancy), times);
    addPorts(op, instruction, *engine, static_cast<double>(times), costs);
    return;
  }
  charge(nameOf(*engine), op, static_cast<double>(cost.issue), times);
  const machine::DmaPlan plan =
      machine::planDma(instruction.body, *engine, target);
  charge({Name::Kind::dma}, op,
         static_cast<double>(
             *std::max_element(plan.work.begin(), plan.work.end())),
         times);
  charge({Name::Kind::hbm}, op,
         static_cast<double>(plan.hbmRead + plan.hbmWritten) /
             machine::hbmRate(target, 1),
         times);
}

/// Two engines share these ports: together they stream through each of them for
/// no longer than the interval. Copies of a buffer take turns, and so do their
/// banks.
void LoopResources::addPorts(NcInstruction op,
                             const BuiltInstruction &instruction,
                             isa::Engine engine, double times, Costs &costs) {
  const isa::Target &target = costs.target();
  const bool sharesPsum =
      engine == isa::Engine::vector || engine == isa::Engine::scalar;
  const bool sharesSbuf =
      engine == isa::Engine::vector || engine == isa::Engine::gpsimd;
  if (!sharesPsum && !sharesSbuf)
    return;
  const machine::InstructionCost cost =
      machine::costOf(instruction.body, engine, target);
  const auto count = static_cast<uint64_t>(times);
  const machine::PortMask exclusive = machine::exclusivePorts(target);
  if (sharesSbuf && (exclusive & machine::sbufPort) &&
      (machine::portsOf(instruction.body, engine, cost.mode, target).ports &
       machine::sbufPort))
    charge({Name::Kind::sbufPort}, op, static_cast<double>(cost.stream), count);
  if (!sharesPsum || !(exclusive & machine::psumBankPorts))
    return;
  std::array<double, isa::psumBanks> shares{};
  for (const MemoryAccess &access : instruction.accesses) {
    auto alloc = access.base.getDefiningOp<AllocOp>();
    if (!alloc || alloc.getSpace() != Space::psum || !alloc.getByte())
      continue;
    std::array<double, isa::psumBanks> own{};
    const auto ring = std::max<int64_t>(alloc.getRing(), 1);
    const ByteSpan span = spanOf(access.shape);
    const IndexForm form = formOfOffset(access);
    if (!form.isConstant() || span.end <= span.begin)
      continue; // Registers choose the bank.
    const int64_t slot = static_cast<int64_t>(alloc.getSlotBytes().value_or(
        static_cast<uint64_t>(alloc.getBytesPerPartition())));
    for (int64_t copy = 0; copy < ring; ++copy) {
      const int64_t begin =
          static_cast<int64_t>(*alloc.getByte()) + copy * slot + span.begin +
          form.constant * isa::sizeInBytes(access.shape.dtype);
      const int64_t bank = begin / isa::psumBankBytes;
      if (bank >= 0 && bank < static_cast<int64_t>(isa::psumBanks))
        own[static_cast<size_t>(bank)] += 1.0 / static_cast<double>(ring);
    }
    // One instruction streams once, however many operands are there.
    for (size_t bank = 0; bank < shares.size(); ++bank)
      shares[bank] = std::max(shares[bank], own[bank]);
  }
  for (size_t bank = 0; bank < shares.size(); ++bank)
    if (shares[bank] > 0)
      charge({Name::Kind::psumBankPort, static_cast<unsigned>(bank)}, op,
             shares[bank] * static_cast<double>(cost.stream), count);
}

void LoopResources::charge(const Name &name, NcInstruction op, double time,
                           uint64_t times) {
  if (time <= 0 || times == 0)
    return;
  auto resource = std::find_if(resources.begin(), resources.end(),
                               [&](const ScheduleReport::Resource &other) {
                                 return other.name == name;
                               });
  if (resource == resources.end())
    resource = resources.insert(resource, {name, 0, {}});
  time *= static_cast<double>(times);
  resource->bound += time;
  ScheduleReport::Operation user = operationOf(op);
  auto known = std::find_if(resource->users.begin(), resource->users.end(),
                            [&](const ScheduleReport::Operation &other) {
                              return other.name == user.name &&
                                     other.engine == user.engine &&
                                     other.place == user.place;
                            });
  if (known == resource->users.end()) {
    user.times = 0;
    known = resource->users.insert(known, std::move(user));
  }
  known->time += time;
  known->times += times;
}

/// TensorE runs at most two instructions at a time, of which one transposes: it
/// is busy for half of all, or for the others. What is more than these counts
/// for the transposes.
static void runBehind(std::vector<ScheduleReport::Resource> &resources) {
  const auto named = [&](const Name &name) {
    return llvm::find_if(resources,
                         [&](const auto &other) { return other.name == name; });
  };
  const auto behind = named({Name::Kind::behindTensor});
  if (behind == resources.end())
    return;
  ScheduleReport::Resource hidden = std::move(*behind);
  resources.erase(behind);
  const Name tensor = nameOf(isa::Engine::tensor);
  auto own = named(tensor);
  if (own == resources.end())
    own = resources.insert(own, {tensor, 0, {}});
  const double least = std::max(own->bound, (own->bound + hidden.bound) / 2);
  for (ScheduleReport::Operation &user : hidden.users) {
    user.time *= (least - own->bound) / hidden.bound;
    own->users.push_back(user);
  }
  own->bound = least;
}

std::vector<ScheduleReport::Resource>
LoopResources::list(double iterations) const {
  std::vector<ScheduleReport::Resource> scaled = resources;
  for (ScheduleReport::Resource &resource : scaled) {
    resource.bound /= iterations;
    for (ScheduleReport::Operation &user : resource.users)
      user.time /= iterations;
  }
  runBehind(scaled);
  for (ScheduleReport::Resource &resource : scaled)
    sortUsers(resource);
  sortResources(scaled);
  return scaled;
}

//===- LoopProblem.cpp - A loop body as a modulo problem ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopProblem.h"

#include "FixedOrder.h"
#include "LoopProblemBuilder.h"

#include "kiln/compiler/dialect/nc/MemoryScopes.h"
#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Urgency.h"
#include "kiln/machine/dma_plan.h"
#include "kiln/machine/ports.h"
#include "kiln/schedule.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;

namespace {

/// A stream that has less to do than the busiest one, by more than such a part,
/// needs no relief.
constexpr int64_t leastRelief = 64;

} // namespace

bool LoopProblemBuilder::collect(std::string &why) {
  if (loop.getNumResults() != 0)
    return decline(why, "it carries values");
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (op.getNumRegions() != 0)
      return decline(why, "it contains another loop");
    if (llvm::isa<RegisterLoadOp, WhileOp>(op))
      return decline(why, "it loads registers");
    if (StringRef fixed = whyOrderIsFixed(&op);
        !fixed.empty() && !(describes && keepsItsPlace(op)))
      return decline(why, fixed);
    if (auto alloc = dyn_cast<AllocOp>(op);
        alloc && alloc.getSpace() == Space::hbm)
      return decline(why, "it has scratch in HBM");
    // The solver gives all room in PSUM to copies, and banks are few.
    if (auto alloc = dyn_cast<AllocOp>(op); alloc && !describes &&
                                            alloc.getSpace() == Space::psum &&
                                            limitOf(alloc))
      return decline(why, "a memory scope limits its part of PSUM");
    auto instruction = dyn_cast<NcInstruction>(op);
    if (!instruction)
      continue;
    if (!instruction.getAssignedEngine())
      return decline(why, "an instruction has no engine yet");
    add(instruction);
  }
  return describes || result.operations.size() > 1 ||
         decline(why, "there is nothing to overlap");
}

LoopProblem LoopProblemBuilder::build() {
  for (auto &[base, place] : places) {
    connect(place);
    if (!describes)
      separateReaders(place);
  }
  closeChains();
  addBuffers();
  addTurns();
  problems::ModuloProblem &problem = result.problem;
  problem.sbufRoom = roomBeside(isa::Space::sbuf);
  problem.psumRoom = roomBeside(isa::Space::psum);
  return std::move(result);
}

/// Nothing moves, so only instructions that wait for other cores cannot be
/// described.
bool LoopProblemBuilder::keepsItsPlace(Operation &op) {
  auto instruction = dyn_cast<NcInstruction>(op);
  return !instruction || !meetsPeers(instruction);
}

bool LoopProblemBuilder::decline(std::string &why, StringRef reason) {
  why = reason.str();
  return false;
}

bool LoopProblemBuilder::isLocal(Value base) const {
  return scf::ForOp(loop).getBodyRegion().isAncestor(base.getParentRegion());
}

void LoopProblemBuilder::add(NcInstruction op) {
  const BuiltInstruction instruction = built(op);
  const isa::Engine engine = *op.getAssignedEngine();
  Times made{costs.of(instruction, engine), engine, infoOf(op).isDma};
  const auto index = static_cast<uint32_t>(result.operations.size());
  problems::ModuloOperation operation;
  operation.name = (op->getName().stripDialect() + "." + Twine(index)).str();
  operation.engine = engine;
  operation.urgency = urgencyOf(op);
  operation.issue = made.isTransfer ? made.times.issue : made.times.pace;
  if (made.isTransfer) {
    const machine::DmaPlan plan =
        machine::planDma(instruction.body, engine, target);
    operation.work = *std::max_element(plan.work.begin(), plan.work.end());
  }
  result.problem.operations.push_back(std::move(operation));
  result.operations.push_back(op);
  times.push_back(made);
  if (usesAccumulator(instruction.body) &&
      (infoOf(op).state != isa::HiddenState::accumulator || sharesState()))
    chains[static_cast<size_t>(engine)].push_back(index);
  for (const MemoryAccess &access : instruction.accesses) {
    Place &place = places[spaces.placeOf(access.base)];
    problems::ByteAccess bytes = place.families.describe(access, spaces);
    bytes.operation = index;
    place.accesses.push_back({access.base, std::move(bytes)});
  }
}

bool LoopProblemBuilder::sharesState() {
  if (!continues)
    continues = continuesAccumulators(loop->getParentOfType<func::FuncOp>());
  return *continues;
}

/// On average, an instruction that two engines run in turns takes a part of its
/// time on each. For the other engine an operation that nothing depends on
/// keeps that part free. It runs where the instruction is, not where that
/// stream has a gap, so engines do not take turns if another stream is the
/// limit.
void LoopProblemBuilder::addTurns() {
  const problems::ModuloBounds bounds = problems::moduloBounds(result.problem);
  for (size_t i = 0; i < result.operations.size(); ++i) {
    NcInstruction op = result.operations[i];
    const auto turns = op->getAttrOfType<DenseI64ArrayAttr>(takesTurnsAttrName);
    if (!turns || describes ||
        bounds.streams[static_cast<size_t>(
            result.problem.operations[i].engine)] <
            bounds.resource() - bounds.resource() / leastRelief)
      continue;
    const auto engine = static_cast<isa::Engine>(turns[0]);
    problems::ModuloOperation &own = result.problem.operations[i];
    const LoopProblem::Turns entry{
        static_cast<uint32_t>(i),
        engine,
        own.issue,
        costs.of(built(op), engine).pace,
        static_cast<double>(turns[1]) / kiln::schedule::wholeShare,
        static_cast<uint32_t>(result.problem.operations.size())};
    result.turns.push_back(entry);
    own.issue -= own.issue * turns[1] / kiln::schedule::wholeShare;
    problems::ModuloOperation other;
    other.name = own.name + ".turns";
    other.engine = engine;
    other.issue = entry.others * turns[1] / kiln::schedule::wholeShare;
    result.problem.operations.push_back(std::move(other));
  }
}

/// What one instruction leaves in an engine for the next one is used in the
/// order of the source.
void LoopProblemBuilder::closeChains() {
  for (const auto &chain : chains)
    for (size_t i = 0; i < chain.size(); ++i) {
      const bool last = i + 1 == chain.size();
      const uint32_t next = chain[last ? 0 : i + 1];
      addEdge(chain[i], next, times[chain[i]].times.occupancy, last ? 1 : 0);
    }
}

int64_t
LoopProblem::Turns::countIn(int64_t period,
                            const problems::ModuloProblem &problem) const {
  const problems::ModuloBounds bounds = problems::moduloBounds(problem);
  const auto busiest = [&](int64_t count) {
    const double more =
        static_cast<double>(count) / static_cast<double>(period) - share;
    const auto load = [&](isa::Engine engine, double time) {
      return static_cast<double>(bounds.streams[static_cast<size_t>(engine)]) +
             time;
    };
    return std::max(load(problem.operations[operation].engine,
                         -more * static_cast<double>(own)),
                    load(other, more * static_cast<double>(others)));
  };
  const auto fewer = static_cast<int64_t>(share * static_cast<double>(period));
  return fewer < period && busiest(fewer + 1) < busiest(fewer) ? fewer + 1
                                                               : fewer;
}

bool kiln::compiler::nc::standsAlone(Operation *loop) {
  return llvm::none_of(*loop->getBlock(), [&](Operation &op) {
    return (llvm::isa<scf::ForOp>(op) && &op != loop) ||
           op.hasAttr(copyAttrName);
  });
}

std::optional<LoopProblem>
kiln::compiler::nc::loopProblem(scf::ForOp loop, Costs &costs,
                                const PinnedSpaces &spaces, std::string &why,
                                LoopPurpose purpose) {
  LoopProblemBuilder builder(loop, costs, spaces, purpose);
  if (!builder.collect(why))
    return std::nullopt;
  return builder.build();
}

std::string
kiln::compiler::nc::bindingResource(const problems::ModuloProblem &problem,
                                    const problems::ModuloBounds &bounds) {
  const std::string time =
      std::to_string((bounds.bound() + 500) / 1000) + " ns per iteration";
  if (bounds.recurrence >= bounds.resource()) {
    std::string chain;
    for (uint32_t edge : bounds.cycle)
      chain += problem.operations[problem.edges[edge].from].name + " -> ";
    return "the recurrence " + chain + "... binds: " + time;
  }
  if (bounds.transfers == bounds.resource())
    return "the DMA engines bind: " + time;
  const auto *busiest =
      std::max_element(bounds.streams.begin(), bounds.streams.end());
  return "the " +
         std::string(isa::name(
             static_cast<isa::Engine>(busiest - bounds.streams.begin()))) +
         " stream binds: " + time;
}

//===- LoopProblem.cpp - A loop body as a modulo problem ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopProblem.h"

#include "FixedOrder.h"

#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/machine/dma_plan.h"
#include "kiln/machine/ports.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;
namespace machine = kiln::machine;
namespace problems = kiln::problems;

namespace {

/// Iterations that are looked at one by one for common bytes. Beyond them the
/// accesses count as meeting, which is always right.
constexpr uint32_t mostIterations = 4096;

/// A stream that has less to do than the busiest one, by more than such a part,
/// needs no relief.
constexpr int64_t leastRelief = 64;

class ProblemBuilder {
public:
  ProblemBuilder(scf::ForOp loop, Costs &costs, const PinnedSpaces &spaces,
                 LoopPurpose purpose)
      : loop(loop), costs(costs), target(costs.target()), spaces(spaces),
        describes(purpose == LoopPurpose::describe),
        trips(constantTrips(loop).value_or(mostIterations + 1)) {}

  /// False, with the reason, if the loop stays as it is.
  bool collect(std::string &why) {
    if (loop.getNumResults() != 0)
      return decline(why, "it carries values");
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (op.getNumRegions() != 0)
        return decline(why, "there is another loop in it");
      if (llvm::isa<RegisterLoadOp, WhileOp>(op))
        return decline(why, "it loads registers");
      if (StringRef fixed = whyOrderIsFixed(&op);
          !fixed.empty() && !(describes && keepsItsPlace(op)))
        return decline(why, fixed);
      if (auto alloc = dyn_cast<AllocOp>(op);
          alloc && alloc.getSpace() == Space::hbm)
        return decline(why, "it has scratch in HBM");
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

  LoopProblem build() {
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

private:
  struct Access {
    Value base;
    problems::ByteAccess bytes;
  };
  struct Place {
    AddressFamilies families;
    std::vector<Access> accesses; ///< In source order.
  };
  struct Times {
    machine::InstructionTimes times;
    isa::Engine engine = isa::Engine::sync;
    bool isTransfer = false;
  };

  /// Nothing moves, so only who waits for other cores cannot be described.
  static bool keepsItsPlace(Operation &op) {
    auto instruction = dyn_cast<NcInstruction>(op);
    return !instruction || !meetsPeers(instruction);
  }

  static bool decline(std::string &why, StringRef reason) {
    why = reason.str();
    return false;
  }

  bool isLocal(Value base) const {
    return scf::ForOp(loop).getBodyRegion().isAncestor(base.getParentRegion());
  }

  void add(NcInstruction op) {
    const BuiltInstruction instruction = built(op);
    const isa::Engine engine = *op.getAssignedEngine();
    Times made{costs.of(instruction, engine), engine, infoOf(op).isDma};
    const auto index = static_cast<uint32_t>(result.operations.size());
    problems::ModuloOperation operation;
    operation.name = (op->getName().stripDialect() + "." + Twine(index)).str();
    operation.engine = engine;
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

  bool sharesState() {
    if (!continues)
      continues = continuesAccumulators(loop->getParentOfType<func::FuncOp>());
    return *continues;
  }

  /// From the start of one to the start of the other.
  int64_t delay(uint32_t from, uint32_t to, bool flows) const {
    const Times &first = times[from], &second = times[to];
    if (first.isTransfer)
      return first.times.latency;
    return machine::handOver(first.times, first.engine, second.engine, flows,
                             target);
  }

  void addEdge(uint32_t from, uint32_t to, int64_t latency, uint32_t distance) {
    if (isMutated(Mutation::pipelineEdge))
      return;
    const bool spreads =
        times[from].isTransfer || times[from].engine != times[to].engine;
    result.problem.edges.push_back({from, to, latency, distance, spreads});
  }

  /// Each two accesses of which one writes, in the fewest iterations after
  /// which they may touch a common byte; later ones follow from that.
  void connect(Place &place) {
    for (size_t i = 0; i < place.accesses.size(); ++i)
      for (size_t j = 0; j < place.accesses.size(); ++j) {
        const Access &first = place.accesses[i], &second = place.accesses[j];
        if (!first.bytes.writes && !second.bytes.writes)
          continue;
        const uint32_t from = first.bytes.operation,
                       to = second.bytes.operation;
        const uint32_t least = from < to ? 0 : 1;
        // Each iteration has its own: see addBuffers().
        if (least == 1 && isLocal(first.base) && isLocal(second.base))
          continue;
        std::optional<uint32_t> distance =
            isLocal(first.base) && isLocal(second.base)
                ? within(first.bytes, second.bytes)
                : meeting(place.families, first.bytes, second.bytes, least);
        if (distance && *distance < trips)
          addEdge(from, to,
                  delay(from, to, first.bytes.writes && second.bytes.reads),
                  *distance);
      }
  }

  /// VectorE and ScalarE that read one PSUM bank at once do so at half the rate
  /// each. Where they divide a tile between them, both would start when it is
  /// there, and the one with the smaller part would hold up the other one: they
  /// read it one after the other.
  void separateReaders(const Place &place) {
    for (size_t i = 0; i < place.accesses.size(); ++i)
      for (size_t j = i + 1; j < place.accesses.size(); ++j) {
        const Access &first = place.accesses[i], &second = place.accesses[j];
        if (first.base != second.base || !isLocal(first.base) ||
            first.bytes.writes || second.bytes.writes ||
            !shareBank(first, second))
          continue;
        const uint32_t from = first.bytes.operation,
                       to = second.bytes.operation;
        if ((machine::conflictingPorts(times[from].engine, times[to].engine) &
             machine::psumBankPorts))
          addEdge(from, to, times[from].times.occupancy, 0);
      }
  }

  static bool shareBank(const Access &first, const Access &second) {
    problems::ByteAccess written = first.bytes;
    written.writes = true;
    auto alloc = first.base.getDefiningOp<AllocOp>();
    const auto bank = static_cast<int64_t>(isa::psumBankBytes);
    return alloc && alloc.getSpace() == Space::psum &&
           !problems::conflict(written, second.bytes) &&
           first.bytes.begin() / bank <= (second.bytes.end() - 1) / bank &&
           second.bytes.begin() / bank <= (first.bytes.end() - 1) / bank;
  }

  static std::optional<uint32_t> within(const problems::ByteAccess &first,
                                        const problems::ByteAccess &second) {
    return problems::conflict(first, second) ? std::optional(0u) : std::nullopt;
  }

  std::optional<uint32_t> meeting(const AddressFamilies &families,
                                  const problems::ByteAccess &first,
                                  const problems::ByteAccess &second,
                                  uint32_t least) const {
    for (uint32_t distance = least; distance < mostIterations; ++distance) {
      problems::ByteAccess here = second, next = second;
      families.advance(here, loop, distance);
      families.advance(next, loop, distance + 1);
      if (problems::conflict(first, here))
        return distance;
      if (here.family == 0)
        return std::nullopt; // Disjoint partitions.
      const int64_t step = next.offset - here.offset;
      if (step == 0 || (step > 0 && here.begin() >= first.end()) ||
          (step < 0 && here.end() <= first.begin()))
        return std::nullopt;
    }
    return mostIterations;
  }

  /// On average, an instruction that two engines run in turns takes a part of
  /// its time on each. For the other engine an operation that nothing depends
  /// on keeps that part free. It comes where the instruction does, not where
  /// that stream has a gap, so nobody takes turns where another stream binds.
  void addTurns() {
    const problems::ModuloBounds bounds =
        problems::moduloBounds(result.problem);
    for (size_t i = 0; i < result.operations.size(); ++i) {
      NcInstruction op = result.operations[i];
      const auto turns =
          op->getAttrOfType<DenseI64ArrayAttr>(takesTurnsAttrName);
      if (!turns || describes ||
          bounds.streams[static_cast<size_t>(
              result.problem.operations[i].engine)] <
              bounds.resource() - bounds.resource() / leastRelief)
        continue;
      const auto engine = static_cast<isa::Engine>(turns[0]);
      problems::ModuloOperation &own = result.problem.operations[i];
      const LoopProblem::Turns entry{
          static_cast<uint32_t>(i), engine, own.issue,
          costs.of(built(op), engine).pace,
          static_cast<double>(turns[1]) / wholeShare};
      result.turns.push_back(entry);
      own.issue -= own.issue * turns[1] / wholeShare;
      problems::ModuloOperation other;
      other.name = own.name + ".turns";
      other.engine = engine;
      other.issue = entry.others * turns[1] / wholeShare;
      result.problem.operations.push_back(std::move(other));
    }
  }

  /// What one instruction leaves in an engine for the next one is used in the
  /// order of the source.
  void closeChains() {
    for (const auto &chain : chains)
      for (size_t i = 0; i < chain.size(); ++i) {
        const bool last = i + 1 == chain.size();
        const uint32_t next = chain[last ? 0 : i + 1];
        addEdge(chain[i], next, times[chain[i]].times.occupancy, last ? 1 : 0);
      }
  }

  /// Bytes per partition that no buffer from outside needs while the loop
  /// runs.
  int64_t roomBeside(isa::Space space) const {
    auto room = static_cast<int64_t>(target.bytes(space));
    for (Operation *inner = loop; Block *block = inner->getBlock();
         inner = block->getParentOp()) {
      for (auto alloc : block->getOps<AllocOp>())
        if (alloc.getSpace() != Space::hbm &&
            toIsa(alloc.getSpace()) == space && livesAcross(alloc, *inner))
          room -= bytesOf(alloc);
      if (llvm::isa<func::FuncOp>(block->getParentOp()))
        break;
    }
    return std::max<int64_t>(room, 0);
  }

  /// With the second copy that nc-multi-buffer gives to an iteration's own.
  int64_t bytesOf(AllocOp alloc) const {
    int64_t bytes = alloc.getBytesPerPartition() * alloc.getRing();
    if (alloc.getSpace() == Space::psum)
      return static_cast<int64_t>(llvm::alignTo(bytes, isa::psumBankBytes));
    const bool isDoubled =
        llvm::isa<scf::ForOp>(alloc->getParentOp()) && alloc.getRing() == 1;
    return isDoubled ? 2 * bytes : bytes;
  }

  /// Used at `inner` or before it, and at `inner` or behind it.
  static bool livesAcross(AllocOp alloc, Operation &inner) {
    bool before = false, behind = false;
    for (Operation *view : alloc.getMemory().getUsers())
      for (Operation *user : view->getUsers()) {
        Operation *place = inner.getBlock()->findAncestorOpInBlock(*user);
        const bool isEarlier = place && place->isBeforeInBlock(&inner);
        before |= place == &inner || isEarlier;
        behind |= place == &inner || !isEarlier;
      }
    // An iteration's own may hold the bytes until the next one has come.
    return (before && behind) ||
           (llvm::isa<scf::ForOp>(alloc->getParentOp()) && standsAlone(&inner));
  }

  /// Two copies lie in one bank. In a nest, the copies must come round where
  /// the loop around this one comes here again.
  bool sharesBank(AllocOp alloc) const {
    const bool isNested = loop->getParentOfType<scf::ForOp>() != nullptr;
    return alloc.getRing() == 1 && !alloc.getPinByte() &&
           2 * pitchOf(alloc) <= static_cast<int64_t>(isa::psumBankBytes) &&
           (!isNested || trips % 2 == 0);
  }

  /// Memory of the body: each iteration takes a copy.
  void addBuffers() {
    llvm::MapVector<Value, std::vector<problems::ModuloBuffer::User>> users;
    for (auto &[base, place] : places)
      for (const Access &access : place.accesses) {
        if (!isLocal(access.base))
          continue;
        auto &list = users[access.base];
        const uint32_t index = access.bytes.operation;
        const Times &own = times[index];
        const int64_t release =
            own.isTransfer
                ? own.times.latency
                : std::max(own.times.occupancy, own.times.latency) +
                      static_cast<int64_t>(1000 * target.semaphore_ns);
        if (!list.empty() && list.back().operation == index) {
          list.back().alsoReads |= list.back().writes != access.bytes.writes;
          list.back().writes |= access.bytes.writes;
          list.back().release = std::max(list.back().release, release);
        } else {
          list.push_back({index, access.bytes.writes, release});
        }
      }
    for (auto &[base, list] : users) {
      auto alloc = cast<AllocOp>(base.getDefiningOp());
      problems::ModuloBuffer buffer;
      buffer.name = alloc.getLabel().value_or("").str();
      if (buffer.name.empty())
        buffer.name = ("b" + Twine(result.buffers.size())).str();
      buffer.space = toIsa(alloc.getSpace());
      buffer.bytes = alloc.getBytesPerPartition();
      if (alloc.getSpace() == Space::psum) {
        if (!describes && sharesBank(alloc))
          buffer.shared = 2;
        buffer.bytes = static_cast<int64_t>(
            llvm::alignTo(buffer.bytes, isa::psumBankBytes));
      }
      buffer.users = std::move(list);
      if (describes)
        buffer.copies = static_cast<uint32_t>(alloc.getRing());
      // What nothing writes first is never read, either.
      buffer.users.front().writes = true;
      buffer.users.front().alsoReads = false;
      result.buffers.push_back(alloc);
      result.problem.buffers.push_back(std::move(buffer));
    }
    if (!describes)
      pairSmall();
  }

  /// Two buffers that take no more than half a bank may lie in one, smallest
  /// first.
  void pairSmall() {
    SmallVector<uint32_t> small;
    for (auto [index, buffer] : llvm::enumerate(result.problem.buffers))
      if (buffer.shared > 1)
        small.push_back(static_cast<uint32_t>(index));
    llvm::stable_sort(small, [&](uint32_t a, uint32_t b) {
      return pitchOf(result.buffers[a]) < pitchOf(result.buffers[b]);
    });
    const auto typeOf = [&](uint32_t index) {
      return cast<MemRefType>(result.buffers[index].getMemory().getType());
    };
    for (size_t i = 0; i + 1 < small.size(); ++i) {
      const auto [first, second] = std::minmax(small[i], small[i + 1]);
      if (typeOf(first).getElementType() != typeOf(second).getElementType() ||
          typeOf(first).getDimSize(0) != typeOf(second).getDimSize(0))
        continue;
      result.problem.buffers[second].beside = first;
      ++i;
    }
  }

  mutable scf::ForOp loop;
  Costs &costs;
  const isa::Target &target;
  const PinnedSpaces &spaces;
  bool describes;
  uint64_t trips;
  std::vector<Times> times; ///< By operation.
  llvm::MapVector<Value, Place> places;
  std::array<std::vector<uint32_t>, isa::numEngines> chains;
  std::optional<bool> continues; ///< Accumulators, from one use to the next.
  LoopProblem result;
};

} // namespace

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
  ProblemBuilder builder(loop, costs, spaces, purpose);
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

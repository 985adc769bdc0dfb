//===- OrderSegment.cpp - Instructions that are ordered together ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderSegment.h"

#include "SharedBanks.h"

#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/MemoryScopes.h"
#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/Urgency.h"
#include "kiln/compiler/dialect/nc/Verify.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;

static constexpr Remarks orderSegmentRemarks("nc-order");

namespace {

/// Instructions that are ordered at once. Longer straight-line code would run
/// its loads so far ahead that nothing fits.
constexpr size_t maxSegment = 512;

/// Trips of a loop that stays in its steady state for at least as long as it
/// takes to get there.
constexpr uint64_t steadyTrips = 4;

/// The total number of iterations of a loop; 0 if unknown. Loops around it do
/// not stop for its first iteration, which overlaps the last ones of their
/// previous iteration. So all iterations count as one long run, unless there
/// are too few.
int64_t iterationsOf(scf::ForOp loop) {
  constexpr uint64_t many = 1 << 20;
  uint64_t turns = std::min(many, constantTrips(loop).value_or(0));
  if (turns < steadyTrips)
    return static_cast<int64_t>(turns);
  while ((loop = loop->getParentOfType<scf::ForOp>())) {
    const uint64_t outer = constantTrips(loop).value_or(1);
    turns = std::min(many, turns * std::clamp<uint64_t>(outer, 1, many));
  }
  return static_cast<int64_t>(turns);
}

} // namespace

Segment::Segment(Costs &costs, scf::ForOp loop, const EarlierLabels &edges,
                 UseCounts &uses, const PinnedSpaces &spaces,
                 problems::OrderSolver &solver, unsigned aheadPercent)
    : costs(costs), target(costs.target()), loop(loop), edges(edges),
      uses(uses), spaces(spaces), solver(solver), aheadPercent(aheadPercent) {
  problem.loop = loop && !loop->hasAttr(onceAttrName);
  problem.warmUp = machine::warmUpRule(target);
  if (problem.loop)
    problem.trips = iterationsOf(loop);
}

LogicalResult Segment::add(NcInstruction op) {
  const FailureOr<isa::Engine> engine = engineBefore("nc-order", op);
  if (failed(engine))
    return failure();
  const BuiltInstruction instruction = built(op);
  const machine::InstructionTimes times = costs.of(instruction, *engine);
  problems::OrderOperation operation;
  operation.engine = *engine;
  operation.issue = times.issue;
  operation.occupancy = times.occupancy;
  operation.latency = times.latency;
  operation.urgency = urgencyOf(op);
  if (infoOf(op).isDma) {
    operation.moving = times.moving;
    if (auto queue = op->getAttrOfType<IntegerAttr>(queueAttrName))
      operation.queue = static_cast<std::int32_t>(queue.getInt());
  }
  if (auto start = op->getAttrOfType<DenseI64ArrayAttr>(startAttrName)) {
    pipelined = start[0];
    operation.start = start[1];
  } else {
    needsPsum |= needsOtherPsum(op);
  }
  auto index = static_cast<uint32_t>(ops.size());
  ops.push_back(op);
  problem.operations.push_back(operation);
  if (usesAccumulator(instruction.body))
    chain(lastAccumulator[static_cast<size_t>(*engine)], index);
  if (meetsPeers(op)) {
    if (lastMeeting)
      addEdge(*lastMeeting, index, problem.operations[*lastMeeting].issue, 0);
    lastMeeting = index;
  }
  keepPromises(op, index, *engine);
  for (const MemoryAccess &access : instruction.accesses)
    addAccess(index, access);
  return success();
}

LogicalResult Segment::apply(Operation *anchor) {
  if (ops.size() < 2)
    return success();
  addCarriedEdges();
  addBuffers();
  const problems::OrderSolution solution = solver.solve(problem);
  if (problems::Problem wrong = problems::verify(problem, solution))
    return ops.front()->emitOpError()
           << Code{"KILN-C900"}
           << "internal: the order found is not legal: " << *wrong;
  if (Remarks::areWanted(ops.front()))
    note(solution);
  for (uint32_t index : solution.order)
    ops[index]->moveBefore(anchor);
  return success();
}

LogicalResult Segment::apply(Operation *anchor,
                             const AttachedSchedule &attached,
                             const schedule::Loop &section) {
  const FailureOr<std::vector<uint32_t>> order =
      attachedOrder(loop, ops, attached, section);
  if (failed(order))
    return failure();
  std::vector<uint32_t> place(ops.size());
  for (uint32_t i = 0; i < order->size(); ++i)
    place[(*order)[i]] = i;
  for (const problems::OrderEdge &edge : problem.edges)
    if (edge.distance == 0 && place[edge.from] > place[edge.to])
      return attached.refuse(
          ops[edge.to], section, section.operations[place[edge.to]].line,
          ownName(ops[edge.to]) + " comes before " + ownName(ops[edge.from]) +
              ", which has to come first");
  for (uint32_t index : *order)
    ops[index]->moveBefore(anchor);
  return success();
}

bool Segment::admits(NcInstruction op, bool isGiven) const {
  if (isGiven)
    return true;
  if (ops.size() == maxSegment)
    return false;
  if (auto start = op->getAttrOfType<DenseI64ArrayAttr>(startAttrName))
    return pipelined ? *pipelined == start[0] : !needsPsum;
  return !pipelined || !needsOtherPsum(op);
}

bool Segment::needsOtherPsum(NcInstruction op) {
  return llvm::any_of(accessesOf(op), [](const MemoryAccess &access) {
    return access.shape.space == isa::Space::psum &&
           !Value(access.base).getDefiningOp()->hasAttr(besideAttrName);
  });
}

/// What the order gains over that of the source, and its bound.
void Segment::note(const problems::OrderSolution &solution) const {
  const auto timeOf = [&](const problems::OrderSolution &order) {
    const problems::OrderReport report = replayOrder(problem, order);
    return problem.loop ? report.interval : report.makespan;
  };
  const problems::OrderBounds bounds = problems::orderBounds(problem);
  const int64_t bound =
      std::max(bounds.resource, problem.loop ? bounds.recurrence : bounds.path);
  const int64_t time = timeOf(solution),
                asWritten = timeOf(problems::solveOrderAsWritten(problem));
  Operation *place = ops.front();
  if (loop)
    place = loop;
  auto remark = time < asWritten
                    ? orderSegmentRemarks.passed(place, "Ordered")
                    : orderSegmentRemarks.missed(place, "KeptOrder");
  remark << (pipelined ? "software pipelining of " : "list scheduling of ")
         << count("instructions", ops.size())
         << noun(ops.size(), " instruction") << ": "
         << nanoseconds("time_ns", time) << " ns"
         << (problem.loop ? " per iteration, " : ", ")
         << nanoseconds("source_ns", asWritten)
         << " ns in source order, and at least "
         << nanoseconds("bound_ns", bound) << " ns for the "
         << (bounds.resource == bound
                 ? problems::executionStreamName(
                       static_cast<problems::ExecutionStream>(bounds.busiest)) +
                       " stream"
             : problem.loop ? "recurrence"
                            : "longest chain");
  if (const auto urgent = llvm::count_if(
          problem.operations,
          [](const problems::OrderOperation &op) { return op.urgency != 0; }))
    remark << "; " << measure("urgent", urgent)
           << noun(urgent, " of them is", " of them are")
           << " more or less urgent than others";
  if (problem.trips > 0)
    remark << "; the loop has " << measure("iterations", problem.trips)
           << noun(problem.trips, " iteration");
}

/// What is made ahead of its use takes no more than most of SBUF, and no
/// more PSUM than there is beside what lives longer than the segment.
void Segment::addBuffers() {
  problem.sbufRoom = std::max<int64_t>(
      1, static_cast<int64_t>(target.bytes(isa::Space::sbuf)) * aheadPercent /
             100);
  problem.psumRoom = static_cast<int64_t>(target.bytes(isa::Space::psum));
  using Scope = std::pair<Attribute, Space>;
  llvm::SmallDenseMap<Scope, uint32_t, 2> scopes;
  const auto scopeOf = [&](AllocOp alloc) -> std::optional<uint32_t> {
    const std::optional<MemoryLimit> limit = limitOf(alloc);
    if (!limit)
      return std::nullopt;
    const auto [entry, isNew] =
        scopes.try_emplace(Scope(memoryScopeOf(alloc), alloc.getSpace()),
                           static_cast<uint32_t>(problem.scopeRooms.size()));
    if (isNew)
      problem.scopeRooms.push_back(
          static_cast<int64_t>(limit->end - limit->begin));
    return entry->second;
  };
  for (const auto &[base, buffer] : buffers) {
    auto alloc = Value(base).getDefiningOp<AllocOp>();
    if (!alloc || alloc.getSpace() == Space::hbm || buffer.users.empty())
      continue;
    bool inPsum = alloc.getSpace() == Space::psum;
    // In PSUM whole banks, and one copy: rings shrink before nothing fits.
    int64_t bytes = alloc.getBytesPerPartition();
    bytes = inPsum ? llvm::alignTo(bytes, isa::psumBankBytes)
                   : bytes * static_cast<int64_t>(alloc.getRing());
    if (inPsum && buffer.users.size() < uses.of(base)) {
      problem.psumRoom = std::max<int64_t>(1, problem.psumRoom - bytes);
      if (const std::optional<uint32_t> scope = scopeOf(alloc))
        problem.scopeRooms[*scope] =
            std::max<int64_t>(1, problem.scopeRooms[*scope] - bytes);
      continue;
    }
    problems::OrderBuffer entry{
        inPsum ? isa::Space::psum : isa::Space::sbuf, bytes, {}};
    entry.users.assign(buffer.users.begin(), buffer.users.end());
    llvm::sort(entry.users);
    entry.users.erase(llvm::unique(entry.users), entry.users.end());
    entry.scope = scopeOf(alloc);
    problem.buffers.push_back(std::move(entry));
  }
}

/// Edges for what the user wrote about order.
void Segment::keepPromises(NcInstruction op, uint32_t index,
                           isa::Engine engine) {
  if (std::optional<OrderedPlace> place = orderedPlace(op))
    chain(lastOrdered[place->scope], index);
  // Tokens say "all of this stream so far", and "all of it from here on".
  auto &fence = fences[static_cast<size_t>(engine)];
  if (hasUserTokens(op)) {
    chain(lastTokens, index);
    for (uint32_t earlier : fence.since)
      addEdge(earlier, index, problem.operations[earlier].issue, 0);
    fence.since.clear();
    fence.last = index;
  } else if (fence.last) {
    addEdge(*fence.last, index, 0, 0);
  }
  fence.since.push_back(index);
  std::optional<int64_t> label = labelOf(op);
  if (!label)
    return;
  for (int64_t target : edges.lookup(*label))
    for (uint32_t earlier : labelled.lookup(target))
      addEdge(earlier, index, problem.operations[earlier].latency, 0);
  labelled[*label].push_back(index);
}

void Segment::chain(std::optional<uint32_t> &last, uint32_t index) {
  if (last)
    addEdge(*last, index, problem.operations[*last].occupancy, 0);
  last = index;
}

void Segment::addEdge(uint32_t from, uint32_t to, int64_t latency,
                      uint32_t distance) {
  if (distance == 0 && isMutated(Mutation::orderEdge))
    return;
  if (from != to || distance != 0)
    problem.edges.push_back({from, to, latency, distance});
}

/// With what it takes to say so to another engine, or to find a result of
/// the same one still in flight.
int64_t Segment::delay(const problems::ByteAccess &from,
                       const problems::ByteAccess &access, uint32_t to) {
  const problems::OrderOperation &operation =
      problem.operations[from.operation];
  isa::Engine reader = problem.operations[to].engine;
  bool data = from.writes && access.reads;
  if (operation.queue >= 0)
    return data ? operation.latency : operation.occupancy;
  // TensorE starts a product that accumulates as soon as the one before has
  // started. If it counts as waiting, chains of products alternate, which
  // tolerates late operands better: 5 to 12 % of causal attention.
  if (data && operation.engine == reader && reader == isa::Engine::tensor &&
      !operation.start)
    return operation.latency +
           machine::cyclesToTime(target.dependent_issue_cycles,
                                 target.ghz(reader));
  return machine::handOver({.issue = operation.issue,
                            .occupancy = operation.occupancy,
                            .latency = operation.latency},
                           operation.engine, reader, data, target);
}

void Segment::addAccess(uint32_t index, const MemoryAccess &access) {
  buffers[access.base].users.push_back(index);
  if (access.writes())
    waitForBanks(index, access.base);
  std::unique_ptr<Place> &held = places[spaces.placeOf(access.base)];
  if (!held)
    held = std::make_unique<Place>();
  Place &place = *held;
  problems::ByteAccess fresh = place.families.describe(access, spaces);
  fresh.operation = index;
  place.history.add(fresh, [&](const problems::ByteAccess &from, bool real) {
    addEdge(from.operation, index, real ? delay(from, fresh, index) : 0, 0);
  });
  if (problem.loop)
    place.accesses.push_back({access.base, std::move(fresh)});
}

/// A buffer takes all its banks at once, whatever its bytes are that another
/// one is not done with.
void Segment::waitForBanks(uint32_t index, Value base) {
  auto alloc = base.getDefiningOp<AllocOp>();
  if (!alloc || !bankOf(alloc))
    return;
  for (auto &[other, buffer] : buffers)
    if (auto before = other.getDefiningOp<AllocOp>();
        before && before != alloc && haveCommonBank(before, alloc))
      for (const uint32_t user : buffer.users)
        if (user != index)
          addEdge(user, index, 0, 0);
}

/// An iteration meets what earlier ones left: for a buffer declared outside
/// at the next iteration, for a ring when its copy comes round again.
void Segment::addCarriedEdges() {
  if (!problem.loop)
    return;
  auto count = static_cast<uint32_t>(ops.size());
  for (auto &[base, held] : places) {
    Place &place = *held;
    for (auto &[buffer, access] : place.accesses) {
      uint32_t distance = 1;
      if (auto alloc = buffer.getDefiningOp<AllocOp>())
        if (alloc->getParentOp() == loop.getOperation())
          distance = static_cast<uint32_t>(alloc.getRing());
      uint32_t index = access.operation;
      place.families.advance(access, loop, distance);
      access.operation += count;
      place.history.add(
          access, [&](const problems::ByteAccess &from, bool real) {
            if (from.operation < count)
              addEdge(from.operation, index,
                      real ? delay(from, access, index) : 0, distance);
          });
    }
  }
}

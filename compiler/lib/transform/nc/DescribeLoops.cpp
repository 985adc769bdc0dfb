//===- DescribeLoops.cpp - What each loop takes, and why ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing here depends on what a pass intended. The body as it stands, in its
// final order and with the copies that its buffers have got, is one modulo
// problem: its bounds are those of the loop, and a replay of the order predicts
// the interval. How many iterations a body holds is read off the notes of the
// source's order, which nc-check-order proves.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/transform/nc/DescribeLoops.h"

#include "LoopProblem.h"
#include "LoopResources.h"

#include "kiln/compiler/dialect/nc/Locations.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/solve/ModuloRecurrences.h"

#include "llvm/ADT/MapVector.h"

#include <numeric>

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;
namespace machine = kiln::machine;
namespace problems = kiln::problems;

namespace {

/// Instructions of a body that are examined one by one.
constexpr size_t mostOperations = 512;
/// Instructions times dependences of a body whose cycles are looked for: each
/// step of the search goes through all of them.
constexpr size_t mostSearched = 2'000'000;
constexpr size_t mostRecurrences = 4;
/// Cycles that are examined: jammed iterations have equal ones.
constexpr size_t mostCycles = 16;
/// Iterations that are replayed.
constexpr uint32_t mostReplayed = 64;

/// Which iterations of the source the instructions of a body belong to.
class Iterations {
public:
  explicit Iterations(scf::ForOp loop) : loops(numbersOf(loop)) {
    stride = stepOf(loop);
    bool first = true;
    int64_t unit = stride;
    loop.getBody()->walk([&](NcInstruction op) {
      const int64_t turn = turnOf(op);
      least = first ? turn : std::min(least, turn);
      most = first ? turn : std::max(most, turn);
      first = false;
      unit = std::gcd(unit, turn);
    });
    step = std::max<int64_t>(unit, 1);
  }

  /// How far ahead of the counter the instruction is, in values of it.
  int64_t turnOf(Operation *op) const {
    if (DenseI64ArrayAttr turns = turnsOf(op))
      for (int64_t i = 0; i + 3 < turns.size(); i += 4)
        if (turns[i + 1] == 0 && llvm::is_contained(loops, turns[i]))
          return turns[i + 2];
    return 0;
  }

  uint64_t inBody() const { return std::max<int64_t>(stride / step, 1); }
  uint64_t stages() const {
    const auto span = static_cast<uint64_t>((most - least) / step + 1);
    return span > inBody() ? span - inBody() + 1 : 1;
  }
  /// The iteration of `op`, as trips of the compiled body and the rest.
  int64_t turnsAhead(Operation *op) const {
    return (turnOf(op) - placeInBody(op)) / stride;
  }
  int64_t placeInBody(Operation *op) const {
    return (turnOf(op) % stride + stride) % stride;
  }

private:
  SmallVector<int64_t, 1> loops;
  int64_t stride = 1, step = 1, least = 0, most = 0;
};

class Describer {
public:
  Describer(func::FuncOp func, ScheduleReport &report)
      : report(report), costs(func), spaces(func) {}

  void add(scf::ForOp loop, std::optional<uint32_t> parent, uint32_t depth) {
    const auto index = static_cast<uint32_t>(report.loops.size());
    report.loops.emplace_back();
    ScheduleReport::Loop entry = describe(loop);
    entry.parent = parent;
    entry.depth = depth;
    report.loops[index] = std::move(entry);
    addInside(*loop.getBody(), index, depth + 1);
  }

  void addInside(Block &block, std::optional<uint32_t> parent, uint32_t depth) {
    for (Operation &op : block)
      if (auto loop = dyn_cast<scf::ForOp>(op))
        add(loop, parent, depth);
      else
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            addInside(inner, parent, depth);
  }

private:
  ScheduleReport::Loop describe(scf::ForOp loop) {
    ScheduleReport::Loop entry;
    entry.place = placeOf(loop);
    entry.turns = constantTrips(loop);
    const Iterations iterations(loop);
    entry.iterations = iterations.inBody();
    entry.stages = iterations.stages();
    entry.lines.push_back(entry.place);
    for (auto op : loop.getBody()->getOps<NcInstruction>()) {
      ++entry.instructions;
      if (ScheduleReport::Place place = placeOf(op);
          !llvm::is_contained(entry.lines, place))
        entry.lines.push_back(place);
    }
    const auto scale = static_cast<double>(entry.iterations);
    LoopResources resources(loop, costs);
    entry.resources = resources.list(scale);
    entry.notes = resources.notes();
    std::optional<LoopProblem> body =
        loopProblem(loop, costs, spaces, entry.whyNot, LoopPurpose::describe);
    if (!body)
      return entry;
    if (body->operations.empty()) {
      entry.whyNot = "it contains no instruction";
      return entry;
    }
    addTimes(entry, loop, *body, iterations, scale);
    return entry;
  }

  void addTimes(ScheduleReport::Loop &entry, scf::ForOp loop,
                const LoopProblem &body, const Iterations &iterations,
                double scale) {
    const problems::ModuloProblem &problem = body.problem;
    problems::ModuloSolution asItStands;
    asItStands.interval = static_cast<int64_t>(problem.operations.size());
    for (const problems::ModuloBuffer &buffer : problem.buffers)
      asItStands.copies.push_back(std::max<uint32_t>(buffer.copies, 1));
    asItStands.start.resize(problem.operations.size());
    std::iota(asItStands.start.begin(), asItStands.start.end(), 0);
    // What as many iterations more take: filling and draining cancel out.
    const problems::ModuloReport replayed =
        problems::replayModulo(problem, asItStands, mostReplayed);
    const int64_t twice =
        problems::replayModulo(problem, asItStands, 2 * mostReplayed).makespan;
    const double interval =
        static_cast<double>(twice - replayed.makespan) / mostReplayed;
    const bool repeats = !entry.turns || *entry.turns > 1;
    if (repeats && !loop->hasAttr(onceAttrName))
      entry.interval = interval / scale;
    else
      entry.whyNot = "it runs at most once";
    if (llvm::any_of(body.operations, [](NcInstruction op) {
          return hasUserTokens(op) || labelOf(op) || orderedPlace(op);
        }))
      entry.notes.emplace_back(
          "the numbers do not include promises and tokens of the program");
    if (entry.interval &&
        llvm::any_of(entry.resources, [](const auto &resource) {
          return resource.name.isPort();
        }))
      entry.notes.emplace_back("the interval does not include how engines wait "
                               "for each other at memory ports");
    addCapacity(entry, body, scale);
    if (entry.interval)
      addRecurrences(entry, body, asItStands.copies, scale);
    addRings(entry, body, replayed);
    addCopies(entry, loop, body, replayed, iterations, scale);
  }

  /// Each iteration holds its own buffers from the first write until the last
  /// user ends: what all hold at once has to fit.
  void addCapacity(ScheduleReport::Loop &entry, const LoopProblem &body,
                   double scale) {
    const problems::ModuloProblem &problem = body.problem;
    std::vector<int64_t> start;
    const auto heldFrom = [&](uint32_t first) {
      // Longest ways within the iteration, in the order of the body.
      start.assign(problem.operations.size(), -1);
      start[first] = 0;
      for (uint32_t to = first + 1; to < start.size(); ++to)
        for (const problems::ModuloEdge &edge : problem.edges)
          if (edge.to == to && edge.distance == 0 && start[edge.from] >= 0)
            start[to] = std::max(start[to], start[edge.from] + edge.latency);
    };
    if (problem.operations.size() > mostOperations)
      return;
    for (isa::Space space : {isa::Space::psum, isa::Space::sbuf}) {
      ScheduleReport::Resource resource;
      resource.name = {ScheduleReport::ResourceName::Kind::memory,
                       static_cast<unsigned>(space)};
      const auto room = static_cast<int64_t>(costs.target().bytes(space));
      for (auto [alloc, buffer] : llvm::zip(body.buffers, problem.buffers)) {
        if (buffer.space != space)
          continue;
        heldFrom(buffer.users.front().operation);
        int64_t held = 0;
        for (const problems::ModuloBuffer::User &user : buffer.users)
          if (start[user.operation] >= 0)
            held = std::max(held, start[user.operation] + user.release);
        const double share = static_cast<double>(held) *
                             static_cast<double>(buffer.bytes) /
                             static_cast<double>(room) / scale;
        resource.bound += share;
        charge(resource, alloc, share);
      }
      sortUsers(resource);
      if (resource.bound > 0)
        entry.resources.push_back(std::move(resource));
    }
    sortResources(entry.resources);
  }

  static void charge(ScheduleReport::Resource &resource, AllocOp alloc,
                     double share) {
    ScheduleReport::Operation user;
    user.name = nameOf(alloc);
    user.place = placeOf(alloc);
    auto known = llvm::find_if(resource.users, [&](const auto &other) {
      return other.name == user.name && other.place == user.place;
    });
    if (known == resource.users.end()) {
      user.times = 0;
      resource.users.push_back(std::move(user));
      known = std::prev(resource.users.end());
    }
    known->time += share;
    ++known->times;
  }

  static void addRecurrences(ScheduleReport::Loop &entry,
                             const LoopProblem &body,
                             const std::vector<uint32_t> &copies,
                             double scale) {
    const size_t size = body.operations.size();
    size_t edges = body.problem.edges.size();
    for (const problems::ModuloBuffer &buffer : body.problem.buffers)
      edges += buffer.users.size() * buffer.users.size();
    if (size > mostOperations || size * edges > mostSearched) {
      entry.notes.push_back(
          "dependence cycles are not searched: " + std::to_string(size) +
          " instructions with " + std::to_string(edges) +
          " dependences are too many");
      return;
    }
    for (const problems::ModuloRecurrence &found :
         problems::moduloRecurrences(body.problem, copies, mostCycles)) {
      ScheduleReport::Recurrence recurrence;
      recurrence.bound = static_cast<double>(found.interval) / scale;
      for (const problems::ModuloRecurrence::Link &link : found.links) {
        ScheduleReport::Link made;
        made.from = operationOf(body.operations[link.from]);
        made.from.time = static_cast<double>(link.latency);
        made.latency = static_cast<double>(link.latency);
        made.distance = link.distance;
        if (link.buffer)
          made.buffer = nameOf(body.buffers[*link.buffer]);
        recurrence.links.push_back(std::move(made));
      }
      auto equal = llvm::find_if(entry.recurrences, [&](const auto &other) {
        return isSame(recurrence, other);
      });
      if (equal != entry.recurrences.end())
        ++equal->times;
      else if (entry.recurrences.size() < mostRecurrences)
        entry.recurrences.push_back(std::move(recurrence));
    }
  }

  /// The same lines wait for each other, wherever the cycle begins: the worst
  /// one represents all.
  static bool isSame(const ScheduleReport::Recurrence &a,
                     const ScheduleReport::Recurrence &b) {
    const auto textOf = [](const ScheduleReport::Recurrence &recurrence) {
      std::vector<std::string> links;
      for (const ScheduleReport::Link &link : recurrence.links)
        links.push_back(link.from.name + link.from.engine +
                        link.from.place.str() + link.buffer +
                        std::to_string(link.distance));
      llvm::sort(links);
      return links;
    };
    return textOf(a) == textOf(b);
  }

  static std::string nameOf(AllocOp alloc) {
    if (std::optional<StringRef> label = alloc.getLabel();
        label && !label->empty())
      return label->str();
    return "buffer of " + placeOf(alloc).str();
  }

  static ScheduleReport::Ring ringOf(AllocOp alloc) {
    ScheduleReport::Ring ring;
    ring.name = nameOf(alloc);
    ring.space = isa::name(toIsa(alloc.getSpace()));
    ring.bytes = alloc.getBytesPerPartition();
    ring.copies = static_cast<uint64_t>(alloc.getRing());
    ring.place = placeOf(alloc);
    return ring;
  }

  static void addRings(ScheduleReport::Loop &entry, const LoopProblem &body,
                       const problems::ModuloReport &replayed) {
    for (auto [alloc, buffer] : llvm::zip(body.buffers, body.problem.buffers)) {
      ScheduleReport::Ring ring = ringOf(alloc);
      int64_t begin = INT64_MAX, end = 0;
      for (const problems::ModuloBuffer::User &user : buffer.users) {
        begin = std::min(begin, replayed.start[user.operation]);
        end = std::max(end, replayed.start[user.operation] + user.release);
      }
      if (entry.interval && *entry.interval > 0)
        ring.lifetime = static_cast<double>(end - begin) / *entry.interval;
      addRing(entry, std::move(ring));
    }
  }

  /// Whichever iteration of an unrolled loop they are from.
  static bool isSamePlace(Location a, Location b) {
    return a == b || (sourceLocation(a) == sourceLocation(b) &&
                      namesOf(a).operation == namesOf(b).operation &&
                      callerOf(a) == callerOf(b));
  }

  /// Jammed iterations have equal ones.
  static void addRing(ScheduleReport::Loop &entry, ScheduleReport::Ring ring) {
    for (ScheduleReport::Ring &other : entry.rings) {
      if (other.name != ring.name || other.space != ring.space ||
          other.bytes != ring.bytes || other.copies != ring.copies ||
          other.place != ring.place)
        continue;
      ++other.times;
      if (ring.lifetime)
        other.lifetime = std::max(other.lifetime.value_or(0), *ring.lifetime);
      return;
    }
    entry.rings.push_back(std::move(ring));
  }

  /// Buffers in front of the loop that hold iterations' copies:
  /// nc-pipeline-loops gives each copy a buffer of its own.
  void addCopies(ScheduleReport::Loop &entry, scf::ForOp loop,
                 const LoopProblem &body,
                 const problems::ModuloReport &replayed,
                 const Iterations &iterations, double scale) {
    struct Span {
      double begin = 0, end = 0;
      bool isSet = false;
    };
    // By buffer, and by the iteration of the body that uses it.
    llvm::MapVector<std::pair<Operation *, int64_t>, Span> spans;
    const double turn = entry.interval.value_or(0) * scale;
    for (size_t index = 0; index < body.operations.size(); ++index) {
      NcInstruction op = body.operations[index];
      const BuiltInstruction instruction = built(op);
      const machine::InstructionTimes times =
          costs.of(instruction, *op.getAssignedEngine());
      const auto start = static_cast<double>(replayed.start[index]) -
                         turn * static_cast<double>(iterations.turnsAhead(op));
      for (const MemoryAccess &access : instruction.accesses) {
        auto alloc = access.base.getDefiningOp<AllocOp>();
        if (!alloc || !alloc->hasAttr(copyAttrName) || loop->isAncestor(alloc))
          continue;
        Span &span = spans[{alloc, iterations.placeInBody(op)}];
        const bool isThrough = access.writes() || infoOf(op).isDma;
        const double end =
            start + static_cast<double>(
                        isThrough ? std::max(times.occupancy, times.latency)
                                  : times.occupancy);
        span.begin = span.isSet ? std::min(span.begin, start) : start;
        span.end = span.isSet ? std::max(span.end, end) : end;
        span.isSet = true;
      }
    }
    std::vector<ScheduleReport::Ring> found;
    SmallVector<std::pair<AllocOp, size_t>> groups;
    llvm::SmallPtrSet<Operation *, 16> counted; // Only asked.
    for (auto &[user, span] : spans) {
      auto alloc = cast<AllocOp>(user.first);
      auto *group = llvm::find_if(groups, [&](auto &other) {
        return isSamePlace(other.first->getLoc(), alloc->getLoc()) &&
               other.first.getLabel() == alloc.getLabel() &&
               other.first.getMemory().getType() == alloc.getMemory().getType();
      });
      if (group == groups.end()) {
        groups.push_back({alloc, found.size()});
        group = &groups.back();
        found.push_back(ringOf(alloc));
        found.back().copies = 0;
      }
      ScheduleReport::Ring &ring = found[group->second];
      if (counted.insert(alloc).second)
        ring.copies += static_cast<uint64_t>(alloc.getRing());
      if (turn > 0)
        ring.lifetime = std::max(ring.lifetime.value_or(0),
                                 (span.end - span.begin) / turn * scale);
    }
    for (ScheduleReport::Ring &ring : found)
      addRing(entry, std::move(ring));
  }

  ScheduleReport &report;
  Costs costs;
  PinnedSpaces spaces;
};

} // namespace

void kiln::compiler::nc::describeLoops(func::FuncOp func,
                                       ScheduleReport &report) {
  if (func.isDeclaration())
    return;
  Describer(func, report).addInside(func.getBody().front(), std::nullopt, 0);
}

void kiln::compiler::nc::takeLoopProblems(func::FuncOp func,
                                          std::vector<std::string> &texts) {
  if (auto kept = llvm::dyn_cast_if_present<ArrayAttr>(
          func->removeAttr(loopProblemsAttrName)))
    for (auto text : kept.getAsRange<StringAttr>())
      texts.push_back(text.str());
}

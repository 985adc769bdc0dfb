//===- AttachedSchedule.cpp - Decisions that came with the kernel ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttachedSchedule.h"

#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/transform/nc/Schedules.h"

#include <tuple>

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace problems = kiln::problems;
namespace schedule = kiln::schedule;

/// Iterations that begin before the first one ends, at most.
static constexpr std::int64_t mostDepth = 256;
/// Iterations that are played beyond those that fill a loop, at most.
static constexpr std::int64_t playedBeyond = 64;

StringRef kiln::compiler::nc::calledName(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(calledAttrName);
  return name ? name.getValue() : StringRef();
}

StringRef kiln::compiler::nc::ownName(Operation *op) {
  return calledName(op).rsplit(':').second;
}

AttachedSchedule::AttachedSchedule(func::FuncOp func) {
  auto text = func->getAttrOfType<StringAttr>(scheduleAttrName);
  if (!text)
    return;
  wanted = true;
  file = func->getAttrOfType<StringAttr>(scheduleFileAttrName);
  const auto index = static_cast<size_t>(numberAround(func, coreAttrName, 0));
  // compile() has told what is wrong with the text. One that came with the
  // kernel is that of this core alone.
  if (auto parsed = schedule::parseSchedules(text.getValue()))
    schedule = std::move((*parsed)[std::min(index, parsed->size() - 1)]);
}

const schedule::Loop *AttachedSchedule::named(StringRef name) const {
  if (schedule)
    for (const schedule::Loop &loop : schedule->loops)
      if (loop.name == name)
        return &loop;
  return nullptr;
}

const schedule::Loop *AttachedSchedule::of(Operation *loop) const {
  if (!loop)
    return named("");
  const StringRef name = calledName(loop);
  return name.empty() ? nullptr : named(name);
}

void AttachedSchedule::noteLine(InFlightDiagnostic &error,
                                std::uint32_t line) const {
  if (line != 0 && file)
    error.attachNote(FileLineColLoc::get(file, line, 0))
        << "the schedule says so here";
}

static std::string titleOf(const schedule::Loop &loop) {
  return loop.name.empty() ? "outside of loops" : "of loop '" + loop.name + "'";
}

LogicalResult AttachedSchedule::refuse(Operation *op,
                                       const schedule::Loop &loop,
                                       std::uint32_t line,
                                       const Twine &reason) const {
  InFlightDiagnostic error = op->emitError();
  error << Code{"KILN-C191"} << "the schedule " << titleOf(loop)
        << " cannot be kept: " << reason;
  noteLine(error, line);
  return error;
}

namespace {

/// Compares the names of a section with those of the loop.
class NameCheck {
public:
  NameCheck(Operation *loop, const AttachedSchedule &attached,
            const schedule::Loop &section)
      : loop(loop), attached(attached), section(section) {}

  /// Each of `names` may be said `times` times, and has to be, if all are
  /// demanded.
  LogicalResult check(StringRef kind, ArrayRef<StringRef> names,
                      ArrayRef<std::pair<StringRef, std::uint32_t>> said,
                      std::uint32_t times, bool demandsAll) const {
    llvm::StringMap<std::uint32_t> counts;
    for (StringRef name : names)
      counts[name] = 0;
    for (auto &[name, line] : said) {
      auto known = counts.find(name);
      if (known == counts.end())
        return fail(line, names) << "names " << kind << " '" << found(name)
                                 << "', which does not exist" << listed(names);
      if (++known->second > times)
        return fail(line, names)
               << "names " << kind << " '" << name << "' " << found("twice")
               << " for an iteration, expected " << allowed("once");
    }
    for (StringRef name : names)
      if (demandsAll && counts[name] < times)
        return fail(section.line, names)
               << "leaves out " << kind << " '" << allowed(name) << "'";
    return success();
  }

private:
  InFlightDiagnostic fail(std::uint32_t line, ArrayRef<StringRef> names) const {
    InFlightDiagnostic error = loop->emitError();
    attached.noteLine(error, line);
    error << Code{"KILN-C190"} << "the schedule " << titleOf(section) << " ";
    return error;
  }

  static std::string listed(ArrayRef<StringRef> names) {
    constexpr size_t most = 8;
    std::string text = names.empty() ? "; there are none" : "; the names are ";
    for (size_t i = 0; i < std::min(names.size(), most); ++i)
      text += (i > 0 ? ", " : "") + names[i].str();
    return text + (names.size() > most ? ", .." : "");
  }

  Operation *loop;
  const AttachedSchedule &attached;
  const schedule::Loop &section;
};

} // namespace

LogicalResult kiln::compiler::nc::checkNames(Operation *loop,
                                             ArrayRef<NcInstruction> operations,
                                             ArrayRef<AllocOp> buffers,
                                             const AttachedSchedule &attached,
                                             const schedule::Loop &section,
                                             bool demandsRings) {
  const NameCheck names(loop, attached, section);
  SmallVector<StringRef> known;
  SmallVector<std::pair<StringRef, std::uint32_t>> said;
  for (NcInstruction op : operations)
    known.push_back(ownName(op));
  for (const schedule::Operation &op : section.operations)
    if (!op.isTurn())
      said.emplace_back(op.name, op.line);
  if (failed(names.check("instruction", known, said, section.iterations, true)))
    return failure();
  known.clear();
  said.clear();
  for (AllocOp buffer : buffers)
    known.push_back(ownName(buffer));
  for (const schedule::Ring &ring : section.rings)
    said.emplace_back(ring.name, ring.line);
  return names.check("ring", known, said, 1, demandsRings);
}

/// Whether each of the turns that engines take in the loop is there once in
/// each iteration, and no other.
static LogicalResult checkTurns(scf::ForOp loop, const LoopProblem &body,
                                const AttachedSchedule &attached,
                                const schedule::Loop &section) {
  SmallVector<StringRef> known;
  SmallVector<std::pair<StringRef, std::uint32_t>> said;
  for (const LoopProblem::Turns &turns : body.turns)
    known.push_back(ownName(body.operations[turns.operation]));
  for (const schedule::Operation &op : section.operations)
    if (op.isTurn())
      said.emplace_back(op.name, op.line);
  return NameCheck(loop, attached, section)
      .check("turn", known, said, section.iterations, true);
}

namespace {

class SolutionReader {
public:
  SolutionReader(const LoopProblem &body, const schedule::Loop &section)
      : body(body), section(section) {
    for (auto [index, op] : llvm::enumerate(body.operations))
      numbers[ownName(op)] = static_cast<std::uint32_t>(index);
    for (auto [index, turns] : llvm::enumerate(body.turns))
      turnNumbers[ownName(body.operations[turns.operation])] =
          static_cast<std::uint32_t>(body.operations.size() + index);
  }

  /// The names must have been checked.
  problems::ModuloSolution read() {
    problems::ModuloSolution solution;
    solution.unroll = section.iterations;
    const size_t size = body.problem.operations.size();
    std::vector<std::int64_t> phase(size * section.iterations, 0);
    std::int64_t now = 0;
    std::optional<std::pair<std::int64_t, std::uint32_t>> last;
    for (const schedule::Operation &said : section.operations) {
      const std::uint32_t operation = numberOf(said);
      std::int64_t time = std::max(now, said.at.value_or(now));
      // At equal times, what belongs to an earlier iteration comes first, then
      // the source decides. The order of the lines is what counts.
      const auto rank = std::pair(static_cast<std::int64_t>(said.iteration) -
                                      static_cast<std::int64_t>(said.stage) *
                                          section.iterations,
                                  operation);
      if (last && time == now && rank < *last)
        ++time;
      now = time;
      last = rank;
      phase[said.iteration * size + operation] = time;
    }
    solution.interval = std::max(section.interval.value_or(1), now + 1);
    solution.start.resize(phase.size());
    for (const schedule::Operation &said : section.operations) {
      const size_t node = said.iteration * size + numberOf(said);
      solution.start[node] = said.stage * solution.interval + phase[node];
    }
    for (AllocOp buffer : body.buffers)
      for (const schedule::Ring &ring : section.rings)
        if (ring.name == ownName(buffer))
          solution.copies.push_back(ring.copies);
    return solution;
  }

private:
  std::uint32_t numberOf(const schedule::Operation &said) const {
    return (said.isTurn() ? turnNumbers : numbers).lookup(said.name);
  }

  const LoopProblem &body;
  const schedule::Loop &section;
  llvm::StringMap<std::uint32_t> numbers, turnNumbers;
};

} // namespace

/// Each iteration of those that start together has each instruction once.
static LogicalResult checkIterations(scf::ForOp loop,
                                     const AttachedSchedule &attached,
                                     const schedule::Loop &section) {
  llvm::StringMap<SmallVector<bool>> seen, turns;
  for (const schedule::Operation &op : section.operations) {
    SmallVector<bool> &own = (op.isTurn() ? turns : seen)[op.name];
    own.resize(section.iterations);
    if (op.iteration >= section.iterations)
      return attached.refuse(loop, section, op.line,
                             "iteration " + Twine(op.iteration) + " of " +
                                 op.name + "; they are numbered from 0 to " +
                                 Twine(section.iterations - 1));
    if (own[op.iteration])
      return attached.refuse(loop, section, op.line,
                             op.name + " occurs twice for iteration " +
                                 Twine(op.iteration));
    own[op.iteration] = true;
  }
  return success();
}

FailureOr<problems::ModuloSolution>
kiln::compiler::nc::attachedSolution(scf::ForOp loop, const LoopProblem &body,
                                     const AttachedSchedule &attached,
                                     const schedule::Loop &section) {
  if (failed(checkNames(loop, body.operations, body.buffers, attached, section,
                        /*demandsRings=*/true)) ||
      failed(checkTurns(loop, body, attached, section)) ||
      failed(checkIterations(loop, attached, section)))
    return failure();
  problems::ModuloSolution solution = SolutionReader(body, section).read();
  const auto refuse = [&](const Twine &reason) {
    return attached.refuse(loop, section, section.line, reason);
  };
  const auto trips =
      static_cast<std::int64_t>(constantTrips(loop).value_or(mostDepth));
  const bool isNested =
      loop->getParentOfType<scf::ForOp>() != nullptr && standsAlone(loop);
  const std::int64_t most = isNested ? std::min(mostDepth, trips) : mostDepth;
  if (solution.depth() > most)
    return refuse(Twine(solution.depth()) +
                  " iterations overlap, but at most " + Twine(most) + " can");
  for (const isa::Space space : {isa::Space::sbuf, isa::Space::psum}) {
    const std::int64_t bytes = body.problem.taken(space, solution.copies);
    if (bytes > body.problem.room(space))
      return refuse("its rings take " + Twine(bytes) +
                    " bytes of a partition of " + isa::name(space).data() +
                    ", but there is room for " +
                    Twine(body.problem.room(space)));
  }
  // The times are for people; what counts is that data flow as in the source.
  if (problems::Problem wrong = problems::verifyDataFlow(
          body.problem, solution,
          static_cast<std::uint32_t>(
              std::min(trips, 2 * solution.depth() + playedBeyond))))
    return refuse(*wrong);
  return solution;
}

FailureOr<std::vector<std::uint32_t>> kiln::compiler::nc::attachedOrder(
    scf::ForOp loop, ArrayRef<NcInstruction> operations,
    const AttachedSchedule &attached, const schedule::Loop &section) {
  llvm::StringMap<std::uint32_t> numbers;
  for (auto [index, op] : llvm::enumerate(operations))
    numbers[calledName(op)] = static_cast<std::uint32_t>(index);
  std::vector<std::uint32_t> order;
  for (const schedule::Operation &op : section.operations) {
    const auto known = numbers.find(section.name + ":" + op.name);
    if (known == numbers.end())
      break;
    order.push_back(known->second);
  }
  if (order.size() != operations.size() ||
      order.size() != section.operations.size())
    return attached.refuse(loop, section, section.line,
                           "the compiler has rewritten the loop, so only its "
                           "engines can be given: make it unordered");
  return order;
}

std::optional<std::string>
kiln::compiler::nc::scheduleTextOf(scf::ForOp loop, const LoopProblem &body,
                                   const problems::ModuloSolution &solution,
                                   const AttachedSchedule &attached) {
  if (!attached.isWanted() || calledName(loop).empty())
    return std::nullopt;
  schedule::Loop section;
  section.name = calledName(loop).str();
  section.form = schedule::Form::pipelined;
  section.interval = solution.interval;
  section.iterations = solution.unroll;
  for (auto [buffer, copies] : llvm::zip(body.buffers, solution.copies))
    section.rings.push_back({ownName(buffer).str(), copies});
  const size_t size = body.problem.operations.size();
  SmallVector<std::tuple<std::int64_t, std::int64_t, std::uint32_t>> order;
  for (size_t node = 0; node < solution.start.size(); ++node) {
    const std::int64_t stage = solution.start[node] / solution.interval;
    order.emplace_back(solution.start[node] % solution.interval,
                       static_cast<std::int64_t>(node / size) -
                           stage * solution.unroll,
                       static_cast<std::uint32_t>(node));
  }
  llvm::sort(order, [&](const auto &a, const auto &b) {
    return std::tuple(std::get<0>(a), std::get<1>(a), std::get<2>(a) % size) <
           std::tuple(std::get<0>(b), std::get<1>(b), std::get<2>(b) % size);
  });
  for (const auto &[phase, rank, node] : order) {
    const size_t number = node % size;
    const LoopProblem::Turns *turns =
        number < body.operations.size()
            ? nullptr
            : &body.turns[number - body.operations.size()];
    NcInstruction op = body.operations[turns ? turns->operation : number];
    schedule::Operation said{
        ownName(op).str(), turns ? turns->other : *op.getAssignedEngine(),
        static_cast<std::uint32_t>(solution.start[node] / solution.interval),
        static_cast<std::uint32_t>(node / size), phase};
    if (turns) {
      said.share =
          static_cast<std::uint32_t>(turns->share * schedule::wholeShare);
      if (!said.isTurn() || said.share >= schedule::wholeShare)
        return std::nullopt; // The text cannot express an operation without
                             // owner.
    }
    section.operations.push_back(std::move(said));
  }
  return print(schedule::Schedule{"k", "t", {std::move(section)}});
}

//===- PipelineLoops.cpp - Software pipelining of innermost loops ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A modulo schedule says when each instruction of each iteration starts. All
// executions, in this order, are again a sequential program with the same
// meaning. From the time at which the first iteration has begun all its stages,
// the order repeats: what comes before is the prologue, what is left at the end
// the epilogue, and between them a loop runs several iterations at once.
//
// Each copy of a buffer is a buffer of its own (modulo variable expansion, Lam,
// "Software Pipelining", PLDI 1988), so the body of the new loop holds a number
// of iterations that all numbers of copies divide, and addresses on chip stay
// static. Two copies of a small buffer in PSUM share a bank.
//
//===----------------------------------------------------------------------===//

#include "AttachedSchedule.h"
#include "FixedOrder.h"
#include "PipelineLayout.h"
#include "PipelinedLoop.h"
#include "RingDepths.h"
#include "TripSamples.h"

#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/MemoryScopes.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/problem/ModuloExact.h"
#include "kiln/compiler/transform/nc/SharedSolver.h"

#include "llvm/ADT/ScopeExit.h"

#include <numeric>

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCPIPELINELOOPS
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;
namespace problems = kiln::problems;
namespace schedule = kiln::schedule;

static constexpr Remarks pipelineLoopsRemarks("nc-pipeline-loops");

namespace {

/// Instructions of a body that is scheduled: the solver's time grows with the
/// cube.
constexpr size_t mostOperations = 128;
/// Iterations that are replayed to find what a schedule takes.
constexpr uint32_t mostReplayed = 64;
/// Copies that nc-multi-buffer makes.
constexpr uint32_t usualCopies = 2;
/// Of the time without it: a schedule that gains less than the model is wrong
/// by stays away.
constexpr double leastGain = 0.98;
/// The same where the number of iterations is not known: the rest of them runs
/// in loops with orders of their own, which the model takes for a list.
constexpr double leastGainOfAny = 0.8;
/// Two loops that are in SBUF at once leave one of so many parts free, because
/// not every gap can be used.
constexpr int64_t besideParts = 16;
/// A loop takes banks from the one before if it has so many times as many
/// iterations as stages. One that is hardly full before it drains waits for the
/// banks in every stream, and gains less than that.
constexpr uint64_t longLoop = 4;

class PipelineLoops
    : public kiln::compiler::nc::impl::NcPipelineLoopsBase<PipelineLoops> {
public:
  using Base::Base;
  PipelineLoops(NcPipelineLoopsOptions options, SharedSolver solver)
      : Base(std::move(options)), shared(std::move(solver)) {}

  void runOnOperation() override {
    problems::ModuloSolver own;
    solver = shared ? shared.get() : &own;
    pipelined = 0;
    ended.reset();
    problemTexts.clear();
    scheduleTexts.clear();
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    Costs costs(getOperation());
    const AttachedSchedule attached(getOperation());
    for (scf::ForOp loop : loops)
      if (failed(pipeline(loop, costs, attached)))
        return signalPassFailure();
    note(loopProblemsAttrName, problemTexts);
    note(loopSchedulesAttrName, scheduleTexts);
    // Where nothing is pipelined, one engine keeps what it has.
    getOperation().walk([](NcInstruction op) {
      op->removeDiscardableAttr(takesTurnsAttrName);
    });
  }

private:
  void note(StringRef name, const std::vector<std::string> &texts) {
    if (texts.empty())
      return;
    const SmallVector<StringRef> views(texts.begin(), texts.end());
    getOperation()->setAttr(name,
                            Builder(&getContext()).getStrArrayAttr(views));
  }

  /// ps for all iterations, from a replay of some of them.
  static double timeOf(const problems::ModuloProblem &problem,
                       const problems::ModuloSolution &solution,
                       uint64_t trips) {
    const auto played =
        static_cast<uint32_t>(std::min<uint64_t>(trips, mostReplayed));
    const problems::ModuloReport report =
        replayModulo(problem, solution, played);
    return static_cast<double>(report.makespan) +
           static_cast<double>(trips - played) * report.interval;
  }

  /// After the reason: the present time of an iteration, what the best schedule
  /// would make of it, if there is one, and its limit.
  static void noteBound(Remarks::InFlight &remark,
                        const problems::ModuloProblem &problem, double before,
                        std::optional<double> tried = std::nullopt) {
    remark << ": an iteration takes " << nanoseconds("before_ns", before)
           << " ns as it is, ";
    if (tried)
      remark << nanoseconds("other_ns", *tried)
             << " ns in the best of the schedules, ";
    remark << "and "
           << bindingResource(problem, problems::moduloBounds(problem));
  }

  static void setDescriptors(NcInstruction op, isa::DgeMode mode) {
    op->setAttr(dgeModeAttrName, DgeModeAttr::get(op->getContext(), mode));
  }

  /// Transfers between two buffers of the body for which the user chose no
  /// descriptors.
  static SmallVector<NcInstruction> fixDescriptors(scf::ForOp loop) {
    SmallVector<NcInstruction> fixed;
    for (auto op : loop.getBody()->getOps<NcInstruction>()) {
      const auto mode = op->getAttrOfType<DgeModeAttr>(dgeModeAttrName);
      if (!infoOf(op).isDma ||
          (mode && mode.getValue() != isa::DgeMode::unknown) ||
          !llvm::all_of(accessesOf(op), [&](const MemoryAccess &access) {
            return Value(access.base).getParentBlock() == loop.getBody() &&
                   ViewOp(access.view).getOffset().isSingleConstant() &&
                   !access.isIndexed;
          }))
        continue;
      setDescriptors(op, isa::DgeMode::none);
      fixed.push_back(op);
    }
    return fixed;
  }

  /// The search for slack takes several times as long, so the first schedule
  /// has to gain something, or to promise it: without slack, one late transfer
  /// may delay every iteration. `declined` is what was found if it does not
  /// pay.
  template <class Pays, class Promises>
  std::optional<problems::ModuloSolution>
  solve(const LoopProblem &body, problems::ModuloOptions options,
        const Pays &pays, const Promises &promises,
        std::optional<problems::ModuloSolution> &declined) const {
    const problems::ModuloProblem &problem = body.problem;
    const std::optional<problems::ModuloSolution> first =
        solver->solve(problem, options);
    if (!pays(first) && !(first && promises(*first))) {
      declined = first;
      return std::nullopt;
    }
    options.leastInterval = first->interval;
    std::optional<problems::ModuloSolution> solution =
        solver->solveRobustly(problem, options);
    if (exactSteps > 0 && solution) {
      problems::ModuloSolution better = problems::improveExactly(
          problem, *solution, {exactSteps, 0, options.mostDepth});
      problems::ModuloSolution rounded = better;
      // The time on decoupled streams decides.
      if (chooseBody(problem, rounded, 0, /*dividesTrips=*/false) != 0 &&
          replayModulo(problem, better, mostReplayed).interval <
              replayModulo(problem, *solution, mostReplayed).interval)
        solution = std::move(better);
    }
    if (solution && !options.isTimed)
      deepenRings(body, *solution, options.trips);
    if (pays(solution))
      return solution;
    declined = solution;
    return std::nullopt;
  }

  /// On chip, a place needs bounds, which the loops of a schedule for any
  /// number of iterations do not show.
  static bool movesOnChip(scf::ForOp loop) {
    for (auto op : loop.getBody()->getOps<NcInstruction>())
      for (MemoryAccess &access : accessesOf(op))
        if (access.shape.space != isa::Space::hbm &&
            !access.view.getIndices().empty())
          return true;
    return false;
  }

  /// For a loop that runs as often as the samples say at some iterations of the
  /// loops around it.
  LogicalResult pipelineAnyTrips(scf::ForOp loop, const LoopProblem &body,
                                 const std::vector<uint64_t> &samples) {
    const problems::ModuloProblem &problem = body.problem;
    const auto decline = [&](const Twine &reason) {
      pipelineLoopsRemarks.missed(loop, "NotPipelined")
          << "iterations do not overlap further: " << reason.str();
      return success();
    };
    if (stepOf(loop) != 1)
      return decline(
          "the number of iterations is not a constant, and the step is not 1");
    if (movesOnChip(loop))
      return decline("the number of iterations is not a constant, and they "
                     "access different places on chip");
    const uint64_t mean = meanTrips(samples);
    const double each =
        timeOf(problem, solver->list(problem, usualCopies), mean) /
        static_cast<double>(mean);
    // Where there are too few, and for those left over, the loop stays.
    const auto timeOfAll = [&](problems::ModuloSolution solution) {
      const std::optional<PipelineLayout> layout =
          layOut(problem, solution, mean, /*isNested=*/false,
                 /*isFixed=*/false);
      double time = 0;
      for (const uint64_t trips : samples) {
        const bool isShort = !layout || trips < layout->least;
        const uint64_t rest =
            isShort ? trips : (trips - layout->least) % layout->body;
        time += each * static_cast<double>(rest) +
                (isShort ? 0 : timeOf(problem, solution, trips - rest));
      }
      return time;
    };
    const double before = each * static_cast<double>(std::accumulate(
                                     samples.begin(), samples.end(), 0ull));
    problems::ModuloOptions options;
    options.trips = static_cast<uint32_t>(mean);
    std::optional<problems::ModuloSolution> declined;
    std::optional<problems::ModuloSolution> solution = solve(
        body, options,
        [&](const std::optional<problems::ModuloSolution> &made) {
          return made && timeOfAll(*made) <= leastGainOfAny * before;
        },
        [](const problems::ModuloSolution &) { return false; }, declined);
    if (!solution) {
      std::optional<double> tried;
      if (declined)
        tried = each * timeOfAll(*declined) / before;
      noteBound(pipelineLoopsRemarks.missed(loop, "NoGain")
                    << "no schedule for any number of iterations gains enough",
                problem, each, tried);
      return success();
    }
    std::optional<PipelineLayout> layout =
        layOut(problem, *solution, mean, /*isNested=*/false,
               /*isFixed=*/false);
    layout->rounds = 2; // Any number.
    problems::Problem wrong = problems::verify(problem, *solution);
    if (!wrong)
      wrong = problems::verifyDataFlow(problem, *solution, 4 * mostIterations);
    if (wrong)
      return loop.emitOpError() << Code{"KILN-C900"}
                                << "internal: the schedule of the loop "
                                   "is not legal: "
                                << *wrong;
    pipelineLoopsRemarks.passed(loop, "PipelinedAny")
        << "software pipelining: an iteration starts every "
        << nanoseconds("interval_ns", solution->perIteration())
        << " ns instead of " << nanoseconds("before_ns", each) << "; "
        << measure("stages", solution->stages())
        << noun(solution->stages(), " stage") << ", for "
        << measure("least", layout->least) << " or more iterations; "
        << bindingResource(problem, problems::moduloBounds(problem));
    if (failed(emitForAnyTrips(loop, body, *solution, *layout, pipelined++)))
      return failure();
    ended.reset();
    return success();
  }

  LogicalResult pipeline(scf::ForOp loop, Costs &costs,
                         const AttachedSchedule &attached) {
    const std::optional<uint64_t> trips = constantTrips(loop);
    const schedule::Loop *given = attached.of(loop);
    if (given && given->form == schedule::Form::ordered)
      return success();
    if (given && given->form != schedule::Form::pipelined)
      given = nullptr;
    const auto decline = [&](const Twine &reason) {
      if (given)
        return attached.refuse(loop, *given, given->line,
                               "iterations do not overlap further: " + reason);
      pipelineLoopsRemarks.missed(loop, "NotPipelined")
          << "iterations do not overlap further: " << reason.str();
      return success();
    };
    if (loop->hasAttr(onceAttrName) || (trips && *trips < 2))
      return given ? decline("there is at most one iteration") : success();
    const std::vector<uint64_t> samples =
        trips || given ? std::vector<uint64_t>() : sampledTrips(loop);
    if (!trips && meanTrips(samples) < 2)
      return decline("the number of iterations is not a constant");
    if (!given && !overlapsInScopes && usesMemoryScope(loop))
      return decline("a memory scope has no room for overlapping iterations");
    std::string why;
    // Copies of buffers have addresses of their own, and a transfer between two
    // of them needs no descriptors made at run time.
    SmallVector<NcInstruction> fixed = fixDescriptors(loop);
    bool isPipelined = false;
    llvm::scope_exit revert([&] {
      for (NcInstruction op : fixed)
        if (!isPipelined)
          setDescriptors(op, isa::DgeMode::unknown);
    });
    PinnedSpaces spaces(getOperation());
    std::optional<LoopProblem> body = loopProblem(loop, costs, spaces, why);
    if (!body)
      return decline(why);
    if (!given && body->operations.size() > mostOperations)
      return decline(Twine(body->operations.size()) +
                     " instructions are in the body, at most " +
                     Twine(mostOperations) + " are scheduled");
    if (keepProblems)
      problemTexts.push_back(print(body->problem));
    if (!trips) // What is left of the loop keeps its descriptors.
      return pipelineAnyTrips(loop, *body, samples);
    // The result of nc-multi-buffer and nc-order without this pass.
    const double before =
        timeOf(body->problem, solver->list(body->problem, usualCopies), *trips);
    const problems::ModuloBounds bounds = problems::moduloBounds(body->problem);
    if (!given &&
        static_cast<double>(bounds.bound()) * static_cast<double>(*trips) >
            leastGain * before) {
      noteBound(pipelineLoopsRemarks.missed(loop, "AtTheBound")
                    << "nothing to gain",
                body->problem, before / static_cast<double>(*trips));
      return success();
    }
    const bool isNested =
        loop->getParentOfType<scf::ForOp>() != nullptr && standsAlone(loop);
    const auto pays = [&](const std::optional<problems::ModuloSolution> &made) {
      return made && timeOf(body->problem, *made, *trips) <= leastGain * before;
    };
    const auto promises = [&](const problems::ModuloSolution &made) {
      const uint64_t begun = *trips + static_cast<uint64_t>(made.depth());
      return made.perIteration() * static_cast<double>(begun) <=
             leastGain * before;
    };
    problems::ModuloOptions options;
    // The fill of one inner loop overlaps the drain of the one before, not
    // more.
    options.isTimed = isNested;
    if (isNested) {
      options.mostDepth = static_cast<int64_t>(
          std::min<uint64_t>(*trips, std::numeric_limits<int32_t>::max()));
      options.usualDepth = std::max<int64_t>(1, options.mostDepth / 2);
    } else {
      options.trips = static_cast<uint32_t>(
          std::min<uint64_t>(*trips, std::numeric_limits<int32_t>::max()));
    }
    std::optional<problems::ModuloSolution> solution, declined;
    if (given) {
      FailureOr<problems::ModuloSolution> read =
          attachedSolution(loop, *body, attached, *given);
      if (failed(read))
        return failure();
      solution = std::move(*read);
    } else {
      solution = solve(*body, options, pays, promises, declined);
    }
    const auto times = static_cast<double>(*trips);
    if (!solution) {
      std::optional<double> tried;
      if (declined)
        tried = timeOf(body->problem, *declined, *trips) / times;
      noteBound(pipelineLoopsRemarks.missed(loop, "NoGain")
                    << "no schedule was found that gains enough",
                body->problem, before / times, tried);
      return success();
    }
    std::optional<PipelineLayout> layout =
        layOut(body->problem, *solution, *trips, isNested, given != nullptr);
    if (!layout)
      return decline("the copies of its buffers do not fit in a body of at "
                     "most " +
                     Twine(mostIterations) + " iterations");
    if (!isNested)
      layout->shift = shiftOfTurns(*body, *solution, *layout, *trips);
    const auto checked =
        static_cast<uint32_t>(std::min<uint64_t>(*trips, 4 * mostIterations));
    // Times that came with the kernel say no more than an order.
    problems::Problem wrong;
    if (!given)
      wrong = problems::verify(body->problem, *solution);
    if (!wrong)
      wrong = problems::verifyDataFlow(body->problem, *solution, checked);
    if (wrong)
      return loop.emitOpError() << Code{"KILN-C900"}
                                << "internal: the schedule of the loop "
                                   "is not legal: "
                                << *wrong;
    pipelineLoopsRemarks.passed(loop, "Pipelined")
        << "software pipelining: an iteration starts every "
        << nanoseconds("interval_ns", solution->perIteration())
        << " ns instead of " << nanoseconds("before_ns", before / times) << "; "
        << measure("stages", solution->stages())
        << noun(solution->stages(), " stage") << "; "
        << bindingResource(body->problem, bounds);
    isPipelined = true;
    if (auto text = scheduleTextOf(loop, *body, *solution, attached))
      scheduleTexts.push_back(std::move(*text));
    if (isNested && llvm::isa<scf::ForOp>(loop->getParentOp()))
      for (auto alloc : loop->getBlock()->getOps<AllocOp>())
        if (alloc.getSpace() == Space::psum)
          alloc->setDiscardableAttr(besideAttrName,
                                    UnitAttr::get(alloc->getContext()));
    const std::optional<PipelineEnd> beside =
        !isNested && isBehindLast(loop) &&
                fitsBeside(body->problem, *solution, *trips)
            ? ended
            : std::nullopt;
    Block *block = loop->getBlock();
    const FailureOr<PipelineEnd> end = emitPipelined(
        loop, *body, *solution, *layout, *trips, pipelined++, beside);
    if (failed(end))
      return failure();
    ended.reset();
    if (!isNested) {
      ended = *end;
      endedIn = block;
    }
    return success();
  }

  /// Whether there is memory for the loop while the last one drains. Banks pass
  /// from one to the other if no other buffer has any.
  bool fitsBeside(const problems::ModuloProblem &problem,
                  const problems::ModuloSolution &solution, uint64_t trips) {
    const int64_t psum = problem.taken(isa::Space::psum, solution.copies);
    const int64_t sbuf =
        ended->sbuf + problem.taken(isa::Space::sbuf, solution.copies);
    return psum == 0 ||
           (ended->isHeldKnown &&
            trips >= longLoop * static_cast<uint64_t>(solution.depth()) &&
            problem.psumRoom ==
                static_cast<int64_t>(
                    targetOf(getOperation()).bytes(isa::Space::psum)) &&
            sbuf <= problem.sbufRoom / besideParts * (besideParts - 1));
  }

  /// Whether the end of the loop that was pipelined last stands in front of
  /// this one, with no other loop between them.
  bool isBehindLast(scf::ForOp loop) const {
    if (!ended || loop->getBlock() != endedIn)
      return false;
    for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode()) {
      if (op->getNumRegions() != 0 || op->hasAttr(scheduledAttrName) ||
          !whyOrderIsFixed(op).empty())
        return false;
      if (auto start = op->getAttrOfType<DenseI64ArrayAttr>(startAttrName))
        return start[0] == ended->number;
    }
    return false;
  }

  SharedSolver shared; ///< Null: each run has its own.
  problems::ModuloSolver *solver = nullptr;
  int64_t pipelined = 0;            ///< Loops of the function so far.
  std::optional<PipelineEnd> ended; ///< The last of them.
  Block *endedIn = nullptr;
  /// Of these loops, if they are wanted.
  std::vector<std::string> problemTexts, scheduleTexts;
};

} // namespace

std::unique_ptr<Pass>
kiln::compiler::nc::createNcPipelineLoops(NcPipelineLoopsOptions options,
                                          SharedSolver solver) {
  return std::make_unique<PipelineLoops>(std::move(options), std::move(solver));
}

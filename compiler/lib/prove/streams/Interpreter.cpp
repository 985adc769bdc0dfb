//===- Interpreter.cpp - Each stream by itself, with concrete registers ---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trace.h"
#include "Values.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace kiln::problems::checker {
namespace {

/// Iterations of a loop to play: the first or the last ones. Always without
/// gaps, for a token of distance 2 stands two iterations back.
struct Cut {
  std::uint64_t trips = 0;
  std::uint64_t played = 0;
  std::uint64_t skipped = 0; ///< In front.
  std::uint64_t iteration(std::uint64_t n) const { return skipped + n; }
};

class Interpreter {
public:
  Interpreter(const CheckOptions &options, Trace &trace)
      : code(*trace.code), module(*code.module), plan(*trace.plan),
        options(options), trace(trace) {}

  std::optional<SyncReport> run() {
    std::size_t instructions = 0;
    for (const auto &stream : module.streams)
      instructions += stream.size();
    trace.steps.reserve(instructions);
    trace.frames[0].items.reserve(code.outside);
    for (unsigned e = 0; e < isa::numEngines; ++e)
      if (auto wrong = walk(e))
        return wrong;
    return std::nullopt;
  }

private:
  struct OpenLoop {
    std::uint32_t begin; ///< Index of the loop or while.
    std::uint32_t loop;
    Cut cut;
    std::uint64_t turn = 0;
    Value first;
    Range counter; ///< What it can hold at all.
    std::uint32_t outerFrame = 0;
  };
  /// How often a loop may run.
  struct Trips {
    std::uint64_t least = 0;
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  };

  std::optional<SyncReport> walk(unsigned engine);
  Trips tripsAt(const isa::Body &body) const;
  std::uint64_t identityOfTrips(const isa::Body &body) const;
  std::optional<SyncReport> enter(unsigned engine, std::uint32_t at);
  Cut cutOf(const isa::Body &body, std::uint32_t loop);
  bool playsLast(std::uint32_t loop) const;
  void startTurn(unsigned engine, OpenLoop &loop);
  void addStep(unsigned engine, std::uint32_t at);
  Place placeOf(const Pattern &pattern);
  void noteOpen(const Pattern &pattern);
  void execute(const isa::Instruction &instruction);

  const Code &code;
  const isa::Module &module;
  const Plan &plan;
  const CheckOptions &options;
  Trace &trace;
  /// Children of frames, and trip counts of loop entries, for all streams.
  std::map<std::array<std::uint64_t, 3>, std::uint32_t> frameOf;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> tripsOf;

  /// Of a loop whose trips are in memory, where streams have no positions.
  static constexpr std::uint64_t unknownTurns = 3;

  // The current stream.
  Registers registers;
  std::vector<OpenLoop> open;
  std::uint32_t frame = 0;
};

void Interpreter::startTurn(unsigned engine, OpenLoop &loop) {
  const isa::Instruction &begin = module.streams[engine][loop.begin];
  const std::uint32_t position = code.positionOf(engine, loop.begin);
  const std::uint64_t iteration = loop.cut.iteration(loop.turn);
  auto [entry, fresh] =
      frameOf.try_emplace({loop.outerFrame, position, iteration},
                          static_cast<std::uint32_t>(trace.frames.size()));
  if (fresh) {
    const auto *counted = std::get_if<isa::LoopBegin>(&begin.body);
    const auto step = counted ? std::int64_t{counted->step} : 1;
    const std::int64_t from =
        counted && loop.first.known ? loop.first.number : 0;
    trace.frames.push_back({loop.outerFrame,
                            position,
                            iteration,
                            from + static_cast<std::int64_t>(iteration) * step,
                            counted && !loop.first.known ? position : 0,
                            {}});
    trace.frames[loop.outerFrame].items.push_back(
        {position, entry->second, iteration, true});
  }
  frame = entry->second;
  const auto *body = std::get_if<isa::LoopBegin>(&begin.body);
  if (!body)
    return;
  const std::int64_t ahead =
      static_cast<std::int64_t>(iteration) * std::int64_t{body->step};
  Value &counter = registers.at(body->counter);
  if (loop.first.known)
    counter = Value::of(static_cast<std::int32_t>(loop.first.number + ahead));
  else
    counter = Value::unknown(
        mix(identityOf(loop.first), static_cast<std::uint64_t>(ahead)),
        {std::min(loop.first.range.low + ahead, loop.counter.high),
         std::min(loop.first.range.high + ahead, loop.counter.high)});
}

Interpreter::Trips Interpreter::tripsAt(const isa::Body &body) const {
  const auto *loop = std::get_if<isa::LoopBegin>(&body);
  if (!loop) { // A while: the computations in its body are not simulated.
    const Value condition =
        registers.read({std::get<isa::While>(body).condition});
    Trips trips;
    if (condition.isZero())
      trips.most = 0;
    else if (!condition.canBeZero())
      trips.least = 1;
    return trips;
  }
  const Range begin = registers.read(loop->begin).range,
              end = registers.read(loop->end).range;
  if (loop->step <= 0)
    return {};
  const auto over = [&](std::int64_t span) {
    return span <= 0 ? std::uint64_t{0}
                     : static_cast<std::uint64_t>((span + loop->step - 1) /
                                                  loop->step);
  };
  return {over(end.low - begin.high), over(end.high - begin.low)};
}

/// Of a loop whose trips are in memory.
std::uint64_t Interpreter::identityOfTrips(const isa::Body &body) const {
  if (const auto *loop = std::get_if<isa::LoopBegin>(&body))
    return mix(identityOf(registers.read(loop->begin)),
               identityOf(registers.read(loop->end)));
  return identityOf(registers.read({std::get<isa::While>(body).condition}));
}

/// A loop outside of the window ends with its last iteration in one iteration
/// of the loop around it and begins with its first one in the next.
bool Interpreter::playsLast(std::uint32_t loop) const {
  if (!plan.last || plan.open[loop])
    return plan.last;
  for (std::size_t i = open.size(); i-- > 0;)
    if (plan.open[open[i].loop])
      return open[i].turn % 2 == 0;
  return true;
}

Cut Interpreter::cutOf(const isa::Body &body, std::uint32_t loop) {
  const std::uint64_t turns = plan.turns[loop];
  const Trips trips = tripsAt(body);
  Cut cut;
  cut.trips = trips.least;
  if (trips.least != trips.most && // Any count between may happen.
      trace.decisions->holds(identityOfTrips(body)))
    cut.trips = std::max(
        trips.least,
        std::min(trips.most,
                 code.numbered ? turns : std::min(turns, unknownTurns)));
  cut.played = std::min(cut.trips, turns);
  if (cut.played < cut.trips) {
    trace.cut = true;
    if (playsLast(loop))
      cut.skipped = cut.trips - cut.played;
  }
  return cut;
}

std::optional<SyncReport> Interpreter::enter(unsigned engine,
                                             std::uint32_t index) {
  const isa::Body &body = module.streams[engine][index].body;
  const std::uint32_t position = code.positionOf(engine, index);
  const std::uint32_t number = code.loopAt.at(position);
  OpenLoop loop;
  loop.begin = index;
  loop.loop = number;
  loop.outerFrame = frame;
  if (const auto *counted = std::get_if<isa::LoopBegin>(&body)) {
    loop.first = registers.read(counted->begin);
    loop.counter = {loop.first.range.low,
                    registers.read(counted->end).range.high - 1};
    trace.openBounds |=
        std::holds_alternative<isa::Register>(counted->begin.value) ||
        std::holds_alternative<isa::Register>(counted->end.value);
  }
  loop.cut = cutOf(body, number);
  auto [known, fresh] = tripsOf.try_emplace({frame, position}, loop.cut.trips);
  if (!fresh && known->second != loop.cut.trips)
    return structure(fmt::format(
        "the loop at position {} runs {} times in one stream and {} times in "
        "{}[{}]",
        position, known->second, loop.cut.trips, isa::engineNames[engine],
        index));
  open.push_back(loop);
  if (loop.cut.played > 0)
    startTurn(engine, open.back());
  return std::nullopt;
}

void Interpreter::noteOpen(const Pattern &pattern) {
  OpenPlace open{0, pattern.base};
  for (unsigned t = 0; t < pattern.access->numTerms; ++t) {
    const isa::RegisterTerm &term = pattern.access->terms[t];
    const Value &value = registers.at(term.reg);
    if (value.known)
      open.known += std::int64_t{value.number} * term.scale;
    else // In any order.
      open.identity +=
          mix(value.identity, static_cast<std::uint64_t>(term.scale));
  }
  trace.openPlaces.emplace(static_cast<std::uint32_t>(trace.places.size()),
                           open);
}

/// The first byte, or where it can be.
Place Interpreter::placeOf(const Pattern &pattern) {
  Place place{pattern.base, pattern.base};
  for (unsigned t = 0; t < pattern.access->numTerms; ++t) {
    const isa::RegisterTerm &term = pattern.access->terms[t];
    const Range &range = registers.at(term.reg).range;
    const auto [low, high] =
        std::minmax({range.low * term.scale, range.high * term.scale});
    place.low += low;
    place.high += high;
  }
  if (place.isKnown() && !pattern.anywhere)
    return place;
  if (trace.source && !pattern.anywhere)
    noteOpen(pattern);
  // Nothing is outside of a memory: other checks report that.
  const std::int64_t last = std::max<std::int64_t>(
      1, trace.sizeOf(pattern.memory) - code.shapes[pattern.shape].extent);
  if (pattern.anywhere)
    return {0, last};
  place.low = std::clamp<std::int64_t>(place.low, 0, last - 1);
  place.high = std::clamp<std::int64_t>(place.high, place.low + 1, last);
  return place;
}

void Interpreter::addStep(unsigned engine, std::uint32_t index) {
  const StaticInstruction &entry = code.instructions[engine][index];
  Step step;
  step.instruction = index;
  step.engine = static_cast<std::uint8_t>(engine);
  step.executor = entry.executor;
  step.frame = frame;
  step.firstPlace = static_cast<std::uint32_t>(trace.places.size());
  for (std::uint32_t p = entry.firstPattern;
       entry.moves && p < entry.endPattern; ++p)
    trace.places.push_back(placeOf(code.patterns[p]));
  std::uint32_t id = static_cast<std::uint32_t>(trace.steps.size());
  trace.steps.push_back(step);
  trace.streams[engine].push_back(id);
  if (entry.firstPattern != entry.endPattern)
    trace.frames[frame].items.push_back(
        {code.positionOf(engine, index), id, 0, false});
}

/// What registers hold behind it.
void Interpreter::execute(const isa::Instruction &instruction) {
  const isa::Body &body = instruction.body;
  if (const auto *move = std::get_if<isa::RegisterMove>(&body)) {
    registers.at(move->dst) = registers.read(move->src);
  } else if (const auto *alu = std::get_if<isa::RegisterAlu>(&body)) {
    registers.at(alu->dst) = registers.compute(*alu);
  } else if (const auto *wrap = std::get_if<isa::RegisterWrap>(&body)) {
    const Value before = registers.at(wrap->dst);
    const auto next =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(before.number) +
                                  static_cast<std::uint32_t>(wrap->step));
    registers.at(wrap->dst) =
        before.known ? Value::of(next == wrap->end ? wrap->begin : next)
                     : Value::unknown(mix(4, before.identity));
  } else if (const auto *load = std::get_if<isa::RegisterLoad>(&body)) {
    // The copies for several streams are one load of the source; a different
    // load may find a different value.
    const std::uint64_t which =
        trace.source && instruction.position < trace.source->numbers.size()
            ? static_cast<std::uint64_t>(
                  trace.source->numbers[instruction.position])
            : 0;
    registers.at(load->dst) = registers.loaded(load->src, mix(frame, which));
  } else if (const auto *rank = std::get_if<isa::RankId>(&body)) {
    registers.at(rank->dst) = Value::unknown(mix(2, 0), {0, isa::maxRanks - 1});
  } else if (const auto *ring =
                 std::get_if<isa::CurrentProcessingRankId>(&body)) {
    registers.at(ring->dst) =
        Value::unknown(mix(3, identityOf(registers.read(ring->iteration_id))),
                       {0, isa::maxRanks - 1});
  }
}

std::optional<SyncReport> Interpreter::walk(unsigned engine) {
  const auto &stream = module.streams[engine];
  const auto &partner = code.partner[engine];
  registers = {};
  open.clear();
  frame = 0;
  for (std::uint32_t i = 0; i < stream.size(); ++i) {
    if (trace.steps.size() > options.limit)
      return SyncReport{
          SyncReport::Kind::limit,
          fmt::format("the order of the streams cannot be proved: a few "
                      "iterations of each loop are more than {} instructions",
                      options.limit),
          {}};
    const StaticInstruction &entry = code.instructions[engine][i];
    if (entry.firstWait != entry.endSignal ||
        entry.firstPattern != entry.endPattern)
      addStep(engine, i);
    if (entry.isPlain)
      continue;
    const isa::Body &body = stream[i].body;
    if (const auto *branch = std::get_if<isa::If>(&body)) {
      const Value condition = registers.read({branch->condition});
      const bool holds =
          !condition.canBeZero() ||
          (!condition.isZero() && trace.decisions->holds(condition.identity));
      if (!holds) {
        i = partner[i];
        if (std::holds_alternative<isa::EndIf>(stream[i].body))
          --i; // It executes in either case.
      }
    } else if (std::holds_alternative<isa::Else>(body)) {
      i = partner[i] - 1;
    } else if (isa::isLoop(body)) {
      if (auto wrong = enter(engine, i))
        return wrong;
      if (open.back().cut.played == 0) {
        open.pop_back();
        i = partner[i]; // Past its end_loop.
      }
    } else if (std::holds_alternative<isa::LoopEnd>(body)) {
      OpenLoop &loop = open.back();
      if (++loop.turn < loop.cut.played) {
        startTurn(engine, loop);
        i = loop.begin;
      } else {
        frame = loop.outerFrame;
        open.pop_back();
      }
    } else {
      execute(stream[i]);
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<SyncReport> interpret(const CheckOptions &options, Trace &trace) {
  return Interpreter(options, trace).run();
}

} // namespace kiln::problems::checker

//===- Interpreter.cpp - Each stream by itself, with concrete registers ---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checker/Trace.h"

#include "kiln/isa/register_alu.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace kiln::problems::checker {
namespace {

SyncReport structure(std::string text) {
  return {SyncReport::Kind::structure, std::move(text), {}};
}

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
  Interpreter(const isa::Module &module, const CheckOptions &options,
              Trace &trace)
      : module(module), options(options), trace(trace) {}

  std::optional<SyncReport> run() {
    trace.module = &module;
    trace.numbered = isNumbered();
    for (unsigned e = 0; e < isa::numEngines; ++e)
      if (auto wrong = prepare(e))
        return wrong;
    chooseLengths();
    for (unsigned e = 0; e < isa::numEngines; ++e)
      if (auto wrong = walk(e))
        return wrong;
    return std::nullopt;
  }

private:
  struct Value {
    std::int32_t number = 0;
    bool known = true;
    /// If it is in memory: the same in every stream that loads it from there,
    /// or computes it from such.
    std::uint64_t identity = 0;
  };
  static std::uint64_t identityOf(const Value &value) {
    return value.known ? mix(1, static_cast<std::uint32_t>(value.number))
                       : value.identity;
  }
  Value loaded(const isa::Access &source);
  /// Assembly written by hand has no positions.
  bool isNumbered() const {
    for (const auto &stream : module.streams)
      for (const isa::Instruction &instruction : stream)
        if (instruction.position != 0)
          return true;
    return false;
  }
  /// In the sequential program; without one, each stream is by itself.
  std::uint32_t positionOf(unsigned engine, std::uint32_t index) const {
    return trace.numbered ? module.streams[engine][index].position
                          : engine << 28 | index;
  }

  struct OpenLoop {
    std::uint32_t begin; ///< Index of the loop or while.
    Cut cut;
    std::uint64_t turn = 0;
    std::int32_t first = 0;
    std::uint32_t outerFrame = 0;
  };

  std::optional<SyncReport> prepare(unsigned engine);
  void chooseLengths();
  void chooseEqualLengths();
  std::optional<SyncReport> walk(unsigned engine);
  std::optional<std::uint64_t> tripsAt(const isa::Body &body) const;
  std::uint64_t identityOfTrips(const isa::Body &body) const;
  std::optional<SyncReport> enter(unsigned engine, std::uint32_t at);
  void startTurn(unsigned engine, OpenLoop &loop);
  void addStep(unsigned engine, std::uint32_t at);

  Value read(const isa::RegisterOrInt &operand) const {
    if (const auto *number = std::get_if<std::int32_t>(&operand.value))
      return {*number, true};
    return registers[std::get<isa::Register>(operand.value).index %
                     isa::registersPerEngine];
  }
  Value &at(isa::Register reg) {
    return registers[reg.index % isa::registersPerEngine];
  }
  Value compute(const isa::RegisterAlu &alu) const;

  const isa::Module &module;
  const CheckOptions &options;
  Trace &trace;
  std::array<std::vector<std::uint32_t>, isa::numEngines> partner; ///< Loops.
  std::map<std::uint32_t, std::uint64_t> length; ///< By loop position.
  std::array<int, isa::dmaQueues> feeder{-1, -1, -1, -1, -1, -1, -1, -1,
                                         -1, -1, -1, -1, -1, -1, -1, -1};
  /// Children of frames, and trip counts of loop entries, for all streams.
  std::map<std::array<std::uint64_t, 3>, std::uint32_t> frameOf;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> tripsOf;

  /// Of a loop whose trips are in memory, where streams have no positions.
  static constexpr std::uint64_t unknownTurns = 3;

  // The stream at hand.
  std::array<Value, isa::registersPerEngine> registers;
  std::vector<OpenLoop> open;
  std::uint32_t frame = 0;
};

std::optional<SyncReport> Interpreter::prepare(unsigned engine) {
  const auto &stream = module.streams[engine];
  auto &out = trace.instructions[engine];
  out.reserve(stream.size());
  partner[engine].assign(stream.size(), 0);
  std::vector<std::uint32_t> loops, branches; ///< That are open.
  std::vector<isa::OperandAccess> operands;
  for (std::uint32_t i = 0; i < stream.size(); ++i) {
    const isa::Body &body = stream[i].body;
    StaticInstruction entry;
    entry.executor = static_cast<std::uint8_t>(engine);
    const int queue = isa::queueOf(body).value_or(-1);
    if (queue >= 0 && queue < static_cast<int>(isa::dmaQueues)) {
      entry.isDma = true;
      entry.executor = static_cast<std::uint8_t>(isa::numEngines +
                                                 static_cast<unsigned>(queue));
      int &owner = feeder[static_cast<std::size_t>(queue)];
      if (owner >= 0 && owner != static_cast<int>(engine))
        return structure(fmt::format(
            "DMA queue {} is fed by the streams {} and {}; use one queue a "
            "stream",
            queue, isa::engineNames[static_cast<std::size_t>(owner)],
            isa::engineNames[engine]));
      owner = static_cast<int>(engine);
    }
    operands.clear();
    isa::collectAccesses(body, operands);
    entry.firstPattern = static_cast<std::uint32_t>(trace.patterns.size());
    for (const isa::OperandAccess &operand : operands)
      if (operand.effect != isa::Effect::none &&
          operand.access->totalElements() != 0) {
        // `access` stays in the module: a pattern refers to it.
        trace.patterns.push_back(normalise(*operand.access, operand.effect));
        trace.patterns.back().anywhere = operand.isIndexed;
      }
    entry.endPattern = static_cast<std::uint32_t>(trace.patterns.size());
    out.push_back(entry);

    for (const isa::Wait &wait : stream[i].waits)
      if (wait.semaphore >= isa::numSemaphores)
        return structure(fmt::format("{}[{}] waits for semaphore {} of {}",
                                     isa::engineNames[engine], i,
                                     wait.semaphore, isa::numSemaphores));
    for (const isa::Signal &signal : stream[i].signals)
      if (signal.semaphore >= isa::numSemaphores)
        return structure(fmt::format("{}[{}] signals semaphore {} of {}",
                                     isa::engineNames[engine], i,
                                     signal.semaphore, isa::numSemaphores));

    if (isa::isLoop(body)) {
      loops.push_back(i);
      length.try_emplace(positionOf(engine, i), 2);
    } else if (std::holds_alternative<isa::LoopEnd>(body)) {
      if (loops.empty())
        return structure(fmt::format("{}[{}] ends a loop that none began",
                                     isa::engineNames[engine], i));
      partner[engine][loops.back()] = i;
      partner[engine][i] = loops.back();
      loops.pop_back();
    } else if (std::holds_alternative<isa::If>(body)) {
      branches.push_back(i);
    } else if (isa::info(isa::opcode(body)).nesting != isa::Nesting::none) {
      if (branches.empty())
        return structure(fmt::format("{}[{}] belongs to no if",
                                     isa::engineNames[engine], i));
      partner[engine][branches.back()] = i;
      branches.pop_back();
      if (std::holds_alternative<isa::Else>(body))
        branches.push_back(i);
    } else if (const auto *wrap = std::get_if<isa::RegisterWrap>(&body)) {
      // A ring must wrap and meet its first slot again.
      if (!loops.empty() && wrap->step != 0) {
        std::int64_t slots =
            (std::int64_t{wrap->end} - wrap->begin) / wrap->step;
        std::uint64_t &turns = length[positionOf(engine, loops.back())];
        turns = std::max(turns, static_cast<std::uint64_t>(
                                    std::clamp<std::int64_t>(slots, 0, 32)) +
                                    2);
      }
    }
    // An innermost loop costs little: one turn more.
    if (std::holds_alternative<isa::LoopEnd>(body)) {
      std::uint32_t begin = partner[engine][i];
      bool inner = true;
      for (std::uint32_t k = begin + 1; k < i && inner; ++k)
        inner = !isa::isLoop(stream[k].body);
      std::uint64_t &turns = length[positionOf(engine, begin)];
      if (inner)
        turns = std::max<std::uint64_t>(turns, 3);
    }
  }
  if (!loops.empty() || !branches.empty())
    return structure(fmt::format(
        "{}[{}] begins a body that nothing ends", isa::engineNames[engine],
        loops.empty() ? branches.back() : loops.back()));
  return std::nullopt;
}

/// Without positions nobody knows which loops of the streams belong together:
/// they are played whole, or if that is too much, equally often.
void Interpreter::chooseEqualLengths() {
  std::uint64_t longest = unknownTurns;
  for (const auto &[position, turns] : length)
    longest = std::max(longest, turns);
  double total = 0;
  for (unsigned e = 0; e < isa::numEngines; ++e) {
    std::vector<double> factors{1};
    for (const isa::Instruction &instruction : module.streams[e]) {
      if (isa::isLoop(instruction.body)) {
        const auto trips = tripsAt(instruction.body);
        factors.push_back(factors.back() *
                          static_cast<double>(trips.value_or(longest)));
      }
      total += factors.back();
      if (std::holds_alternative<isa::LoopEnd>(instruction.body))
        factors.pop_back();
    }
  }
  if (total <= static_cast<double>(options.budget))
    longest = std::numeric_limits<std::uint64_t>::max();
  for (auto &[position, turns] : length)
    turns = options.iterations ? options.iterations : longest;
}

/// Keeps the play within the budget by shortening outer loops first.
void Interpreter::chooseLengths() {
  if (!trace.numbered)
    return chooseEqualLengths();
  if (options.iterations)
    for (auto &[position, turns] : length)
      turns = options.iterations;
  auto cost = [&] {
    double total = 0;
    for (unsigned e = 0; e < isa::numEngines; ++e) {
      double factor = 1;
      const auto &stream = module.streams[e];
      for (std::uint32_t i = 0; i < stream.size(); ++i) {
        if (isa::isLoop(stream[i].body))
          factor *= static_cast<double>(length.at(positionOf(e, i)));
        total += factor;
        if (std::holds_alternative<isa::LoopEnd>(stream[i].body))
          factor /=
              static_cast<double>(length.at(positionOf(e, partner[e][i])));
      }
    }
    return total;
  };
  for (auto &[position, turns] : length) { // Outer loops have low positions.
    if (cost() <= static_cast<double>(options.budget))
      break;
    turns = std::min<std::uint64_t>(turns, 2);
  }
}

Interpreter::Value Interpreter::compute(const isa::RegisterAlu &alu) const {
  auto operand = [&](const isa::RegisterOrInt &field) {
    Value value = read(field);
    if (std::holds_alternative<std::int32_t>(field.value))
      value.number = isa::immediateBits(alu.type, value.number);
    return value;
  };
  Value a = operand(alu.a), b = operand(alu.b);
  if (!a.known || !b.known)
    return {0, false,
            mix(mix(static_cast<std::uint64_t>(alu.op) << 8 |
                        static_cast<std::uint64_t>(alu.type),
                    identityOf(a)),
                identityOf(b))};
  auto result = isa::computeRegister(alu.op, alu.type, a.number, b.number);
  return {result.value_or(0), result.has_value()};
}

/// What stands at an address while one iteration of a loop runs.
Interpreter::Value Interpreter::loaded(const isa::Access &source) {
  std::uint64_t identity =
      mix(mix(frame,
              static_cast<std::uint64_t>(source.space) << 32 | source.tensor),
          mix(source.partition, static_cast<std::uint64_t>(source.offset)));
  for (unsigned t = 0; t < source.numTerms; ++t)
    identity = mix(mix(identity, identityOf(at(source.terms[t].reg))),
                   static_cast<std::uint64_t>(source.terms[t].scale));
  return {0, false, identity};
}

void Interpreter::startTurn(unsigned engine, OpenLoop &loop) {
  const isa::Instruction &begin = module.streams[engine][loop.begin];
  const std::uint32_t position = positionOf(engine, loop.begin);
  std::uint64_t iteration = loop.cut.iteration(loop.turn);
  auto [entry, fresh] =
      frameOf.try_emplace({loop.outerFrame, position, iteration},
                          static_cast<std::uint32_t>(trace.frames.size()));
  if (fresh) {
    trace.frames.push_back({loop.outerFrame, position, iteration, {}});
    trace.frames[loop.outerFrame].items.push_back(
        {position, iteration, true, entry->second});
  }
  frame = entry->second;
  if (const auto *body = std::get_if<isa::LoopBegin>(&begin.body))
    at(body->counter) = {
        static_cast<std::int32_t>(
            loop.first + static_cast<std::int64_t>(iteration) * body->step),
        true};
}

/// How often the loop would run; none if that is in memory.
std::optional<std::uint64_t> Interpreter::tripsAt(const isa::Body &body) const {
  const auto *loop = std::get_if<isa::LoopBegin>(&body);
  if (!loop) { // A while: what its body computes is not followed.
    Value condition = read({std::get<isa::While>(body).condition});
    if (condition.known && condition.number == 0)
      return 0;
    return std::nullopt;
  }
  Value begin = read(loop->begin), end = read(loop->end);
  if (!begin.known || !end.known || loop->step <= 0)
    return std::nullopt;
  std::int64_t span = std::int64_t{end.number} - begin.number;
  return span <= 0
             ? 0
             : static_cast<std::uint64_t>((span + loop->step - 1) / loop->step);
}

/// Of a loop whose trips are in memory.
std::uint64_t Interpreter::identityOfTrips(const isa::Body &body) const {
  if (const auto *loop = std::get_if<isa::LoopBegin>(&body))
    return mix(identityOf(read(loop->begin)), identityOf(read(loop->end)));
  return identityOf(read({std::get<isa::While>(body).condition}));
}

std::optional<SyncReport> Interpreter::enter(unsigned engine,
                                             std::uint32_t index) {
  const isa::Instruction &instruction = module.streams[engine][index];
  const std::uint32_t position = positionOf(engine, index);
  std::uint64_t turns = length.at(position);
  OpenLoop loop{index, {}, 0, 0, frame};
  if (const auto *body = std::get_if<isa::LoopBegin>(&instruction.body)) {
    Value begin = read(body->begin);
    loop.first = begin.known ? begin.number : 0;
    trace.openBounds |=
        std::holds_alternative<isa::Register>(body->begin.value) ||
        std::holds_alternative<isa::Register>(body->end.value);
  }
  if (std::optional<std::uint64_t> trips = tripsAt(instruction.body)) {
    loop.cut.trips = *trips;
  } else { // Any count may happen.
    const bool runs = trace.decisions->holds(identityOfTrips(instruction.body));
    loop.cut.trips = !runs            ? 0
                     : trace.numbered ? turns
                                      : std::min(turns, unknownTurns);
  }
  loop.cut.played = std::min(loop.cut.trips, turns);
  if (loop.cut.played < loop.cut.trips) {
    trace.cut = true;
    if (trace.playLast)
      loop.cut.skipped = loop.cut.trips - loop.cut.played;
  }
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

void Interpreter::addStep(unsigned engine, std::uint32_t index) {
  const StaticInstruction &entry = trace.instructions[engine][index];
  Step step;
  step.instruction = index;
  step.engine = static_cast<std::uint8_t>(engine);
  step.executor = entry.executor;
  step.frame = frame;
  step.firstAddress = static_cast<std::uint32_t>(trace.addresses.size());
  for (std::uint32_t p = entry.firstPattern; p < entry.endPattern; ++p) {
    const Pattern &pattern = trace.patterns[p];
    std::int64_t address = pattern.base;
    bool known = !pattern.anywhere;
    for (unsigned t = 0; t < pattern.access->numTerms; ++t) {
      const isa::RegisterTerm &term = pattern.access->terms[t];
      Value value = at(term.reg);
      known &= value.known;
      address += std::int64_t{value.number} * term.scale;
    }
    trace.addresses.push_back(known ? address : unknownAddress);
  }
  std::uint32_t id = static_cast<std::uint32_t>(trace.steps.size());
  trace.steps.push_back(step);
  trace.streams[engine].push_back(id);
  if (entry.firstPattern != entry.endPattern)
    trace.frames[frame].items.push_back(
        {positionOf(engine, index), 0, false, id});
}

std::optional<SyncReport> Interpreter::walk(unsigned engine) {
  const auto &stream = module.streams[engine];
  registers.fill({0, false, 0});
  open.clear();
  frame = 0;
  for (std::uint32_t i = 0; i < stream.size(); ++i) {
    if (trace.steps.size() > 4 * options.budget)
      return structure("the streams are too long to check; raise the budget");
    const isa::Body &body = stream[i].body;
    bool tokens = !stream[i].waits.empty() || !stream[i].signals.empty();
    const StaticInstruction &entry = trace.instructions[engine][i];
    if (tokens || entry.firstPattern != entry.endPattern)
      addStep(engine, i);
    if (const auto *move = std::get_if<isa::RegisterMove>(&body)) {
      at(move->dst) = read(move->src);
    } else if (const auto *alu = std::get_if<isa::RegisterAlu>(&body)) {
      at(alu->dst) = compute(*alu);
    } else if (const auto *wrap = std::get_if<isa::RegisterWrap>(&body)) {
      Value &ring = at(wrap->dst);
      std::int32_t next =
          static_cast<std::int32_t>(static_cast<std::uint32_t>(ring.number) +
                                    static_cast<std::uint32_t>(wrap->step));
      ring.number = next == wrap->end ? wrap->begin : next;
    } else if (const auto *load = std::get_if<isa::RegisterLoad>(&body)) {
      at(load->dst) = loaded(load->src);
    } else if (const auto *rank = std::get_if<isa::RankId>(&body)) {
      at(rank->dst) = {0, false, mix(2, 0)};
    } else if (const auto *ring =
                   std::get_if<isa::CurrentProcessingRankId>(&body)) {
      at(ring->dst) = {0, false, mix(3, identityOf(read(ring->iteration_id)))};
    } else if (const auto *branch = std::get_if<isa::If>(&body)) {
      Value condition = read({branch->condition});
      if (condition.known ? condition.number == 0
                          : !trace.decisions->holds(condition.identity)) {
        i = partner[engine][i];
        if (std::holds_alternative<isa::EndIf>(stream[i].body))
          --i; // It executes in either case.
      }
    } else if (std::holds_alternative<isa::Else>(body)) {
      i = partner[engine][i] - 1;
    } else if (isa::isLoop(body)) {
      if (auto wrong = enter(engine, i))
        return wrong;
      if (open.back().cut.played == 0) {
        open.pop_back();
        i = partner[engine][i]; // Past its end_loop.
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
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<SyncReport> interpret(const isa::Module &module,
                                    const CheckOptions &options, Trace &trace) {
  return Interpreter(module, options, trace).run();
}

} // namespace kiln::problems::checker

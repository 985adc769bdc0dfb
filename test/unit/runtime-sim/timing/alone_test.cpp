//===- alone_test.cpp - What an instruction takes alone -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler plans with machine::timesOf(). Here the simulator times the same
// instruction in a module of its own, in every form that its record allows.
//
//===----------------------------------------------------------------------===//

#include "../function/Samples.h"
#include "ModuleBuilder.h"
#include "kiln/isa/assembly.h"
#include "kiln/machine/cost_terms.h"
#include "kiln/machine/dma_plan.h"
#include "kiln/machine/instruction_times.h"

#include <map>
#include <set>

using namespace kiln::sim::test;
using machine::InstructionTimes;

namespace {

/// A tensor engine on which no instruction depends on others: it is always
/// warm, and no transpose runs behind another instruction.
isa::Target warm(Generation generation) {
  isa::Target target = isa::target(generation);
  target.pe_cold_rate = 1;
  target.pe_background_transpose = false;
  return target;
}

std::vector<TraceEvent> eventsOn(const ModuleBuilder &builder,
                                 const isa::Target &target, unsigned track) {
  TimingOptions options;
  options.trace = true;
  std::vector<TraceEvent> found;
  for (const TraceEvent &event : builder.time(target, options).events)
    if (event.track == track)
      found.push_back(event);
  return found;
}

bool isLegal(const isa::Body &body, Engine engine, const isa::Module &module) {
  isa::Instruction instruction;
  instruction.body = body;
  return !isa::check(instruction, engine, module,
                     isa::target(module.generation));
}

void requireComputes(const isa::Body &body, Engine engine,
                     Generation generation) {
  const isa::Target target = warm(generation);
  const InstructionTimes times = machine::timesOf(body, engine, target);
  ModuleBuilder alone(generation);
  alone.add(engine, body);
  const auto track = static_cast<unsigned>(engine);
  const auto events = eventsOn(alone, target, track);
  REQUIRE(events.size() == 1);
  if (engine != Engine::tensor) {
    REQUIRE(events[0].end - events[0].start == times.occupancy);
    REQUIRE(events[0].visible - events[0].start == times.latency);
    return;
  }
  const auto loads = eventsOn(alone, target, weightsTrack);
  REQUIRE(loads.size() == 1);
  REQUIRE(events[0].visible - loads[0].start == times.latency);
  ModuleBuilder three(generation);
  for (int i = 0; i < 3; ++i)
    three.add(engine, body);
  const auto row = eventsOn(three, target, track);
  REQUIRE(row.size() == 3);
  REQUIRE(row[2].start - row[1].start == times.occupancy);
}

void requireMoves(const isa::Body &body, Engine engine, Generation generation) {
  const isa::Target target = warm(generation);
  const InstructionTimes times = machine::timesOf(body, engine, target);
  const unsigned track =
      isa::numEngines +
      static_cast<unsigned>(isa::queueOf(body).value_or(0)) % isa::dmaQueues;
  ModuleBuilder alone(generation);
  alone.add(engine, body);
  const auto events = eventsOn(alone, target, track);
  REQUIRE(events.size() == 1);
  REQUIRE(events[0].visible == times.latency);
  ModuleBuilder three(generation);
  for (int i = 0; i < 3; ++i)
    three.add(engine, body);
  const auto row = eventsOn(three, target, track);
  REQUIRE(row.size() == 3);
  const Picoseconds wanted = std::max(times.occupancy, times.issue);
  // Where the HBM stack limits them, transfers share it for a moment.
  REQUIRE(ns(row[2].end - row[1].end) ==
          Approx(ns(wanted)).margin(machine::dmaEngines(target)));
}

/// `body`, control, in the smallest stream in which it is legal and executes;
/// loops turn twice. Returns its index.
std::uint32_t addControl(ModuleBuilder &builder, Engine engine,
                         const isa::Body &body) {
  const bool isWhile = std::holds_alternative<isa::While>(body);
  const bool isElse = std::holds_alternative<isa::Else>(body);
  for (std::uint8_t reg = 0; reg < 8; ++reg) {
    isa::RegisterMove set; // So that `if` executes its body and `while` ends.
    set.dst = {reg};
    set.src = {isWhile ? 0 : 1};
    builder.add(engine, set);
  }
  if (isElse || std::holds_alternative<isa::EndIf>(body))
    builder.add(engine, isa::If{});
  if (std::holds_alternative<isa::LoopEnd>(body))
    builder.loop(engine, 2);
  const auto &stream = builder.module.streams[static_cast<std::size_t>(engine)];
  const auto index = static_cast<std::uint32_t>(stream.size());
  builder.add(engine, body);
  if (isWhile || std::holds_alternative<isa::LoopBegin>(body))
    builder.endLoop(engine);
  if (isElse || std::holds_alternative<isa::If>(body))
    builder.add(engine, isa::EndIf{});
  return index;
}

/// The sequencer executes it, and then its stream goes on.
void requireControls(const isa::Body &body, Engine engine,
                     Generation generation) {
  const isa::Target &target = isa::target(generation);
  ModuleBuilder alone(generation);
  const std::uint32_t index = addControl(alone, engine, body);
  TimingOptions options;
  options.trace = true;
  options.registerLoads[static_cast<std::size_t>(engine)] = {5};
  std::vector<Picoseconds> took;
  for (const TraceRun &run : alone.time(target, options).runs)
    if (run.engine == static_cast<std::uint8_t>(engine) && run.index == index)
      took.push_back(run.freed - run.acted);
  REQUIRE(took.size() == (std::holds_alternative<isa::LoopEnd>(body) ? 2 : 1));
  for (std::size_t i = 0; i < took.size(); ++i) {
    const machine::InstructionSetting setting{.goesBack = i + 1 < took.size()};
    REQUIRE(took[i] > 0);
    REQUIRE(machine::timesOf(body, engine, target, setting) ==
            InstructionTimes{took[i], took[i], took[i], took[i], 0});
    const auto terms = machine::termsOf(body, engine, target, setting);
    REQUIRE(machine::sumOf(terms.occupancy) == took[i]);
    REQUIRE(machine::sumOf(terms.latency) == took[i]);
  }
}

/// `kiln explain` shows terms: those of the formulas, and nothing is left out.
void requireTermsAddUp(const isa::Body &body, Engine engine,
                       Generation generation) {
  const isa::Target &target = isa::target(generation);
  for (const bool isLoaded : {false, true}) {
    const auto terms = machine::termsOf(body, engine, target, {isLoaded});
    const auto times = machine::timesOf(body, engine, target, {isLoaded});
    for (const auto *list : {&terms.occupancy, &terms.latency, &terms.beside})
      for (const machine::CostTerm &term : *list)
        REQUIRE(term.time > 0);
    if (isa::info(isa::opcode(body)).isDma) {
      const auto plan = machine::planDma(body, engine, target);
      REQUIRE(machine::sumOf(terms.occupancy) == std::ranges::max(plan.work));
      REQUIRE(machine::sumOf(terms.latency) == times.latency);
      REQUIRE(machine::sumOf(terms.beside) == plan.generation);
      continue;
    }
    const auto cost = machine::costOf(body, engine, target, isLoaded);
    REQUIRE(machine::sumOf(terms.occupancy) == cost.interval);
    REQUIRE(machine::sumOf(terms.latency) == cost.latency);
    if (cost.table == 0)
      REQUIRE(machine::sumOf(terms.beside) == cost.weights);
  }
}

/// Counts what it has tried, by mnemonic.
class Trial {
public:
  void operator()(const isa::Body &body) {
    for (const Generation generation :
         {Generation::v2, Generation::v3, Generation::v4})
      for (unsigned e = 0; e < isa::numEngines; ++e) {
        const auto engine = static_cast<Engine>(e);
        ModuleBuilder surroundings(generation);
        if (!isLegal(body, engine, surroundings.module))
          continue;
        const isa::InstructionInfo &facts = isa::info(isa::opcode(body));
        CAPTURE(std::string(facts.mnemonic), std::string(isa::name(engine)),
                static_cast<int>(generation));
        if (facts.isControl)
          requireControls(body, engine, generation);
        else if (facts.isDma)
          requireMoves(body, engine, generation);
        else
          requireComputes(body, engine, generation);
        if (!facts.isControl)
          requireTermsAddUp(body, engine, generation);
        ++tried[facts.mnemonic];
        ++all;
      }
  }
  std::map<std::string_view, unsigned> tried;
  unsigned all = 0;
};

/// `body` with every tile so many times as long and, by bits of `where`, the
/// n-th of them in PSUM; elements `stride` apart; of `type` where allowed.
isa::Body variant(const isa::Body &base, unsigned times, unsigned where,
                  int stride, DType type) {
  isa::Body body = base;
  unsigned at = 0;
  samples::eachAccess(body, [&](std::string_view name, isa::Access &access) {
    if (access.space == isa::Space::sbuf && (where >> at & 1) != 0)
      access.space = isa::Space::psum;
    ++at;
    isa::Dim &inner = access.dims[access.rank > 0 ? access.rank - 1 : 0];
    if (inner.size == 16)
      inner.size *= times;
    if (inner.stride == 1)
      inner.stride = stride;
    if (!samples::isPlaces(name) &&
        samples::allows(samples::operandOf(base, name), type))
      access.dtype = type;
  });
  return body;
}

/// `base` with each value of each enumeration and of each flag in turn.
std::vector<isa::Body> inEachMode(const isa::Body &base) {
  std::vector<isa::Body> found;
  const auto vary = [&](const auto &instruction, std::string_view name,
                        auto value) {
    auto other = instruction;
    forEachOperand(other, [&](std::string_view own, auto &field) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>,
                                   decltype(value)>)
        if (own == name)
          field = value;
    });
    found.emplace_back(std::move(other));
  };
  std::visit(
      [&](const auto &instruction) {
        forEachOperand(
            instruction, [&](std::string_view name, const auto &field) {
              using Field = std::remove_cvref_t<decltype(field)>;
              if constexpr (std::is_enum_v<Field>)
                for (const auto &entry : isa::EnumTraits<Field>::entries)
                  vary(instruction, name, entry.value);
              else if constexpr (std::is_same_v<Field, bool>)
                for (const bool value : {false, true})
                  vary(instruction, name, value);
            });
      },
      static_cast<const isa::Bodies &>(base));
  return found;
}

} // namespace

TEST_CASE("an instruction alone takes the times that the compiler plans with") {
  Trial trial;
  unsigned inTypes = 0, inModes = 0;
  for (const samples::Sample &sample : samples::allSamples()) {
    const isa::Body base = samples::parsed(sample).body;
    const isa::InstructionInfo &facts = isa::info(isa::opcode(base));
    if (facts.isControl)
      continue;
    trial(base);
    const unsigned before = trial.all;
    for (const auto &type : isa::dtypeTable)
      trial(variant(base, 31, 0, 1, type.dtype));
    const unsigned between = trial.all;
    for (const DType type : {DType::f32, DType::bf16})
      for (const isa::Body &mode : inEachMode(variant(base, 31, 0, 1, type)))
        trial(mode);
    inTypes += between - before;
    inModes += trial.all - between;
    unsigned operands = 0;
    samples::eachAccess(*std::make_unique<isa::Body>(base),
                        [&](std::string_view, isa::Access &) { ++operands; });
    for (const unsigned length : {1u, 31u})
      for (unsigned where = 0; where < 1u << std::min(operands, 4u); ++where)
        for (const int stride : {1, 2, 16})
          for (const DType type :
               {DType::f32, DType::bf16, DType::u8, DType::f8e4m3, DType::i32})
            trial(variant(base, length, where, stride, type));
  }
  // Meetings are in meetings_alone_test.cpp, control in the next test.
  unsigned left = 0;
  for (const isa::InstructionInfo &facts : isa::instructionTable)
    if (!facts.isControl && facts.state != isa::HiddenState::peers &&
        !trial.tried.contains(facts.mnemonic)) {
      UNSCOPED_INFO(facts.mnemonic);
      ++left;
    }
  CHECK(left == 0);
  INFO(inTypes << " with other types, " << inModes << " in other modes");
  CHECK(inTypes > 2000);
  CHECK(inModes > 1500);
}

TEST_CASE("control alone takes the times that the compiler plans with") {
  Trial trial;
  for (const isa::InstructionInfo &facts : isa::instructionTable) {
    if (!facts.isControl)
      continue;
    const auto example =
        isa::parseAssembly(".tensor input x: i32[64]\n.stream sync\n" +
                               std::string(facts.example) + "\n",
                           "example");
    if (!example)
      FAIL(facts.example << ": " << example.error().str());
    isa::Body base =
        example->streams[static_cast<std::size_t>(Engine::sync)].at(0).body;
    trial(base);
    // A register is loaded from HBM or from SBUF, and stored there.
    for (const isa::Space space : {isa::Space::hbm, isa::Space::sbuf})
      for (const DType type : {DType::u8, DType::i16, DType::i32, DType::f32}) {
        isa::Access element = sbuf(type, 1, 1, 64);
        if (space == isa::Space::hbm)
          element = hbm(type, 1, 1);
        bool isFound = false;
        samples::eachAccess(base, [&](std::string_view, isa::Access &access) {
          access = element;
          isFound = true;
        });
        if (isFound)
          trial(base);
      }
    CHECK(trial.tried[facts.mnemonic] >= 3 * 5);
  }
}

TEST_CASE("a transfer alone takes the times that the compiler plans with") {
  Trial trial;
  using isa::DgeMode;
  for (const DgeMode mode :
       {DgeMode::unknown, DgeMode::none, DgeMode::swdge, DgeMode::hwdge})
    for (const unsigned rows : {1u, 16u, 37u, 128u})
      for (const std::uint32_t columns : {1u, 7u, 256u, 4096u}) {
        const isa::Access tile = sbuf(DType::bf16, rows, columns);
        const isa::Access matrix = hbm(DType::bf16, rows, columns);
        isa::Access wide = matrix;
        wide.dims[0].stride *= 2;
        isa::Access apart = matrix;
        apart.dims[0].stride *= 2;
        apart.dims[1].stride = 2;
        for (const isa::Access &there : {matrix, wide, apart}) {
          trial(dmaCopy(tile, there, 0, mode));
          trial(dmaCopy(there, tile, 3, mode));
        }
        trial(dmaCopy(hbm(DType::bf16, rows, columns, 1), matrix, 1, mode));
        trial(dmaCopy(sbuf(DType::f32, rows, columns), matrix, 1, mode));
        isa::DmaTranspose transpose;
        transpose.dst = sbuf(DType::bf16, columns <= 128 ? columns : 1, rows);
        transpose.src = matrix;
        transpose.dge_mode = mode;
        trial(transpose);
      }
  CHECK(trial.tried["dma_copy"] > 300);
  CHECK(trial.tried["dma_transpose"] > 10);
}

TEST_CASE("a copy whose place is data takes the time that is published") {
  isa::TensorCopy copy =
      tensorCopy(sbuf(DType::f32, 128, 64), sbuf(DType::f32, 128, 64, 4096));
  copy.src.numTerms = 1;
  copy.src.terms[0] = {{3}, 4};
  isa::RegisterLoad load;
  load.dst = {3};
  load.src = sbuf(DType::i32, 1, 1, 8192);
  ModuleBuilder builder;
  builder.add(Engine::vector, load).add(Engine::vector, copy);
  TimingOptions options;
  options.trace = true;
  options.registerLoads[static_cast<std::size_t>(Engine::vector)] = {5};
  const Timing timing = builder.time(isa::trn2, options);
  const InstructionTimes times =
      machine::timesOf(copy, Engine::vector, isa::trn2, {true});
  CHECK(times.occupancy >
        machine::timesOf(copy, Engine::vector, isa::trn2).occupancy);
  bool found = false;
  for (const TraceEvent &event : timing.events)
    if (event.track == static_cast<unsigned>(Engine::vector) &&
        event.index == 1) {
      found = true;
      CHECK(event.end - event.start == times.occupancy);
      CHECK(event.visible - event.start == times.latency);
    }
  CHECK(found);
}

TEST_CASE("transposes in a row take their pace") {
  isa::NcTranspose transpose;
  transpose.data = sbuf(DType::bf16, 128, 128);
  transpose.dst = sbuf(DType::bf16, 128, 128);
  transpose.dst.space = isa::Space::psum;
  for (const Generation generation :
       {Generation::v2, Generation::v3, Generation::v4}) {
    isa::Target target = isa::target(generation);
    target.pe_cold_rate = 1;
    const InstructionTimes times =
        machine::timesOf(transpose, Engine::tensor, target);
    const auto timeOf = [&](int count) {
      ModuleBuilder builder(generation);
      for (int i = 0; i < count; ++i)
        builder.add(Engine::tensor, transpose);
      return builder.time(target).makespan;
    };
    // One of two runs behind the other one, from v4 on.
    CHECK((timeOf(40) - timeOf(20)) / 20 == times.pace);
    CHECK((generation == Generation::v4) == (times.pace < times.occupancy));
  }
}

//===- meetings_alone_test.cpp - What a meeting takes alone ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As alone_test.cpp, for what meets other cores or ranks: all of them come at
// once and do nothing else.
//
//===----------------------------------------------------------------------===//

#include "../function/Samples.h"
#include "kiln/isa/meeting.h"
#include "kiln/machine/cost_terms.h"
#include "kiln/machine/dma_plan.h"
#include "kiln/sim/launch.h"

#include <map>

using namespace kiln;
using isa::DType;
using isa::Engine;
using isa::Generation;
using machine::InstructionTimes;
using machine::Picoseconds;

namespace {

/// Tensors of any size that the cores of a rank share.
constexpr const char *tensors = ".tensor shared x: f32[64, 1048576]\n"
                                ".tensor shared y: f32[64, 1048576]\n";

bool isLegal(const isa::Body &body, Generation generation, unsigned cores) {
  auto module = isa::parseAssembly(tensors, "tensors");
  module->generation = generation;
  if (cores > 1)
    module->facts["cores"] = std::to_string(cores);
  isa::Instruction instruction;
  instruction.body = body;
  return !isa::check(instruction, Engine::gpsimd, *module,
                     isa::target(generation));
}

/// The example of the manual, with lists of `ranks`.
isa::Body exampleOf(const isa::InstructionInfo &facts, unsigned ranks) {
  const auto module = isa::parseAssembly(
      tensors + (".stream gpsimd\n" + std::string(facts.example)) + "\n",
      "example");
  if (!module)
    FAIL(facts.example << ": " << module.error().str());
  isa::Body body =
      module->streams[static_cast<std::size_t>(Engine::gpsimd)].at(0).body;
  std::visit(
      [&](auto &instruction) {
        forEachOperand(instruction, [&](std::string_view name, auto &field) {
          using Field = std::remove_cvref_t<decltype(field)>;
          if constexpr (std::is_same_v<Field, isa::RankLists>) {
            const bool isPairs = name == "source_target_pairs";
            field.assign(isPairs ? ranks : 1, {});
            for (unsigned r = 0; r < ranks; ++r) {
              const auto rank = static_cast<std::int32_t>(r);
              const auto next = static_cast<std::int32_t>((r + 1) % ranks);
              if (isPairs)
                field[r] = {rank, next};
              else
                field[0].push_back(rank);
            }
          }
        });
      },
      static_cast<isa::Bodies &>(body));
  return body;
}

/// Every tile in memory of `space`, of `type`, with `rows` rows of `columns`.
void reshape(isa::Body &body, isa::Space space, DType type, std::uint32_t rows,
             std::uint32_t columns) {
  const auto change = [&](isa::Access &access) {
    const std::uint16_t tensor = access.tensor;
    access = {};
    access.space = space;
    access.dtype = type;
    access.rank = space == isa::Space::hbm ? 2 : 1;
    if (space == isa::Space::hbm) {
      access.tensor = tensor;
      access.dims[0] = {static_cast<std::int32_t>(columns), rows};
      access.dims[1] = {1, columns};
    } else {
      access.partitions = static_cast<std::uint8_t>(std::min(rows, 128u));
      access.dims[0] = {1, columns};
    }
  };
  std::visit(
      [&](auto &instruction) {
        forEachOperand(instruction, [&](std::string_view name, auto &field) {
          using Field = std::remove_cvref_t<decltype(field)>;
          if (name == "metadata_tensor" || name == "prepared")
            return;
          if constexpr (std::is_same_v<Field, isa::Access>)
            change(field);
          else if constexpr (std::is_same_v<Field, std::vector<isa::Access>>)
            for (isa::Access &access : field)
              change(access);
        });
      },
      static_cast<isa::Bodies &>(body));
}

class Trial {
public:
  void operator()(const isa::Body &body, unsigned ranks) {
    const std::string_view name = isa::info(isa::opcode(body)).mnemonic;
    for (const Generation generation :
         {Generation::v2, Generation::v3, Generation::v4})
      for (const unsigned cores : {1u, 2u}) {
        if (!isLegal(body, generation, cores))
          continue;
        CAPTURE(name, ranks, cores, static_cast<int>(generation));
        if (std::holds_alternative<isa::CoreBarrier>(body))
          requireHolds(body, generation);
        else
          requireMoves(body, generation, ranks, cores);
        ++tried[name];
      }
  }
  std::map<std::string_view, unsigned> tried;

private:
  static sim::LaunchTiming run(const isa::Body &body, Generation generation,
                               unsigned ranks, unsigned cores, int count) {
    std::vector<isa::Module> modules(cores);
    for (unsigned core = 0; core < cores; ++core) {
      isa::Module &module = modules[core];
      module.generation = generation;
      isa::Instruction instruction;
      instruction.body = body;
      if (auto *pair = std::get_if<isa::Sendrecv>(&instruction.body))
        pair->send_to_rank = pair->recv_from_rank =
            static_cast<std::int32_t>(1 - core);
      module.streams[static_cast<std::size_t>(Engine::gpsimd)].assign(
          static_cast<std::size_t>(count), instruction);
    }
    sim::LaunchTimingOptions options;
    options.trace = true;
    auto timing = sim::simulateLaunch({modules, ranks, {}, {}},
                                      isa::target(generation), options);
    if (!timing)
      FAIL(timing.error().str());
    return std::move(*timing);
  }

  static Picoseconds lastVisible(const sim::LaunchTiming &timing,
                                 std::size_t index) {
    Picoseconds last = 0;
    for (const sim::Timing &core : timing.cores)
      for (const sim::TraceEvent &event : core.events)
        if (event.track >= isa::numEngines && event.index == index)
          last = std::max(last, event.visible);
    return last;
  }

  static void requireMoves(const isa::Body &body, Generation generation,
                           unsigned ranks, unsigned cores) {
    const isa::Target &target = isa::target(generation);
    const InstructionTimes times =
        machine::timesOf(body, Engine::gpsimd, target, {false, cores});
    const auto terms =
        machine::termsOf(body, Engine::gpsimd, target, {false, cores});
    REQUIRE(machine::sumOf(terms.latency) == times.latency);
    // The rates of flows that share a link are rounded, and so are those of
    // transfers that share an HBM stack.
    const auto alone = run(body, generation, ranks, cores, 1);
    REQUIRE(static_cast<double>(lastVisible(alone, 0)) ==
            Approx(static_cast<double>(times.latency))
                .epsilon(1.0 / static_cast<double>(machine::fullRate))
                .margin(machine::maxDmaEngines));
    if (std::ranges::count(terms.latency, "bytes on links",
                           &machine::CostTerm::name))
      return; // Those behind it are on the links at the same time.
    // The engines start one after the other, and the last transfer has the HBM
    // stack to itself in the end. Where the stack is the limit, the others use
    // the most part of an engine's turnaround.
    const auto many = run(body, generation, ranks, cores, 40);
    REQUIRE(
        static_cast<double>(lastVisible(many, 35) - lastVisible(many, 34)) ==
        Approx(static_cast<double>(times.occupancy))
            .margin(1000 * target.dma_queue_turnaround_ns));
  }

  static void requireHolds(const isa::Body &body, Generation generation) {
    const isa::Target &target = isa::target(generation);
    const InstructionTimes times =
        machine::timesOf(body, Engine::gpsimd, target, {false, 2});
    const auto three = run(body, generation, 1, 2, 3);
    std::vector<Picoseconds> ends;
    for (const sim::TraceEvent &event : three.cores[0].events)
      ends.push_back(event.visible);
    REQUIRE(ends.size() == 3);
    REQUIRE(ends[0] == times.latency);
    REQUIRE(ends[2] - ends[1] == times.occupancy);
    REQUIRE(times.issue == times.occupancy);
  }
};

} // namespace

TEST_CASE("a meeting alone takes the times that the compiler plans with") {
  Trial trial;
  for (const isa::InstructionInfo &facts : isa::instructionTable) {
    if (facts.isControl || facts.state != isa::HiddenState::peers)
      continue;
    const bool isOfCores = !isa::rankListsOf(exampleOf(facts, 2));
    for (const unsigned ranks : {1u, 2u, 4u, 8u, 32u}) {
      if (isOfCores && ranks > 1)
        continue;
      isa::Body base = exampleOf(facts, ranks);
      trial(base, ranks);
      if (auto *pair = std::get_if<isa::Sendrecv>(&base)) {
        pair->dma_engine = isa::SendEngine::gpsimd_dma;
        trial(base, ranks);
        pair->dma_engine = isa::SendEngine::dma;
      }
      for (const isa::Space space : {isa::Space::hbm, isa::Space::sbuf})
        for (const DType type : {DType::bf16, DType::f32})
          for (const auto &[rows, columns] : {std::pair{1u, 1u},
                                              {64u, 192u},
                                              {128u, 8192u},
                                              {64u, 300000u}}) {
            isa::Body body = base;
            reshape(body, space, type, rows, columns);
            trial(body, ranks);
          }
    }
    INFO(facts.mnemonic);
    CHECK(trial.tried.contains(facts.mnemonic));
  }
}

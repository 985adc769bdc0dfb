//===- explanation_test.cpp - All about one instruction -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profiled.h"

#include "kiln/profile/explanation.h"

#include <nlohmann/json.hpp>

using namespace kiln;
using namespace kiln::sim;
using namespace kiln::sim::test;
using profile::Explanation;

namespace {

/// A launch of one core.
struct Launched {
  explicit Launched(const Profiled &made)
      : modules{made.module}, timing{made.timing.makespan, {made.timing}},
        launch(modules, timing, isa::trn2, std::nullopt) {}
  Explanation explain(Engine engine, std::uint32_t index,
                      std::optional<std::uint64_t> run = std::nullopt) const {
    return profile::explain(launch, {0, engine, index}, run);
  }
  std::vector<isa::Module> modules;
  LaunchTiming timing;
  profile::LaunchProfile launch;
};

} // namespace

TEST_CASE("the runs of an instruction add up to what the profile has") {
  const Profiled made = profiled();
  const Launched launched(made);
  for (std::size_t e = 0; e < isa::numEngines; ++e)
    for (std::uint32_t i = 0; i < made.module.streams[e].size(); ++i) {
      CAPTURE(e, i);
      const auto engine = static_cast<Engine>(e);
      const Explanation all = launched.explain(engine, i);
      REQUIRE(all.runs == made.timing.executions[e][i]);
      const bool isControl =
          isa::info(isa::opcode(made.module.streams[e][i].body)).isControl;
      Picoseconds sites = 0, waited = 0, longest = 0, busy = 0, acted = -1;
      for (const StallSite &site : made.timing.stallSites)
        if (site.engine == e && site.index == i)
          sites += site.time;
      for (std::uint64_t run = 1; run <= all.runs; ++run) {
        const Explanation one = launched.explain(engine, i, run);
        REQUIRE(one.run);
        REQUIRE(one.run->number == run);
        REQUIRE(one.run->acted > acted);
        acted = one.run->acted;
        REQUIRE(one.run->start >= one.run->acted);
        waited += one.run->waited();
        longest = std::max(longest, one.run->waited());
        if (one.run->hasEvent || isControl)
          busy += one.run->end - one.run->start;
      }
      if (isControl)
        REQUIRE(busy > 0);
      REQUIRE(waited == sites);
      REQUIRE(busy == all.busy);
      if (all.runs > 0)
        REQUIRE(all.run->waited() == longest);
    }
}

TEST_CASE("an explanation names the line, the waits and who they are for") {
  const Profiled made = profiled();
  const Launched launched(made);
  // The second instruction of TensorE's loop: see Profiled.h.
  const Explanation all = launched.explain(Engine::tensor, 2);
  REQUIRE(all.kind == "matmul");
  REQUIRE(all.place.file == "kernel.cpp");
  REQUIRE(all.runs == 20);
  REQUIRE(all.flops == 2ull * 128 * 128 * 512);
  REQUIRE(all.operands.size() == 3);
  const auto forDma =
      std::find_if(all.waits.begin(), all.waits.end(),
                   [](const auto &wait) { return wait.reason == "wait_dma"; });
  REQUIRE(forDma != all.waits.end());
  REQUIRE(forDma->kind == "data");
  REQUIRE(forDma->producer);
  REQUIRE(forDma->producer->name == "sync:1");
  REQUIRE(forDma->producer->assembly.starts_with("dma_copy"));
  const std::string text = toText(all);
  REQUIRE(text.find("tensor:2 of pipe") == 0);
  REQUIRE(text.find("from kernel.cpp:12 in outer/loop, scores<1>") !=
          std::string::npos);
  REQUIRE(text.find("wait_dma") != std::string::npos);
  REQUIRE(text.find("It ran 20 times") != std::string::npos);
  const auto json = nlohmann::json::parse(toJson(all));
  REQUIRE(json["source"]["line"] == 12);
  double sum = 0;
  for (const auto &term : json["cost"]["occupancy"])
    sum += term["ns"].get<double>();
  REQUIRE(sum == Approx(json["cost"]["occupies_ns"].get<double>()));
}

TEST_CASE("a transfer is explained by its queue, not by the slot before it") {
  const Profiled made = profiled();
  const Launched launched(made);
  const Explanation all = launched.explain(Engine::sync, 1, 3);
  REQUIRE(all.kind == "dma_in");
  REQUIRE(all.bytes == 2ull * 128 * 512);
  REQUIRE(all.rows == 128);
  REQUIRE(all.dmaEngines == 16);
  REQUIRE(all.run);
  std::vector<TraceEvent> moved;
  for (const TraceEvent &event : made.timing.events)
    if (event.track == isa::numEngines && event.index == 1 &&
        event.engine == static_cast<std::uint8_t>(Engine::sync))
      moved.push_back(event);
  REQUIRE(moved.size() == 20);
  REQUIRE(all.run->start == moved[2].start);
  REQUIRE(all.run->end == moved[2].end);
  REQUIRE(all.run->visible == moved[2].visible);
}

TEST_CASE("control is explained by the time in its sequencer") {
  const Profiled made = profiled();
  const Launched launched(made);
  // The end of TensorE's loop goes back 19 times and leaves once.
  const Explanation all = launched.explain(Engine::tensor, 3);
  REQUIRE(all.assembly == "end_loop");
  REQUIRE(all.busy == 19 * 50000 + 9000);
  REQUIRE(all.cost.occupancy.size() == 1);
  REQUIRE(all.cost.occupancy[0].parameter == "loop_iteration_ns");
  REQUIRE(all.cost.occupancy[0].time == 50000);
  REQUIRE(all.cost.latency == all.cost.occupancy);
  const std::string text = toText(all);
  REQUIRE(text.find("sequencer") != std::string::npos);
  REQUIRE(text.find("busy for 959.000 ns") != std::string::npos);
  const Explanation first = launched.explain(Engine::tensor, 0);
  REQUIRE(first.cost.occupancy[0].parameter == "semaphore_instruction_ns");
}

TEST_CASE("what never ran has no run") {
  Profiled made = profiled();
  made.module.streams[1].push_back(made.module.streams[1].front());
  made.timing.executions[1].push_back(0);
  const auto last =
      static_cast<std::uint32_t>(made.module.streams[1].size() - 1);
  const Launched launched(made);
  const Explanation all = launched.explain(Engine::vector, last);
  REQUIRE(all.runs == 0);
  REQUIRE(!all.run);
  REQUIRE(toText(all).find("It did not run.") != std::string::npos);
  REQUIRE(nlohmann::json::parse(toJson(all))["run"].is_null());
}

//===- causes_test.cpp - Critical path, slack, and runs without a cost ----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profiled.h"

#include "kiln/profile/causes.h"
#include "kiln/profile/what_if.h"

#include <fmt/format.h>

#include <set>

using namespace kiln;
using namespace kiln::sim;
using namespace kiln::sim::test;

namespace {

/// Without warm-up: while it is cold, TensorE doubles what comes later.
constexpr isa::Target warm = [] {
  isa::Target target = isa::trn2;
  target.pe_cold_rate = 1;
  return target;
}();

/// Loads, work on two engines, stores; no loops, so each instruction runs once.
/// Blocks differ in size, so that some have slack.
Profiled unrolled() {
  ModuleBuilder builder;
  builder.add(Engine::sync, isa::Semaphore{}, {}, {{1, 2}});
  builder.add(Engine::tensor, isa::Semaphore{}, {}, {{3, 1}});
  for (unsigned k = 0; k < 12; ++k) {
    const unsigned n = 64 + 192 * (k % 3);
    const unsigned at = 4096 * (k % 2);
    builder.add(
        Engine::sync,
        dmaCopy(sbuf(DType::bf16, 128, n, at), hbm(DType::bf16, 128, n)),
        {{1, 1}}, {{0, 1}});
    builder.add(Engine::tensor, matmul(DType::bf16, 128, 128, 512),
                {{0, 1}, {3, 1}}, {{1, 1}, {2, 1}});
    builder.add(
        Engine::vector,
        tensorCopy(sbuf(DType::bf16, 128, n, 32768), psum(DType::f32, 128, n)),
        {{2, 1}}, {{3, 1}, {4, 1}});
    builder.add(Engine::scalar,
                dmaCopy(hbm(DType::bf16, 128, n, 1),
                        sbuf(DType::bf16, 128, n, 32768), 1),
                {{4, 1}});
  }
  builder.add(Engine::tensor, isa::Semaphore{}, {{1, 2}, {3, 1}});
  TimingOptions options;
  options.trace = true;
  const auto timing = simulateTiming(builder.module, warm, options);
  REQUIRE(timing);
  return {builder.module, *timing, makeProfile(builder.module, *timing, warm)};
}

/// The makespan if the instruction of `event` ends `later`.
Picoseconds delayed(const isa::Module &module, const TraceEvent &event,
                    Picoseconds later) {
  const isa::Body &body = module.streams[event.engine][event.index].body;
  const auto engine = static_cast<Engine>(event.engine);
  CostChange change;
  change.engine = engine;
  change.index = event.index;
  if (isa::info(isa::opcode(body)).isDma) {
    change.transfer = machine::planDma(body, engine, warm);
    for (Picoseconds &work : change.transfer->work)
      work += work > 0 ? later : 0;
  } else {
    change.cost = machine::costOf(body, engine, warm);
    change.cost->interval += later;
    change.cost->latency += later;
  }
  const Launch launch{{&module, 1}, 1, {}, {}};
  LaunchTimingOptions options;
  options.changes = {&change, 1};
  const auto timing = simulateLaunch(launch, warm, options);
  REQUIRE(timing);
  return timing->makespan;
}

/// On a data path or a queue.
bool isMain(const TraceEvent &event) {
  constexpr auto sync = static_cast<unsigned>(Engine::sync);
  return (event.track == event.engine && event.track != sync) ||
         (event.track >= isa::numEngines && event.track < weightsTrack);
}

} // namespace

TEST_CASE("the critical path has no gap") {
  for (const Profiled &p : {profiled(), unrolled()}) {
    const profile::Causes causes =
        profile::findCauses(p.module, warm, p.timing);
    Picoseconds at = 0, critical = 0;
    for (const profile::PathStep &step : causes.path) {
      REQUIRE(step.start == at);
      REQUIRE(step.end > at);
      at = step.end;
      critical +=
          step.event == profile::PathStep::noEvent ? 0 : at - step.start;
    }
    REQUIRE(at == p.timing.makespan);
    for (const Picoseconds part : causes.critical)
      critical -= part;
    REQUIRE(critical == 0);
  }
}

TEST_CASE("an event knows who gave it what it needs") {
  const Profiled p = unrolled();
  const profile::Causes causes = profile::findCauses(p.module, warm, p.timing);
  // By place in its stream: of the k-th block the load, the product, the copy
  // and the store. The first two instructions are semaphores.
  const auto nameOf = [&](std::uint32_t e) {
    const TraceEvent &event = p.timing.events[e];
    const unsigned k =
        event.index - (event.engine == 0 || event.engine == 4 ? 1 : 0);
    return std::pair(unsigned(event.engine), k);
  };
  unsigned checked = 0;
  for (std::uint32_t e = 0; e < p.timing.events.size(); ++e) {
    if (!isMain(p.timing.events[e]))
      continue;
    std::set<std::pair<unsigned, unsigned>> needs, found;
    const auto [engine, k] = nameOf(e);
    if (engine == 4 && k >= 2)
      needs = {{0, k - 2}}; // Its buffer, two products ago.
    else if (engine == 0)
      needs = {{4, k}};
    else if (engine == 1)
      needs = {{0, k}};
    else if (engine == 2)
      needs = {{1, k}};
    if (engine == 0 && k > 0)
      needs.insert({1, k - 1});
    // What was before it in its own stream or queue says nothing new.
    for (const std::uint32_t producer : causes.producersOf(e))
      if (p.timing.events[producer].engine != engine)
        found.insert(nameOf(producer));
    std::string text;
    for (const auto &[from, number] : found)
      text += fmt::format(" {}.{}", from, int(number));
    INFO(engine << "." << k << text);
    CHECK(found == needs);
    ++checked;
  }
  CHECK(checked == 4 * 12);
}

TEST_CASE("what ends later within its slack does not delay the kernel") {
  const Profiled p = unrolled();
  const profile::Causes causes = profile::findCauses(p.module, warm, p.timing);
  unsigned withSlack = 0;
  for (std::size_t e = 0; e < p.timing.events.size(); ++e) {
    const TraceEvent &event = p.timing.events[e];
    if (!isMain(event))
      continue;
    REQUIRE(causes.slack[e] >= 0);
    withSlack += causes.slack[e] > 10'000;
    INFO(unsigned(event.engine)
         << " " << event.index << " slack " << causes.slack[e]);
    REQUIRE(delayed(p.module, event, causes.slack[e]) <= p.timing.makespan);
  }
  REQUIRE(withSlack >= 4);
}

TEST_CASE("what waits while GpSimd makes descriptors has no slack") {
  // One chain: a copy, a transfer whose descriptors GpSimd makes, a copy behind
  // them, a copy of another engine that is the last.
  ModuleBuilder builder;
  const auto copy = tensorCopy(sbuf(DType::bf16, 128, 64, 4096),
                               sbuf(DType::bf16, 128, 64, 8192));
  builder.add(Engine::vector, copy, {}, {{0, 1}});
  builder.add(Engine::gpsimd,
              dmaCopy(hbm(DType::bf16, 128, 64),
                      sbuf(DType::bf16, 128, 64, 4096), 2, isa::DgeMode::swdge),
              {{0, 1}});
  builder.add(Engine::gpsimd, copy, {}, {{1, 1}});
  builder.add(Engine::vector, copy, {{1, 1}}, {{2, 1}});
  for (unsigned k = 0; k < 40; ++k)
    builder.add(Engine::scalar, copy,
                k > 0 ? std::vector<isa::Wait>{}
                      : std::vector<isa::Wait>{{2, 1}});
  TimingOptions options;
  options.trace = true;
  const auto timing = simulateTiming(builder.module, warm, options);
  REQUIRE(timing);
  const profile::Causes causes =
      profile::findCauses(builder.module, warm, *timing);
  unsigned copies = 0;
  for (std::size_t e = 0; e < timing->events.size(); ++e) {
    const TraceEvent &event = timing->events[e];
    if (event.track != event.engine || event.track == 4 ||
        (event.track == 3 && event.index == 0))
      continue; // The transfer itself may be later.
    INFO(unsigned(event.engine) << " " << event.index);
    CHECK(causes.slack[e] == 0);
    CHECK(causes.critical[e] > 0);
    ++copies;
  }
  CHECK(copies == 43);
}

TEST_CASE("what is critical delays the kernel") {
  constexpr Picoseconds later = 500'000;
  const Profiled p = unrolled();
  const profile::Causes causes = profile::findCauses(p.module, warm, p.timing);
  unsigned tried = 0;
  for (const profile::PathStep &step : causes.path) {
    if (step.event == profile::PathStep::noEvent || step.reason != "work")
      continue;
    const TraceEvent &event = p.timing.events[step.event];
    if (step.end != event.end || !isMain(event))
      continue; // Only a part of it was.
    REQUIRE(causes.slack[step.event] == 0);
    INFO(unsigned(event.track) << " " << event.index << " " << event.start
                               << " to " << event.end << ", " << step.start);
    REQUIRE(delayed(p.module, event, later) > p.timing.makespan);
    ++tried;
  }
  REQUIRE(tried > 0);
}

TEST_CASE("waits for buffers can be left out") {
  const Profiled p = unrolled();
  const Launch launch{{&p.module, 1}, 1, {}, {}};
  const profile::Retimer retimer(launch, warm, {});
  const auto same = retimer.time(profile::Variant{warm, {}});
  REQUIRE(same);
  REQUIRE(same->makespan == p.timing.makespan);
  bool found = false;
  for (const profile::WhatIf &one :
       profile::whatIf(retimer, p.timing.makespan)) {
    REQUIRE(one.measured.makespan > 0);
    found |= one.name == "waits for buffers" &&
             one.measured.makespan < p.timing.makespan;
  }
  REQUIRE(found);
}

TEST_CASE("data is always waited for") {
  Profiled p = unrolled();
  std::vector<CostChange> changes;
  for (unsigned e = 0; e < isa::numEngines; ++e)
    for (std::uint32_t i = 0; i < p.module.streams[e].size(); ++i) {
      CostChange change;
      change.engine = static_cast<Engine>(e);
      change.index = i;
      change.ignoresBuffers = true;
      changes.push_back(change);
    }
  const Launch launch{{&p.module, 1}, 1, {}, {}};
  LaunchTimingOptions options;
  options.trace = true;
  options.changes = changes;
  const auto timing = simulateLaunch(launch, warm, options);
  REQUIRE(timing);
  // The k-th product starts after the k-th load is visible, as before.
  std::vector<Picoseconds> loads, products;
  for (const TraceEvent &event : timing->cores.front().events) {
    if (event.track == isa::numEngines)
      loads.push_back(event.visible);
    if (event.track == static_cast<unsigned>(Engine::tensor))
      products.push_back(event.start);
  }
  REQUIRE(loads.size() == 12);
  REQUIRE(products.size() == 12);
  for (std::size_t k = 0; k < loads.size(); ++k)
    REQUIRE(products[k] >= loads[k]);
}

TEST_CASE("what-if leaves out the time of addresses that are data") {
  ModuleBuilder builder;
  isa::RegisterLoad load;
  load.dst = {2};
  load.src = sbuf(DType::i32, 1, 1);
  builder.add(Engine::vector, load);
  isa::Access moved = sbuf(DType::bf16, 128, 512, 4096);
  moved.numTerms = 1;
  moved.terms[0] = {{2}, 4};
  builder.add(Engine::vector, tensorCopy(moved, sbuf(DType::bf16, 128, 512)));
  const Launch launch{{&builder.module, 1}, 1, {}, {}};
  LaunchTimingOptions values;
  values.registerLoads.emplace_back()[1] = {0};
  const profile::Retimer retimer(launch, warm, values);
  const auto before = retimer.time(profile::Variant{warm, {}});
  REQUIRE(before);
  bool found = false;
  for (const profile::WhatIf &one :
       profile::whatIf(retimer, before->makespan)) {
    INFO(one.name << " " << one.change);
    found |= one.name == "copies whose address is data" &&
             one.measured.makespan < before->makespan;
    // What no instruction uses has no row.
    CHECK(one.name != "accumulator read-out");
    CHECK(one.name != "links between nodes");
  }
  CHECK(found);
}

TEST_CASE("a sweep reports unknown parameters and values") {
  const Profiled p = unrolled();
  const Launch launch{{&p.module, 1}, 1, {}, {}};
  const profile::Retimer retimer(launch, warm, {});
  REQUIRE(!profile::sweep(retimer, "nothing=1"));
  REQUIRE(!profile::sweep(retimer, "vector_ghz=0"));
  const auto sweep = profile::sweep(retimer, "dma_start_ns=0,740,2000");
  REQUIRE(sweep);
  REQUIRE(sweep->points.size() == 3);
  REQUIRE(sweep->points[1].second.makespan == p.timing.makespan);
  REQUIRE(sweep->points[0].second.makespan < p.timing.makespan);
  REQUIRE(sweep->points[2].second.makespan > p.timing.makespan);
}

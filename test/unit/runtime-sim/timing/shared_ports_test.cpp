//===- shared_ports_test.cpp - Streams that meet at a memory port ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"

#include <random>

namespace kiln::test::shared_ports_test {

using namespace kiln::sim::test;

namespace {

constexpr Producer vectorFirst{1, 0};

/// A trn2 whose hand-offs take no time, so that starts can be chosen.
isa::Target quickTarget() {
  isa::Target target = isa::trn2;
  target.semaphore_ns = 0;
  target.semaphore_instruction_ns = 5;
  target.control_instruction_ns = 0;
  return target;
}

/// Instructions that start at chosen times, each the only one of its engine.
class Meeting : public ModuleBuilder {
public:
  using ModuleBuilder::ModuleBuilder;

  /// `after` nanoseconds, a multiple of 5, after the start of the kernel.
  Meeting &at(int after, Engine engine, const isa::Body &body,
              std::vector<isa::Signal> signals = {}) {
    for (int time = 0; time < after; time += 5)
      add(engine, isa::Semaphore{});
    add(engine, body, {}, std::move(signals));
    return *this;
  }

  Timing run(isa::Target target = quickTarget()) const {
    TimingOptions options;
    options.trace = true;
    return time(target, options);
  }
};

/// 512 cycles of VectorE, 533.33 ns, then 68 cycles until the next start.
isa::Body vectorBank(unsigned bank = 0, std::uint32_t elements = 512) {
  return tensorCopy(sbuf(DType::f32, 128, elements),
                    psum(DType::f32, 128, elements, bank));
}
/// 512 cycles of ScalarE, 426.67 ns, then 64 cycles.
isa::Body scalarBank(unsigned bank = 0, std::uint32_t elements = 512) {
  return activation(isa::ActivationFunction::copy,
                    sbuf(DType::f32, 128, elements, 8192),
                    psum(DType::f32, 128, elements, bank));
}
/// 1024 elements at two a cycle, 533.33 ns, from bank 0 and over the bus.
isa::Body vectorFast() {
  return tensorCopy(sbuf(DType::bf16, 128, 1024), psum(DType::bf16, 128, 1024));
}
/// 125 ns until the first element, then one a cycle of .833 ns.
isa::Body fill(std::uint32_t elements) {
  return isa::Memset{sbuf(DType::f32, 128, elements, 65536), 1.0f};
}
constexpr double vectorInterval = (512 + 68) / .96;
constexpr double scalarInterval = (512 + 64) / 1.2;
constexpr double vectorLength = 512 / .96, scalarLength = 512 / 1.2;

const TraceEvent &eventOf(const Timing &timing, Engine engine,
                          std::size_t which = 0) {
  for (const TraceEvent &event : timing.events)
    if (event.track == static_cast<std::uint8_t>(engine) && which-- == 0)
      return event;
  FAIL("no such event");
  return timing.events.front();
}
double occupied(const Timing &timing, Engine engine) {
  const TraceEvent &event = eventOf(timing, engine);
  return ns(event.end - event.start);
}
double stalled(const Timing &timing, Engine engine, StallReason reason) {
  return ns(timing.engines[static_cast<std::size_t>(engine)]
                .stalls[static_cast<std::size_t>(reason)]);
}
/// Time that `engine` lost at a port because of instructions of `other`.
double lostTo(const Timing &timing, Engine engine, Engine other,
              StallReason reason) {
  double lost = 0;
  for (const StallSite &site : timing.stallSites)
    if (site.engine == static_cast<std::uint8_t>(engine) &&
        site.reason == reason &&
        site.producer.engine == static_cast<std::uint8_t>(other)) {
      REQUIRE(site.kind == WaitKind::none);
      lost += ns(site.time);
    }
  return lost;
}
Approx near(double value) { return Approx(value).margin(.003); }

} // namespace

TEST_CASE("two streams on one bank have half of its cycles each") {
  // ScalarE comes `lead` nanoseconds after VectorE has begun, or before it.
  for (const int lead : {-600, -400, -200, -50, 0, 50, 100, 110, 400, 600}) {
    INFO(lead);
    const Timing timing =
        Meeting()
            .at(std::max(0, -lead), Engine::vector, vectorBank())
            .at(std::max(0, lead), Engine::scalar, scalarBank())
            .run();
    // Of the first one, so much is left when the second one comes; both lose
    // as much as the shorter of the two has to go.
    const double first = lead < 0 ? scalarLength : vectorLength;
    const double second = lead < 0 ? vectorLength : scalarLength;
    const double lost = std::min(std::max(0.0, first - std::abs(lead)), second);
    CHECK(occupied(timing, Engine::vector) == near(vectorInterval + lost));
    CHECK(occupied(timing, Engine::scalar) == near(scalarInterval + lost));
    for (const auto &[engine, other] :
         {std::pair(Engine::vector, Engine::scalar),
          std::pair(Engine::scalar, Engine::vector)}) {
      CHECK(stalled(timing, engine, StallReason::bank) == near(lost));
      CHECK(lostTo(timing, engine, other, StallReason::bank) == near(lost));
      CHECK(stalled(timing, engine, StallReason::port) == 0);
    }
    // Busy time is that of a machine without neighbours.
    CHECK(ns(timing.engines[1].busy) == near(vectorInterval));
    CHECK(ns(timing.engines[2].busy) == near(scalarInterval));
  }
}

TEST_CASE("a stream inside a longer one makes it longer") {
  // 120 of 512 cycles of ScalarE, 100 ns, from 200 ns on: they take 200 ns, in
  // which VectorE does 100 ns of its 533.33.
  Meeting builder;
  builder.at(0, Engine::vector, vectorBank(), {{1, 1}})
      .at(200, Engine::scalar, scalarBank(0, 120))
      .add(Engine::sync, isa::Semaphore{}, {{1, 1}});
  const Timing timing = builder.run();
  const TraceEvent &shorter = eventOf(timing, Engine::scalar);
  CHECK(ns(shorter.start) == near(200));
  CHECK(ns(shorter.end) == near(200 + 200 + 64 / 1.2));
  CHECK(ns(shorter.visible) == near(200 + 200 + 351 / 1.2));
  const TraceEvent &longer = eventOf(timing, Engine::vector);
  CHECK(ns(longer.end) == near(633.333 + 68 / .96));
  CHECK(ns(longer.visible) == near(633.333 + 148 / .96));
  // Who waits for its token waits as long.
  CHECK(ns(eventOf(timing, Engine::sync).start) == near(ns(longer.visible)));
  // What it lost lies where both passed.
  for (const TraceWait &wait : timing.waits)
    if (wait.reason == StallReason::bank) {
      CHECK(ns(wait.start) == near(300));
      CHECK(ns(wait.end) == near(400));
      CHECK(wait.producer.engine == (wait.engine == 1 ? 2 : 1));
    }
}

TEST_CASE("three streams at two ports") {
  // VectorE meets ScalarE at bank 0 from 100 ns on, and GpSimd at the bus of
  // SBUF from 200 ns on: all three go on at half speed. GpSimd's 100 ns take
  // 200, ScalarE's 426.67 until 953.33; VectorE has 6.67 left then.
  const Timing timing = Meeting()
                            .at(0, Engine::vector, vectorFast())
                            .at(100, Engine::scalar, scalarBank())
                            .at(75, Engine::gpsimd, fill(120))
                            .run();
  const auto end = [&](Engine engine) {
    return ns(eventOf(timing, engine).end);
  };
  CHECK(end(Engine::gpsimd) == near(400));
  CHECK(end(Engine::scalar) == near(953.333 + 64 / 1.2));
  CHECK(end(Engine::vector) == near(960 + 68 / .96));
  CHECK(lostTo(timing, Engine::gpsimd, Engine::vector, StallReason::port) ==
        near(100));
  CHECK(lostTo(timing, Engine::scalar, Engine::vector, StallReason::bank) ==
        near(scalarLength));
  CHECK(lostTo(timing, Engine::vector, Engine::scalar, StallReason::bank) ==
        near(scalarLength));
}

TEST_CASE("who is left shares with the next one") {
  // ScalarE's 100 ns from 0 on take 200; GpSimd streams from 125 on. VectorE
  // has half of the cycles all the time until GpSimd's 300 ns are through at
  // 725; 170.83 ns of 533.33 are left.
  const Timing timing = Meeting()
                            .at(0, Engine::vector, vectorFast())
                            .at(0, Engine::scalar, scalarBank(0, 120))
                            .at(0, Engine::gpsimd, fill(360))
                            .run();
  CHECK(ns(eventOf(timing, Engine::gpsimd).end) == near(725));
  CHECK(ns(eventOf(timing, Engine::vector).end) ==
        near(725 + 170.833 + 68 / .96));
  CHECK(lostTo(timing, Engine::vector, Engine::scalar, StallReason::bank) ==
        near(100));
  CHECK(lostTo(timing, Engine::vector, Engine::gpsimd, StallReason::port) ==
        near((725 - 200) / 2.0));
  CHECK(lostTo(timing, Engine::gpsimd, Engine::vector, StallReason::port) ==
        near(300));
}

TEST_CASE("what follows on the engines of two that meet comes later") {
  // Both begin at once, and lose 426.67 ns.
  Meeting builder;
  builder.at(0, Engine::vector, vectorBank(), {{1, 1}})
      .at(0, Engine::scalar, scalarBank());
  // Behind it, without ports, and after its tokens.
  builder.add(Engine::vector, isa::Semaphore{}, {}, {{2, 1}})
      .add(Engine::vector, tensorCopy(sbuf(DType::f32, 1, 1, 40000),
                                      sbuf(DType::f32, 1, 1, 50000)))
      .add(Engine::gpsimd, isa::Semaphore{}, {{2, 1}})
      .add(Engine::gpsimd, fill(1))
      // A store of what ScalarE writes, by ScalarE itself.
      .add(Engine::scalar,
           dmaCopy(hbm(DType::f32, 128, 512), sbuf(DType::f32, 128, 512, 8192),
                   3, isa::DgeMode::none));
  const Timing timing = builder.run();
  const TraceEvent &first = eventOf(timing, Engine::vector);
  CHECK(ns(first.end) == near(vectorInterval + scalarLength));
  CHECK(eventOf(timing, Engine::vector, 1).start == first.end);
  // The slot of the semaphore instruction that waits.
  CHECK(ns(eventOf(timing, Engine::gpsimd).start) ==
        near(ns(first.visible) + 5));
  for (const TraceEvent &event : timing.events)
    if (event.track == isa::numEngines + 3)
      CHECK(ns(event.start) ==
            near(ns(eventOf(timing, Engine::scalar).visible) + 40 / 1.2 + 740));
}

TEST_CASE("descriptors are made behind what is at the ports") {
  // GpSimd streams for 300 ns from 125 on, at half speed.
  Meeting builder;
  builder.at(0, Engine::vector, vectorFast()).at(0, Engine::gpsimd, fill(360));
  for (int i = 0; i < 2; ++i)
    builder.add(Engine::sync,
                dmaCopy(sbuf(DType::bf16, 128, 512, 131072),
                        hbm(DType::bf16, 128, 512), 2, isa::DgeMode::swdge));
  const Timing timing = builder.run();
  const double filled = ns(eventOf(timing, Engine::gpsimd).end);
  CHECK(filled == near(125 + 600));
  std::vector<Picoseconds> starts;
  for (const TraceEvent &event : timing.events)
    if (event.track == isa::numEngines + 2)
      starts.push_back(event.start);
  REQUIRE(starts.size() == 2);
  CHECK(ns(starts[0]) == near(filled + 740));
  // The queue starts one in 860 ns; descriptors take 600.
  CHECK(ns(starts[1]) >= ns(starts[0]) + 860 - .003);
  const TraceEvent &made = eventOf(timing, Engine::gpsimd, 2);
  CHECK(made.engine == static_cast<std::uint8_t>(Engine::sync));
  CHECK(ns(made.start) == near(filled + 600));
}

TEST_CASE("what two engines lose at a bank is the same") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) {
      return static_cast<unsigned>(random() % n);
    };
    Meeting builder;
    for (const Engine engine : {Engine::vector, Engine::scalar})
      for (unsigned i = below(40); i > 0; --i) {
        const unsigned bank = below(2), elements = 1 + below(512);
        builder.at(5 * static_cast<int>(below(30)), engine,
                   engine == Engine::vector ? vectorBank(bank, elements)
                                            : scalarBank(bank, elements));
      }
    const Timing timing = builder.run();
    const double lost = stalled(timing, Engine::vector, StallReason::bank);
    // Half a picosecond is rounded up for each instruction.
    CHECK(stalled(timing, Engine::scalar, StallReason::bank) ==
          Approx(lost).margin(.08));
    CHECK(lostTo(timing, Engine::vector, Engine::scalar, StallReason::bank) ==
          near(lost));
  }
}

TEST_CASE("on trn1 who comes first is not disturbed") {
  isa::Target target = isa::trn1;
  target.semaphore_ns = 0;
  target.semaphore_instruction_ns = 5;
  target.control_instruction_ns = 0;
  // VectorE holds PSUM for 512 cycles, whatever bank; ScalarE, which could
  // start at 100 ns, streams behind it, and VectorE's next one behind that.
  const Timing timing = Meeting(Generation::v2)
                            .at(0, Engine::vector, vectorBank(0))
                            .at(0, Engine::vector, vectorBank(3))
                            .at(100, Engine::scalar, scalarBank(1))
                            .run(target);
  constexpr double held = 512 / 1.12, next = 512 / 1.4;
  CHECK(occupied(timing, Engine::vector) == near((512 + 100) / 1.12));
  const TraceEvent &second = eventOf(timing, Engine::scalar);
  CHECK(ns(second.start) == near(held));
  CHECK(ns(second.end) == near(held + (512 + 64) / 1.4));
  CHECK(lostTo(timing, Engine::scalar, Engine::vector, StallReason::port) ==
        near(held - 100));
  CHECK(ns(eventOf(timing, Engine::vector, 1).start) == near(held + next));
  for (const StallSite &site : timing.stallSites)
    if (site.engine == 2 && site.reason == StallReason::port)
      CHECK(site.producer == vectorFirst);
}

TEST_CASE("a DMA waits for its own engine's result, however long others take") {
  ModuleBuilder builder;
  builder
      .add(Engine::scalar, activation(isa::ActivationFunction::copy,
                                      sbuf(DType::bf16, 128, 128),
                                      sbuf(DType::bf16, 128, 128, 4096)))
      .add(Engine::scalar, activation(isa::ActivationFunction::copy,
                                      sbuf(DType::bf16, 128, 8192, 16384),
                                      sbuf(DType::bf16, 128, 8192, 32768)))
      .add(Engine::scalar,
           dmaCopy(hbm(DType::bf16, 128, 128), sbuf(DType::bf16, 128, 128), 3,
                   isa::DgeMode::none));
  TimingOptions options;
  options.trace = true;
  const Timing timing = builder.time(options);
  for (const TraceEvent &event : timing.events)
    if (event.track == isa::numEngines + 3)
      CHECK(ns(event.start) ==
            near(ns(eventOf(timing, Engine::scalar).visible) + 40 / 1.2 + 740));
}

} // namespace kiln::test::shared_ports_test

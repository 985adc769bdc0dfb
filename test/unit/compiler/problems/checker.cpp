//===- checker.cpp - The checker: hand-built streams ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Streams.h"
#include "catch.h"

namespace kiln::problems::test::checker_test {

using Kind = SyncReport::Kind;

TEST_CASE("an unordered pair is named with lines and bytes") {
  auto report = Streams()
                    .add(vector, 1, write(tile(0, 64)))
                    .add(scalar, 2, copy(tile(256, 64), tile(32, 64)))
                    .check();
  REQUIRE(report);
  CHECK(report->kind == Kind::unordered);
  CHECK(report->text ==
        "vector[0] memset (flash.cpp:42 exp) writes and scalar[0] tensor_copy "
        "(flash.cpp:42 exp) reads sbuf partitions [0, 128) bytes [32, 64); no "
        "semaphore makes the second wait for the first");
  REQUIRE(report->parties.size() == 2);
  CHECK(report->parties[1].engine == scalar);
}

TEST_CASE("a token orders, the wrong way round is found") {
  CHECK_FALSE(Streams()
                  .add(vector, 1, write(tile(0, 64)), {}, {{3, 1}})
                  .add(scalar, 2, copy(tile(256, 64), tile(0, 64)), {{3, 1}})
                  .check());
  auto report =
      Streams()
          .add(vector, 1, write(tile(0, 64)), {{3, 1}})
          .add(scalar, 2, copy(tile(256, 64), tile(0, 64)), {}, {{3, 1}})
          .check();
  REQUIRE(report);
  CHECK(report->kind == Kind::wrongOrder);
}

TEST_CASE("interleaved columns do not meet") {
  isa::Access even = tile(0, 1), odd = tile(4, 1);
  even.dtype = odd.dtype = isa::DType::f32;
  even.dims[0] = odd.dims[0] = {2, 32};
  CHECK_FALSE(Streams()
                  .add(vector, 1, write(even))
                  .add(scalar, 2, copy(odd, tile(4096, 4)))
                  .check());
  odd.offset = 8;
  CHECK(Streams()
            .add(vector, 1, write(even))
            .add(scalar, 2, copy(odd, tile(4096, 4)))
            .check());
}

TEST_CASE("a DMA is ordered by its tokens, not by its stream") {
  // The queue reads what its own engine wrote: issue does not wait for it.
  auto unordered = Streams()
                       .add(scalar, 1, write(tile(0, 64)))
                       .add(scalar, 2, dma(tile(256, 64), tile(0, 64), 2))
                       .check();
  REQUIRE(unordered);
  CHECK_FALSE(Streams()
                  .add(scalar, 1, write(tile(0, 64)), {}, {{0, 1}})
                  .add(scalar, 2, dma(tile(256, 64), tile(0, 64), 2), {{0, 1}})
                  .check());
  // A semaphore instruction does not speak for the queue.
  CHECK(Streams()
            .add(sync_, 1, dma(tile(0, 64), tile(512, 64), 0))
            .add(sync_, 2, isa::Semaphore{}, {}, {{0, 1}})
            .add(vector, 3, write(tile(0, 64)), {{0, 1}})
            .check());
  CHECK(Streams()
            .add(sync_, 1, dma(tile(0, 64), tile(512, 64), 0))
            .add(scalar, 2, dma(tile(1024, 64), tile(512, 64), 0))
            .check()
            ->kind == Kind::structure);
}

TEST_CASE("tokens must balance and nobody may wait for ever") {
  CHECK(Streams()
            .add(vector, 1, write(tile(0, 64)), {}, {{3, 2}})
            .add(scalar, 2, copy(tile(256, 64), tile(0, 64)), {{3, 1}})
            .check()
            ->kind == Kind::imbalance);
  auto report = Streams()
                    .add(vector, 1, write(tile(0, 64)), {{1, 1}}, {{2, 1}})
                    .add(scalar, 2, write(tile(64, 64)), {{2, 1}}, {{1, 1}})
                    .check();
  REQUIRE(report);
  CHECK(report->kind == Kind::deadlock);
  CHECK(report->text.find("waits for semaphore 1") != std::string::npos);
  CHECK(report->text.find("waits for semaphore 2") != std::string::npos);
}

TEST_CASE("loops must run equally often in all streams") {
  Streams streams;
  for (auto [engine, trips] : {std::pair{vector, 3}, {scalar, 4}})
    streams.add(engine, 1, loop(0, trips))
        .add(engine, 2, write(tile(engine == vector ? 0 : 64, 64)))
        .add(engine, 3, isa::LoopEnd{});
  auto report = streams.check();
  REQUIRE(report);
  CHECK(report->kind == Kind::structure);
}

namespace {
/// A loader and a reader over a ring of two slots, `credits` tokens ahead.
std::optional<SyncReport> ring(std::uint16_t credits, std::int32_t trips) {
  Streams streams;
  streams.add(sync_, 0, isa::RegisterMove{{1}, {0}})
      .add(sync_, 1, isa::Semaphore{}, {}, {{1, credits}})
      .add(sync_, 2, loop(0, trips))
      .add(sync_, 3, dma(ringSlot(0, 64, 1), tile(4096, 64), 0), {{1, 1}},
           {{0, 1}})
      .add(sync_, 5, isa::RegisterWrap{{1}, 64, 128, 0})
      .add(sync_, 6, isa::LoopEnd{})
      .add(sync_, 7, isa::Semaphore{}, {{1, credits}});
  streams.add(vector, 0, isa::RegisterMove{{5}, {0}})
      .add(vector, 2, loop(4, trips))
      .add(vector, 4, copy(tile(1024, 64), ringSlot(0, 64, 5)), {{0, 1}},
           {{1, 1}})
      .add(vector, 5, isa::RegisterWrap{{5}, 64, 128, 0})
      .add(vector, 6, isa::LoopEnd{});
  return streams.check();
}
} // namespace

TEST_CASE("a ring of two slots has two credits, not three") {
  for (std::int32_t trips : {0, 1, 2, 3, 1000}) {
    CHECK_FALSE(ring(2, trips));
    CHECK_FALSE(ring(1, trips));
  }
  auto report = ring(3, 1000);
  REQUIRE(report);
  CHECK(report->kind == Kind::unordered);
  CHECK_FALSE(ring(3, 2)); // The slots are not used again.
}

namespace {
/// A flag in memory, loaded by both streams; a body in which vector writes what
/// scalar copies, in the form that `head` opens and `tail` closes.
std::optional<SyncReport> guarded(isa::Body head, isa::Body tail, bool inBody) {
  const isa::RegisterLoad load{{1}, tile(8192, 4)};
  Streams streams;
  const std::vector<isa::Signal> give{{0, 1}};
  for (auto engine : {vector, scalar}) {
    const bool writes = engine == vector;
    streams.add(engine, 1, load).add(engine, 2, head);
    if (writes)
      streams.add(engine, 3, write(tile(0, 64)), {{1, 1}},
                  inBody ? give : std::vector<isa::Signal>());
    else
      streams.add(engine, 4, copy(tile(256, 64), tile(0, 64)), {{0, 1}},
                  {{1, 1}});
    streams.add(engine, 5, tail);
    if (writes)
      streams.add(engine, 6, isa::Semaphore{}, {{1, 1}},
                  inBody ? std::vector<isa::Signal>() : give);
  }
  streams.add(sync_, 0, isa::Semaphore{}, {}, {{1, 1}});
  return streams.check();
}
} // namespace

TEST_CASE("what depends on memory is played with and without") {
  const isa::Body again = isa::While{{1}}, branch = isa::If{{1}};
  CHECK_FALSE(guarded(again, isa::LoopEnd{}, true));
  CHECK_FALSE(guarded(branch, isa::EndIf{}, true));
  // A token that comes after the body, for a wait in it, is one too many where
  // the body does not run, and too late where it does.
  CHECK(guarded(again, isa::LoopEnd{}, false));
  CHECK(guarded(branch, isa::EndIf{}, false));
}

TEST_CASE("both bodies of an if are played, never together") {
  // Each writes the same bytes; only one of them waits for the reader.
  auto build = [](bool second) {
    Streams streams;
    const std::vector<isa::Wait> wait{{0, 1}};
    streams.add(sync_, 1, isa::RegisterLoad{{1}, tile(8192, 4)})
        .add(sync_, 2, isa::If{{1}})
        .add(sync_, 3, isa::Semaphore{}, wait)
        .add(sync_, 4, isa::Else{})
        .add(sync_, 5, isa::Semaphore{},
             second ? wait : std::vector<isa::Wait>())
        .add(sync_, 6, isa::EndIf{});
    streams.add(vector, 0, write(tile(0, 64)), {}, {{0, 1}});
    return streams.check();
  };
  CHECK_FALSE(build(true));
  auto report = build(false);
  REQUIRE(report);
  CHECK(report->kind == Kind::imbalance);
}

TEST_CASE("two producers of one semaphore are not taken apart") {
  // Either may be ahead, so two tokens do not mean one of each.
  auto build = [](std::uint16_t wait) {
    Streams streams;
    for (auto [engine, at] : {std::pair{vector, 0}, {scalar, 64}})
      streams.add(engine, at ? 2 : 1, write(tile(at, 64)), {}, {{0, 1}})
          .add(engine, at ? 4 : 3, write(tile(at + 1024, 64)), {}, {{0, 1}});
    streams.add(sync_, 5, dma(tile(2048, 128), tile(0, 128), 0), {{0, wait}})
        .add(sync_, 6, isa::Semaphore{},
             {{0, static_cast<std::uint16_t>(4 - wait)}});
    return streams.check();
  };
  CHECK(build(2));
  CHECK_FALSE(build(3));
}

TEST_CASE("conditions are also played apart") {
  // What the first if signals, the second waits for.
  auto build = [](std::int64_t second) {
    Streams streams;
    for (isa::Engine engine : {vector, sync_})
      streams.add(engine, 1, isa::RegisterLoad{{1}, tile(8192, 4)})
          .add(engine, 2, isa::RegisterLoad{{2}, tile(second, 4)});
    streams.add(vector, 3, isa::If{{1}})
        .add(vector, 4, write(tile(0, 64)), {}, {{0, 1}})
        .add(vector, 5, isa::EndIf{});
    streams.add(sync_, 6, isa::If{{2}})
        .add(sync_, 7, isa::Semaphore{}, {{0, 1}})
        .add(sync_, 8, isa::EndIf{});
    return streams.check();
  };
  CHECK_FALSE(build(8192));
  auto report = build(8196);
  REQUIRE(report);
  CHECK((report->kind == Kind::imbalance || report->kind == Kind::deadlock));
}

TEST_CASE("however many conditions there are, any two are played apart") {
  // What the first if signals, the last waits for.
  const auto build = [](std::uint32_t between) {
    Streams streams;
    const auto branch = [&](isa::Engine engine, std::uint32_t position,
                            std::int64_t flag, std::optional<isa::Body> body,
                            std::vector<isa::Wait> waits,
                            std::vector<isa::Signal> signals) {
      streams.add(engine, position, isa::RegisterLoad{{1}, tile(flag, 4)})
          .add(engine, position, isa::If{{1}});
      if (body)
        streams.add(engine, position, *body, std::move(waits),
                    std::move(signals));
      streams.add(engine, position, isa::EndIf{});
    };
    branch(vector, 1, 8192, write(tile(0, 64)), {}, {{0, 1}});
    for (std::uint32_t i = 0; i < between; ++i)
      branch(vector, 2 + i, 8196 + 4 * i, std::nullopt, {}, {});
    branch(sync_, 2 + between, 8196 + 4 * between, isa::Semaphore{}, {{0, 1}},
           {});
    return streams.check();
  };
  for (const std::uint32_t between : {0, 1, 62, 63, 64, 127, 300}) {
    CAPTURE(between);
    CHECK(build(between));
  }
}

} // namespace kiln::problems::test::checker_test

//===- promises.cpp - The checker: order that the user asked for ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "kiln/compiler/prove/SynchronisationChecker.h"

namespace kiln::problems::test::promises_test {

namespace {

constexpr auto vector = isa::Engine::vector;
constexpr auto scalar = isa::Engine::scalar;
constexpr auto sync_ = isa::Engine::sync;

isa::Access tile(std::int64_t offset) {
  isa::Access access;
  access.dtype = isa::DType::u8;
  access.partitions = 128;
  access.rank = 1;
  access.offset = offset;
  access.dims[0] = {1, 64};
  return access;
}

/// Instructions that share no data; positions are numbers of the text.
class Streams {
public:
  Streams &write(isa::Engine engine, std::uint32_t position,
                 std::vector<isa::Wait> waits = {},
                 std::vector<isa::Signal> signals = {}) {
    return add(engine, position, isa::Memset{tile(64 * position), 0.0f},
               std::move(waits), std::move(signals));
  }
  Streams &load(std::uint32_t position, std::vector<isa::Signal> signals) {
    isa::DmaCopy body;
    body.dst = tile(64 * position);
    body.src.space = isa::Space::hbm;
    body.src.dtype = isa::DType::u8;
    body.src.rank = 1;
    body.src.dims[0] = {1, 64};
    body.queue = 0;
    return add(sync_, position, body, {}, std::move(signals));
  }
  Streams &loop(isa::Engine engine, std::uint32_t position,
                std::int32_t trips) {
    return add(engine, position, isa::LoopBegin{{0}, {0}, {trips}, 1});
  }
  Streams &end(isa::Engine engine, std::uint32_t position) {
    return add(engine, position, isa::LoopEnd{});
  }
  Streams &arithmetic(isa::Engine engine, std::uint32_t position) {
    return add(engine, position, isa::RegisterMove{{1}, {7}});
  }
  std::optional<SyncReport> check(const OrderPromises &promises) const {
    return checkSynchronisation(module, {}, promises);
  }

private:
  Streams &add(isa::Engine engine, std::uint32_t position, isa::Body body,
               std::vector<isa::Wait> waits = {},
               std::vector<isa::Signal> signals = {}) {
    isa::Instruction instruction;
    instruction.body = std::move(body);
    instruction.position = position;
    instruction.waits = std::move(waits);
    instruction.signals = std::move(signals);
    module.streams[static_cast<std::size_t>(engine)].push_back(
        std::move(instruction));
    return *this;
  }
  isa::Module module;
};

/// Position 2 after position 1.
OrderPromises edge() {
  OrderPromises promises;
  promises.labels = {{1, 0}, {2, 1}};
  promises.edges = {{1, 0}};
  return promises;
}

void broken(const std::optional<SyncReport> &report, const char *words) {
  REQUIRE(report);
  INFO(report->text);
  CHECK(report->kind == SyncReport::Kind::promise);
  CHECK(report->text.find(words) != std::string::npos);
}

} // namespace

TEST_CASE("after: another engine starts when the first is complete") {
  CHECK(!Streams()
             .write(vector, 1, {}, {{0, 1}})
             .write(scalar, 2, {{0, 1}})
             .check(edge()));
  broken(Streams().write(vector, 1).write(scalar, 2).check(edge()),
         "scalar[0] memset does not wait for vector[0] memset");
}

TEST_CASE("after: an engine keeps its own order, a queue does not") {
  CHECK(!Streams().write(vector, 1).write(vector, 2).check(edge()));
  broken(Streams().write(vector, 2).write(vector, 1).check(edge()),
         "does not wait");
  CHECK(!Streams().load(1, {{3, 1}}).write(sync_, 2, {{3, 1}}).check(edge()));
  broken(Streams().load(1, {}).write(sync_, 2).check(edge()),
         "sync[1] memset does not wait for sync[0] dma_copy");
}

TEST_CASE("after: in each iteration of the loop around both") {
  Streams streams;
  streams.loop(vector, 9, 4).write(vector, 1, {}, {{0, 1}}).end(vector, 9);
  streams.loop(scalar, 9, 4).write(scalar, 2, {{0, 1}}).end(scalar, 9);
  CHECK(!streams.check(edge()));
  // A token too many in front: iteration i only waits for iteration i - 1.
  Streams early;
  early.write(vector, 8, {}, {{0, 1}});
  early.loop(vector, 9, 4).write(vector, 1, {}, {{0, 1}}).end(vector, 9);
  early.loop(scalar, 9, 4).write(scalar, 2, {{0, 1}}).end(scalar, 9);
  early.write(scalar, 10, {{0, 1}});
  broken(early.check(edge()), "does not wait");
}

TEST_CASE("after: behind a loop, all its iterations count") {
  Streams streams;
  streams.loop(vector, 9, 3).write(vector, 1, {}, {{0, 1}}).end(vector, 9);
  streams.write(scalar, 2, {{0, 3}});
  CHECK(!streams.check(edge()));
  Streams early;
  early.loop(vector, 9, 3).write(vector, 1, {}, {{0, 1}}).end(vector, 9);
  early.write(scalar, 2, {{0, 2}}).write(scalar, 3, {{0, 1}});
  broken(early.check(edge()), "does not wait");
}

TEST_CASE("no_reorder: streams keep the places of a scope") {
  OrderPromises promises;
  promises.places = {{1, 5, 0}, {2, 5, 1}, {3, 5, 2}};
  // Another scope, and what has no place, may stand anywhere.
  promises.places.push_back({4, 6, 0});
  CHECK(!Streams()
             .write(vector, 4)
             .write(vector, 1)
             .write(vector, 7)
             .write(vector, 3)
             .write(scalar, 2)
             .check(promises));
  broken(Streams().write(vector, 3).write(vector, 1).check(promises),
         "vector[0] memset precedes vector[1] memset");
  // Arithmetic for an address stands where it likes.
  CHECK(
      !Streams().arithmetic(vector, 3).write(vector, 1).write(vector, 3).check(
          promises));
}

TEST_CASE("engine: the stream that the user chose") {
  OrderPromises promises;
  promises.streams = {{1, vector}};
  CHECK(!Streams().write(vector, 1).check(promises));
  broken(Streams().write(scalar, 1).check(promises),
         "was promised to the stream of vector");
}

} // namespace kiln::problems::test::promises_test

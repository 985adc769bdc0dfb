//===- source_order.cpp - The checker: order of the source ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One stream needs no tokens: whatever order it has is synchronised. Only the
// notes say that the order is wrong.
//
//===----------------------------------------------------------------------===//

#include "Streams.h"
#include "catch.h"

#include <algorithm>
#include <random>

namespace kiln::problems::test::source_order_test {

namespace {

constexpr std::int32_t none = SourceOrder::none;

/// `numbers` by position, from 1 on; loops by number.
OrderPromises sourceOf(std::vector<std::int32_t> numbers,
                       std::vector<std::int32_t> parents,
                       std::vector<bool> isWork = {}) {
  OrderPromises promises;
  SourceOrder &source = promises.source.emplace();
  source.numbers = {none};
  source.numbers.insert(source.numbers.end(), numbers.begin(), numbers.end());
  source.isWork = {false};
  if (isWork.empty())
    isWork.assign(numbers.size(), true);
  source.isWork.insert(source.isWork.end(), isWork.begin(), isWork.end());
  source.parents = std::move(parents);
  return promises;
}

std::optional<SyncReport> prove(const Streams &streams,
                                const OrderPromises &promises) {
  return checkSynchronisation(streams.module, {}, promises);
}

isa::Access inBuffer(std::uint16_t buffer, std::int64_t offset,
                     std::uint32_t bytes) {
  isa::Access access = tile(offset, bytes);
  access.tensor = buffer;
  return access;
}

/// Bytes that a register places.
isa::Access placed(std::uint8_t reg, std::int64_t offset) {
  isa::Access access = inBuffer(1, offset, 8);
  access.numTerms = 1;
  access.terms[0] = {{reg}, 1};
  return access;
}

isa::Body load(std::uint8_t reg, std::int64_t offset) {
  isa::RegisterLoad body;
  body.dst = {reg};
  body.src = isa::Access();
  body.src.space = isa::Space::hbm;
  body.src.dtype = isa::DType::i32;
  body.src.offset = offset;
  body.src.rank = 1;
  body.src.dims[0] = {1, 1};
  return body;
}

} // namespace

TEST_CASE("accesses of one buffer are in the source's order", "[source]") {
  Streams streams;
  streams.add(vector, 1, write(inBuffer(1, 0, 32)));
  streams.add(vector, 2, write(inBuffer(1, 16, 32)));
  CHECK(!prove(streams, sourceOf({0, 1}, {none, none})));
  const auto wrong = prove(streams, sourceOf({1, 0}, {none, none}));
  REQUIRE(wrong);
  CHECK(wrong->kind == SyncReport::Kind::wrongOrder);
  CHECK(wrong->text.find("which is earlier in the source") !=
        std::string::npos);
}

TEST_CASE("apart, or of two buffers in turn, any order will do", "[source]") {
  Streams apart;
  apart.add(vector, 1, write(inBuffer(1, 0, 32)));
  apart.add(vector, 2, write(inBuffer(1, 32, 32)));
  CHECK(!prove(apart, sourceOf({1, 0}, {none, none})));
  Streams turns;
  turns.add(vector, 1, write(inBuffer(1, 0, 32)));
  turns.add(vector, 2, write(inBuffer(2, 0, 32)));
  CHECK(!prove(turns, sourceOf({1, 0}, {none, none})));
  // Buffers without a number share memory on purpose.
  Streams shared;
  shared.add(vector, 1, write(tile(0, 32)));
  shared.add(vector, 2, write(tile(0, 32)));
  CHECK(prove(shared, sourceOf({1, 0}, {none, none})));
}

TEST_CASE("a read that stands for others keeps the last of them", "[source]") {
  // The read of number 3 comes first and is forgotten for that of number 1.
  for (const bool legal : {false, true}) {
    Streams streams;
    streams.add(vector, 1, copy(inBuffer(2, 64, 32), inBuffer(1, 0, 32)));
    streams.add(vector, 2, copy(inBuffer(3, 128, 32), inBuffer(1, 0, 32)));
    streams.add(vector, 3, write(inBuffer(1, 0, 32)));
    const auto wrong = prove(
        streams, sourceOf({legal ? 0 : 3, 1, 2}, {none, none, none, none}));
    CHECK(wrong.has_value() != legal);
  }
}

TEST_CASE("iterations count before places in the text", "[source]") {
  // for i: write a (1), write a (2): the second of the iteration before.
  for (const std::int64_t turn : {-1, 0, 1}) {
    Streams streams;
    streams.add(vector, 1, loop(1, 4));
    streams.add(vector, 2, write(inBuffer(1, 0, 32)));
    streams.add(vector, 3, write(inBuffer(1, 0, 32)));
    streams.add(vector, 1, isa::LoopEnd{});
    OrderPromises promises =
        sourceOf({0, 2, 1}, {none, 0, 0}, {false, true, true});
    promises.source->loops[0] = {0, false};
    if (turn)
      promises.source->turns[2] = {{0, false, turn}};
    INFO(turn);
    CHECK(prove(streams, promises).has_value() != (turn == -1));
  }
}

TEST_CASE("a loop that is gone had one iteration", "[source]") {
  Streams streams;
  streams.add(vector, 1, write(inBuffer(1, 0, 32)));
  OrderPromises promises = sourceOf({1}, {none, 0});
  CHECK(prove(streams, promises)); // Which iteration was it?
  promises.source->loops[0] = {0, true};
  CHECK(!prove(streams, promises));
  promises.source->loops[0] = {0, false};
  CHECK(prove(streams, promises));
  promises.source->turns[1] = {{0, true, 7}};
  CHECK(!prove(streams, promises));
}

TEST_CASE("registers are neither 0 nor all the same", "[source]") {
  const auto program = [](std::uint8_t second, std::int64_t distance) {
    Streams streams;
    streams.module.tensors.push_back(
        {"t", isa::DType::i32, isa::TensorKind::input, {8}, {}});
    streams.add(vector, 1, load(1, 0));
    streams.add(vector, 2, load(2, 4));
    streams.add(vector, 3, write(placed(1, 0)));
    streams.add(vector, 4, write(placed(second, distance)));
    return streams;
  };
  const OrderPromises swapped =
      sourceOf({0, 1, 3, 2}, {none, none, none, none});
  CHECK(!prove(program(1, 8), swapped));  // Behind it, whatever it is.
  CHECK(!prove(program(1, -8), swapped)); // In front of it.
  CHECK(prove(program(1, 7), swapped));
  CHECK(prove(program(1, 0), swapped));
  CHECK(prove(program(2, 8), swapped)); // Another register.
  const OrderPromises kept = sourceOf({0, 1, 2, 3}, {none, none, none, none});
  CHECK(!prove(program(2, 8), kept));
}

TEST_CASE("loads of one address are not one register", "[source]") {
  // Something may have been stored between them.
  for (const bool copies : {false, true}) {
    Streams streams;
    streams.module.tensors.push_back(
        {"t", isa::DType::i32, isa::TensorKind::input, {8}, {}});
    streams.add(vector, 1, load(1, 0));
    streams.add(vector, 2, load(2, 0));
    streams.add(vector, 3, write(placed(1, 0)));
    streams.add(vector, 4, write(placed(2, 8)));
    const auto wrong = prove(
        streams, sourceOf({0, copies ? 0 : 1, 3, 2}, {none, none, none, none}));
    CHECK(wrong.has_value() != copies);
  }
}

TEST_CASE("each instruction is in one stream, once", "[source]") {
  Streams streams;
  streams.add(vector, 1, write(inBuffer(1, 0, 32)));
  CHECK(prove(streams, sourceOf({0, 1}, {none, none})));
  streams.add(scalar, 2, copy(inBuffer(2, 64, 32), inBuffer(3, 128, 32)));
  CHECK(!prove(streams, sourceOf({0, 1}, {none, none})));
  streams.add(vector, 2, write(inBuffer(2, 64, 32)));
  CHECK(prove(streams, sourceOf({0, 1}, {none, none})));
}

TEST_CASE("an access of nobody is refused", "[source]") {
  Streams streams;
  streams.add(vector, 1, write(inBuffer(1, 0, 32)));
  CHECK(prove(streams, sourceOf({none}, {none})));
  CHECK(prove(streams, sourceOf({}, {none})));
}

/// Against every pair: streams of chance with the numbers of another order.
TEST_CASE("what is refused is what conflicts", "[source]") {
  std::mt19937 random(7);
  const auto below = [&](unsigned n) {
    return static_cast<std::int64_t>(random() % n);
  };
  unsigned refused = 0;
  for (unsigned round = 0; round < 4000; ++round) {
    struct Made {
      std::uint16_t buffer;
      std::int64_t from, bytes;
      bool isWrite;
    };
    const auto count = static_cast<std::size_t>(2 + below(7));
    std::vector<Made> made;
    Streams streams;
    std::vector<std::int32_t> numbers;
    for (std::size_t i = 0; i < count; ++i) {
      made.push_back({static_cast<std::uint16_t>(1 + below(2)), 8 * below(8),
                      8 * (1 + below(4)), below(2) == 0});
      const Made &at = made.back();
      // Two buffers have memory of their own; what is read goes elsewhere.
      const isa::Access access = inBuffer(at.buffer, at.from + 1000 * at.buffer,
                                          static_cast<std::uint32_t>(at.bytes));
      const auto position = static_cast<std::uint32_t>(i + 1);
      streams.add(vector, position,
                  at.isWrite
                      ? write(access)
                      : copy(inBuffer(static_cast<std::uint16_t>(9 + i),
                                      static_cast<std::int64_t>(5000 + 64 * i),
                                      static_cast<std::uint32_t>(at.bytes)),
                             access));
      numbers.push_back(static_cast<std::int32_t>(i));
    }
    for (unsigned swaps = 0; swaps < 2; ++swaps)
      std::swap(numbers[static_cast<std::size_t>(
                    below(static_cast<unsigned>(count)))],
                numbers[static_cast<std::size_t>(
                    below(static_cast<unsigned>(count)))]);
    bool wrong = false;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = i + 1; k < count; ++k)
        wrong |= made[i].buffer == made[k].buffer &&
                 (made[i].isWrite || made[k].isWrite) &&
                 made[i].from < made[k].from + made[k].bytes &&
                 made[k].from < made[i].from + made[i].bytes &&
                 numbers[i] > numbers[k];
    INFO(round);
    CHECK(prove(streams,
                sourceOf(numbers, std::vector<std::int32_t>(count, none)))
              .has_value() == wrong);
    refused += wrong;
  }
  CHECK(refused > 400);
}

} // namespace kiln::problems::test::source_order_test

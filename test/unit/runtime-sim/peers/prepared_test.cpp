//===- prepared_test.cpp - Collectives in two parts, and counted sums -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

#include <functional>

using namespace ranks;

namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t room = 7; ///< Elements of a slot.
constexpr std::int32_t unknownPiece = -7;

isa::RankLists listTo(unsigned size) {
  isa::RankLists lists(1);
  for (unsigned r = 0; r < size; ++r)
    lists[0].push_back(static_cast<std::int32_t>(r));
  return lists;
}

/// Tensors x, y, the table m, what is kept of it, and another table.
Program tensorsFor(unsigned size) {
  Program program;
  program.module.generation = isa::Generation::v3;
  const std::int64_t ranks = size;
  program.tensor("x", DType::f32, isa::TensorKind::inout, {ranks * room});
  program.tensor("y", DType::f32, isa::TensorKind::inout, {ranks * room});
  program.tensor("m", DType::u32, isa::TensorKind::inout, {3, ranks});
  program.tensor("k", DType::u32, isa::TensorKind::internal, {3, ranks});
  program.tensor("n", DType::u32, isa::TensorKind::input, {3, ranks});
  program.tensor("w", DType::f32, isa::TensorKind::input, {ranks * room});
  return program;
}

template <class Prepare>
isa::Body prepare(const Program &program, unsigned size, bool known,
                  unsigned kept = 3) {
  return Prepare{
      program.whole(kept), listTo(size), program.whole(2), known, false, 8, {}};
}
template <class Trigger>
isa::Body trigger(const Program &program, unsigned size, bool known,
                  unsigned kept = 3) {
  return Trigger{{program.whole(0)},
                 {program.whole(1)},
                 listTo(size),
                 program.whole(kept),
                 program.whole(2),
                 known,
                 false,
                 8,
                 {}};
}

struct Rank {
  std::vector<float> x, y, later;
  Words table, other;
};

/// Counts of 0 to `room`; every third case has ranks that send nothing.
std::vector<Rank> randomRanks(unsigned size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Rank> ranks(size);
  for (unsigned r = 0; r < size; ++r) {
    Rank &rank = ranks[r];
    rank.x = someFloats(std::size_t{size} * room, seed * 64 + r, false);
    rank.later = someFloats(std::size_t{size} * room, seed * 64 + r + 8, false);
    rank.y.assign(std::size_t{size} * room, unknownPiece);
    rank.table.assign(std::size_t{3} * size, 77);
    rank.other.assign(std::size_t{3} * size, 1);
    const bool sendsNothing = seed % 3 == 0 && random() % 2;
    for (unsigned to = 0; to < size; ++to) {
      const auto count = sendsNothing ? 0 : random() % (room + 1);
      rank.table[to] = static_cast<std::uint32_t>(count);
      rank.table[size + to] =
          static_cast<std::uint32_t>(random() % (size * room - count + 1));
    }
  }
  return ranks;
}

sim::LaunchExecution launch(const Program &program,
                            const std::vector<Rank> &ranks,
                            std::uint64_t seed = 0) {
  const auto modules = pairOf(program, {});
  std::vector<std::vector<sim::TensorData>> inputs;
  for (const Rank &rank : ranks)
    inputs.push_back({data("x", rank.x), data("y", rank.y),
                      data("m", rank.table), data("n", rank.other),
                      data("w", rank.later)});
  sim::Launch all{modules, static_cast<unsigned>(ranks.size()), {}, {}};
  for (const auto &input : inputs)
    all.inputsOfRank.emplace_back(input);
  sim::Options options;
  options.interleaveSeed = seed;
  return go(all, options);
}

template <class Prepare, class Trigger>
void tryParts(unsigned size, unsigned seed, bool broadcasts) {
  CAPTURE(size, seed, broadcasts);
  const bool known = seed % 2;
  std::vector<Rank> ranks = randomRanks(size, seed);
  Program program = tensorsFor(size);
  program.then(Engine::gpsimd, prepare<Prepare>(program, size, known));
  // Table and source change in between: only what the source holds counts.
  program.then(Engine::sync,
               isa::DmaCopy{program.whole(2), program.whole(4), 0, {}});
  program.then(Engine::sync,
               isa::DmaCopy{program.whole(0), program.whole(5), 0, {}});
  program.then(Engine::gpsimd, trigger<Trigger>(program, size, known));
  const sim::LaunchExecution result = launch(program, ranks, seed % 5);
  if (result.fault)
    FAIL(result.fault->code << " " << result.fault->text);
  for (unsigned to = 0; to < size; ++to) {
    std::vector<float> want = ranks[to].y;
    Words table = ranks[to].other;
    for (unsigned from = 0; from < size; ++from) {
      const Rank &its = ranks[from];
      const unsigned column = broadcasts ? 0 : to;
      for (std::uint32_t i = 0; i < its.table[column]; ++i)
        want[from * room + i] = its.later[its.table[size + column] + i];
      if (!known)
        table[2 * size + from] = its.table[column];
    }
    CHECK(values<float>(result.outputs[to][1]) == want);
    CHECK(values<std::uint32_t>(result.outputs[to][2]) == table);
  }
}

} // namespace

TEST_CASE("a trigger moves what its preparation read of the table") {
  for (unsigned seed = 0; seed < 30; ++seed) {
    for (const unsigned size : {2u, 3u, 5u, 8u})
      tryParts<isa::AllToAllVPrepare, isa::AllToAllVTrigger>(size, seed, false);
    tryParts<isa::AllGatherVPrepare, isa::AllGatherVTrigger>(4, seed, true);
  }
}

TEST_CASE("KILN-X019 preparations and triggers out of turn") {
  using Prepare = isa::AllToAllVPrepare;
  using Trigger = isa::AllToAllVTrigger;
  const std::vector<Rank> ranks = randomRanks(4, 1);
  const auto expect = [&](const std::string &words, std::size_t parties,
                          const std::vector<isa::Body> &bodies) {
    Program program = tensorsFor(4);
    program.tensor("l", DType::u32, isa::TensorKind::internal, {3, 4});
    for (const isa::Body &body : bodies)
      program.then(Engine::gpsimd, body);
    for (const std::uint64_t seed : {0u, 1u, 2u, 3u}) {
      const auto result = launch(program, ranks, seed);
      CAPTURE(words, seed);
      if (parties == 0) {
        CHECK(!result.fault);
        continue;
      }
      REQUIRE(result.fault);
      CHECK(result.fault->code == "KILN-X019");
      CHECK(result.fault->kind == sim::FaultKind::outOfTurn);
      CAPTURE(result.fault->text);
      CHECK(result.fault->text.find(words) != std::string::npos);
      CHECK(result.fault->instructions.size() == parties);
    }
  };
  const Program program = [] {
    Program p = tensorsFor(4);
    p.tensor("l", DType::u32, isa::TensorKind::internal, {3, 4});
    return p;
  }();
  const isa::Body first = prepare<Prepare>(program, 4, true);
  const isa::Body second = trigger<Trigger>(program, 4, true);
  expect("", 0, {first, second, first, second});
  expect("prepares a collective while that of rank", 1, {first, first, second});
  expect("triggers a collective that is not prepared", 1, {second});
  expect("triggers a collective that is not prepared", 1,
         {first, second, second});
  expect("never triggered", 1, {first, second, first});
  expect("prepared is at a different place", 1,
         {first, trigger<Trigger>(program, 4, true, 6)});
  expect("recv_counts_known differs", 1,
         {first, trigger<Trigger>(program, 4, false)});
  expect("kind is all_gather_v, not all_to_all_v", 1,
         {first, trigger<isa::AllGatherVTrigger>(program, 4, true)});
  isa::Body moved = second, crossed = second;
  std::get<Trigger>(moved).metadata_tensor.tensor = 4;
  expect("metadata_tensor is at a different place", 1, {first, moved});
  std::get<Trigger>(crossed).replica_group = {{0, 1, 3, 2}};
  expect("replica_group differs", 1, {first, crossed});
}

TEST_CASE("a table that changes while it is prepared is a race") {
  Program program = tensorsFor(4);
  program.add(Engine::gpsimd, prepare<isa::AllToAllVPrepare>(program, 4, true));
  program.add(Engine::sync,
              isa::DmaCopy{program.whole(2), program.whole(4), 0, {}});
  const auto result = launch(program, randomRanks(4, 1));
  REQUIRE(result.fault);
  CHECK(result.fault->code == "KILN-X005");
  CHECK(result.fault->text.find("tensor m") != std::string::npos);
}

TEST_CASE("a trigger that does not wait for its preparation is a race") {
  Program program = tensorsFor(4);
  program.add(Engine::gpsimd, prepare<isa::AllToAllVPrepare>(program, 4, true));
  isa::Body second = trigger<isa::AllToAllVTrigger>(program, 4, true);
  std::get<isa::AllToAllVTrigger>(second).queue = 9;
  program.add(Engine::gpsimd, second);
  const auto result = launch(program, randomRanks(4, 1));
  REQUIRE(result.fault);
  CHECK(result.fault->code == "KILN-X005");
}

TEST_CASE("counts that fit nowhere are told at the trigger") {
  Program program = tensorsFor(4);
  program.then(Engine::gpsimd,
               prepare<isa::AllToAllVPrepare>(program, 4, true));
  program.then(Engine::gpsimd,
               trigger<isa::AllToAllVTrigger>(program, 4, true));
  std::vector<Rank> ranks = randomRanks(4, 1);
  ranks[2].table[4 + 3] = 4 * room;
  ranks[2].table[3] = 1;
  const auto beyond = launch(program, ranks);
  REQUIRE(beyond.fault);
  CHECK(beyond.fault->code == "KILN-X016");
  CHECK(beyond.fault->text.find("sends elements 28 to 29 of srcs to rank 3") !=
        std::string::npos);
  ranks[2].table[4 + 3] = 0;
  ranks[2].table[3] = room + 1;
  const auto wide = launch(program, ranks);
  REQUIRE(wide.fault);
  CHECK(wide.fault->text.find("receives 8 elements from rank 2") !=
        std::string::npos);
}

TEST_CASE("a collective without parts leaves a preparation as it is") {
  Program program = tensorsFor(2);
  program.then(Engine::gpsimd,
               prepare<isa::AllToAllVPrepare>(program, 2, true));
  program.then(Engine::gpsimd,
               trigger<isa::AllToAllVTrigger>(program, 2, true));
  program.module.streams[3].back().body = isa::AllToAllV{{program.whole(0)},
                                                         {program.whole(1)},
                                                         listTo(2),
                                                         program.whole(2),
                                                         true,
                                                         false,
                                                         8,
                                                         {}};
  const auto result = launch(program, randomRanks(2, 1));
  REQUIRE(result.fault);
  CHECK(result.fault->code == "KILN-X019");
}

namespace {

struct Sums {
  unsigned ranks = 4;
  isa::AluOp op = isa::AluOp::add;
  bool known = false;
  std::vector<Rank> each;

  sim::LaunchExecution run(std::uint64_t seed) const {
    Program program = tensorsFor(4);
    isa::RankLists lists;
    for (unsigned first = 0; first < ranks; first += 4) {
      lists.emplace_back();
      for (unsigned r = 4; r-- > 0;)
        lists.back().push_back(static_cast<std::int32_t>(first + r));
    }
    program.then(Engine::gpsimd, isa::ReduceScatterV{{program.whole(0)},
                                                     {program.whole(1)},
                                                     lists,
                                                     program.whole(2),
                                                     op,
                                                     known,
                                                     8,
                                                     {}});
    return launch(program, each, seed);
  }
};

Sums randomSums(unsigned seed) {
  std::mt19937 random(seed);
  Sums sums;
  sums.ranks = seed % 2 ? 4 : 8;
  sums.op = std::array{isa::AluOp::add, isa::AluOp::maximum,
                       isa::AluOp::minimum}[seed % 3];
  sums.known = random() % 2;
  sums.each = randomRanks(4, seed);
  for (Rank &rank : randomRanks(4, seed + 1000))
    if (sums.ranks == 8)
      sums.each.push_back(rank);
  for (unsigned list = 0; list < sums.ranks / 4; ++list)
    for (unsigned j = 0; j < 4; ++j) {
      const auto count =
          static_cast<std::uint32_t>(random() % 3 ? random() % 20 : 0);
      for (unsigned r = 0; r < 4; ++r) {
        Words &table = sums.each[4 * list + r].table;
        table[j] = count;
        table[4 + j] =
            static_cast<std::uint32_t>(random() % (4 * room - count + 1));
      }
    }
  return sums;
}

} // namespace

TEST_CASE("counted sums are those of the pieces that the tables name") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Sums sums = randomSums(seed);
    CAPTURE(seed, sums.ranks, sums.known);
    const auto result = sums.run(seed % 5);
    if (result.fault)
      FAIL(result.fault->code << " " << result.fault->text);
    for (unsigned to = 0; to < sums.ranks; ++to) {
      std::vector<float> want = sums.each[to].y;
      Words table = sums.each[to].table;
      // Lists go downwards.
      const unsigned first = to / 4 * 4, place = 3 - to % 4;
      const std::uint32_t count = table[place];
      for (std::uint32_t i = 0; i < count; ++i) {
        const auto term = [&](unsigned at) {
          const Rank &its = sums.each[first + 3 - at];
          return its.x[its.table[4 + place] + i];
        };
        float sum = term(0);
        for (unsigned at = 1; at < 4; ++at)
          sum = combine(sums.op, sum, term(at));
        want[i] = sum;
      }
      for (unsigned s = 0; s < 4 && !sums.known; ++s)
        table[8 + s] = count;
      CHECK(values<float>(result.outputs[to][1]) == want);
      CHECK(values<std::uint32_t>(result.outputs[to][2]) == table);
    }
  }
}

TEST_CASE("sums whose terms differ in length, or that are too long") {
  Sums sums = randomSums(1);
  const Sums good = sums;
  // The list is 3, 2, 1, 0.
  for (Rank &rank : sums.each) {
    rank.table[0] = 5;
    rank.table[4] = 0;
  }
  sums.each[1].table[0] = 4;
  const auto differ = sums.run(0);
  REQUIRE(differ.fault);
  CAPTURE(differ.fault->text);
  CHECK(differ.fault->code == "KILN-X016");
  CHECK(differ.fault->text.find("rank 1 ") == 0);
  CHECK(differ.fault->text.find("gives 4 elements to the sum of rank 3, to "
                                "which rank 3 gives 5") != std::string::npos);
  sums = good;
  sums.each[2].table[4 + 1] = 4 * room;
  for (Rank &rank : sums.each)
    rank.table[1] = 1;
  const auto beyond = sums.run(0);
  REQUIRE(beyond.fault);
  CHECK(beyond.fault->text.find("sends elements 28 to 29 of srcs to rank 2") !=
        std::string::npos);
}

//===- counted_test.cpp - all_gather_v and all_to_all_v -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

using namespace ranks;

namespace {

using Words = std::vector<std::uint32_t>;

/// A launch of one list whose ranks bring a source, an old destination and a
/// table each.
struct Counted {
  bool gathers = false, known = false, places = false;
  /// Ranks of the list: a chip, or the two that all_to_all_v wants at least.
  unsigned size = 8;
  bool tableOnChip = false;
  unsigned given = 0, room = 0; ///< Elements of src and dst.
  std::vector<std::vector<float>> src;
  std::vector<std::vector<float>> old;
  std::vector<Words> table;

  unsigned rows() const { return places ? 4 : 3; }
  std::uint32_t at(unsigned rank, unsigned row, unsigned column) const {
    return table[rank][row * size + column];
  }

  sim::LaunchExecution run(std::uint64_t seed = 0) const {
    Program program;
    program.module.generation = isa::Generation::v4;
    const unsigned x =
        program.tensor("x", DType::f32, isa::TensorKind::input, {given});
    const unsigned y =
        program.tensor("y", DType::f32, isa::TensorKind::inout, {room});
    const unsigned m =
        program.tensor("m", DType::u32, isa::TensorKind::inout, {rows(), size});
    const auto columns = static_cast<std::int32_t>(size);
    Access meta = program.whole(m);
    meta.rank = 2;
    meta.dims[0] = {columns, rows()};
    meta.dims[1] = {1, size};
    const Access chip =
        place(Space::sbuf, DType::u32, 0, 1, 0, {{columns, rows()}, {1, size}});
    if (tableOnChip)
      program.load(chip, m);
    const Access &used = tableOnChip ? chip : meta;
    isa::RankLists lists(1);
    for (unsigned r = 0; r < size; ++r)
      lists[0].push_back(static_cast<std::int32_t>(r));
    if (gathers)
      program.then(Engine::gpsimd, isa::AllGatherV{{program.whole(x)},
                                                   {program.whole(y)},
                                                   lists,
                                                   used,
                                                   known,
                                                   places,
                                                   8,
                                                   {}});
    else
      program.then(Engine::gpsimd, isa::AllToAllV{{program.whole(x)},
                                                  {program.whole(y)},
                                                  lists,
                                                  used,
                                                  known,
                                                  places,
                                                  8,
                                                  {}});
    if (tableOnChip)
      program.store(m, chip);
    const auto modules = pairOf(program, {});
    std::vector<std::vector<sim::TensorData>> inputs(size);
    sim::Launch launch{modules, size, {}, {}};
    for (unsigned r = 0; r < size; ++r) {
      inputs[r] = {data("x", src[r]), data("y", old[r]), data("m", table[r])};
      launch.inputsOfRank.push_back(inputs[r]);
    }
    sim::Options options;
    options.interleaveSeed = seed;
    return go(launch, options);
  }
};

Counted randomCase(unsigned seed) {
  std::mt19937 random(seed);
  Counted c;
  c.gathers = random() % 2;
  const unsigned size = c.size = c.gathers ? 4 : 8;
  c.src.resize(size);
  c.old.resize(size);
  c.table.resize(size);
  c.known = random() % 2;
  c.places = !c.gathers && random() % 2;
  c.tableOnChip = random() % 2;
  c.given = 16 + random() % 16;
  const unsigned slot = 5 + random() % 4;
  c.room = slot * size;
  for (unsigned r = 0; r < size; ++r) {
    c.src[r] = someFloats(c.given, seed * 8 + r, false);
    c.old[r] = someFloats(c.room, seed * 8 + r + 4, false);
    c.table[r].assign(c.rows() * size, 0xdeadbeef);
    for (unsigned j = 0; j < size; ++j) {
      c.table[r][j] = static_cast<std::uint32_t>(random() % 6);
      c.table[r][size + j] = static_cast<std::uint32_t>(random() % 10);
      // Slots in an order of their own.
      if (c.places)
        c.table[r][3 * size + j] = (j + r) % size * slot;
    }
  }
  return c;
}

} // namespace

TEST_CASE("counted pieces go where the tables say") {
  for (unsigned seed = 1; seed <= 80; ++seed) {
    const Counted c = randomCase(seed);
    CAPTURE(seed, c.gathers, c.known, c.places, c.tableOnChip);
    const sim::LaunchExecution result = c.run(seed % 4);
    if (result.fault)
      FAIL(result.fault->text);
    const unsigned size = c.size;
    for (unsigned r = 0; r < size; ++r) {
      std::vector<float> want = c.old[r];
      Words table = c.table[r];
      for (unsigned s = 0; s < size; ++s) {
        const unsigned column = c.gathers ? 0 : r;
        const std::uint32_t count = c.at(s, 0, column);
        const std::uint32_t target =
            c.places ? c.at(r, 3, s) : s * (c.room / size);
        for (std::uint32_t i = 0; i < count; ++i)
          want[target + i] = c.src[s][c.at(s, 1, column) + i];
        if (!c.known)
          table[2 * size + s] = count;
      }
      CHECK(values<float>(result.outputs[r][0]) == want);
      CHECK(values<std::uint32_t>(result.outputs[r][1]) == table);
      // What a timing run will need: one row, in the order of the list.
      Words sent;
      for (unsigned s = 0; s < size; ++s)
        sent.push_back(c.at(r, 0, c.gathers ? 0 : s));
      CHECK(result.sentCounts[std::size_t{2} * r][3] ==
            std::vector<Words>{sent});
    }
  }
}

TEST_CASE("tables that fit nowhere are refused at the boundary") {
  unsigned seed = 1;
  while (randomCase(seed).gathers)
    ++seed;
  Counted good = randomCase(seed);
  const unsigned size = good.size;
  good.gathers = good.places = false;
  good.given = 20;
  good.room = 4 * size;
  for (unsigned r = 0; r < size; ++r) {
    good.src[r].assign(good.given, 1);
    good.old[r].assign(good.room, 2);
    good.table[r].assign(3 * size, 0);
    for (unsigned j = 0; j < size; ++j)
      good.table[r][j] = 4;
  }
  good.table[2][size + 1] = 16; // 16 + 4 is all of it.
  CHECK(!good.run().fault);

  const auto expect = [](const Counted &bad, const std::string &part) {
    const auto result = bad.run();
    REQUIRE(result.fault);
    CAPTURE(result.fault->text);
    CHECK(result.fault->code == "KILN-X016");
    CHECK(result.fault->text.find(part) != std::string::npos);
    REQUIRE(!result.fault->instructions.empty());
    CHECK(result.fault->instructions[0].location.file == "kernel.cpp");
  };
  Counted bad = good;
  bad.table[2][size + 1] = 17;
  expect(bad, "sends elements 17 to 21 of srcs to rank 1, but srcs has 20");
  bad = good;
  bad.table[3][0] = 5;
  expect(bad, "receives 5 elements from rank 3 at element 12 of dsts, where 4 "
              "have room");

  Counted places = good;
  places.places = true;
  for (unsigned r = 0; r < size; ++r) {
    places.table[r].resize(4 * size);
    for (unsigned j = 0; j < size; ++j)
      places.table[r][3 * size + j] = 4 * j;
  }
  CHECK(!places.run().fault);
  places.table[1][3 * size + 2] = 7;
  expect(places, "receives two pieces at element 7");
  places.table[1][3 * size + 2] = 4 * size - 3;
  expect(places, "receives 4 elements from rank 2 at element 29 of dsts, where "
                 "3 have room");
}

TEST_CASE("receive counts that nobody wrote are not there") {
  // The rows that are sent come from HBM, that of the counts from nowhere.
  for (const bool known : {false, true})
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      CAPTURE(known, seed);
      Program program;
      program.module.generation = isa::Generation::v3;
      program.tensor("x", DType::f32, isa::TensorKind::input, {8});
      program.tensor("y", DType::f32, isa::TensorKind::inout, {8});
      program.tensor("m", DType::u32, isa::TensorKind::input, {4});
      program.tensor("n", DType::u32, isa::TensorKind::output, {2});
      const auto rows = [](std::int64_t first, unsigned n) {
        return place(Space::sbuf, DType::u32, 0, 1, first * 8,
                     {{2, n}, {1, 2}});
      };
      program.load(rows(0, 2), 2);
      program.then(Engine::gpsimd, isa::AllToAllV{{program.whole(0)},
                                                  {program.whole(1)},
                                                  {{0, 1}},
                                                  rows(0, 3),
                                                  known,
                                                  false,
                                                  8,
                                                  {}});
      program.store(3, rows(2, 1));
      const std::vector<sim::TensorData> inputs{
          data("x", std::vector<float>(8, 1)),
          data("y", std::vector<float>(8, 0)), data("m", Words{3, 3, 0, 4})};
      sim::Options options;
      options.interleaveSeed = seed;
      const auto result = go({{&program.module, 1}, 2, inputs, {}}, options);
      if (known) {
        REQUIRE(result.fault);
        CHECK(result.fault->code == "KILN-X003");
        CHECK(result.fault->text.find("sync instruction 1") !=
              std::string::npos);
        continue;
      }
      if (result.fault)
        FAIL(result.fault->text);
      CHECK(values<std::uint32_t>(result.outputs[0][1]) == Words{3, 3});
    }
}

namespace {

/// Three exchanges of two ranks, each with an input table of counts n, 2n, 3n
/// and a queue of its own.
Program threeExchanges() {
  Program program;
  program.module.generation = isa::Generation::v3;
  program.tensor("x", DType::f32, isa::TensorKind::input, {1 << 16});
  program.tensor("y", DType::f32, isa::TensorKind::inout, {3 << 17});
  program.tensor("m", DType::u32, isa::TensorKind::input, {3, 6});
  for (unsigned i = 0; i < 3; ++i) {
    Access target = program.whole(1);
    target.offset = std::int64_t{i} << 19;
    target.dims[0] = {1, 1 << 17};
    Access table = program.whole(2);
    table.offset = std::int64_t{i} * 24;
    table.rank = 1;
    table.dims[0] = {1, 6};
    program.add(Engine::gpsimd, isa::AllToAllV{{program.whole(0)},
                                               {target},
                                               {{0, 1}},
                                               table,
                                               true,
                                               false,
                                               static_cast<std::int32_t>(3 - i),
                                               {}});
  }
  return program;
}

Words tablesOf(std::uint32_t n) {
  Words words;
  for (std::uint32_t i = 1; i <= 3; ++i)
    words.insert(words.end(), {i * n, i * n + 1, 0, 0, 0, 0});
  return words;
}

} // namespace

TEST_CASE("tables are read from inputs and recorded in program order") {
  const Program program = threeExchanges();
  const std::vector<sim::TensorData> inputs{
      data("x", std::vector<float>(1 << 16, 1)),
      data("y", std::vector<float>(3 << 17, 0)), data("m", tablesOf(5))};
  const sim::Launch launch{{&program.module, 1}, 2, inputs, {}};
  for (std::uint64_t seed = 0; seed < 9; ++seed) {
    CAPTURE(seed);
    sim::Options options;
    options.interleaveSeed = seed;
    const auto result = pass(launch, options);
    for (const sim::SentCounts &counts : result.sentCounts)
      CHECK(counts[3] == std::vector<Words>{{5, 6}, {10, 11}, {15, 16}});
  }
}

TEST_CASE("a run with values is timed by what its tables say") {
  const Program program = threeExchanges();
  const auto time = [&](bool function, std::uint32_t n) {
    const std::vector<sim::TensorData> inputs{
        data("x", std::vector<float>(1 << 16, 1)),
        data("y", std::vector<float>(3 << 17, 0)), data("m", tablesOf(n))};
    sim::Options options;
    options.timing = true;
    options.function = function;
    auto result = sim::runLaunch({{&program.module, 1}, 2, inputs, {}},
                                 isa::trn2, options);
    if (result.fault)
      FAIL(result.fault->text);
    CHECK(result.timing->fullBuffersAssumed() == (function ? 0u : 6u));
    return result.timing->makespan;
  };
  const auto bound = time(false, 0);
  CHECK(time(false, 1000) == bound);
  CHECK(time(true, 1) < time(true, 10000));
  CHECK(time(true, 10000) < time(true, 20000));
  CHECK(time(true, 20000) < bound);
}

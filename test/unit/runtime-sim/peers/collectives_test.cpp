//===- collectives_test.cpp - Collectives against plain loops -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

using namespace ranks;

namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::array dtypes{DType::f32, DType::bf16, DType::i32, DType::u8};
constexpr std::array operators{isa::AluOp::add, isa::AluOp::maximum,
                               isa::AluOp::minimum};

/// One collective between ranks that each have `partitions` x `columns` and get
/// as many times more or less as the instruction makes of it.
struct Case {
  std::mt19937 random;
  unsigned ranks, size;
  isa::RankLists lists;
  DType dtype;
  isa::AluOp op;
  bool onChip;
  unsigned partitions, columns;
  std::vector<Bytes> inputs; ///< By rank.

  explicit Case(unsigned seed) : random(seed) {
    size = 1 + random() % 4;
    ranks = size * (1 + random() % (8 / size));
    lists = randomLists(ranks, size, random);
    dtype = dtypes[random() % dtypes.size()];
    op = operators[random() % operators.size()];
    onChip = random() % 2;
    partitions = size * (1 + random() % 3);
    columns = size * (1 + random() % 5);
    for (unsigned r = 0; r < ranks; ++r)
      inputs.push_back(
          randomNumbers(dtype, std::size_t{partitions} * columns, random));
  }

  std::size_t width() const { return isa::sizeInBytes(dtype); }
  const Bytes &inputAt(unsigned rank, std::size_t place) const {
    return inputs[static_cast<std::size_t>(
        (*listOf(lists, rank).first)[place])];
  }
  float valueAt(unsigned rank, std::size_t place, std::size_t i) const {
    return numberAt(inputAt(rank, place), dtype, i);
  }
  /// The list's elements i, folded from its first rank to its last.
  float folded(unsigned rank, std::size_t i) const {
    float sum = valueAt(rank, 0, i);
    for (std::size_t m = 1; m < size; ++m)
      sum = combine(op, sum, valueAt(rank, m, i));
    return sum;
  }

  /// Runs make(srcs, dsts) for all ranks; dst has p x c elements.
  template <class Make>
  std::vector<Bytes> run(unsigned p, unsigned c, Make &&make) {
    Program program;
    program.module.generation = isa::Generation::v3;
    const unsigned x = program.tensor("x", dtype, isa::TensorKind::input,
                                      {partitions, columns});
    const unsigned y =
        program.tensor("y", dtype, isa::TensorKind::output, {p, c});
    if (onChip) {
      const Access src = sbuf(dtype, partitions, columns, 0);
      const Access dst = sbuf(dtype, p, c, 4096);
      program.load(src, x);
      program.then(Engine::gpsimd, make(src, dst));
      program.store(y, dst);
    } else {
      program.then(Engine::gpsimd, make(program.whole(x), program.whole(y)));
    }
    std::vector<sim::TensorData> given;
    for (const Bytes &bytes : inputs)
      given.push_back({"x", bytes});
    sim::Launch launch{{&program.module, 1}, ranks, {}, {}};
    for (const sim::TensorData &one : given)
      launch.inputsOfRank.push_back({&one, 1});
    sim::Options options;
    options.interleaveSeed = random() % 4;
    sim::LaunchExecution result = pass(launch, options);
    std::vector<Bytes> outputs;
    for (auto &rank : result.outputs) {
      REQUIRE(rank.size() == 1);
      outputs.push_back(std::move(rank[0].bytes));
    }
    return outputs;
  }
};

constexpr unsigned seeds = 60;

} // namespace

TEST_CASE("all_reduce folds in fp32 in the order of the list") {
  for (unsigned seed = 0; seed < seeds; ++seed) {
    Case c(seed);
    CAPTURE(seed, c.ranks, c.size, c.onChip, int(c.dtype));
    const auto got = c.run(c.partitions, c.columns, [&](auto src, auto dst) {
      return isa::AllReduce{{src}, {dst}, c.lists, c.op, 8, {}};
    });
    for (unsigned r = 0; r < c.ranks; ++r) {
      Bytes want(got[r].size());
      for (std::size_t i = 0; i < std::size_t{c.partitions} * c.columns; ++i)
        putNumber(want, c.dtype, i, c.folded(r, i));
      CHECK(got[r] == want);
    }
  }
}

TEST_CASE("reduce_scatter keeps the own part") {
  for (unsigned seed = 100; seed < 100 + seeds; ++seed) {
    Case c(seed);
    CAPTURE(seed, c.ranks, c.size, c.onChip, int(c.dtype));
    const unsigned part = c.partitions / c.size;
    const auto got = c.run(part, c.columns, [&](auto src, auto dst) {
      return isa::ReduceScatter{{src}, {dst}, c.lists, 0, c.op, 8, {}};
    });
    for (unsigned r = 0; r < c.ranks; ++r) {
      const std::size_t first = listOf(c.lists, r).second * part * c.columns;
      Bytes want(got[r].size());
      for (std::size_t i = 0; i < std::size_t{part} * c.columns; ++i)
        putNumber(want, c.dtype, i, c.folded(r, first + i));
      CHECK(got[r] == want);
    }
  }
}

TEST_CASE("all_gather concatenates along partitions or columns") {
  for (unsigned seed = 200; seed < 200 + seeds; ++seed) {
    Case c(seed);
    const int dim = c.onChip ? static_cast<int>(c.random() % 2) : 0;
    CAPTURE(seed, c.ranks, c.size, c.onChip, dim, int(c.dtype));
    const unsigned p = dim == 0 ? c.partitions * c.size : c.partitions;
    const unsigned w = dim == 0 ? c.columns : c.columns * c.size;
    const auto got = c.run(p, w, [&](auto src, auto dst) {
      return isa::AllGather{{src}, {dst}, c.lists, dim, 8, {}};
    });
    for (unsigned r = 0; r < c.ranks; ++r) {
      Bytes want(got[r].size());
      for (unsigned row = 0; row < p; ++row)
        for (unsigned column = 0; column < w; ++column) {
          const unsigned from =
              dim == 0 ? row / c.partitions : column / c.columns;
          const std::size_t i =
              std::size_t{row % c.partitions} * c.columns + column % c.columns;
          std::memcpy(want.data() + (std::size_t{row} * w + column) * c.width(),
                      c.inputAt(r, from).data() + i * c.width(), c.width());
        }
      CHECK(got[r] == want);
    }
  }
}

TEST_CASE("all_to_all transposes parts and ranks") {
  for (unsigned seed = 300; seed < 300 + seeds; ++seed) {
    Case c(seed);
    c.onChip = false;
    CAPTURE(seed, c.ranks, c.size, int(c.dtype));
    const auto got = c.run(c.partitions, c.columns, [&](auto src, auto dst) {
      return isa::AllToAll{{src}, {dst}, c.lists, 0, 8, {}};
    });
    const std::size_t part = got[0].size() / c.size;
    for (unsigned r = 0; r < c.ranks; ++r) {
      Bytes want;
      for (std::size_t from = 0; from < c.size; ++from) {
        const Bytes &theirs = c.inputAt(r, from);
        const auto mine = theirs.begin() +
                          static_cast<long>(listOf(c.lists, r).second * part);
        want.insert(want.end(), mine, mine + static_cast<long>(part));
      }
      CHECK(got[r] == want);
    }
  }
}

TEST_CASE("rings shift to the successor, with and without a sum") {
  for (unsigned seed = 400; seed < 400 + seeds; ++seed) {
    Case c(seed);
    c.onChip = false;
    const bool reduces = c.random() % 2;
    CAPTURE(seed, c.ranks, c.size, reduces, int(c.dtype));
    const auto got =
        c.run(c.partitions, c.columns, [&](auto src, auto dst) -> isa::Body {
          if (reduces)
            return isa::CollectivePermuteImplicitReduce{
                {src}, {src}, {dst}, c.lists, c.op, {0}, 8, {}};
          return isa::CollectivePermuteImplicit{{src}, {dst}, c.lists,
                                                {0},   8,     {}};
        });
    for (unsigned r = 0; r < c.ranks; ++r) {
      const Bytes &before =
          c.inputAt(r, (listOf(c.lists, r).second + c.size - 1) % c.size);
      Bytes want = before;
      for (std::size_t i = 0; reduces && i < before.size() / c.width(); ++i) {
        const float x = numberAt(before, c.dtype, i);
        putNumber(want, c.dtype, i, combine(c.op, x, x));
      }
      CHECK(got[r] == want);
    }
  }
}

TEST_CASE("collective_permute leaves those alone that are no target") {
  for (unsigned seed = 500; seed < 500 + seeds; ++seed) {
    Case c(seed);
    Program program;
    const std::vector<std::int64_t> shape{c.partitions, c.columns};
    const unsigned x =
        program.tensor("x", c.dtype, isa::TensorKind::input, shape);
    const unsigned y =
        program.tensor("y", c.dtype, isa::TensorKind::inout, shape);
    // Some sources, and as many targets, in any order.
    std::vector<std::int32_t> from(c.ranks);
    std::iota(from.begin(), from.end(), 0);
    std::vector<std::int32_t> to = from;
    std::shuffle(from.begin(), from.end(), c.random);
    std::shuffle(to.begin(), to.end(), c.random);
    isa::RankLists pairs;
    const unsigned count = 1 + c.random() % c.ranks;
    for (unsigned i = 0; i < count; ++i)
      pairs.push_back({from[i], to[i]});
    program.then(Engine::gpsimd,
                 isa::CollectivePermute{
                     {program.whole(x)}, {program.whole(y)}, pairs, 8, {}});
    const sim::TensorData old{
        "y", randomNumbers(c.dtype, c.partitions * c.columns, c.random)};
    std::vector<sim::TensorData> given;
    for (const Bytes &bytes : c.inputs)
      given.push_back({"x", bytes});
    sim::Launch launch{{&program.module, 1}, c.ranks, {&old, 1}, {}};
    for (const sim::TensorData &one : given)
      launch.inputsOfRank.push_back({&one, 1});
    sim::Options options;
    options.interleaveSeed = seed % 4;
    const auto result = pass(launch, options);
    for (unsigned r = 0; r < c.ranks; ++r) {
      Bytes want = old.bytes;
      for (const auto &pair : pairs)
        if (pair[1] == static_cast<std::int32_t>(r))
          want = c.inputs[static_cast<std::size_t>(pair[0])];
      CAPTURE(seed, r);
      CHECK(result.outputs[r][0].bytes == want);
    }
  }
}

TEST_CASE("several tensors at once, in place") {
  Program program;
  const unsigned x =
      program.tensor("x", DType::f32, isa::TensorKind::inout, {8});
  const unsigned y =
      program.tensor("y", DType::f32, isa::TensorKind::inout, {4});
  program.then(Engine::gpsimd,
               isa::AllReduce{{program.whole(x), program.whole(y)},
                              {program.whole(x), program.whole(y)},
                              {{0, 1, 2}},
                              isa::AluOp::add,
                              8,
                              {}});
  const std::vector<sim::TensorData> inputs{
      data("x", std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}),
      data("y", std::vector<float>{-1, -2, -3, -4})};
  const auto result = pass({{&program.module, 1}, 3, inputs, {}});
  for (const auto &rank : result.outputs) {
    CHECK(values<float>(rank[0]) ==
          std::vector<float>{3, 6, 9, 12, 15, 18, 21, 24});
    CHECK(values<float>(rank[1]) == std::vector<float>{-3, -6, -9, -12});
  }
}

TEST_CASE("the ring helper counts predecessors") {
  const isa::RankLists lists{{2, 0, 3}, {1}};
  for (int step = 0; step < 4; ++step) {
    Program program;
    const unsigned y =
        program.tensor("y", DType::i32, isa::TensorKind::output, {2});
    isa::Access second = program.whole(y);
    second.dims[0].size = 1;
    isa::Access first = second;
    second.offset = 4;
    program.then(Engine::sync, isa::RankId{{0}});
    program.then(Engine::sync,
                 isa::CurrentProcessingRankId{{1}, {step}, lists, 0});
    program.then(Engine::sync, isa::RegisterStore{first, {isa::Register{0}}});
    program.then(Engine::sync, isa::RegisterStore{second, {isa::Register{1}}});
    const auto result = pass({{&program.module, 1}, 4, {}, {}});
    for (unsigned r = 0; r < 4; ++r) {
      const auto [list, place] = listOf(lists, r);
      const std::size_t size = list->size();
      const std::size_t at =
          (place + 4 * size - static_cast<std::size_t>(step)) % size;
      CHECK(
          values<std::int32_t>(result.outputs[r][0]) ==
          std::vector<std::int32_t>{static_cast<std::int32_t>(r), (*list)[at]});
    }
  }
}

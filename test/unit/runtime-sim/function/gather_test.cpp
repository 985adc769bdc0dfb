//===- gather_test.cpp - Shuffles, gathers, lists, indices ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lab.h"

#include <set>

using namespace lab;
using isa::AluOp;

namespace {

isa::LaneMask rotated() {
  isa::LaneMask mask{};
  for (unsigned i = 0; i < 32; ++i)
    mask[i] = static_cast<std::uint8_t>((i + 31) % 32);
  return mask;
}

} // namespace

TEST_CASE("nc_stream_shuffle rotates each quadrant, also in place") {
  for (const DType type :
       {DType::u8, DType::bf16, DType::f32, DType::f8e4m3fn_x4}) {
    const Image before = randomImage(1);
    const Access tile = place(Space::sbuf, type, 0, 128, 0, {{40, 3}, {2, 7}});
    isa::NcStreamShuffle op;
    op.dst = op.src = tile;
    op.shuffle_mask = rotated();
    op.shuffle_mask[5] = isa::keepLane;
    Image want = before;
    Image source = before;
    each(tile, [&](unsigned p, std::uint64_t i) {
      if (p % 32 != 5)
        want.setBits(tile, p, i,
                     source.bits(tile, p / 32 * 32 + (p + 31) % 32, i));
    });
    checkSame(after(before, Engine::vector, op), want);
  }
  // One partition to all lanes of a quadrant.
  const Image before = randomImage(2);
  isa::NcStreamShuffle spread;
  spread.src = place(Space::psum, DType::f16, 64, 1, 8, {{1, 10}});
  spread.dst = place(Space::sbuf, DType::f16, 32, 32, 0, {{1, 10}});
  Image want = before;
  each(spread.dst, [&](unsigned p, std::uint64_t i) {
    want.setBits(spread.dst, p, i, want.bits(spread.src, 0, i));
  });
  checkSame(after(before, Engine::vector, spread), want);
}

TEST_CASE("local_gather: indices count elements, one list for 16 lanes") {
  for (const DType type : {DType::u8, DType::bf16, DType::i32})
    for (const unsigned taken : {1u, 4u}) {
      Image before = randomImage(3);
      const Access src = place(Space::sbuf, type, 32, 32, 0, {{1, 96}}),
                   index =
                       place(Space::sbuf, DType::u16, 32, 32, 1000, {{2, 3}}),
                   dst = place(Space::sbuf, type, 64, 32, 2000,
                               {{1, 40 * taken}});
      std::mt19937 random(4);
      each(index, [&](unsigned p, std::uint64_t i) {
        before.setBits(index, p, i, taken * (random() % (96 / taken)));
      });
      isa::LocalGather op;
      op.dst = dst;
      op.src_buffer = src;
      op.index = index;
      op.num_elem_per_idx = static_cast<std::int32_t>(taken);
      op.num_valid_indices = 40;
      Image want = before;
      each(dst, [&](unsigned p, std::uint64_t i) {
        const unsigned j = static_cast<unsigned>(i) / taken;
        const std::uint32_t from =
            before.bits(index, p / 16 * 16 + j % 16, j / 16);
        want.setBits(dst, p, i, want.bits(src, p, from + i % taken));
      });
      checkSame(after(before, Engine::gpsimd, op), want);
      // An index past the end ends the run.
      before.setBits(index, 17, 0, 97 - taken);
      const auto result =
          Lab(isa::Generation::v3).then(Engine::gpsimd, op).tryRun(before);
      REQUIRE(result.fault);
      CHECK(result.fault->text.find("outside") != std::string::npos);
    }
}

TEST_CASE("nc_n_gather takes indices of the same lane") {
  Image before = randomImage(5);
  for (const DType type : numbers()) {
    const Access data = place(Space::sbuf, type, 0, 100, 0, {{30, 6}, {2, 9}}),
                 indices =
                     place(Space::sbuf, DType::u32, 0, 100, 1000, {{3, 20}}),
                 dst = place(Space::sbuf, type, 0, 100, 2000, {{2, 20}});
    std::mt19937 random(6);
    each(indices, [&](unsigned p, std::uint64_t i) {
      before.setBits(indices, p, i, random() % 54);
    });
    Image want = before;
    each(dst, [&](unsigned p, std::uint64_t i) {
      want.setBits(dst, p, i, want.bits(data, p, before.bits(indices, p, i)));
    });
    checkSame(after(before, Engine::gpsimd, isa::NcNGather{dst, data, indices}),
              want);
  }
}

TEST_CASE("topk: ascending, lower places first, one problem for 16 lanes") {
  Image before = randomImage(7);
  const Access src = place(Space::sbuf, DType::bf16, 0, 32, 0, {{1, 20}}),
               values = place(Space::sbuf, DType::bf16, 32, 32, 0, {{1, 12}}),
               places = place(Space::sbuf, DType::u32, 32, 32, 64, {{1, 12}});
  std::mt19937 random(8);
  std::vector<float> numbers(20 * 32);
  for (float &x : numbers)
    x = static_cast<float>(random() % 60);
  numbers[45] = NAN;
  before.fill(src, numbers);
  const unsigned n = 300;
  Image want = before;
  for (unsigned group = 0; group < 2; ++group) {
    std::vector<std::pair<float, unsigned>> list;
    for (unsigned e = 0; e < n; ++e) {
      const float x = before.get(src, 16 * group + e % 16, e / 16);
      list.push_back({std::isnan(x) ? -INFINITY : x, e});
    }
    std::stable_sort(
        list.begin(), list.end(),
        [](const auto &a, const auto &b) { return a.first > b.first; });
    list.resize(12);
    std::sort(list.begin(), list.end());
    for (unsigned p = 16 * group; p < 16 * group + 16; ++p)
      for (unsigned k = 0; k < 12; ++k) {
        want.put(values, p, k, list[k].first);
        want.setBits(places, p, k, list[k].second);
      }
  }
  checkSame(after(before, Engine::gpsimd,
                  isa::Topk{values, places, src, static_cast<int>(n)}),
            want);
}

TEST_CASE("nonzero_with_count: the manual's example, every sixteenth lane") {
  Image image = randomImage(9);
  for (const DType type : {DType::f32, DType::i32}) {
    const Access src = place(Space::sbuf, type, 0, 32, 0, {{1, 8}}),
                 dst = place(Space::sbuf, DType::i32, 0, 32, 100, {{1, 9}});
    image.fill(src, {0, 1, 1, 0, 0, 1, 0, 0});
    if (type == DType::f32) {
      image.setBits(src, 16, 0, 0x80000000u);
      image.setBits(src, 16, 7, 0x7fc00000u);
    }
    isa::NonzeroWithCount op;
    op.dst = dst;
    op.src = src;
    op.index_offset = 16;
    Image want = image;
    const std::int32_t first[] = {17, 18, 21, -1, -1, -1, -1, -1, 3};
    const std::int32_t withNan[] = {17, 18, 21, 23, -1, -1, -1, -1, 4};
    for (unsigned i = 0; i < 9; ++i) {
      want.setBits(dst, 0, i, static_cast<std::uint32_t>(first[i]));
      want.setBits(dst, 16, i,
                   static_cast<std::uint32_t>(type == DType::f32 ? withNan[i]
                                                                 : first[i]));
    }
    checkSame(after(image, Engine::gpsimd, op, isa::Generation::v3), want);
  }
}

TEST_CASE("sequence_bounds: the manual's examples") {
  const auto bounds = [](DType type, const std::vector<float> &ids) {
    const auto n = static_cast<unsigned>(ids.size());
    Image image;
    const Access src = sbuf(type, 1, n, 0), dst = sbuf(type, 1, 2 * n, 400);
    image.fill(src, ids);
    return after(image, Engine::gpsimd, isa::SequenceBounds{dst, src})
        .read(dst);
  };
  for (const DType type : {DType::f32, DType::i32}) {
    CHECK(bounds(type, {0, 0, 3, 3, 5}) ==
          std::vector<float>{5, 5, 2, 2, 4, -1, -1, 4, 4, 5});
    CHECK(bounds(type, {0, 1, 1, 2, 2, 2, 0, 3, 3}) ==
          std::vector<float>{9, 1, 1, 3, 3, 3, 9, 7, 7, -1, 3, 3, 6, 6, 6, -1,
                             9, 9});
  }
}

TEST_CASE("an index replaces the places of a tile, by groups of 16 lanes") {
  for (const DType type : {DType::bf16, DType::f32, DType::i8}) {
    Image before = randomImage(10);
    const Access data = place(Space::sbuf, type, 32, 32, 16, {{1, 40}}),
                 list = place(Space::sbuf, DType::u16, 32, 32, 2000, {{1, 3}}),
                 dst = place(Space::sbuf, type, 32, 32, 1000, {{1, 40}}),
                 where = place(Space::sbuf, DType::i32, 32, 32, 2048, {{1, 3}});
    std::vector<unsigned> order(48);
    for (unsigned i = 0; i < 48; ++i)
      order[i] = (i * 29 + 5) % 60; // no place twice
    each(list, [&](unsigned p, std::uint64_t k) {
      before.setBits(list, p, k, (p * 7 + static_cast<unsigned>(k) * 13) % 60);
      before.setBits(where, p, k, order[k * 16 + p % 16]);
    });
    isa::TensorScalar op;
    op.dst = dst;
    op.data = data;
    op.op0 = AluOp::add;
    op.operand0 = 1.0f;
    op.data_index = list;
    op.dst_index = where;
    Image want = before;
    const auto at = [&](const Access &tile, const Access &index, unsigned p,
                        std::uint64_t i) {
      Access one = tile;
      one.dims[0] = {1, 100};
      one.rank = 1;
      return std::pair{
          one, before.bits(index, p / 16 * 16 + static_cast<unsigned>(i) % 16,
                           i / 16)};
    };
    for (unsigned p = 0; p < 32; ++p)
      for (unsigned i = 0; i < 40; ++i) {
        const auto [from, source] = at(data, list, p, i);
        const auto [to, target] = at(dst, where, p, i);
        want.put(to, p, target, want.get(from, p, source) + 1.0f);
      }
    checkSame(after(before, Engine::vector, op), want);
    if (type != DType::f32)
      continue;
    // The last place of the partition is 65535 * 4 bytes from its start.
    before.setBits(list, 3, 1, 65535);
    const auto result =
        Lab(isa::Generation::v4).then(Engine::vector, op).tryRun(before);
    REQUIRE(result.fault);
    CHECK(result.fault->text.find("index") != std::string::npos);
  }
}

namespace {

/// An HBM table of 50 rows of 8 and one of the same for the result.
struct Table {
  Program program;
  unsigned table =
      program.tensor("table", DType::f32, isa::TensorKind::inout, {50, 8});
  unsigned indices =
      program.tensor("indices", DType::i32, isa::TensorKind::input, {16, 1});
  unsigned tile =
      program.tensor("tile", DType::f32, isa::TensorKind::inout, {16, 8});
  Access onChip = place(Space::sbuf, DType::f32, 0, 16, 0, {{1, 8}});
  Access list = place(Space::sbuf, DType::i32, 0, 16, 512, {});
  Access rows = hbm(table, DType::f32, {{8, 16}, {1, 8}});
  std::vector<float> tableValues, tileValues;
  std::vector<std::int32_t> numbers;

  Table() {
    program.module.generation = isa::Generation::v3;
    for (unsigned i = 0; i < 400; ++i)
      tableValues.push_back(static_cast<float>(i));
    for (unsigned i = 0; i < 128; ++i)
      tileValues.push_back(-static_cast<float>(i));
    for (int i = 0; i < 16; ++i)
      numbers.push_back((i * 7 + 3) % 50);
    program.load(onChip, tile);
    program.load(list, indices);
  }
  sim::Result run() {
    program.store(tile, onChip);
    return bench::run(program,
                      {data("table", tableValues), data("indices", numbers),
                       data("tile", tileValues)});
  }
};

} // namespace

TEST_CASE("dma_copy gathers and scatters rows") {
  for (const bool scatters : {false, true}) {
    Table t;
    if (scatters)
      t.numbers[9] = t.numbers[2]; // the later one stays
    isa::DmaCopy copy;
    copy.queue = 1;
    copy.dst = scatters ? t.rows : t.onChip;
    copy.src = scatters ? t.onChip : t.rows;
    (scatters ? copy.dst_index : copy.src_index) = t.list;
    t.program.then(Engine::gpsimd, copy);
    const sim::Result result = t.run();
    REQUIRE(!result.fault);
    std::vector<float> table = t.tableValues, tile = t.tileValues;
    for (unsigned w = 0; w < 16; ++w)
      for (unsigned i = 0; i < 8; ++i) {
        float &far = table[static_cast<unsigned>(t.numbers[w]) * 8 + i];
        float &near = tile[w * 8 + i];
        (scatters ? far : near) = scatters ? near : far;
      }
    CHECK(values<float>(result.outputs[0]) == table);
    CHECK(values<float>(result.outputs[1]) == tile);
  }
}

TEST_CASE("a row outside the tensor ends the run, or is left out") {
  for (const std::int32_t bad : {-1, 50}) {
    Table t;
    t.numbers[4] = bad;
    isa::DmaCopy copy;
    copy.queue = 1;
    copy.dst = t.onChip;
    copy.src = t.rows;
    copy.src_index = t.list;
    Table skipping = t;
    t.program.then(Engine::gpsimd, copy);
    const sim::Result wrong = t.run();
    REQUIRE(wrong.fault);
    CHECK(wrong.fault->code == "KILN-X004");
    CHECK(wrong.fault->text.find(std::to_string(bad)) != std::string::npos);
    copy.oob_mode = isa::OobMode::skip;
    skipping.program.then(Engine::gpsimd, copy);
    const sim::Result result = skipping.run();
    REQUIRE(!result.fault);
    std::vector<float> tile = skipping.tileValues;
    for (unsigned w = 0; w < 16; ++w)
      for (unsigned i = 0; i < 8 && w != 4; ++i)
        tile[w * 8 + i] =
            skipping
                .tableValues[static_cast<unsigned>(skipping.numbers[w]) * 8 +
                             i];
    CHECK(values<float>(result.outputs[1]) == tile);
  }
}

TEST_CASE("dma_compute adds, and adds in place to indexed rows") {
  for (const bool scatters : {false, true}) {
    Table t;
    isa::DmaCompute add;
    add.queue = 1;
    add.dst = scatters ? t.rows : t.onChip;
    add.srcs = {add.dst, scatters ? t.onChip : t.rows};
    (scatters ? add.dst_index : add.srcs_index) = t.list;
    Table twice = t;
    twice.numbers[9] = twice.numbers[2];
    t.program.then(Engine::gpsimd, add);
    const sim::Result result = t.run();
    REQUIRE(!result.fault);
    std::vector<float> table = t.tableValues, tile = t.tileValues;
    for (unsigned w = 0; w < 16; ++w)
      for (unsigned i = 0; i < 8; ++i) {
        float &far = table[static_cast<unsigned>(t.numbers[w]) * 8 + i];
        float &near = tile[w * 8 + i];
        (scatters ? far : near) = near + far;
      }
    CHECK(values<float>(result.outputs[0]) == table);
    CHECK(values<float>(result.outputs[1]) == tile);
    twice.program.then(Engine::gpsimd, add);
    const sim::Result wrong = twice.run();
    REQUIRE(wrong.fault);
    CHECK(wrong.fault->text.find("more than once") != std::string::npos);
  }
  // Three sources of several types, from left to right.
  Image before = randomImage(11);
  const Access a = sbuf(DType::bf16, 64, 20, 0),
               b = sbuf(DType::f32, 64, 20, 256),
               c = sbuf(DType::i8, 64, 20, 512),
               dst = sbuf(DType::f16, 64, 20, 1024);
  isa::DmaCompute add;
  add.dst = dst;
  add.srcs = {a, b, c};
  Image want = before;
  each(dst, [&](unsigned p, std::uint64_t i) {
    want.put(dst, p, i,
             (want.get(a, p, i) + want.get(b, p, i)) + want.get(c, p, i));
  });
  checkSame(after(before, Engine::sync, add), want);
}

TEST_CASE("dma_transpose of three and four dimensions") {
  Program program;
  program.module.generation = isa::Generation::v2;
  const unsigned x =
      program.tensor("x", DType::f32, isa::TensorKind::input, {5, 3, 2, 7});
  const unsigned y =
      program.tensor("y", DType::f32, isa::TensorKind::output, {7, 3, 2, 5});
  const Access tile =
      place(Space::sbuf, DType::f32, 0, 7, 0, {{10, 3}, {5, 2}, {1, 5}});
  isa::DmaTranspose transpose;
  transpose.dst = tile;
  transpose.src = hbm(x, DType::f32, {{42, 5}, {14, 3}, {7, 2}, {1, 7}});
  program.then(Engine::sync, transpose);
  program.store(y, tile);
  std::vector<float> in(5 * 3 * 2 * 7), want(in.size());
  for (unsigned a = 0; a < 5; ++a)
    for (unsigned b = 0; b < 3; ++b)
      for (unsigned c = 0; c < 2; ++c)
        for (unsigned d = 0; d < 7; ++d) {
          const float value =
              static_cast<float>(1000 * a + 100 * b + 10 * c + d);
          in[((a * 3 + b) * 2 + c) * 7 + d] = value;
          want[((d * 3 + b) * 2 + c) * 5 + a] = value;
        }
  const sim::Result result = bench::run(program, {data("x", in)});
  REQUIRE(!result.fault);
  CHECK(values<float>(result.outputs[0]) == want);
}

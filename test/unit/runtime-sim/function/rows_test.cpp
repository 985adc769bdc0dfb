//===- rows_test.cpp - Scans, statistics, searches, dropout ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lab.h"

using namespace lab;
using isa::AluOp;
using isa::ReduceCommand;

TEST_CASE("tensor_scalar_cumulative: the manual's examples") {
  Image image;
  const Access src = sbuf(DType::f32, 2, 4, 0),
               dst = sbuf(DType::f32, 2, 4, 64);
  isa::TensorScalarCumulative op;
  op.dst = dst;
  op.src = src;
  op.op0 = AluOp::add;
  op.op1 = AluOp::add;
  op.imm0 = 0.0f;
  image.fill(src, {1});
  CHECK(after(image, Engine::vector, op).read(dst) ==
        std::vector<float>{1, 2, 3, 4, 1, 2, 3, 4});
  // A second one goes on at N + 1.
  isa::TensorScalarCumulative next = op;
  next.reduce_cmd = ReduceCommand::reduce;
  Lab chain(isa::Generation::v2);
  chain.then(Engine::vector, op).then(Engine::vector, next);
  CHECK(chain.run(image).read(dst) ==
        std::vector<float>{5, 6, 7, 8, 5, 6, 7, 8});
  // Subtract alternates: the new element is the left operand.
  op.op1 = AluOp::subtract;
  image.fill(src, {5, 3, 2, 0});
  CHECK(after(image, Engine::vector, op).read(dst) ==
        std::vector<float>{5, -2, 4, -4, 5, -2, 4, -4});
}

TEST_CASE("tensor_scalar_cumulative on every type and operator") {
  unsigned seed = 1;
  for (const DType type : {DType::bf16, DType::f16, DType::f32, DType::f8e4m3,
                           DType::f8e5m2, DType::i8, DType::u16})
    for (const AluOp op1 : {AluOp::add, AluOp::subtract, AluOp::multiply,
                            AluOp::maximum, AluOp::minimum}) {
      CAPTURE(std::string(isa::name(type)), std::string(isa::name(op1)));
      const Image before = randomImage(seed++);
      const Access src = place(Space::psum, type, 96, 32, 4, {{11, 3}, {2, 5}}),
                   dst = place(Space::sbuf, type, 0, 32, 0, {{1, 15}}),
                   imm = place(Space::sbuf, DType::f32, 32, 32, 0, {});
      isa::TensorScalarCumulative op;
      op.dst = dst;
      op.src = src;
      op.op0 = AluOp::maximum;
      op.op1 = op1;
      op.imm0 = -1.5f;
      op.imm1 = imm;
      op.reduce_cmd = ReduceCommand::load_reduce;
      Image want = before;
      for (unsigned p = 0; p < 32; ++p) {
        float carried = want.get(imm, p, 0);
        for (unsigned i = 0; i < 15; ++i) {
          const float y = apply(AluOp::maximum, want.get(src, p, i), -1.5f);
          carried = apply(op1, y, carried);
          want.put(dst, p, i, carried);
        }
      }
      checkSame(after(before, Engine::vector, op), want);
    }
}

TEST_CASE("tensor_tensor_scan carries fp32") {
  // r[i] = d0[i] * r[i - 1] + d1[i].
  Image image;
  const Access a = sbuf(DType::f32, 1, 3, 0), b = sbuf(DType::f32, 1, 3, 16),
               r = sbuf(DType::f32, 1, 3, 32);
  image.fill(a, {2, 3, 4});
  image.fill(b, {1, 1, 1});
  isa::TensorTensorScan golden;
  golden.dst = r;
  golden.data0 = a;
  golden.data1 = b;
  golden.initial = 10.0f;
  golden.op0 = AluOp::multiply;
  golden.op1 = AluOp::add;
  CHECK(after(image, Engine::vector, golden).read(r) ==
        std::vector<float>{21, 64, 257});

  unsigned seed = 30;
  for (unsigned reversed = 0; reversed < 4; ++reversed)
    for (const AluOp op :
         {AluOp::subtract, AluOp::multiply, AluOp::maximum, AluOp::greater}) {
      const Image before = randomImage(seed++);
      const Access data0 = place(Space::sbuf, DType::bf16, 0, 64, 0, {{3, 25}}),
                   data1 = place(Space::psum, DType::f16, 64, 64, 0,
                                 {{0, 5}, {1, 5}}),
                   initial = place(Space::psum, DType::f32, 0, 64, 80, {}),
                   dst = place(Space::sbuf, DType::bf16, 64, 64, 0, {{1, 25}});
      isa::TensorTensorScan scan;
      scan.dst = dst;
      scan.data0 = data0;
      scan.data1 = data1;
      scan.initial = initial;
      scan.op0 = op;
      scan.op1 = AluOp::subtract;
      scan.reverse0 = reversed & 1;
      scan.reverse1 = reversed & 2;
      Image want = before;
      for (unsigned p = 0; p < 64; ++p) {
        float carried = want.get(initial, p, 0);
        for (unsigned i = 0; i < 25; ++i) {
          const float x = want.get(data0, p, i), y = want.get(data1, p, i);
          const float inner =
              scan.reverse0 ? apply(op, carried, x) : apply(op, x, carried);
          carried = scan.reverse1 ? y - inner : inner - y;
          want.put(dst, p, i, carried);
        }
      }
      checkSame(after(before, Engine::vector, scan), want);
    }
}

TEST_CASE("bn_stats and bn_aggr: the manual's example") {
  Image image;
  const Access data = sbuf(DType::f32, 3, 4, 0),
               stats = sbuf(DType::f32, 3, 6, 64),
               moments = sbuf(DType::f32, 3, 2, 128);
  image.fill(data, {1, 2, 3, 4, 5, 5, 5, 5, -1, 0, 1, 0});
  Lab lab(isa::Generation::v2);
  lab.then(Engine::vector, isa::BnStats{stats, data})
      .then(Engine::vector, isa::BnAggr{moments, stats});
  Image result = lab.run(image);
  CHECK(result.read(stats) == std::vector<float>{2, 2, 2, 2, 3, 2, 2, 5, 0, 2,
                                                 5, 0, 2, 0, 2, 2, 0, 0});
  CHECK(result.read(moments) == std::vector<float>{2.5f, 1.25f, 5, 0, 0, 0.5f});
  // One element: the odd half is empty. No element at all: zeros.
  const Access one = sbuf(DType::f32, 3, 1, 0);
  CHECK(after(image, Engine::vector, isa::BnStats{stats, one}).read(stats) ==
        std::vector<float>{1, 1, 0, 0, 0, 0, 1, 5, 0, 0, 0, 0, 1, -1, 0, 0, 0,
                           0});
  Image none = image;
  none.fill(stats, {0});
  CHECK(
      after(none, Engine::vector, isa::BnAggr{moments, stats}).read(moments) ==
      std::vector<float>{0, 0, 0, 0, 0, 0});
}

TEST_CASE("bn_stats and bn_aggr on types and patterns") {
  for (const DType type : numbers()) {
    CAPTURE(std::string(isa::name(type)));
    Image before = randomImage(77);
    const Access data = place(Space::psum, type, 0, 32, 0,
                              {{7, 3}, {1, 3}, {30, 3}}),
                 stats = place(Space::sbuf, DType::f32, 32, 32, 0, {{2, 12}});
    before.fill(data, someFloats(27 * 32, 3, false));
    const Access first = place(Space::sbuf, DType::f32, 32, 32, 0, {{2, 6}});
    Image want = before;
    for (unsigned p = 0; p < 32; ++p)
      for (unsigned half = 0; half < 2; ++half) {
        float count = 0, sum = 0, squares = 0;
        for (unsigned i = half; i < 27; i += 2) {
          count += 1;
          sum += want.get(data, p, i);
        }
        const float mean = sum / count;
        for (unsigned i = half; i < 27; i += 2) {
          const float d = want.get(data, p, i) - mean;
          squares += d * d;
        }
        want.put(first, p, 3 * half, count);
        want.put(first, p, 3 * half + 1, mean);
        want.put(first, p, 3 * half + 2, squares);
      }
    checkSame(after(before, Engine::vector, isa::BnStats{first, data}), want);

    // Four triples of any values.
    const Access moments =
        place(Space::psum, DType::f32, 64, 32, 1024, {{1, 2}});
    Image triples = want;
    triples.fill(stats, {3, 0.5f, 2, 4, -1, 7, 1, 100, 0, 2, 0.25f, 1});
    Image joined = triples;
    for (unsigned p = 0; p < 32; ++p) {
      const auto at = [&](unsigned i) { return triples.get(stats, p, i); };
      float count = 0, sum = 0, squares = 0, between = 0;
      for (unsigned i = 0; i < 12; i += 3) {
        count += at(i);
        sum += at(i) * at(i + 1);
        squares += at(i + 2);
      }
      for (unsigned i = 0; i < 12; i += 3) {
        const float d = at(i + 1) - sum / count;
        between += at(i) * (d * d);
      }
      joined.put(moments, p, 0, sum / count);
      joined.put(moments, p, 1, (squares + between) / count);
    }
    checkSame(after(triples, Engine::vector, isa::BnAggr{moments, stats}),
              joined);
  }
}

TEST_CASE("max8, nc_find_index8: the manual's example") {
  Image image;
  const Access data = sbuf(DType::f32, 1, 16, 0),
               top = sbuf(DType::f32, 1, 8, 64),
               places = sbuf(DType::u32, 1, 8, 128);
  image.fill(data, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  Lab lab(isa::Generation::v2);
  lab.then(Engine::vector, isa::Max8{top, data})
      .then(Engine::vector, isa::NcFindIndex8{places, data, top});
  Image result = lab.run(image);
  CHECK(result.read(top) == std::vector<float>{16, 15, 14, 13, 12, 11, 10, 9});
  CHECK(result.read(places) ==
        std::vector<float>{15, 14, 13, 12, 11, 10, 9, 8});
}

TEST_CASE("nc_match_replace8: duplicates take from the last value on") {
  Image image;
  const Access data = sbuf(DType::f32, 1, 11, 0),
               vals = sbuf(DType::f32, 1, 8, 64),
               places = sbuf(DType::u32, 1, 8, 128);
  image.fill(data, {1, 2, 3, 4, 8, 8, 8, 8, 8, 8, 8});
  image.fill(vals, {3, 8, 8, 8, 8, 8, 8, 8});
  isa::NcMatchReplace8 op;
  op.dst = data; // in place
  op.data = data;
  op.vals = vals;
  op.imm = -1;
  op.dst_idx = places;
  Image result = after(image, Engine::vector, op);
  CHECK(result.read(places) == std::vector<float>{2, 10, 9, 8, 7, 6, 5, 4});
  CHECK(result.read(data) ==
        std::vector<float>{1, 2, -1, 4, -1, -1, -1, -1, -1, -1, -1});
  // What is not found has all ones; a NaN is never found.
  image.fill(vals, {3, 77, NAN, 8, 8, 8, 8, 8});
  CHECK(after(image, Engine::vector, op).bits(places, 0, 1) == 0xffffffffu);
  CHECK(after(image, Engine::vector, op).bits(places, 0, 2) == 0xffffffffu);
}

TEST_CASE("the eight largest, found and replaced, in rows with duplicates") {
  std::mt19937 random(5);
  for (const DType type :
       {DType::f32, DType::bf16, DType::f8e5m2, DType::i8, DType::u16}) {
    CAPTURE(std::string(isa::name(type)));
    Image before = randomImage(12);
    const Access data = place(Space::psum, type, 0, 32, 0,
                              {{64, 4}, {3, 2}, {6, 6}}),
                 top = place(Space::sbuf, DType::f32, 0, 32, 0, {{1, 8}}),
                 places = place(Space::sbuf, DType::u16, 32, 32, 64, {{2, 8}}),
                 replaced = place(Space::sbuf, type, 64, 32, 128, {{1, 48}});
    std::vector<float> values(48 * 32);
    for (float &x : values)
      x = static_cast<float>(random() % 12);
    if (isa::isFloat(type))
      values[5] = values[50] = NAN;
    before.fill(data, values);
    Image want = before;
    for (unsigned p = 0; p < 32; ++p) {
      std::vector<float> row;
      for (unsigned i = 0; i < 48; ++i)
        if (!std::isnan(before.get(data, p, i)))
          row.push_back(before.get(data, p, i));
      std::sort(row.rbegin(), row.rend());
      std::vector<bool> taken(48), claimed(48);
      const auto first = [&](std::vector<bool> &used, float x) {
        for (unsigned j = 0; j < 48; ++j)
          if (!used[j] && before.get(data, p, j) == x) {
            used[j] = true;
            return j;
          }
        return 0xffffu;
      };
      for (unsigned i = 0; i < 8; ++i) {
        want.put(top, p, i, row[i]);
        want.setBits(places, p, i, first(taken, row[i]));
      }
      for (unsigned i = 8; i-- > 0;)
        first(claimed, row[i]);
      for (unsigned i = 0; i < 48; ++i)
        want.setBits(replaced, p, i,
                     claimed[i] ? narrow(type, 100) : before.bits(data, p, i));
    }
    isa::NcMatchReplace8 replace;
    replace.dst = replaced;
    replace.data = data;
    replace.vals = top;
    replace.imm = 100;
    Lab lab(isa::Generation::v3);
    lab.then(Engine::vector, isa::Max8{top, data})
        .then(Engine::vector, isa::NcFindIndex8{places, data, top})
        .then(Engine::vector, replace);
    checkSame(lab.run(before), want);
  }
}

TEST_CASE("dropout keeps bits or writes zero, as often as asked") {
  Image before = randomImage(21);
  const Access data = place(Space::sbuf, DType::bf16, 0, 128, 0, {{1, 400}}),
               dst = place(Space::psum, DType::bf16, 0, 128, 0, {{1, 400}}),
               chance = place(Space::sbuf, DType::f32, 0, 128, 1000, {});
  before.fill(chance, {0.5f});
  const auto dropped = [&](const isa::ScalarOrTile &probability) {
    Image result =
        after(before, Engine::vector, isa::Dropout{dst, data, probability});
    std::size_t zeros = 0, wrong = 0;
    Image source = before;
    each(dst, [&](unsigned p, std::uint64_t i) {
      const std::uint32_t bits = result.bits(dst, p, i);
      zeros += bits == 0;
      wrong += bits != 0 && bits != source.bits(data, p, i);
    });
    CHECK(wrong == 0);
    return zeros;
  };
  CHECK(dropped(1.0f) == 128 * 400);
  CHECK(dropped(0.0f) < 10);
  const std::size_t quarter = dropped(0.25f);
  CHECK(quarter > 12200);
  CHECK(quarter < 13400);
  CHECK(dropped(0.25f) == quarter);
  const std::size_t half = dropped(chance);
  CHECK(half > 25000);
  CHECK(half < 26200);
}

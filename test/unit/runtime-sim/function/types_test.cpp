//===- types_test.cpp - Every type and pattern through instructions -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lab.h"

using namespace lab;
using isa::AluOp;

namespace {

/// Two disjoint patterns of four dimensions in SBUF, and one in PSUM.
Access strided(DType dtype, unsigned p0, std::int64_t offset) {
  const int scale = 4 / static_cast<int>(isa::sizeInBytes(dtype));
  return place(Space::sbuf, dtype, p0, 32, offset,
               {{60 * scale, 2}, {20 * scale, 3}, {6 * scale, 3}, {scale, 5}});
}
Access flat(Space space, DType dtype, unsigned p0, std::int64_t offset) {
  return place(space, dtype, p0, 32, offset, {{1, 90}});
}

} // namespace

TEST_CASE("a copy converts between every two types, and keeps equal bits") {
  unsigned seed = 1;
  for (const DType from : numbers())
    for (const DType to : numbers()) {
      CAPTURE(std::string(isa::name(from)), std::string(isa::name(to)));
      const Image before = randomImage(seed++);
      const Access src = strided(from, 32, 64),
                   dst = flat(Space::psum, to, 64, 128);
      Image want = before;
      each(dst, [&](unsigned p, std::uint64_t i) {
        const std::uint32_t bits = want.bits(src, p, i);
        want.setBits(dst, p, i,
                     from == to ? bits : narrow(to, widen(from, bits)));
      });
      checkSame(after(before, Engine::vector, isa::TensorCopy{dst, src}), want);
    }
}

TEST_CASE("types that hold no number of their own move as bits") {
  for (const DType dtype : {DType::f8e8m0, DType::f8e4m3fn_x4, DType::f8e5m2_x4,
                            DType::f4e2m1fn_x4}) {
    const Image before = randomImage(9);
    const Access src = strided(dtype, 0, 0),
                 dst = flat(Space::sbuf, dtype, 96, 3072);
    Image want = before;
    each(dst, [&](unsigned p, std::uint64_t i) {
      want.setBits(dst, p, i, want.bits(src, p, i));
    });
    checkSame(after(before, Engine::vector, isa::TensorCopy{dst, src}), want);
    Image zero = before;
    each(dst, [&](unsigned p, std::uint64_t i) { zero.setBits(dst, p, i, 0); });
    checkSame(after(before, Engine::vector, isa::Memset{dst, 0.0f}), zero);
  }
}

TEST_CASE("arithmetic takes every type and every pattern") {
  unsigned seed = 100;
  for (const DType type : numbers())
    for (const AluOp op : {AluOp::add, AluOp::multiply, AluOp::maximum,
                           AluOp::abs_min, AluOp::less_equal}) {
      CAPTURE(std::string(isa::name(type)), std::string(isa::name(op)));
      const Image before = randomImage(seed++);
      const Access a = strided(type, 32, 64);
      // One value repeated, by a step of 0 in an inner dimension.
      const Access b =
          place(Space::psum, DType::bf16, 0, 32, 64, {{7, 9}, {0, 10}});
      const Access dst = flat(Space::sbuf, type, 96, 2048);
      Image want = before;
      each(dst, [&](unsigned p, std::uint64_t i) {
        want.put(dst, p, i, apply(op, want.get(a, p, i), want.get(b, p, i)));
      });
      checkSame(after(before, Engine::vector, isa::TensorTensor{dst, a, b, op}),
                want);
      // A destination may be an input exactly.
      Image inPlace = before;
      each(a, [&](unsigned p, std::uint64_t i) {
        inPlace.put(a, p, i,
                    apply(op, inPlace.get(a, p, i), inPlace.get(b, p, i)));
      });
      checkSame(after(before, Engine::vector, isa::TensorTensor{a, a, b, op}),
                inPlace);
    }
}

TEST_CASE("tensor_scalar: unary and two-stage operators") {
  const Image before = randomImage(7);
  const Access data = strided(DType::f16, 0, 0);
  const Access dst = flat(Space::psum, DType::f32, 64, 0);
  const Access tile = place(Space::sbuf, DType::f32, 32, 32, 3000, {});
  for (const AluOp op :
       {AluOp::abs, AluOp::square, AluOp::relu, AluOp::reciprocal}) {
    CAPTURE(std::string(isa::name(op)));
    Image want = before;
    each(dst, [&](unsigned p, std::uint64_t i) {
      want.put(dst, p, i,
               apply(AluOp::abs_max, want.get(tile, p, 0),
                     apply(op, want.get(data, p, i), 0)));
    });
    isa::TensorScalar instruction;
    instruction.dst = dst;
    instruction.data = data;
    instruction.op0 = op;
    instruction.op1 = AluOp::abs_max;
    instruction.operand1 = tile;
    instruction.reverse1 = true;
    checkSame(after(before, Engine::vector, instruction), want);
  }
}

TEST_CASE("GpSimd computes on 32-bit integers exactly, signed and not") {
  const Image before = randomImage(8);
  for (const DType type : {DType::i32, DType::u32})
    for (const AluOp op : {AluOp::add, AluOp::subtract, AluOp::multiply,
                           AluOp::maximum, AluOp::minimum, AluOp::greater}) {
      CAPTURE(std::string(isa::name(type)), std::string(isa::name(op)));
      const Access a = strided(type, 0, 0),
                   b = flat(Space::sbuf, type, 32, 2048),
                   dst = flat(Space::sbuf, type, 64, 1024);
      Image want = before;
      each(dst, [&](unsigned p, std::uint64_t i) {
        const auto wide = [&](const Access &access) {
          const std::uint32_t bits = want.bits(access, p, i);
          return type == DType::i32
                     ? std::int64_t{static_cast<std::int32_t>(bits)}
                     : std::int64_t{bits};
        };
        const std::int64_t x = wide(a), y = wide(b);
        const auto product =
            static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y);
        const std::int64_t result = op == AluOp::add        ? x + y
                                    : op == AluOp::subtract ? x - y
                                    : op == AluOp::multiply
                                        ? static_cast<std::int64_t>(product)
                                    : op == AluOp::maximum ? std::max(x, y)
                                    : op == AluOp::minimum ? std::min(x, y)
                                                           : x > y;
        want.setBits(dst, p, i, static_cast<std::uint32_t>(result));
      });
      checkSame(after(before, Engine::gpsimd, isa::TensorTensor{dst, a, b, op}),
                want);
    }
  // The manual's example: exact on GpSimd, through fp32 on Vector.
  Image image;
  const Access a = sbuf(DType::i32, 1, 1, 0), b = sbuf(DType::i32, 1, 1, 4),
               dst = sbuf(DType::i32, 1, 1, 8);
  image.setBits(a, 0, 0, 1u << 24);
  image.setBits(b, 0, 0, 1);
  const isa::TensorTensor sum{dst, a, b, AluOp::add};
  CHECK(after(image, Engine::gpsimd, sum).bits(dst, 0, 0) == 16777217);
  CHECK(after(image, Engine::vector, sum).bits(dst, 0, 0) == 16777216);
}

TEST_CASE("power runs on GpSimd") {
  Image image;
  const Access a = sbuf(DType::f32, 2, 4, 0), b = sbuf(DType::f32, 2, 4, 64),
               dst = sbuf(DType::f32, 2, 4, 128);
  image.fill(a, {2, -2, 9, 0.5f, 10, 0, -1, 1.5f});
  image.fill(b, {10, 3, 0.5f, -2, -2, 0, 5, 2});
  CHECK(after(image, Engine::gpsimd, isa::TensorTensor{dst, a, b, AluOp::power})
            .read(dst) ==
        std::vector<float>{1024, -8, 3, 4, 0.01f, 1, -1, 2.25f});
}

TEST_CASE("a run may saturate, round at random, or flush subnormals") {
  Image image;
  const Access src = sbuf(DType::f32, 4, 4, 0),
               dst = sbuf(DType::f8e4m3, 4, 4, 64);
  image.fill(src, {1000, -INFINITY, 17, 1e-40f});
  Lab lab(isa::Generation::v4);
  lab.then(Engine::vector, isa::TensorCopy{dst, src});
  CHECK(lab.run(image).bits(dst, 0, 0) == 0x78);
  sim::Options options;
  options.numerics.saturate = true;
  CHECK(lab.run(image, options).bits(dst, 0, 0) == 0x77);
  CHECK(lab.run(image, options).bits(dst, 0, 1) == 0xf7);
  options.numerics.stochasticRounding = true;
  // 17 lies half way from 16 to 18.
  unsigned above = 0;
  std::vector<std::uint32_t> first, second;
  for (unsigned seed = 0; seed < 40; ++seed) {
    options.numerics.roundingSeed = seed;
    Image result = lab.run(image, options);
    for (unsigned p = 0; p < 4; ++p) {
      const std::uint32_t bits = result.bits(dst, p, 2);
      CHECK((bits == 0x58 || bits == 0x59));
      above += bits == 0x59;
      if (seed == 3)
        first.push_back(bits);
    }
  }
  CHECK(above > 50);
  CHECK(above < 110);
  options.numerics.roundingSeed = 3;
  Image again = lab.run(image, options);
  for (unsigned p = 0; p < 4; ++p)
    second.push_back(again.bits(dst, p, 2));
  CHECK(first == second);

  sim::Options flushing;
  flushing.numerics.flushSubnormals = true;
  const Access wide = sbuf(DType::f32, 4, 4, 128);
  Lab scaling(isa::Generation::v4);
  isa::TensorScalar twice;
  twice.dst = wide;
  twice.data = src;
  twice.op0 = AluOp::multiply;
  twice.operand0 = 2.0f;
  scaling.then(Engine::vector, twice);
  CHECK(scaling.run(image).get(wide, 0, 3) == 2 * 1e-40f);
  CHECK(scaling.run(image, flushing).get(wide, 0, 3) == 0.0f);
}

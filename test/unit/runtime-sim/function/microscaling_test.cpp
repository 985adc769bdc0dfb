//===- microscaling_test.cpp - Products of all kinds, and random numbers --===//
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

const oracle::Format e8m0{DType::f8e8m0, &llvm::APFloat::Float8E8M0FNU(), 8};
const oracle::Format e2m1{DType::f4e2m1fn_x4, &llvm::APFloat::Float4E2M1FN(),
                          4};

/// Value `q` of a packed element.
float unpack(DType dtype, std::uint32_t bits, unsigned q) {
  if (dtype == DType::f4e2m1fn_x4)
    return std::bit_cast<float>(oracle::widened(e2m1, bits >> 4 * q & 15));
  return widen(dtype == DType::f8e4m3fn_x4 ? DType::f8e4m3fn : DType::f8e5m2,
               bits >> 8 * q & 255);
}
float scaleOf(std::uint32_t code) {
  return std::bit_cast<float>(oracle::widened(e8m0, code));
}

/// The words of one generator, stepped as the manual says.
struct Generator {
  std::uint32_t x, y, z, w, v, d;
  std::uint32_t next() {
    const std::uint32_t t = x ^ (x >> 2);
    x = y;
    y = z;
    z = w;
    w = v;
    v = (v ^ (v << 4)) ^ (t ^ (t << 1));
    d += 362437;
    return d + v;
  }
};

} // namespace

TEST_CASE("quantize_mx: the manual's examples") {
  for (const auto &[value, type, code, quantized] :
       {std::tuple{1.0f, DType::f8e4m3fn_x4, 120u, 128.0f},
        {1.0f, DType::f8e5m2_x4, 113u, 16384.0f},
        {1.9921875f, DType::f8e4m3fn_x4, 120u, 256.0f},
        {1.9921875f, DType::f8e5m2_x4, 113u, 32768.0f},
        {0.0f, DType::f8e4m3fn_x4, 0u, 0.0f}}) {
    Image image;
    const Access src = sbuf(DType::bf16, 32, 8, 0), dst = sbuf(type, 32, 2, 64),
                 scale = sbuf(DType::u8, 4, 2, 128);
    image.fill(src, {value});
    Image result =
        after(image, Engine::vector, isa::QuantizeMx{dst, src, scale});
    CHECK(result.bits(scale, 3, 1) == code);
    CHECK(unpack(type, result.bits(dst, 31, 1), 3) == quantized);
  }
}

TEST_CASE("quantize_mx on random tiles, with scales among others") {
  unsigned seed = 1;
  for (const DType type : {DType::f8e4m3fn_x4, DType::f8e5m2_x4})
    for (const DType from : {DType::bf16, DType::f16}) {
      Image before = randomImage(seed++);
      const Access src = place(Space::sbuf, from, 0, 64, 0, {{24, 2}, {1, 20}}),
                   dst = place(Space::sbuf, type, 0, 64, 512, {{2, 10}}),
                   scale = place(Space::sbuf, DType::f8e8m0, 8, 36, 1024,
                                 {{1, 10}});
      std::vector<float> numbers = someFloats(64 * 40, seed, false);
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] *= std::ldexp(1.0f, static_cast<int>(i % 11) - 14);
      before.fill(src, numbers);
      before.fill(place(Space::sbuf, from, 8, 8, 0, {{1, 4}}), {0});
      before.setBits(src, 20, 7, narrow(from, INFINITY));
      Image want = before;
      const int emax = type == DType::f8e4m3fn_x4 ? 8 : 15;
      const DType element =
          type == DType::f8e4m3fn_x4 ? DType::f8e4m3fn : DType::f8e5m2;
      for (unsigned g = 0; g < 8; ++g)
        for (unsigned c = 0; c < 10; ++c) {
          float top = 0;
          bool finite = true;
          for (unsigned k = 0; k < 8; ++k)
            for (unsigned q = 0; q < 4; ++q) {
              const float x = std::fabs(before.get(src, 8 * g + k, 4 * c + q));
              finite = finite && std::isfinite(x);
              top = std::max(top, x);
            }
          int code = 0;
          if (top > 0 && finite)
            code = std::clamp(std::ilogb(top) - (emax - 1) + 127, 0, 254);
          want.setBits(scale, 32 * (g / 4) + g % 4, c, finite ? code : 255);
          for (unsigned k = 0; k < 8; ++k) {
            std::uint32_t bits = 0;
            for (unsigned q = 0; q < 4; ++q) {
              const double x = before.get(src, 8 * g + k, 4 * c + q);
              const float y =
                  finite ? static_cast<float>(std::ldexp(x, 127 - code)) : NAN;
              bits |= narrow(element, y) << 8 * q;
            }
            want.setBits(dst, 8 * g + k, c, bits);
          }
        }
      checkSame(after(before, Engine::vector, isa::QuantizeMx{dst, src, scale}),
                want);
    }
}

TEST_CASE("nc_matmul_mx: every pair of packed types, k and q in order") {
  unsigned seed = 10;
  for (const DType left :
       {DType::f8e4m3fn_x4, DType::f8e5m2_x4, DType::f4e2m1fn_x4})
    for (const DType right : {DType::f8e4m3fn_x4, DType::f4e2m1fn_x4}) {
      CAPTURE(std::string(isa::name(left)), std::string(isa::name(right)));
      Image before = randomImage(seed++);
      const Access s = place(Space::sbuf, left, 0, 64, 0, {{1, 6}}),
                   x = place(Space::sbuf, right, 0, 64, 64, {{2, 5}}),
                   ss = place(Space::sbuf, DType::f8e8m0, 4, 36, 512, {{1, 6}}),
                   xs = place(Space::sbuf, DType::u8, 0, 36, 600, {{1, 5}}),
                   dst = place(Space::psum, DType::f32, 0, 6, 0, {{1, 5}});
      each(ss, [&](unsigned p, std::uint64_t i) {
        before.setBits(ss, p, i, 120 + before.bits(ss, p, i) % 15);
      });
      each(xs, [&](unsigned p, std::uint64_t i) {
        before.setBits(xs, p, i, 120 + before.bits(xs, p, i) % 15);
      });
      Image want = before;
      for (unsigned m = 0; m < 6; ++m)
        for (unsigned n = 0; n < 5; ++n) {
          float acc = 0;
          for (unsigned k = 0; k < 64; ++k)
            for (unsigned q = 0; q < 4; ++q) {
              const unsigned row = 32 * (k / 8 / 4) + k / 8 % 4;
              const float a = unpack(left, before.bits(s, k, m), q) *
                              scaleOf(before.bits(ss, row, m));
              const float b = unpack(right, before.bits(x, k, n), q) *
                              scaleOf(before.bits(xs, row, n));
              acc = std::fma(a, b, acc);
            }
          want.put(dst, m, n, acc);
        }
      isa::NcMatmulMx op;
      op.dst = dst;
      op.stationary = s;
      op.moving = x;
      op.stationary_scale = ss;
      op.moving_scale = xs;
      checkSame(after(before, Engine::tensor, op), want);
    }
}

TEST_CASE("nc_matmul: all float types, double rows, bf16 results") {
  unsigned seed = 30;
  for (const DType type : {DType::f32, DType::tf32, DType::bf16, DType::f16,
                           DType::f8e4m3, DType::f8e4m3fn, DType::f8e5m2})
    for (const unsigned rows : {1u, 2u}) {
      if (rows == 2 && isa::sizeInBytes(type) != 1)
        continue;
      for (const DType result : {DType::f32, DType::bf16}) {
        CAPTURE(std::string(isa::name(type)), rows,
                std::string(isa::name(result)));
        Image before = randomImage(seed++);
        const int gap = 40;
        const Access s = place(Space::sbuf, type, 0, 24, 0,
                               {{gap, rows}, {2, 7}}),
                     x = place(Space::sbuf, type, 0, 24, 512,
                               {{gap, rows}, {1, 30}}),
                     dst = place(Space::psum, result, 0, 7, 64, {{1, 30}});
        before.fill(s, someFloats(24 * 7 * rows, seed, false));
        before.fill(x, someFloats(24 * 30 * rows, seed + 1, false));
        before.fill(dst, someFloats(210, seed + 2, false));
        Image want = before;
        for (unsigned m = 0; m < 7; ++m)
          for (unsigned n = 0; n < 30; ++n) {
            float acc = 0;
            for (unsigned k = 0; k < 24; ++k)
              for (unsigned j = 0; j < rows; ++j)
                acc = std::fma(before.get(s, k, j * 7 + m),
                               before.get(x, k, j * 30 + n), acc);
            want.put(dst, m, n, before.get(dst, m, n) + acc);
          }
        isa::NcMatmul op;
        op.dst = dst;
        op.stationary = s;
        op.moving = x;
        op.accumulate = true;
        if (rows == 2)
          op.perf_mode = isa::PerformanceMode::double_row;
        checkSame(after(before, Engine::tensor, op), want);
      }
    }
}

TEST_CASE("transposes: bits on trn2, products on trn1") {
  Image before = randomImage(60);
  const Access data = place(Space::sbuf, DType::bf16, 0, 20, 0, {{3, 12}}),
               dst = place(Space::psum, DType::bf16, 0, 12, 0, {{1, 20}});
  Image exact = before;
  each(dst, [&](unsigned p, std::uint64_t i) {
    exact.setBits(dst, p, i, before.bits(data, static_cast<unsigned>(i), p));
  });
  checkSame(after(before, Engine::tensor, isa::NcTranspose{dst, data},
                  isa::Generation::v3),
            exact);
  // is_transpose passes the stationary through; moving is an identity.
  const Access identity =
      place(Space::sbuf, DType::bf16, 0, 20, 512, {{1, 20}});
  std::vector<float> ones(400);
  for (unsigned i = 0; i < 20; ++i)
    ones[i * 21] = 1;
  before.fill(identity, ones);
  exact.fill(identity, ones);
  isa::NcMatmul mode;
  mode.dst = dst;
  mode.stationary = data;
  mode.moving = identity;
  mode.is_transpose = true;
  checkSame(after(before, Engine::tensor, mode, isa::Generation::v3), exact);

  // On trn1 every output is a sum over k: a NaN or Inf spreads over its column.
  before.fill(data, someFloats(240, 7, false));
  before.setBits(data, 3, 5, 0x7f80);
  const Access wide = place(Space::psum, DType::f32, 0, 12, 0, {{1, 20}});
  Image product = before;
  each(wide, [&](unsigned m, std::uint64_t n) {
    float acc = 0;
    for (unsigned k = 0; k < 20; ++k)
      acc = std::fma(before.get(data, k, m), k == n ? 1.0f : 0.0f, acc);
    product.put(wide, m, n, acc);
  });
  CHECK(std::isnan(product.get(wide, 5, 0)));
  CHECK(product.get(wide, 5, 3) == INFINITY);
  checkSame(after(before, Engine::tensor, isa::NcTranspose{wide, data},
                  isa::Generation::v2),
            product);
  isa::NcMatmul label = mode;
  label.dst = wide;
  checkSame(after(before, Engine::tensor, label, isa::Generation::v2), product);
}

TEST_CASE("random numbers: states are loaded, stepped and stored") {
  for (const Engine engine : {Engine::gpsimd, Engine::vector}) {
    const unsigned width = engine == Engine::vector ? 4 : 1;
    const Image before = randomImage(70);
    const Access seeds =
                     place(Space::sbuf, DType::u32, 0, 64, 0, {{1, 6 * width}}),
                 bits = place(Space::sbuf, DType::u16, 0, 64, 1024, {{1, 33}}),
                 stored = place(Space::sbuf, DType::u32, 0, 64, 2048,
                                {{1, 6 * width}});
    Lab lab(isa::Generation::v4);
    lab.then(engine, isa::RandSetState{seeds})
        .then(engine, isa::Rng{bits})
        .then(engine, isa::RandGetState{stored});
    Image want = before;
    Image source = before;
    for (unsigned p = 0; p < 64; ++p) {
      std::vector<Generator> generators(width);
      for (unsigned g = 0; g < width; ++g) {
        const auto word = [&](unsigned i) {
          return source.bits(seeds, p, 6 * g + i);
        };
        generators[g] = {word(0), word(1), word(2), word(3), word(4), word(5)};
      }
      for (unsigned i = 0; i < 33; ++i)
        want.setBits(bits, p, i, generators[i % width].next());
      for (unsigned g = 0; g < width; ++g) {
        const Generator &s = generators[g];
        const std::uint32_t words[] = {s.x, s.y, s.z, s.w, s.v, s.d};
        for (unsigned i = 0; i < 6; ++i)
          want.setBits(stored, p, 6 * g + i, words[i]);
      }
    }
    checkSame(lab.run(before), want);
  }
}

TEST_CASE("the same seed gives the same numbers, lanes differ") {
  const Access seed = sbuf(DType::u32, 1, 1, 0),
               first = sbuf(DType::u32, 128, 8, 64),
               second = sbuf(DType::u32, 128, 8, 128);
  Image image;
  image.setBits(seed, 0, 0, 42);
  Lab lab(isa::Generation::v2);
  lab.then(Engine::vector, isa::SetRngSeed{seed})
      .then(Engine::vector, isa::Rng{first})
      .then(Engine::vector, isa::SetRngSeed{seed})
      .then(Engine::vector, isa::Rng{second});
  Image result = lab.run(image);
  std::set<std::uint32_t> distinct;
  each(first, [&](unsigned p, std::uint64_t i) {
    CHECK(result.bits(first, p, i) == result.bits(second, p, i));
    distinct.insert(result.bits(first, p, i));
  });
  CHECK(distinct.size() > 1020);
}

TEST_CASE("rand2 is uniform between its bounds") {
  Image image;
  const Access dst = sbuf(DType::f32, 128, 500, 0),
               top = sbuf(DType::f32, 128, 1, 3000);
  image.fill(top, {5});
  Image result = after(image, Engine::vector, isa::Rand2{dst, -1.0f, top});
  double sum = 0;
  std::size_t outside = 0;
  for (const float x : result.read(dst)) {
    outside += x < -1 || x > 5;
    sum += x;
  }
  CHECK(outside == 0);
  CHECK(std::fabs(sum / 64000 - 2) < 0.05);
}

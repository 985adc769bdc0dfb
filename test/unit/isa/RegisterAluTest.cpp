//===- RegisterAluTest.cpp - Arithmetic in registers
//--------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include "catch.h"
#include "kiln/isa/register_alu.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace kiln::isa;
using namespace kiln::isa::test;

namespace {

constexpr auto i32 = RegisterType::i32;
constexpr auto u32 = RegisterType::u32;
constexpr auto f32 = RegisterType::f32;
constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();

std::int32_t compute(RegisterOp op, RegisterType type, std::int32_t a,
                     std::int32_t b) {
  const auto result = computeRegister(op, type, a, b);
  INFO(name(op) << " " << a << " " << b);
  REQUIRE(result);
  return *result;
}

std::int32_t bits(float x) { return std::bit_cast<std::int32_t>(x); }
float number(std::int32_t x) { return std::bit_cast<float>(x); }

/// Floor division in long double, exact for 32 bits.
long double floorOf(long double a, long double b) { return std::floor(a / b); }

/// The low 32 bits of a whole number below 2^64 in size.
std::int32_t low(long double x) {
  const long double modulus = 4294967296.0L;
  long double rest = x - std::floor(x / modulus) * modulus;
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(rest));
}

/// By exact arithmetic on long doubles, bit by bit for the others.
std::int32_t model(RegisterOp op, bool isSigned, std::int32_t a,
                   std::int32_t b) {
  const auto widened = [&](std::int32_t bits) -> long double {
    if (isSigned)
      return bits;
    return static_cast<std::uint32_t>(bits);
  };
  const long double x = widened(a), y = widened(b);
  const auto eachBit = [&](auto &&keep) {
    std::uint32_t result = 0;
    for (unsigned i = 0; i < 32; ++i)
      if (keep(static_cast<std::uint32_t>(a) >> i & 1,
               static_cast<std::uint32_t>(b) >> i & 1))
        result += std::uint32_t{1} << i;
    return static_cast<std::int32_t>(result);
  };
  switch (op) {
  case RegisterOp::add:
    return low(x + y);
  case RegisterOp::subtract:
    return low(x - y);
  case RegisterOp::multiply:
    return low(x * y);
  case RegisterOp::floor_divide:
    return low(floorOf(x, y));
  case RegisterOp::modulo:
    return low(x - y * floorOf(x, y));
  case RegisterOp::minimum:
    return low(x < y ? x : y);
  case RegisterOp::maximum:
    return low(x < y ? y : x);
  case RegisterOp::equal:
    return x == y;
  case RegisterOp::not_equal:
    return x != y;
  case RegisterOp::greater_equal:
    return x >= y;
  case RegisterOp::greater:
    return x > y;
  case RegisterOp::less_equal:
    return x <= y;
  case RegisterOp::less:
    return x < y;
  case RegisterOp::bitwise_and:
    return eachBit([](bool p, bool q) { return p && q; });
  case RegisterOp::bitwise_or:
    return eachBit([](bool p, bool q) { return p || q; });
  case RegisterOp::bitwise_xor:
    return eachBit([](bool p, bool q) { return p != q; });
  case RegisterOp::left_shift:
    return y < 0 || y > 31 ? 0 : low(std::ldexp(x, static_cast<int>(y)));
  case RegisterOp::right_shift:
    return low(std::floor(y < 0 || y > 31
                              ? (x < 0 ? -1.0L : 0.0L)
                              : std::ldexp(x, -static_cast<int>(y))));
  }
  return 0;
}

} // namespace

TEST_CASE("integer registers against exact arithmetic") {
  Random random(11);
  const std::int32_t corners[] = {0, 1, -1, 2, 31, 32, -32, most, least};
  const auto pick = [&]() -> std::int32_t {
    const auto word = static_cast<std::int32_t>(random());
    switch (below(random, 4)) {
    case 0:
      return corners[below(random, 9)];
    case 1:
      return word >> below(random, 32);
    default:
      return word;
    }
  };
  for (const auto &entry : EnumTraits<RegisterOp>::entries)
    for (RegisterType type : {i32, u32})
      for (int round = 0; round < 4000; ++round) {
        const std::int32_t a = pick(), b = pick();
        if (isDivision(entry.value) && b == 0) {
          REQUIRE_FALSE(computeRegister(entry.value, type, a, b));
          continue;
        }
        INFO(entry.name << " " << name(type) << " " << a << " " << b);
        REQUIRE(compute(entry.value, type, a, b) ==
                model(entry.value, type == i32, a, b));
      }
}

TEST_CASE("a few results worked out by hand") {
  using Op = RegisterOp;
  CHECK(compute(Op::floor_divide, i32, -7, 2) == -4);
  CHECK(compute(Op::modulo, i32, -7, 2) == 1);
  CHECK(compute(Op::modulo, i32, 7, -2) == -1);
  CHECK(compute(Op::floor_divide, i32, least, -1) == least);
  CHECK(compute(Op::multiply, u32, -1, -1) == 1);
  CHECK(compute(Op::less, i32, -1, 0) == 1);
  CHECK(compute(Op::less, u32, -1, 0) == 0);
  CHECK(compute(Op::right_shift, i32, -8, 1) == -4);
  CHECK(compute(Op::right_shift, u32, -8, 1) == 0x7ffffffc);
  CHECK(compute(Op::right_shift, i32, -8, 32) == -1);
  CHECK(compute(Op::left_shift, i32, 1, 31) == least);
  CHECK(compute(Op::left_shift, i32, 1, 32) == 0);
}

TEST_CASE("f32 registers round once and know one NaN") {
  using Op = RegisterOp;
  const std::int32_t nan = 0x7fc00000, payload = 0x7fa00001;
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(number(compute(Op::add, f32, bits(1.5f), bits(0.25f))) == 1.75f);
  // 2^24 + 1 lies between two floats; ties go to the even one.
  CHECK(number(compute(Op::add, f32, bits(16777216.0f), bits(1.0f))) ==
        16777216.0f);
  CHECK(number(compute(Op::multiply, f32, bits(3e38f), bits(2.0f))) == inf);
  CHECK(compute(Op::subtract, f32, bits(inf), bits(inf)) == nan);
  for (Op op : {Op::add, Op::subtract, Op::multiply, Op::minimum, Op::maximum})
    for (bool first : {false, true})
      CHECK(compute(op, f32, first ? payload : bits(1), first ? bits(1) : -1) ==
            nan);
  CHECK(compute(Op::maximum, f32, bits(-0.0f), bits(0.0f)) == 0);
  CHECK(compute(Op::maximum, f32, bits(0.0f), bits(-0.0f)) == 0);
  CHECK(compute(Op::minimum, f32, bits(0.0f), bits(-0.0f)) == least);
  CHECK(number(compute(Op::minimum, f32, bits(-inf), bits(2))) == -inf);
  CHECK(compute(Op::equal, f32, bits(-0.0f), bits(0.0f)) == 1);
  CHECK(compute(Op::less, f32, bits(-1.0f), bits(0.5f)) == 1);
  for (Op op :
       {Op::equal, Op::less, Op::less_equal, Op::greater, Op::greater_equal})
    CHECK(compute(op, f32, nan, nan) == 0);
  CHECK(compute(Op::not_equal, f32, nan, nan) == 1);
  CHECK(immediateBits(f32, -2) == bits(-2.0f));
  CHECK(immediateBits(f32, 16777217) == bits(16777216.0f));
  CHECK(immediateBits(i32, -2) == -2);
  for (const auto &entry : EnumTraits<RegisterOp>::entries)
    CHECK(computeRegister(entry.value, f32, bits(3), bits(2)).has_value() ==
          !isInteger(entry.value));
}

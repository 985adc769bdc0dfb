//===- NumberTest.cpp - Numbers with bounds ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Number.h"
#include "catch.h"

#include <cmath>

using namespace kiln;
using namespace kiln::interpret;
using isa::AluOp;
using F = isa::ActivationFunction;

namespace {

bool covers(const Number &n, double x) {
  return isUnknown(n) || n.value == x || std::fabs(n.value - x) <= n.bound;
}

} // namespace

TEST_CASE("rounding to a type") {
  CHECK(roundTo(DType::bf16, 1.00390625) == 1.0); // a tie, to even
  CHECK(roundTo(DType::bf16, 1.01171875) == 1.015625);
  CHECK(roundTo(DType::f16, 65519.99) == 65504);
  CHECK(roundTo(DType::f16, 65520) == infinity);
  CHECK(roundTo(DType::f8e4m3, 247.9) == 240);
  CHECK(roundTo(DType::f8e4m3, 248) == infinity);
  CHECK(roundTo(DType::f8e4m3fn, 463) == 448);
  CHECK(std::isnan(roundTo(DType::f8e4m3fn, 465)));
  CHECK(roundTo(DType::f8e5m2, 0x1p-17) == 0);
  CHECK(roundTo(DType::f8e5m2, 0x1.8p-17) == 0x1p-16);
  CHECK(roundTo(DType::tf32, 1 + 0x1p-11) == 1);
  CHECK(roundTo(DType::i32, 2.5) == 2);
  CHECK(roundTo(DType::u8, 300) == 255);
  CHECK(roundTo(DType::i8, -infinity) == -128);
  CHECK(roundTo(DType::i16, notANumber) == 0);
  CHECK(roundTo(DType::boolean, 0.25) == 1);
  // Between integer types through fp32.
  CHECK(convert(exactly(16777217), DType::i32, DType::u32).value == 16777216);
  CHECK(convert(exactly(16777217), DType::i32, DType::i32).value == 16777217);
}

TEST_CASE("bounds shrink where a type cannot tell numbers apart") {
  const Number close{3.0, 0x1p-20};
  CHECK(roundTo(DType::bf16, close).bound == 0);
  CHECK(roundTo(DType::i32, {2.5, 0x1p-20}).bound >= 1);
  CHECK(roundTo(DType::u8, unknown()).bound == 255);
  CHECK(isUnknown(roundTo(DType::f8e4m3fn, {464, 1})));
}

TEST_CASE("exact operands give exact sums and products") {
  CHECK(isExact(add(exactly(3), exactly(4.5))));
  CHECK(isExact(multiply(exactly(3), exactly(4.5))));
  const Number third = divide(exactly(1), exactly(3));
  CHECK(third.value == static_cast<double>(1.0f / 3.0f));
  CHECK(third.bound > 0);
  CHECK(third.bound < 0x1p-23);
  // fp32 cannot hold it: rounded, or not if it is fused.
  const Number p = multiply(exactly(1 + 0x1p-23), exactly(1 + 0x1p-23));
  CHECK(covers(p, 1 + 0x1p-22));
  CHECK(covers(p, 1 + 0x1p-22 + 0x1p-46));
  CHECK(p.bound < 0x1p-45);
}

TEST_CASE("numbers that are no numbers") {
  CHECK(isExact(add(exactly(infinity), exactly(1))));
  CHECK(std::isnan(add(exactly(infinity), exactly(-infinity)).value));
  CHECK(isUnknown(add(unknown(), exactly(1))));
  CHECK(std::isnan(maximum(exactly(notANumber), exactly(1)).value));
  CHECK(isExact(maximum(exactly(notANumber), unknown())));
  CHECK(std::isnan(multiply(exactly(0), exactly(infinity)).value));
  CHECK(isUnknown(multiply({0, 1}, exactly(infinity))));
  CHECK(isUnknown(multiply(exactly(0x1p100), exactly(0x1p100))));
  CHECK(apply(AluOp::not_equal, exactly(notANumber), unknown()).value == 1);
}

TEST_CASE("comparisons of what is close are open") {
  CHECK(compare(AluOp::less, {1, 0.1}, {2, 0.1}) == Truth::yes);
  CHECK(compare(AluOp::less, {1, 0.6}, {2, 0.6}) == Truth::open);
  CHECK(compare(AluOp::equal, exactly(2), exactly(2)) == Truth::yes);
  CHECK(compare(AluOp::equal, {2, 0x1p-30}, exactly(2)) == Truth::open);
  CHECK(apply(AluOp::greater, {1, 0.6}, {2, 0.6}).bound == 1);
  CHECK(either(exactly(1), exactly(5)).bound >= 4);
  CHECK(apply(AluOp::logical_and, {0, 1}, exactly(0)).bound == 0);
  CHECK(apply(F::sign, {0.1, 0.2}).bound >= 2);
}

TEST_CASE("functions") {
  CHECK(apply(F::exp, exactly(0)).value == 1);
  CHECK(isExact(apply(F::exp, exactly(0))));
  CHECK(apply(F::sqrt, exactly(9)).value == 3);
  CHECK(apply(F::exp, exactly(100)).value == infinity);
  CHECK(std::isnan(apply(F::log, exactly(-1)).value));
  CHECK(isUnknown(apply(F::log, {0.1, 0.2})));
  CHECK(apply(F::exp, exactly(-infinity)).value == 0);
  for (const auto &entry : isa::EnumTraits<isa::ActivationFunction>::entries) {
    INFO(entry.name);
    for (double x = 0.0625; x < 3; x += 0.37) {
      const Number sharp = apply(entry.value, exactly(x), 0.25);
      CHECK(covers(sharp, sharp.value));
      CHECK(sharp.bound <= std::fabs(sharp.value) * 0x1p-22 + 0x1p-30);
      const Number blurred = apply(entry.value, {x, 0.01}, 0.25);
      CHECK(
          covers(blurred, apply(entry.value, exactly(x - 0.009), 0.25).value));
      CHECK(
          covers(blurred, apply(entry.value, exactly(x + 0.009), 0.25).value));
      CHECK(blurred.bound < 4);
    }
  }
}

TEST_CASE("sums in any order") {
  const Number integers[] = {exactly(1), exactly(1 << 20), exactly(-7)};
  CHECK(sum(integers).value == 1048570);
  CHECK(isExact(sum(integers)));
  // (1 + 2^24) - 2^24 is 0 or 1.
  const Number orders[] = {exactly(1), exactly(0x1p24), exactly(-0x1p24)};
  CHECK(covers(sum(orders), 0));
  CHECK(covers(sum(orders), 1));
  const Number mixed[] = {exactly(infinity), exactly(-infinity)};
  CHECK(std::isnan(sum(mixed).value));
  const Number halves[] = {exactly(0.5), exactly(3)};
  CHECK(dot(Terms(halves), Terms(halves)).value == 9.25);
  CHECK(isExact(dot(Terms(halves), Terms(halves))));
  CHECK(product(integers).value == -7340032.0);
  // Of what is uncertain: 2 x 3 +- 0.1 x 3, and once a NaN.
  const Number blurred[] = {{2, 0.1}, exactly(1)};
  const Number weights[] = {exactly(3), exactly(4)};
  const Number product = dot(Terms(blurred), Terms(weights));
  CHECK(product.value == 10);
  CHECK(covers(product, 10.3));
  CHECK(product.bound < 0.3001);
  const Number broken[] = {unknown(), exactly(1)};
  CHECK(isUnknown(dot(Terms(broken), Terms(weights))));
  const Number huge[] = {exactly(infinity), exactly(1)};
  CHECK(dot(Terms(huge), Terms(weights)).value == infinity);
}

TEST_CASE("integers wrap") {
  const Number most = exactly(2147483647);
  CHECK(applyInteger(AluOp::add, DType::i32, most, exactly(1)).value ==
        -2147483648.0);
  CHECK(applyInteger(AluOp::multiply, DType::i32, most, most).value == 1);
  CHECK(
      applyInteger(AluOp::subtract, DType::u32, exactly(0), exactly(1)).value ==
      4294967295.0);
  CHECK(isUnknown(applyInteger(AluOp::add, DType::i32, most, {0, 1})));
  CHECK(
      applyInteger(AluOp::less, DType::u8, exactly(16777216), exactly(16777217))
          .value == 1);
}

TEST_CASE("bytes of every type") {
  const auto one = [](DType dtype, std::uint32_t bits) {
    std::byte bytes[4];
    for (unsigned i = 0; i < 4; ++i)
      bytes[i] = static_cast<std::byte>(bits >> 8 * i);
    return decode(dtype, std::span(bytes, isa::sizeInBytes(dtype)));
  };
  CHECK(one(DType::f32, 0x3fc00000).front() == 1.5);
  CHECK(one(DType::bf16, 0xbfc0).front() == -1.5);
  CHECK(one(DType::f16, 0x3e00).front() == 1.5);
  CHECK(one(DType::f16, 1).front() == 0x1p-24);
  CHECK(one(DType::tf32, 0x3fc01fff).front() == 1.5);
  CHECK(one(DType::f8e4m3, 0x78).front() == infinity);
  CHECK(one(DType::f8e4m3fn, 0x78).front() == 256);
  CHECK(std::isnan(one(DType::f8e4m3fn, 0x7f).front()));
  CHECK(one(DType::f8e5m2, 0x3e).front() == 1.5);
  CHECK(one(DType::f8e8m0, 128).front() == 2);
  CHECK(one(DType::i8, 0xff).front() == -1);
  CHECK(one(DType::u32, 0xffffffff).front() == 4294967295.0);
  CHECK(one(DType::f4e2m1fn_x4, 0x7321) == std::vector<double>{0.5, 1, 1.5, 6});
  CHECK(one(DType::f8e5m2_x4, 0x3e3e003e) ==
        std::vector<double>{1.5, 0, 1.5, 1.5});
}

//===- float_format_test.cpp - Rounding a double once -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/tool/float_format.h"
#include "kiln/tool/random_data.h"

#include "catch.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace kiln::tool;
using kiln::isa::DType;

TEST_CASE("every 16-bit value survives decode and encode") {
  for (DType dtype : {DType::bf16, DType::f16}) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      double value = decodeFloat(bits, dtype);
      if (std::isnan(value)) {
        CHECK(std::isnan(decodeFloat(encodeFloat(value, dtype), dtype)));
        continue;
      }
      if (encodeFloat(value, dtype) != bits)
        FAIL("bits " << bits << " of type " << name(dtype) << " came back as "
                     << encodeFloat(value, dtype));
    }
  }
  CHECK(decodeFloat(0x3f80, DType::bf16) == 1.0);
  CHECK(decodeFloat(0x3c00, DType::f16) == 1.0);
  CHECK(decodeFloat(0x0001, DType::f16) == std::ldexp(1.0, -24));
}

TEST_CASE("f32 agrees with the host's conversion") {
  // The host converts by IEEE 754: exact and to nearest, as we must.
  std::vector<std::uint8_t> noise =
      randomTensor(7, "noise", DType::u8, 8 * 100000);
  for (std::size_t i = 0; i < 100000; ++i) {
    double value;
    std::memcpy(&value, noise.data() + 8 * i, sizeof value);
    if (std::isnan(value))
      continue;
    // Half of them near the range of float, subnormals included.
    if (i % 2 && std::isfinite(value) && value != 0)
      value = std::ldexp(std::ldexp(value, -std::ilogb(value)),
                         static_cast<int>(i % 300) - 160);
    auto expected = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if (encodeFloat(value, DType::f32) != expected)
      FAIL("value " << value << " gave " << encodeFloat(value, DType::f32)
                    << ", expected " << expected);
  }
}

TEST_CASE("a double is rounded to bf16 once") {
  // 1 + 2^-8 is halfway between two bf16 values; a little more must round up.
  // By way of float the little more is lost and ties-to-even rounds down.
  double value = 1.0 + std::ldexp(1.0, -8) + std::ldexp(1.0, -40);
  CHECK(encodeFloat(value, DType::bf16) == 0x3f81);
  CHECK(encodeFloat(static_cast<float>(value), DType::bf16) == 0x3f80);
}

TEST_CASE("range ends") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(encodeFloat(infinity, DType::bf16) == 0x7f80);
  CHECK(encodeFloat(-infinity, DType::f16) == 0xfc00);
  CHECK(encodeFloat(65504.0, DType::f16) == 0x7bff);
  CHECK(encodeFloat(65519.9, DType::f16) == 0x7bff);
  CHECK(encodeFloat(65520.0, DType::f16) == 0x7c00);
  CHECK(encodeFloat(1e300, DType::f32) == 0x7f800000);
  CHECK(encodeFloat(-0.0, DType::f16) == 0x8000);
  CHECK(encodeFloat(std::ldexp(1.0, -25), DType::f16) == 0); // Tie to even.
  CHECK(encodeFloat(std::ldexp(1.5, -25), DType::f16) == 1);
  CHECK(encodeFloat(std::numeric_limits<double>::quiet_NaN(), DType::bf16) ==
        0x7fc0);
}

TEST_CASE("every value of the narrow types survives") {
  const auto check = [](DType dtype) {
    for (std::uint32_t bits = 0; bits < 1u << bitsOfValue(dtype); ++bits) {
      const double value = decodeFloat(bits, dtype);
      const std::uint32_t back = encodeFloat(value, dtype);
      if (std::isnan(value) ? !std::isnan(decodeFloat(back, dtype))
                            : back != bits)
        FAIL("bits " << bits << " of type " << name(dtype) << " came back as "
                     << back);
    }
  };
  for (DType dtype : {DType::f8e4m3, DType::f8e4m3fn, DType::f8e5m2,
                      DType::f8e8m0, DType::f4e2m1fn_x4})
    check(dtype);
}

TEST_CASE("range ends of the narrow types") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(decodeFloat(0x77, DType::f8e4m3) == 240);
  CHECK(decodeFloat(0x78, DType::f8e4m3) == infinity);
  CHECK(encodeFloat(247.9, DType::f8e4m3) == 0x77);
  CHECK(encodeFloat(248, DType::f8e4m3) == 0x78); // Tie to even: infinity.
  CHECK(decodeFloat(0x7e, DType::f8e4m3fn) == 448);
  CHECK(encodeFloat(463.9, DType::f8e4m3fn) == 0x7e);
  CHECK(encodeFloat(480, DType::f8e4m3fn) == 0x7f);
  CHECK(encodeFloat(-infinity, DType::f8e4m3fn) == 0xff);
  CHECK(decodeFloat(0x7b, DType::f8e5m2) == 57344);
  CHECK(encodeFloat(61440, DType::f8e5m2) == 0x7c);
  CHECK(encodeFloat(-7, DType::f4e2m1fn_x4) == 0xf); // No infinity: 6.
  CHECK(decodeFloat(0xf, DType::f4e2m1fn_x4) == -6);
  CHECK(decodeFloat(0, DType::f8e8m0) == std::ldexp(1.0, -127));
  CHECK(encodeFloat(0, DType::f8e8m0) == 0);
  CHECK(encodeFloat(-0.0, DType::f8e8m0) == 0);
  CHECK(encodeFloat(3, DType::f8e8m0) == 128); // A tie: 128 is even.
  CHECK(encodeFloat(6, DType::f8e8m0) == 130);
  CHECK(encodeFloat(-1, DType::f8e8m0) == 255);
  CHECK(encodeFloat(infinity, DType::f8e8m0) == 255);
  // The low 13 bits of a tf32 are 0.
  CHECK(encodeFloat(1 + std::ldexp(1.0, -10), DType::tf32) == 0x3f802000);
  CHECK(encodeFloat(1 + std::ldexp(1.0, -11), DType::tf32) == 0x3f800000);
}

TEST_CASE("values of packed and integer tensors") {
  const std::vector<double> four{0.5, -6, 3, 0};
  const auto packed = encodeValues(four, DType::f4e2m1fn_x4);
  CHECK(packed == std::vector<std::uint8_t>{0xf1, 0x05});
  CHECK(decodeValues(packed, DType::f4e2m1fn_x4) == four);
  const std::vector<double> whole{-128, 127, -1, 0};
  CHECK(decodeValues(encodeValues(whole, DType::i8), DType::i8) == whole);
  CHECK(decodeValues({0xff, 0xff}, DType::u16) == std::vector<double>{65535});
  CHECK(decodeValues({0xff, 0xff}, DType::i16) == std::vector<double>{-1});
  CHECK(rangeOf(DType::u32).high == 4294967295);
  CHECK(rangeOf(DType::i16).low == -32768);
  CHECK(rangeOf(DType::boolean).high == 1);
}

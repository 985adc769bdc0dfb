//===- random_data_test.cpp - Inputs that are the same everywhere -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/tool/float_format.h"
#include "kiln/tool/random_data.h"

#include "catch.h"

using namespace kiln::tool;
using kiln::isa::DType;

TEST_CASE("random tensors are pinned to their seed and name") {
  auto a = randomTensor(1, "q", DType::f32, 64);
  CHECK(a == randomTensor(1, "q", DType::f32, 64));
  CHECK(a != randomTensor(2, "q", DType::f32, 64));
  CHECK(a != randomTensor(1, "k", DType::f32, 64));
  // A longer tensor begins with the shorter one's values.
  auto longer = randomTensor(1, "q", DType::f32, 128);
  CHECK(std::equal(a.begin(), a.end(), longer.begin()));
}

TEST_CASE("threads that share a long tensor make what one makes") {
  // Other lengths are cut at other places.
  constexpr std::uint64_t count = (std::uint64_t{3} << 20) + 7;
  for (const DType dtype : {DType::bf16, DType::u8, DType::f4e2m1fn_x4}) {
    const auto first = randomTensor(5, "w", dtype, count);
    const auto longer = randomTensor(5, "w", dtype, count + 100003);
    REQUIRE(longer.size() > first.size());
    CHECK(std::equal(first.begin(), first.end(), longer.begin()));
  }
}

TEST_CASE("random floats look normal") {
  const std::size_t count = 100000;
  auto bytes = randomTensor(3, "x", DType::bf16, count);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    double value =
        decodeFloat(bytes[2 * i] | (bytes[2 * i + 1] << 8), DType::bf16);
    sum += value;
    squares += value * value;
  }
  CHECK(sum / count == Approx(0.0).margin(0.02));
  CHECK(squares / count == Approx(1.0).margin(0.02));
}

TEST_CASE("random floats have the deviation that is wanted") {
  const auto plain = randomTensor(3, "x", DType::bf16, 1000);
  const auto small = randomTensor(3, "x", DType::bf16, 1000, 0.25);
  for (std::size_t i = 0; i < 1000; ++i) {
    const auto value = [&](const std::vector<std::uint8_t> &bytes) {
      return decodeFloat(bytes[2 * i] | (bytes[2 * i + 1] << 8), DType::bf16);
    };
    CHECK(value(small) == 0.25 * value(plain));
  }
  CHECK(randomTensor(3, "n", DType::i32, 10, 0.25) ==
        randomTensor(3, "n", DType::i32, 10));
  CHECK(randomTensor(3, "s", DType::f8e8m0, 10, 0.25) ==
        randomTensor(3, "s", DType::f8e8m0, 10));
}

TEST_CASE("random integers stay in their range") {
  auto bytes = randomTensor(4, "n", DType::i32, 1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    auto value = static_cast<std::int32_t>(
        bytes[4 * i] | bytes[4 * i + 1] << 8 | bytes[4 * i + 2] << 16 |
        static_cast<std::uint32_t>(bytes[4 * i + 3]) << 24);
    CHECK((value >= -100 && value <= 100));
  }
}

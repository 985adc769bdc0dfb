//===- RoundingTest.cpp - Whole pieces of a number ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/rounding.h"
#include "catch.h"

#include <cstdint>

using namespace kiln::isa;

TEST_CASE("pieces that hold a number, and the next multiple") {
  for (unsigned size = 1; size <= 130; ++size) {
    unsigned pieces = 0;
    for (unsigned count = 0; count <= 300; ++count) {
      if (pieces * size < count)
        ++pieces;
      REQUIRE(ceilDiv(count, size) == pieces);
      REQUIRE(roundUp(count, size) == pieces * size);
    }
  }
  static_assert(ceilDiv(std::int64_t{1} << 40, 3) == 366503875926);
  static_assert(roundUp(std::uint64_t{129}, 128) == 256);
}

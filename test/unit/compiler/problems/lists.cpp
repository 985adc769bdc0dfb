//===- lists.cpp - Lists in pieces ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "support/Pieces.h"

#include <cstdint>
#include <vector>

namespace kiln::problems::test::lists_test {

TEST_CASE("a list in pieces holds what it was given") {
  Pieces<std::uint64_t> list;
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t i = 0; i < 20000; ++i) {
      list.push_back(i + static_cast<std::uint64_t>(round));
      REQUIRE(list.size() == i + 1);
    }
    for (std::uint64_t i = 0; i < 20000; ++i)
      REQUIRE(list[i] == i + static_cast<std::uint64_t>(round));
    list.clear();
    REQUIRE(list.size() == 0);
  }
  const std::uint64_t *first = &list[0];
  list.resize(100000);
  REQUIRE(&list[0] == first); // Nothing has moved.
}

} // namespace kiln::problems::test::lists_test

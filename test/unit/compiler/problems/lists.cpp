//===- lists.cpp - The lists that problems are made of --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pieces.h"
#include "catch.h"

#include "kiln/compiler/Problems/ShortList.h"

#include <cstdint>
#include <vector>

using namespace kiln::problems;

using List = ShortList<std::uint32_t, 4>;

static List upTo(std::uint32_t count) {
  List list;
  for (std::uint32_t i = 0; i < count; ++i)
    list.push_back(i);
  return list;
}

TEST_CASE("a short list holds what it was given, in place or not") {
  for (std::uint32_t count = 0; count < 40; ++count) {
    const List list = upTo(count);
    REQUIRE(list.size() == count);
    REQUIRE(list.empty() == (count == 0));
    for (std::uint32_t i = 0; i < count; ++i)
      REQUIRE(list[i] == i);
    REQUIRE_FALSE(list == upTo(count + 1));
    for (std::uint32_t other : {0u, 3u, 4u, 5u, 30u}) {
      List copy = upTo(other);
      copy = list;
      REQUIRE(copy == list);
      List taken = std::move(copy);
      REQUIRE(taken == list);
      copy = upTo(other);
      std::swap(copy, taken);
      REQUIRE(copy == list);
      REQUIRE(taken == upTo(other));
      const List &same = taken;
      taken = same;
      REQUIRE(taken == upTo(other));
    }
    List odd = list;
    odd.eraseIf([](std::uint32_t i) { return i % 2 == 0; });
    REQUIRE(odd.size() == count / 2);
    for (std::uint32_t i = 0; i < odd.size(); ++i)
      REQUIRE(odd[i] == 2 * i + 1);
    odd.clear();
    REQUIRE(odd == List());
  }
  REQUIRE(List{0, 1, 2, 3, 4} == upTo(5));
}

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

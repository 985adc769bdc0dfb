//===- choices.h - Choices that follow from a seed ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same seed makes the same program with every compiler: no distribution of
// the standard library, and one draw a statement, because C++ leaves the order
// of arguments open.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_RANDOM_CHOICES_H
#define KILN_TEST_RANDOM_CHOICES_H

#include "kiln/isa/split_mix.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace kiln::test {

class Choices {
public:
  explicit Choices(std::uint64_t seed) : state(seed) {}

  /// SplitMix64 (Steele, Lea, Flood 2014).
  std::uint64_t next() { return isa::splitMix(state); }
  /// 0 to n - 1.
  std::int64_t below(std::int64_t n) {
    return n <= 1 ? 0
                  : static_cast<std::int64_t>(next() %
                                              static_cast<std::uint64_t>(n));
  }
  /// low to high, both possible.
  std::int64_t from(std::int64_t low, std::int64_t high) {
    return low + below(high - low + 1);
  }
  bool percent(std::int64_t chance) { return below(100) < chance; }

  template <class T> T pick(std::initializer_list<T> list) {
    return list.begin()[below(static_cast<std::int64_t>(list.size()))];
  }
  template <class T> const T &pick(const std::vector<T> &list) {
    return list[static_cast<std::size_t>(
        below(static_cast<std::int64_t>(list.size())))];
  }
  /// A position in a list of chances.
  std::size_t weighted(std::initializer_list<int> chances) {
    std::int64_t sum = 0;
    for (const int chance : chances)
      sum += chance;
    std::int64_t at = below(sum);
    std::size_t position = 0;
    for (const int chance : chances) {
      if (at < chance)
        return position;
      at -= chance;
      ++position;
    }
    return 0;
  }

private:
  std::uint64_t state;
};

} // namespace kiln::test

#endif // KILN_TEST_RANDOM_CHOICES_H

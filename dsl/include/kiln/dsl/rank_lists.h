//===- rank_lists.h - Which ranks work together ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   nc::all_reduce(x, y, nc::ranks_to(8), AluOp::add);      // [[0, .., 7]]
//   nc::all_reduce(x, y, {{0, 1}, {2, 3}}, AluOp::add);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_RANK_LISTS_H
#define KILN_DSL_RANK_LISTS_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace kiln {
namespace nc {

/// Lists of ranks: a replica group, or (source, target) pairs.
class RankLists {
public:
  /// Separates two lists in what is recorded.
  static constexpr std::int64_t separator = -1;
  static constexpr std::size_t limit = 3 * 64;

  RankLists() = default;
  RankLists(std::initializer_list<std::initializer_list<int>> lists) {
    for (const std::initializer_list<int> &list : lists) {
      begin_list();
      for (const int rank : list)
        add(rank);
    }
  }
  RankLists &begin_list() {
    if (lists++ != 0)
      put(separator);
    return *this;
  }
  RankLists &add(std::int64_t rank) { return put(rank < 0 ? 64 : rank); }

  const std::int64_t *data() const { return numbers; }
  /// More than `limit` if there are too many.
  std::size_t size() const { return count; }

private:
  RankLists &put(std::int64_t number) {
    if (count < limit)
      numbers[count] = number;
    ++count;
    return *this;
  }

  std::int64_t numbers[limit] = {};
  std::size_t count = 0, lists = 0;
};
/// The groups of a collective. Each group works on its own.
using ReplicaGroup = RankLists;

/// One list with the ranks from 0 on.
inline RankLists ranks_to(std::int64_t ranks) {
  RankLists result;
  result.begin_list();
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    result.add(rank);
  return result;
}

/// A list of integers, such as the ids of channels.
class Integers {
public:
  static constexpr std::size_t limit = 64;
  Integers() = default;
  Integers(std::initializer_list<int> list) : count(list.size()) {
    std::size_t at = 0;
    for (const int number : list)
      if (at < limit)
        numbers[at++] = number;
  }
  const std::int64_t *data() const { return numbers; }
  std::size_t size() const { return count; }

private:
  std::int64_t numbers[limit] = {};
  std::size_t count = 0;
};

} // namespace nc
} // namespace kiln

#endif // KILN_DSL_RANK_LISTS_H

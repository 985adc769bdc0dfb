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

#include "kiln/dsl/recording.h"

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

/// How ranks are divided into lists: rank / n, rank % n, rank & n.
enum class Partition : std::uint8_t { div, mod, bitwise_and };

/// Divides ranks 0 to `ranks` - 1 into lists. Two ranks are in the same list if
/// the operation with n gives the same number for both. For 8 ranks, div by 4
/// gives {0, 1, 2, 3} and {4, 5, 6, 7}, mod by 4 gives {0, 4}, {1, 5}, .., and
/// bitwise_and with 2 gives {0, 1, 4, 5} and {2, 3, 6, 7}.
inline RankLists ranks_by(std::int64_t ranks, Partition operation,
                          std::int64_t n,
                          dsl::Where where = dsl::Where::current()) {
  if (n < (operation == Partition::bitwise_and ? 0 : 1))
    dsl::failHere("KILN-A012", {"ranks are divided into lists by <|", n, "|>"},
                  "give a positive number", where);
  const auto keyOf = [&](std::int64_t rank) {
    return operation == Partition::div   ? rank / n
           : operation == Partition::mod ? rank % n
                                         : rank & n;
  };
  RankLists result;
  // Too many ranks give a list that is too long.
  const auto most = static_cast<std::int64_t>(RankLists::limit) + 1;
  const std::int64_t count = ranks < most ? ranks : most;
  for (std::int64_t first = 0; first < count; ++first) {
    bool isNew = true;
    for (std::int64_t rank = 0; rank < first; ++rank)
      isNew = isNew && keyOf(rank) != keyOf(first);
    if (!isNew)
      continue;
    result.begin_list();
    for (std::int64_t rank = first; rank < count; ++rank)
      if (keyOf(rank) == keyOf(first))
        result.add(rank);
  }
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

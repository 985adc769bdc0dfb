//===- AccessHistory.h - Which earlier accesses a new one must follow -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The accesses of one buffer, in program order. For each new access, the
// earlier accesses that it conflicts with are found. If both have the same
// run-time part, this is exact, by strided byte ranges. If the run-time parts
// differ, or the bytes are unknown, accesses to common partitions always
// conflict. An access that a write covers entirely is forgotten: what conflicts
// with it later also conflicts with the write. If there are so many conflicts
// that listing them would not be linear, one access is ordered after all others
// and represents them; everything later is then ordered after it. No conflict
// is ever left out.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_SOLVE_ACCESSHISTORY_H
#define KILN_COMPILER_SOLVE_ACCESSHISTORY_H

#include "kiln/compiler/problem/SyncProblem.h"

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace kiln::problems {

/// In each of the partitions: `run` bytes from `offset` + sum(stride_k * i_k).
struct ByteAccess {
  std::uint32_t operation = 0;
  bool reads = false;
  bool writes = false;
  /// Accesses of one family have the same run-time address apart from the
  /// offset. For family 0, only the partitions are known, not the bytes.
  std::uint32_t family = 0;
  std::uint32_t partition = 0, partitionEnd = 1;
  std::int64_t offset = 0;
  std::int64_t run = 1;
  std::vector<ByteDim> dims; ///< Strides of any sign; none of 0.

  std::int64_t begin() const; ///< First byte, and one past the last.
  std::int64_t end() const;
};

/// True if there is a common byte in a common partition. Exact. Both have the
/// same family.
bool overlap(const ByteAccess &a, const ByteAccess &b);
/// True if every byte of `inner` is one of `outer`. May miss some cases.
bool covers(const ByteAccess &outer, const ByteAccess &inner);
/// True if one writes, and they may share a byte.
bool conflict(const ByteAccess &a, const ByteAccess &b);

class AccessHistory {
public:
  /// Called with each earlier access that the new one must follow. `real` is
  /// false where no data requires that: an access stands for others, or is
  /// represented by another.
  using Found = std::function<void(const ByteAccess &earlier, bool real)>;

  /// Operations come in program order, each with any number of accesses.
  void add(const ByteAccess &fresh, const Found &found);

  /// One access represents all once more than `looksEach` others per access,
  /// plus `looksBeside`, have been examined.
  static constexpr std::size_t looksEach = 64, looksBeside = 4096;

private:
  /// Accesses by first byte, per power of two of the length: a range can only
  /// meet accesses that begin less than that length before it.
  using Level = std::multimap<std::int64_t, std::uint32_t>;
  using Family = std::map<unsigned, Level>;

  void compareAll(const ByteAccess &fresh, const Found &found,
                  std::uint32_t except);
  void compareFamily(const ByteAccess &fresh, Family &family,
                     const Found &found);
  void standForAll(std::uint32_t number, const Found &found);

  std::vector<ByteAccess> accesses;
  std::map<std::uint32_t, Family> reads, writes;
  std::optional<std::uint32_t> summary; ///< Stands for all before it.
  std::size_t looks = 0;
};

} // namespace kiln::problems

#endif // KILN_COMPILER_SOLVE_ACCESSHISTORY_H

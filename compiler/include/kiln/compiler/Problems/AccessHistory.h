//===- AccessHistory.h - Which earlier accesses a new one must follow -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The accesses of one buffer, in program order. Each new one learns which
// earlier ones it conflicts with: exactly, by strided byte ranges, where both
// have the same run-time part; always, where that differs or nobody knows the
// bytes. What a write covers entirely is forgotten: whoever conflicts with it
// later conflicts with the write. Where conflicts are so many that listing them
// would not be linear, one access is ordered behind all and stands for them;
// then everything later is ordered behind it. Nothing is ever left out.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_PROBLEMS_ACCESSHISTORY_H
#define KILN_COMPILER_PROBLEMS_ACCESSHISTORY_H

#include "kiln/compiler/Problems/SyncProblem.h"

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
  /// Accesses of one family have the same run-time address beside the offset;
  /// of family 0 nobody knows the bytes, but the partitions.
  std::uint32_t family = 0;
  std::uint32_t partition = 0, partitionEnd = 1;
  std::int64_t offset = 0;
  std::int64_t run = 1;
  std::vector<ByteDim> dims; ///< Strides of any sign; none of 0.

  std::int64_t begin() const; ///< First byte, and behind the last.
  std::int64_t end() const;
};

/// Exact: a common byte in a common partition. Of one family.
bool overlap(const ByteAccess &a, const ByteAccess &b);
/// Every byte of `inner` is one of `outer`. May say no where it is so.
bool covers(const ByteAccess &outer, const ByteAccess &inner);
/// One writes, and they may share a byte.
bool conflict(const ByteAccess &a, const ByteAccess &b);

class AccessHistory {
public:
  /// Called with each earlier access that the new one must follow. Where no
  /// data asks for that (it stands for others, or is stood for), `real` is
  /// false.
  using Found = std::function<void(const ByteAccess &earlier, bool real)>;

  /// Operations come in program order, each with any number of accesses.
  void add(const ByteAccess &fresh, const Found &found);

  /// Accesses that may look at this many others each, and some besides, before
  /// one stands for all.
  static constexpr std::size_t looksEach = 64, looksBeside = 4096;

private:
  /// By first byte, for each power of two of the length: a range can only meet
  /// what begins less than that in front of it.
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

#endif // KILN_COMPILER_PROBLEMS_ACCESSHISTORY_H

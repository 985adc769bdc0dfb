//===- AccessIndex.h - Accesses that may still conflict ---------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses come in the order of the sequential program. Each is looked up among
// those before it that it can conflict with: reads among writes, writes among
// both. An access is kept unless a later one represents it:
//
//  * a write represents all accesses that it covers, since it was proved to
//  come after them; * of the reads of the same bytes by one executor, the one
//  that is done last
//    stands for the others, and the one that the source has last for their
//    place there.
//
// So an operand that a million instructions share is one entry. Entries are
// found through bins, columns by rows: where most accesses of a memory walk in
// steps of one pitch (the rows of a tensor), blocks of columns are apart.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PROVE_STREAMS_ACCESSINDEX_H
#define KILN_COMPILER_LIB_PROVE_STREAMS_ACCESSINDEX_H

#include "support/Pieces.h"

#include "Shape.h"

#include <limits>
#include <unordered_map>

namespace kiln::problems::checker {

struct IndexedAccess {
  std::int64_t low = 0, end = 0; ///< Of its bytes.
  std::uint32_t memory = 0;
  std::uint32_t shape = 0; ///< From `low` on, if it is exact.
  std::uint16_t partition = 0, partitionEnd = 1;
  bool write = false;
  bool exact = true; ///< Else any of the bytes may be meant.
  std::uint8_t executor = 0;
  std::uint64_t identity = 0; ///< Of registers in its place: see OpenPlace.
  std::int64_t known = 0;
  std::uint16_t object = 0; ///< Of the source, which shares bytes in time.
  std::uint32_t owner = 0;  ///< The caller's number of the instruction.
  std::uint32_t latest = 0; ///< The last one that it represents there.
  std::uint32_t number = 0; ///< In its executor; later ones are done later.
};

class AccessIndex {
public:
  /// Where there is no source.
  struct Never {
    bool operator()(std::uint32_t, std::uint32_t) const { return false; }
  };

  explicit AccessIndex(const Shapes &shapes) : shapes(shapes) {}

  /// All accesses that will come, twice over, to size the bins: what they span
  /// and how they walk, then how large they are.
  void announce(const IndexedAccess &access);
  void choosePitches();
  void measure(const IndexedAccess &access);
  void makeBins();

  /// Compares `fresh` with what is kept, then keeps it. `conflict(old)` is
  /// called where the two share a byte, one of them writes and
  /// `ordered(old, fresh)` does not hold; the search ends if it returns true.
  /// `later(a, b)`: the source has owner `a` behind owner `b`.
  template <class Ordered, class Conflict, class Later = Never>
  bool visit(const IndexedAccess &fresh, Ordered &&ordered, Conflict &&conflict,
             Later &&later = Later()) {
    Memory &memory = memories[fresh.memory];
    if (!memory.isWritten)
      return false;
    const Cells cells = cellsOf(memory, fresh);
    const auto scan = [&](std::vector<std::uint32_t> &list) {
      std::size_t kept = 0;
      for (const std::uint32_t id : list) {
        Entry &entry = entries[id];
        if (entry.gone)
          continue;
        list[kept++] = id;
        const IndexedAccess &old = entry.access;
        // Most entries of a bin lie beside each other.
        if (old.low >= fresh.end || fresh.low >= old.end ||
            old.owner == fresh.owner)
          continue;
        if (!ordered(old, fresh) && overlap(memory, old, fresh) &&
            conflict(old))
          return true;
        if (fresh.write && fresh.low <= old.low && old.end <= fresh.end &&
            covers(memory, fresh, old)) {
          entry.gone = true;
          --kept;
          if (entry.isAlone)
            unused.push_back(id);
        }
      }
      list.resize(kept);
      return false;
    };
    for (std::int64_t row = cells.firstRow; row <= cells.lastRow; ++row)
      for (std::int64_t column = cells.firstColumn; column <= cells.lastColumn;
           ++column) {
        Bin &bin = memory.bins[memory.binAt(row, column)];
        if (scan(bin.writes) || (fresh.write && scan(bin.reads)))
          return true;
      }
    const Kept kept = keep(memory, cells, fresh);
    if (kept.before && later(kept.other, kept.before->latest))
      kept.before->latest = kept.other;
    return false;
  }

private:
  struct Entry {
    IndexedAccess access;
    bool gone = false;
    bool isAlone = false; ///< In one bin: when gone, it is nowhere.
  };
  struct Bin {
    std::vector<std::uint32_t> reads, writes;
  };
  /// Columns of one row, [column, columnEnd), of rows [row, rowEnd).
  struct Rectangle {
    std::int64_t column, columnEnd, row, rowEnd;
  };
  struct Cells {
    std::int64_t firstColumn, lastColumn, firstRow, lastRow;
  };
  struct Memory {
    std::int64_t low = std::numeric_limits<std::int64_t>::max();
    std::int64_t high = std::numeric_limits<std::int64_t>::min();
    std::int64_t pitch = 0; ///< Of a row; 0: it is all one row.
    std::map<std::int64_t, std::int64_t> pitches; ///< Votes.
    bool isWritten = false;
    double columnSum = 0, rowSum = 0, count = 0;
    double bitSum = 0; ///< Logarithms of the widths.
    std::int64_t width = 1, height = 1, columns = 1;
    std::vector<Bin> bins;

    std::size_t binAt(std::int64_t row, std::int64_t column) const {
      return static_cast<std::size_t>(row * columns + column);
    }
  };

  Rectangle rectangleOf(const Memory &memory,
                        const IndexedAccess &access) const;
  Cells cellsOf(const Memory &memory, const IndexedAccess &access) const;
  bool overlap(const Memory &memory, const IndexedAccess &a,
               const IndexedAccess &b);
  bool covers(const Memory &memory, const IndexedAccess &fresh,
              const IndexedAccess &old) const;
  bool isSame(const IndexedAccess &a, const IndexedAccess &b) const;
  /// An access that also represents another one, or none.
  struct Kept {
    IndexedAccess *before = nullptr;
    std::uint32_t other = 0;
  };
  Kept keep(Memory &memory, const Cells &cells, const IndexedAccess &fresh);

  const Shapes &shapes;
  std::vector<Memory> memories;
  Pieces<Entry> entries;
  std::vector<std::uint32_t> unused; ///< Entries to take again.
  std::unordered_map<std::uint64_t, std::uint32_t> latest; ///< Entries.
  struct Pair {
    std::uint32_t a, b;
    std::int64_t distance;
    friend bool operator==(const Pair &, const Pair &) = default;
  };
  struct HashOfPair {
    std::size_t operator()(const Pair &pair) const;
  };
  std::unordered_map<Pair, bool, HashOfPair> met;
};

} // namespace kiln::problems::checker

#endif // KILN_COMPILER_LIB_PROVE_STREAMS_ACCESSINDEX_H

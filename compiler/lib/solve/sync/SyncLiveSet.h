//===- SyncLiveSet.h - Accesses that may still conflict -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index over bytes: each memory is cut into granules, each granule lists the
// accesses that reach into it, reads apart from writes, for reads do not look
// for reads. Where accesses walk in steps of one pitch (the rows of a tensor),
// granules are blocks of columns in bands of rows. Near-linear as long as
// accesses are dropped when a later write covers them; a read takes the place
// of an equal one of the same stream, which it cannot overtake.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_SOLVE_SYNC_SYNCLIVESET_H
#define KILN_COMPILER_LIB_SOLVE_SYNC_SYNCLIVESET_H

#include "SyncFootprint.h"
#include "support/Pieces.h"

#include <unordered_map>
#include <vector>

namespace kiln::problems::sync {

/// One access of the program, flattened.
struct FlatAccess {
  PlacedAccess place;
  Hull hull;
  std::uint32_t instruction = 0;
  std::uint32_t memory = 0; ///< Dense number of (space, tensor).
  ExecutionStream execution = 0;
  isa::Engine issuer = isa::Engine::sync;
  bool write = false;
};

class LiveSet {
public:
  explicit LiveSet(const Pieces<FlatAccess> &accesses);

  void clear();
  void insert(std::uint32_t access);
  /// Calls `visit(access)` once for each live access whose hull meets that of
  /// `probe` and that it can conflict with; the access is dropped if it returns
  /// true.
  template <class Visit> void query(const FlatAccess &probe, Visit &&visit) {
    ++epoch;
    Memory &memory = memories[probe.memory];
    if (!memory.isWritten)
      return;
    const Cells cells = cellsOf(memory, probe);
    const auto scan = [&](std::vector<std::uint32_t> &list) {
      std::size_t kept = 0;
      for (const std::uint32_t number : list) {
        Slot &slot = slots[number];
        if (slot.dead)
          continue;
        list[kept++] = number;
        if (slot.seen == epoch)
          continue;
        slot.seen = epoch;
        const Hull &hull = accesses[slot.access].hull;
        if (hull.low < probe.hull.high && probe.hull.low < hull.high &&
            visit(slot.access))
          slot.dead = true;
      }
      list.resize(kept);
    };
    forEachGranule(memory, cells, [&](Granule &granule) {
      scan(granule.writes);
      if (probe.write)
        scan(granule.reads);
    });
  }

private:
  struct Slot {
    std::uint32_t access;
    std::uint32_t seen = 0;
    bool dead = false;
  };
  struct Granule {
    std::vector<std::uint32_t> reads, writes; ///< Slots.
  };
  struct Cells {
    std::size_t firstRow, lastRow, firstColumn, lastColumn;
  };
  struct Memory {
    bool isWritten = false;
    std::int64_t low = 0, high = 0;
    std::int64_t pitch = 0; ///< Bytes of a row; without: all of it.
    std::int64_t width = 1, height = 1;
    std::size_t columns = 1;
    std::vector<Granule> granules;

    std::int64_t rowBytes() const { return pitch ? pitch : high - low; }
  };
  struct Columns {
    std::int64_t low, high;
  };

  template <class Use>
  void forEachGranule(Memory &memory, const Cells &cells, Use &&use) {
    for (std::size_t row = cells.firstRow; row <= cells.lastRow; ++row)
      for (std::size_t column = cells.firstColumn; column <= cells.lastColumn;
           ++column)
        use(memory.granules[row * memory.columns + column]);
  }
  struct Extents;
  static void choosePitch(Memory &memory, const Extents &extents);
  static void cut(Memory &memory, const Extents &extents);
  static Columns columnsOf(const Memory &memory, const FlatAccess &access);
  static Cells cellsOf(const Memory &memory, const FlatAccess &access);
  std::uint64_t keyOf(const FlatAccess &access) const;
  bool replaces(const FlatAccess &fresh, const FlatAccess &old) const;

  const Pieces<FlatAccess> &accesses;
  std::vector<Memory> memories;
  std::vector<Slot> slots;
  std::unordered_map<std::uint64_t, std::uint32_t> reads; ///< Slots.
  std::uint32_t epoch = 0;
};

} // namespace kiln::problems::sync

#endif // KILN_COMPILER_LIB_SOLVE_SYNC_SYNCLIVESET_H

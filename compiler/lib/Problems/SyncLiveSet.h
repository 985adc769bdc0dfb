//===- SyncLiveSet.h - Accesses that may still conflict -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index over byte ranges: each memory is cut into granules, each granule
// lists the accesses that reach into it. Near-linear as long as accesses are
// dropped when a later write covers them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_PROBLEMS_SYNCLIVESET_H
#define KILN_COMPILER_PROBLEMS_SYNCLIVESET_H

#include "SyncFootprint.h"

#include <functional>
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
  explicit LiveSet(const std::vector<FlatAccess> &accesses);

  void clear();
  void insert(std::uint32_t access);
  /// Calls `visit(access)` once for each live access whose hull meets that of
  /// `probe`; the access is dropped if it returns true.
  template <class Visit> void query(const FlatAccess &probe, Visit &&visit) {
    ++epoch;
    Memory &memory = memories[probe.memory];
    auto [first, last] = memory.range(probe.hull);
    for (std::size_t granule = first; granule <= last; ++granule) {
      std::vector<std::uint32_t> &list = memory.granules[granule];
      std::size_t kept = 0;
      for (std::uint32_t access : list) {
        if (dead[access])
          continue;
        list[kept++] = access;
        if (seen[access] == epoch)
          continue;
        seen[access] = epoch;
        const Hull &hull = accesses[access].hull;
        if (hull.low < probe.hull.high && probe.hull.low < hull.high &&
            visit(access))
          dead[access] = 1;
      }
      list.resize(kept);
    }
  }

private:
  struct Memory {
    std::int64_t low = 0, high = 0, granule = 1;
    std::vector<std::vector<std::uint32_t>> granules;

    std::pair<std::size_t, std::size_t> range(const Hull &hull) const {
      return {static_cast<std::size_t>((hull.low - low) / granule),
              static_cast<std::size_t>((hull.high - 1 - low) / granule)};
    }
  };

  const std::vector<FlatAccess> &accesses;
  std::vector<Memory> memories;
  std::vector<std::uint32_t> inserted;
  std::vector<char> dead;
  std::vector<std::uint32_t> seen;
  std::uint32_t epoch = 0;
};

} // namespace kiln::problems::sync

#endif // KILN_COMPILER_PROBLEMS_SYNCLIVESET_H

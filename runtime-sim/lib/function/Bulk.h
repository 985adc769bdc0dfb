//===- Bulk.h - Many bytes at once, on threads ------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_BULK_H
#define KILN_SIM_LIB_FUNCTION_BULK_H

#include "Lanes.h"

#include "kiln/isa/rounding.h"

#include <algorithm>
#include <optional>

namespace kiln::sim {

/// Calls task(i) for i < count, on the pool if there are many bytes.
template <class Task>
void forParts(Lanes &lanes, unsigned count, std::uint64_t bytes, Task &&task) {
  constexpr std::uint64_t worthSharing = 1 << 14;
  const unsigned parts =
      lanes.pool && bytes >= worthSharing ? 2 * lanes.pool->size() : 1;
  const unsigned step = isa::ceilDiv(count, parts);
  lanes.inParallel(isa::ceilDiv(count, step), [&](unsigned i, unsigned) {
    const unsigned end = std::min((i + 1) * step, count);
    for (unsigned p = i * step; p < end; ++p)
      task(p);
  });
}

/// Copies all lanes of a view to or from dense rows, one after the other.
void collect(Lanes &lanes, const View &view, std::uint8_t *dense);
void spread(Lanes &lanes, const std::uint8_t *dense, const View &view);

/// Rows of bytes without gaps in them.
struct ByteRows {
  std::uint8_t *data;
  std::int64_t pitch, bytes;
  /// Runs of `bytes` that make up a row, and from one to the next.
  unsigned runs = 1;
  std::int64_t step = 0;

  bool isDense() const { return runs == 1 && pitch == bytes; }
  std::uint8_t *run(unsigned index) const {
    return data + index / runs * pitch + index % runs * step;
  }
  /// No two runs of `count` rows have a byte in common.
  bool areApart(unsigned count) const;
  /// The same bytes in `parts` runs to a row.
  ByteRows inRuns(unsigned parts) const {
    return {data, pitch, bytes / parts, parts, bytes / parts};
  }
};
/// The view as `count` rows of one or more equal runs, if it is that.
std::optional<ByteRows> byteRowsOf(const View &view, unsigned count);
void copyRows(Lanes &lanes, const ByteRows &to, const ByteRows &from,
              unsigned count);

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_BULK_H

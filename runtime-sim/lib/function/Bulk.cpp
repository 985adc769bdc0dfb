//===- Bulk.cpp - Many bytes at once, on threads --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bulk.h"

#include "Rows.h"

#include <cstdlib>
#include <cstring>

namespace kiln::sim {

void collect(Lanes &lanes, const View &view, std::uint8_t *dense) {
  const std::uint64_t bytes = view.elements() * view.layout.elementBytes;
  forParts(lanes, view.lanes, bytes * view.lanes,
           [&](unsigned p) { gather(view, p, dense + p * bytes); });
}

void spread(Lanes &lanes, const std::uint8_t *dense, const View &view) {
  const std::uint64_t bytes = view.elements() * view.layout.elementBytes;
  forParts(lanes, view.lanes, bytes * view.lanes,
           [&](unsigned p) { scatter(dense + p * bytes, view, p); });
}

bool ByteRows::areApart(unsigned count) const {
  const std::int64_t across = std::abs(pitch), along = std::abs(step);
  const auto end = [&](std::int64_t distance, unsigned number) {
    return distance * (number - 1) + bytes;
  };
  // Row after row, or the first runs of all rows before the second ones.
  const bool byRows =
      (runs == 1 || along >= bytes) && across >= end(along, runs);
  return byRows || (across >= bytes && along >= end(across, count));
}

std::optional<ByteRows> byteRowsOf(const View &view, unsigned count) {
  const Layout &layout = view.layout;
  if (view.places || view.totalElements() % count != 0)
    return std::nullopt;
  const auto bytes = static_cast<std::int64_t>(view.totalElements() / count *
                                               layout.elementBytes);
  if (layout.contiguous() && (view.lanes == count || view.lanes == 1))
    return ByteRows{view.data, view.lanes == count ? view.pitch : bytes, bytes};
  if (view.lanes == 1 && layout.rank == 2 && layout.dims[0].size == count &&
      layout.dims[1].stride == layout.elementBytes)
    return ByteRows{view.data, layout.dims[0].stride, bytes};
  // Short runs are not worth the arithmetic.
  constexpr std::int64_t worthwhile = 64;
  if (view.lanes == 1 && layout.rank == 3 && layout.dims[0].size == count &&
      layout.dims[2].stride == layout.elementBytes) {
    const auto runs = static_cast<unsigned>(layout.dims[1].size);
    if (bytes / runs >= worthwhile)
      return ByteRows{view.data, layout.dims[0].stride, bytes / runs, runs,
                      layout.dims[1].stride};
  }
  return std::nullopt;
}

void copyRows(Lanes &lanes, const ByteRows &to, const ByteRows &from,
              unsigned count) {
  // Runs lie far apart, so the host cannot prefetch them.
  constexpr unsigned ahead = 2;
  constexpr std::int64_t lineBytes = 64, mostAhead = 2048;
  const auto bytes = static_cast<std::size_t>(from.bytes);
  const unsigned runs = count * from.runs;
  forParts(lanes, runs, runs * bytes, [&](unsigned i) {
    if (i + ahead < runs)
      for (std::int64_t b = 0; b < std::min(from.bytes, mostAhead);
           b += lineBytes)
        __builtin_prefetch(from.run(i + ahead) + b);
    std::memcpy(to.run(i), from.run(i), bytes);
  });
}

} // namespace kiln::sim

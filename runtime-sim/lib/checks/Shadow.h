//===- Shadow.h - Who wrote and read which bytes ----------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For every byte: its last writer and the readers since. Kept for rectangles
// (a range of bytes in a set of partitions) that are split where accesses
// differ, so it is exact to the byte and costs little for whole tiles.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_CHECKS_SHADOW_H
#define KILN_SIM_LIB_CHECKS_SHADOW_H

#include "VectorClock.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kiln::sim {

/// A set of partitions.
struct LaneMask {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  static LaneMask range(unsigned first, unsigned count);
  bool empty() const { return (low | high) == 0; }
  bool contains(LaneMask other) const { return other.without(*this).empty(); }
  LaneMask without(LaneMask other) const {
    return {low & ~other.low, high & ~other.high};
  }
  friend LaneMask operator&(LaneMask a, LaneMask b) {
    return {a.low & b.low, a.high & b.high};
  }
  friend LaneMask operator|(LaneMask a, LaneMask b) {
    return {a.low | b.low, a.high | b.high};
  }
  unsigned first() const;
};

/// Why an access is wrong, and where first.
struct Conflict {
  enum class Kind : std::uint8_t { uninitialised, race, reused };
  Kind kind = Kind::race;
  Event other; ///< The unordered access; reused: the writer through another
               ///< buffer.
  bool otherWrites = false;
  std::int64_t byte = 0;
  unsigned partition = 0;
};

class Remarks;
struct RemarkPlace;

class Shadow {
public:
  explicit Shadow(std::int64_t bytes);

  /// From now on reports to `to`; `place` is that of the access.
  void tell(Remarks *to, RemarkPlace *place) {
    remarks = to;
    current = place;
  }

  /// Bytes that hold values from the start.
  void initialise(std::int64_t begin, std::int64_t end, LaneMask lanes);

  std::optional<Conflict> read(std::int64_t begin, std::int64_t end,
                               LaneMask lanes, const Event &event,
                               const VectorClock &clock);
  std::optional<Conflict> write(std::int64_t begin, std::int64_t end,
                                LaneMask lanes, const Event &event,
                                const VectorClock &clock);

  /// Calls visit(writer) for the last writer of every piece; unwritten bytes
  /// have none.
  template <class Visit>
  void forEachWriter(std::int64_t begin, std::int64_t end, LaneMask lanes,
                     Visit &&visit) const {
    for (std::int64_t page = begin / pageBytes; page * pageBytes < end; ++page)
      for (const Segment &segment : pages[static_cast<std::size_t>(page)])
        if (segment.begin < end && segment.end > begin)
          for (const Record &record : segment.records)
            if (!(record.lanes & lanes).empty())
              visit(record.writer);
  }

private:
  /// Some partitions of a segment with one history.
  struct Record {
    LaneMask lanes;
    Event writer;
    std::vector<Event> readers; ///< Not ordered among each other.
  };
  struct Segment {
    std::int64_t begin, end;
    std::vector<Record> records; ///< Disjoint; uncovered lanes are unwritten.
  };
  using Page = std::vector<Segment>; ///< Sorted, disjoint.
  static constexpr std::int64_t pageBytes = 8192;

  /// Index of the first segment of `page` that ends after `at`, split so that
  /// none straddles `at`.
  static std::size_t splitAt(Page &page, std::int64_t at);
  template <class Visit>
  std::optional<Conflict> forEachPage(std::int64_t begin, std::int64_t end,
                                      Visit &&visit);
  std::optional<Conflict> readPage(Page &page, std::int64_t begin,
                                   std::int64_t end, LaneMask lanes,
                                   const Event &event,
                                   const VectorClock &clock);
  std::optional<Conflict> writePage(Page &page, std::int64_t begin,
                                    std::int64_t end, LaneMask lanes,
                                    const Event &event,
                                    const VectorClock &clock);
  void readRecords(Segment &segment, LaneMask lanes, const Event &event,
                   const VectorClock &clock);
  /// Where in the memory of the current access.
  const RemarkPlace &placeOf(const Segment &segment, LaneMask lanes) const;

  std::vector<Page> pages;
  Remarks *remarks = nullptr;
  RemarkPlace *current = nullptr;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_CHECKS_SHADOW_H

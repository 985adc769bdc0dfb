//===- Shadow.cpp - Who wrote and read which bytes ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shadow.h"

#include "Remarks.h"

#include "kiln/isa/rounding.h"

#include <bit>
#include <utility>

namespace kiln::sim {

namespace {

/// Unordered with the access that `clock` belongs to, and another one.
bool races(const Event &other, const Event &event, const VectorClock &clock) {
  return !clock.knows(other) && !other.sameAs(event);
}

} // namespace

LaneMask LaneMask::range(unsigned first, unsigned count) {
  const auto below = [](unsigned n) {
    return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
  };
  const auto upTo = [&](unsigned n) {
    return LaneMask{below(n), n > 64 ? below(n - 64) : 0};
  };
  return upTo(first + count).without(upTo(first));
}

unsigned LaneMask::first() const {
  return static_cast<unsigned>(low ? std::countr_zero(low)
                                   : 64 + std::countr_zero(high));
}

Shadow::Shadow(std::int64_t bytes)
    : pages(static_cast<std::size_t>(isa::ceilDiv(bytes, pageBytes))) {}

std::size_t Shadow::splitAt(Page &page, std::int64_t at) {
  std::size_t low = 0, high = page.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (page[middle].end <= at)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < page.size() && page[low].begin < at) {
    Segment right = page[low];
    right.begin = at;
    page[low].end = at;
    page.insert(page.begin() + static_cast<std::ptrdiff_t>(++low),
                std::move(right));
  }
  return low;
}

template <class Visit>
std::optional<Conflict> Shadow::forEachPage(std::int64_t begin,
                                            std::int64_t end, Visit &&visit) {
  while (begin < end) {
    const std::int64_t page = begin / pageBytes;
    const std::int64_t stop = std::min(end, (page + 1) * pageBytes);
    if (auto conflict =
            visit(pages[static_cast<std::size_t>(page)], begin, stop))
      return conflict;
    begin = stop;
  }
  return std::nullopt;
}

void Shadow::initialise(std::int64_t begin, std::int64_t end, LaneMask lanes) {
  // The start-up event is known to every clock, so nothing can race with it.
  write(begin, end, lanes, Event{}, VectorClock{});
}

std::optional<Conflict> Shadow::read(std::int64_t begin, std::int64_t end,
                                     LaneMask lanes, const Event &event,
                                     const VectorClock &clock) {
  return forEachPage(begin, end,
                     [&](Page &page, std::int64_t from, std::int64_t to) {
                       return readPage(page, from, to, lanes, event, clock);
                     });
}

std::optional<Conflict> Shadow::write(std::int64_t begin, std::int64_t end,
                                      LaneMask lanes, const Event &event,
                                      const VectorClock &clock) {
  return forEachPage(begin, end,
                     [&](Page &page, std::int64_t from, std::int64_t to) {
                       return writePage(page, from, to, lanes, event, clock);
                     });
}

std::optional<Conflict> Shadow::readPage(Page &page, std::int64_t begin,
                                         std::int64_t end, LaneMask lanes,
                                         const Event &event,
                                         const VectorClock &clock) {
  std::int64_t covered = begin;
  std::size_t i = splitAt(page, begin);
  splitAt(page, end);
  for (; i < page.size() && page[i].begin < end; ++i) {
    Segment &segment = page[i];
    if (segment.begin > covered)
      break;
    LaneMask missing = lanes;
    for (const Record &record : segment.records) {
      const LaneMask shared = record.lanes & lanes;
      if (shared.empty())
        continue;
      missing = missing.without(record.lanes);
      if (races(record.writer, event, clock))
        return Conflict{Conflict::Kind::race, record.writer, true,
                        segment.begin, shared.first()};
      if (event.buffer != 0 && record.writer.buffer != 0 &&
          event.buffer != record.writer.buffer)
        return Conflict{Conflict::Kind::reused, record.writer, true,
                        segment.begin, shared.first()};
    }
    if (!missing.empty())
      return Conflict{Conflict::Kind::uninitialised,
                      {},
                      false,
                      segment.begin,
                      missing.first()};
    readRecords(segment, lanes, event, clock);
    covered = segment.end;
  }
  if (covered < end)
    return Conflict{
        Conflict::Kind::uninitialised, {}, false, covered, lanes.first()};
  return std::nullopt;
}

const RemarkPlace &Shadow::placeOf(const Segment &segment,
                                   LaneMask lanes) const {
  current->byte = segment.begin;
  current->lane = lanes.first();
  return *current;
}

void Shadow::readRecords(Segment &segment, LaneMask lanes, const Event &event,
                         const VectorClock &clock) {
  const std::size_t count = segment.records.size();
  for (std::size_t r = 0; r < count; ++r) {
    const LaneMask shared = segment.records[r].lanes & lanes;
    if (shared.empty())
      continue;
    if (!lanes.contains(segment.records[r].lanes)) {
      Record rest = segment.records[r];
      rest.lanes = rest.lanes.without(lanes);
      segment.records[r].lanes = shared;
      segment.records.push_back(std::move(rest));
    }
    if (remarks) {
      const Event &writer = segment.records[r].writer;
      if (segment.records[r].readers.empty())
        remarks->noteRead(writer);
      if (!Remarks::agree(writer.type, event.type))
        remarks->noteRetyped(event, writer, placeOf(segment, shared));
    }
    // Whatever is ordered after this read is ordered after those it knows.
    std::vector<Event> &readers = segment.records[r].readers;
    std::erase_if(readers, [&](const Event &reader) {
      return clock.knows(reader) || reader.agent == event.agent;
    });
    readers.push_back(event);
  }
}

std::optional<Conflict> Shadow::writePage(Page &page, std::int64_t begin,
                                          std::int64_t end, LaneMask lanes,
                                          const Event &event,
                                          const VectorClock &clock) {
  const std::size_t first = splitAt(page, begin);
  const std::size_t last = splitAt(page, end);
  bool replaced = true; // Every record lies within the written lanes.
  for (std::size_t i = first; i < last; ++i) {
    for (Record &record : page[i].records) {
      const LaneMask shared = record.lanes & lanes;
      if (!lanes.contains(record.lanes))
        replaced = false;
      if (shared.empty())
        continue;
      if (races(record.writer, event, clock))
        return Conflict{Conflict::Kind::race, record.writer, true,
                        page[i].begin, shared.first()};
      for (const Event &reader : record.readers)
        if (races(reader, event, clock))
          return Conflict{Conflict::Kind::race, reader, false, page[i].begin,
                          shared.first()};
      if (remarks && record.readers.empty() && record.writer.clock != 0 &&
          !record.writer.sameAs(event))
        remarks->noteOverwritten(event, record.writer,
                                 placeOf(page[i], shared));
    }
  }
  const auto at = [&](std::size_t index) {
    return page.begin() + static_cast<std::ptrdiff_t>(index);
  };
  if (replaced) {
    if (first == last) {
      page.insert(at(first), Segment{begin, end, {}});
    } else if (last - first > 1) {
      page.erase(at(first + 1), at(last));
    }
    Segment &whole = page[first];
    whole.begin = begin;
    whole.end = end;
    whole.records.resize(1);
    whole.records[0].lanes = lanes;
    whole.records[0].writer = event;
    whole.records[0].readers.clear();
    return std::nullopt;
  }
  std::int64_t covered = begin;
  for (std::size_t i = first; covered < end; ++i) {
    const bool inside = i < page.size() && page[i].begin < end;
    const std::int64_t next = inside ? page[i].begin : end;
    if (covered < next) {
      page.insert(at(i), Segment{covered, next, {{lanes, event, {}}}});
      covered = next;
      continue;
    }
    Segment &segment = page[i];
    for (Record &record : segment.records)
      record.lanes = record.lanes.without(lanes);
    std::erase_if(segment.records,
                  [](const Record &record) { return record.lanes.empty(); });
    segment.records.push_back({lanes, event, {}});
    covered = segment.end;
  }
  return std::nullopt;
}

} // namespace kiln::sim

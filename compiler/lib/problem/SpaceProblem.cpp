//===- SpaceProblem.cpp - Instances of placement: check, verify, text -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   space sbuf 196608               # memory, bytes per partition
//   tile 128 1024 0 17 align 32 slots 2 name k    # partitions bytes begin end
//   tile 128 2048 3 9 bank
//   tile 64 512 0 4 pin 64 4096
//   tile 128 256 0 4 within 0 65536  # somewhere in these bytes
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/problem/SpaceProblem.h"
#include "kiln/isa/noun.h"
#include "kiln/isa/rounding.h"

#include "TextReader.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace kiln::problems {

std::uint64_t SpaceRectangle::slotBytes() const {
  std::uint64_t unit = wholeBank ? isa::psumBankBytes : alignment;
  return isa::roundUp(bytes, unit);
}

std::uint32_t SpaceRectangle::partitionUnit() const {
  return partitions <= 32 ? 32 : partitions <= 64 ? 64 : isa::maxPartitions;
}

std::string SpaceProblem::title(std::size_t index) const {
  const std::string &name = rectangles[index].name;
  return name.empty() ? fmt::format("tile {}", index)
                      : fmt::format("tile '{}'", name);
}

Problem SpaceProblem::check() const {
  // Beyond it, sums of offsets could overflow.
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  if (space == isa::Space::hbm)
    return "HBM is not allocated here";
  for (std::size_t i = 0; i < rectangles.size(); ++i) {
    const SpaceRectangle &tile = rectangles[i];
    if (tile.partitions == 0 || tile.partitions > isa::maxPartitions)
      return fmt::format("{}: {} partitions, 1 to {} are allowed", title(i),
                         tile.partitions, isa::maxPartitions);
    if (tile.bytes == 0 || tile.slots == 0)
      return fmt::format("{}: no bytes", title(i));
    if (tile.bytes > most || tile.slots > most / tile.bytes)
      return fmt::format("{}: {} slots of {} bytes, no memory has more than {}",
                         title(i), tile.slots, tile.bytes, most);
    if (tile.pin && tile.pin->offset > most)
      return fmt::format("{}: pinned to byte {}, a partition has {}", title(i),
                         tile.pin->offset, capacity);
    if (tile.within && tile.within->begin >= tile.within->end)
      return fmt::format("{}: within bytes {} to {}", title(i),
                         tile.within->begin, tile.within->end);
    if (tile.alignment == 0 || (tile.alignment & (tile.alignment - 1)))
      return fmt::format("{}: alignment {} is not a power of two", title(i),
                         tile.alignment);
    if (tile.begin > tile.end)
      return fmt::format("{}: lives from {} to {}", title(i), tile.begin,
                         tile.end);
    if (tile.wholeBank && space != isa::Space::psum)
      return fmt::format("{}: banks are in PSUM", title(i));
    if (tile.pin &&
        (tile.pin->partition % tile.partitionUnit() != 0 ||
         tile.pin->partition + tile.partitions > isa::maxPartitions))
      return fmt::format("{}: {} partitions cannot start at partition {}",
                         title(i), tile.partitions, tile.pin->partition);
  }
  return std::nullopt;
}

/// The most bytes that are live at once of what `counts`.
template <class Counts>
static std::uint64_t mostLive(const SpaceProblem &problem, Counts &&counts) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> changes;
  changes.reserve(2 * problem.rectangles.size());
  for (const SpaceRectangle &tile : problem.rectangles) {
    if (!counts(tile))
      continue;
    const auto bytes = static_cast<std::int64_t>(tile.totalBytes());
    changes.emplace_back(tile.begin, bytes);
    changes.emplace_back(std::uint64_t{tile.end} + 1, -bytes);
  }
  // Buffers that end at a position leave before others enter.
  std::sort(changes.begin(), changes.end());
  std::int64_t live = 0, most = 0;
  for (const auto &[position, delta] : changes)
    most = std::max(most, live += delta);
  return static_cast<std::uint64_t>(most);
}

std::uint64_t spaceBound(const SpaceProblem &problem) {
  return mostLive(problem, [](const SpaceRectangle &) { return true; });
}

std::uint64_t spaceBound(const SpaceProblem &problem, const SpaceLimit &limit) {
  return mostLive(problem, [&](const SpaceRectangle &tile) {
    return tile.within && limit.begin <= tile.within->begin &&
           tile.within->end <= limit.end;
  });
}

bool mayHaveRoom(const SpaceProblem &problem) {
  return mostLive(problem, [](const SpaceRectangle &tile) {
           return !tile.pin;
         }) <= problem.capacity;
}

std::string describeFailure(const SpaceProblem &problem,
                            const SpaceFailure &failure) {
  const SpaceRectangle &tile = problem.rectangles[failure.rectangle];
  std::string out = fmt::format(
      "{} does not fit: {} ({} B in each partition) could not be placed; {} of "
      "{} B "
      "are live at position {}\n",
      isa::name(problem.space), problem.title(failure.rectangle),
      tile.totalBytes(), failure.liveBytes, problem.capacity, failure.position);
  constexpr std::size_t rows = 24; // Only the largest: one page.
  std::size_t shown = std::min(rows, failure.live.size());
  for (std::size_t row = 0; row < shown; ++row) {
    std::uint32_t index = failure.live[row];
    const SpaceRectangle &live = problem.rectangles[index];
    out +=
        fmt::format("  {:>8} B  {}  {}  live {}..{}  {}\n", live.totalBytes(),
                    isa::counted(live.partitions, "partition"),
                    isa::counted(live.slots, "slot"), live.begin, live.end,
                    problem.title(index));
  }
  if (shown < failure.live.size())
    out += fmt::format("  and {} more\n", failure.live.size() - shown);
  return out;
}

std::string print(const SpaceProblem &problem) {
  std::string out =
      fmt::format("space {} {}{}\n", isa::name(problem.space), problem.capacity,
                  problem.spread ? " spread" : "");
  for (const SpaceRectangle &tile : problem.rectangles) {
    out += fmt::format("tile {} {} {} {}", tile.partitions, tile.bytes,
                       tile.begin, tile.end);
    if (tile.alignment != 1)
      out += fmt::format(" align {}", tile.alignment);
    if (tile.slots != 1)
      out += fmt::format(" slots {}", tile.slots);
    if (tile.wholeBank)
      out += " bank";
    if (tile.pin)
      out += fmt::format(" pin {} {}", tile.pin->partition, tile.pin->offset);
    if (tile.within)
      out += fmt::format(" within {} {}", tile.within->begin, tile.within->end);
    if (!tile.name.empty())
      out += " name " + tile.name;
    out += "\n";
  }
  return out;
}

Parsed<SpaceProblem> parseSpaceProblem(std::string_view text) {
  SpaceProblem problem;
  TextReader reader(text);
  while (!reader.failed() && reader.nextLine()) {
    if (reader.accept("space")) {
      problem.space = reader.onChipSpace();
      problem.capacity = reader.number<std::uint64_t>();
      problem.spread = reader.accept("spread");
    } else if (reader.accept("tile")) {
      SpaceRectangle tile;
      tile.partitions = reader.number<std::uint32_t>();
      tile.bytes = reader.number<std::uint64_t>();
      tile.begin = reader.number<std::uint32_t>();
      tile.end = reader.number<std::uint32_t>();
      while (!reader.atEnd() && !reader.failed()) {
        if (reader.accept("align")) {
          tile.alignment = reader.number<std::uint32_t>();
        } else if (reader.accept("slots")) {
          tile.slots = reader.number<std::uint32_t>();
        } else if (reader.accept("bank")) {
          tile.wholeBank = true;
        } else if (reader.accept("pin")) {
          SpacePin pin;
          pin.partition = reader.number<std::uint32_t>();
          pin.offset = reader.number<std::uint64_t>();
          tile.pin = pin;
        } else if (reader.accept("within")) {
          SpaceLimit limit;
          limit.begin = reader.number<std::uint64_t>();
          limit.end = reader.number<std::uint64_t>();
          tile.within = limit;
        } else if (reader.accept("name")) {
          tile.name = std::string(reader.remainder());
        } else {
          reader.fail("expected align, slots, bank, pin, within or name");
        }
      }
      problem.rectangles.push_back(std::move(tile));
    } else {
      reader.fail("expected space or tile");
    }
    reader.expectEnd();
  }
  return checked(reader, std::move(problem));
}

} // namespace kiln::problems

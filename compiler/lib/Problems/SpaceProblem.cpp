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
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/Problems/SpaceProblem.h"

#include "TextReader.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace kiln::problems {

std::uint64_t SpaceRectangle::slotBytes() const {
  std::uint64_t unit = wholeBank ? isa::psumBankBytes : alignment;
  return (bytes + unit - 1) / unit * unit;
}

namespace {

/// Legal first partitions depend on how many an operand touches.
std::uint32_t partitionUnit(std::uint32_t partitions) {
  return partitions <= 32 ? 32 : partitions <= 64 ? 64 : isa::maxPartitions;
}

std::string title(const SpaceProblem &problem, std::size_t index) {
  const std::string &name = problem.rectangles[index].name;
  return name.empty() ? fmt::format("tile {}", index)
                      : fmt::format("tile '{}'", name);
}

} // namespace

Problem SpaceProblem::check() const {
  // Beyond it, sums of offsets could overflow.
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  if (space == isa::Space::hbm)
    return "HBM is not allocated here";
  for (std::size_t i = 0; i < rectangles.size(); ++i) {
    const SpaceRectangle &tile = rectangles[i];
    if (tile.partitions == 0 || tile.partitions > isa::maxPartitions)
      return fmt::format("{}: {} partitions, 1 to {} are allowed",
                         title(*this, i), tile.partitions, isa::maxPartitions);
    if (tile.bytes == 0 || tile.slots == 0)
      return fmt::format("{}: no bytes", title(*this, i));
    if (tile.bytes > most || tile.slots > most / tile.bytes)
      return fmt::format("{}: {} slots of {} bytes, no memory has more than {}",
                         title(*this, i), tile.slots, tile.bytes, most);
    if (tile.pin && tile.pin->offset > most)
      return fmt::format("{}: pinned to byte {}, a partition has {}",
                         title(*this, i), tile.pin->offset, capacity);
    if (tile.alignment == 0 || (tile.alignment & (tile.alignment - 1)))
      return fmt::format("{}: alignment {} is not a power of two",
                         title(*this, i), tile.alignment);
    if (tile.begin > tile.end)
      return fmt::format("{}: lives from {} to {}", title(*this, i), tile.begin,
                         tile.end);
    if (tile.wholeBank && space != isa::Space::psum)
      return fmt::format("{}: banks are in PSUM", title(*this, i));
    if (tile.pin &&
        (tile.pin->partition % partitionUnit(tile.partitions) != 0 ||
         tile.pin->partition + tile.partitions > isa::maxPartitions))
      return fmt::format("{}: {} partitions cannot start at partition {}",
                         title(*this, i), tile.partitions, tile.pin->partition);
  }
  return std::nullopt;
}

std::uint64_t spaceBound(const SpaceProblem &problem) {
  std::map<std::uint64_t, std::int64_t> change;
  for (const SpaceRectangle &tile : problem.rectangles) {
    std::int64_t bytes = static_cast<std::int64_t>(tile.totalBytes());
    change[tile.begin] += bytes;
    change[std::uint64_t{tile.end} + 1] -= bytes;
  }
  std::int64_t live = 0, most = 0;
  for (auto [position, delta] : change)
    most = std::max(most, live += delta);
  return static_cast<std::uint64_t>(most);
}

Problem verify(const SpaceProblem &problem, const SpaceSolution &solution) {
  if (Problem wrong = problem.check())
    return wrong;
  if (solution.places.size() != problem.rectangles.size())
    return fmt::format("{} places for {} tiles", solution.places.size(),
                       problem.rectangles.size());
  std::uint64_t peak = 0;
  for (std::size_t i = 0; i < problem.rectangles.size(); ++i) {
    const SpaceRectangle &tile = problem.rectangles[i];
    const SpacePlace &place = solution.places[i];
    std::uint64_t end = place.offset + tile.totalBytes();
    peak = std::max(peak, end);
    if (end > problem.capacity)
      return fmt::format("{} ends at byte {} of {}", title(problem, i), end,
                         problem.capacity);
    if (tile.pin && (place.partition != tile.pin->partition ||
                     place.offset != tile.pin->offset))
      return fmt::format("{} is pinned and was moved", title(problem, i));
    if (place.partition % partitionUnit(tile.partitions) != 0 ||
        place.partition + tile.partitions > isa::maxPartitions)
      return fmt::format("{} starts at partition {}", title(problem, i),
                         place.partition);
    if (place.offset % tile.alignment != 0)
      return fmt::format("{} is not aligned to {}", title(problem, i),
                         tile.alignment);
    for (std::uint32_t slot = 0; slot < tile.slots; ++slot) {
      std::uint64_t at = place.offset + slot * tile.slotBytes();
      if (tile.wholeBank && at % isa::psumBankBytes != 0)
        return fmt::format("{} does not start a bank", title(problem, i));
      if (problem.space == isa::Space::psum &&
          tile.bytes <= isa::psumBankBytes &&
          at / isa::psumBankBytes != (at + tile.bytes - 1) / isa::psumBankBytes)
        return fmt::format("{} crosses a bank", title(problem, i));
    }
  }
  if (peak != solution.peakBytes)
    return fmt::format("the peak is {}, not {}", peak, solution.peakBytes);

  // Sweep over time; what is alive is kept by offset. Neighbours in offset may
  // lie in other partitions, so each quadrant has its own order.
  struct Moment {
    std::uint32_t position;
    bool begins;
    std::uint32_t tile;
  };
  std::vector<Moment> moments;
  for (std::uint32_t i = 0; i < problem.rectangles.size(); ++i) {
    moments.push_back({problem.rectangles[i].begin, true, i});
    moments.push_back({problem.rectangles[i].end, false, i});
  }
  std::sort(moments.begin(), moments.end(),
            [](const Moment &a, const Moment &b) {
              return std::tuple(a.position, !a.begins, a.tile) <
                     std::tuple(b.position, !b.begins, b.tile);
            });
  std::array<std::map<std::uint64_t, std::uint32_t>, 4> alive;
  for (const Moment &moment : moments) {
    const SpaceRectangle &tile = problem.rectangles[moment.tile];
    const SpacePlace &place = solution.places[moment.tile];
    std::uint32_t firstQuadrant = place.partition / 32;
    std::uint32_t lastQuadrant = (place.partition + tile.partitions - 1) / 32;
    for (std::uint32_t q = firstQuadrant; q <= lastQuadrant; ++q) {
      auto &row = alive[q];
      if (!moment.begins) {
        row.erase(place.offset);
        continue;
      }
      auto after = row.lower_bound(place.offset);
      std::optional<std::uint32_t> other;
      if (after != row.end() && after->first < place.offset + tile.totalBytes())
        other = after->second;
      if (after != row.begin()) {
        auto below = std::prev(after);
        if (below->first + problem.rectangles[below->second].totalBytes() >
            place.offset)
          other = below->second;
      }
      if (other)
        return fmt::format("{} and {} share bytes at position {}",
                           title(problem, *other), title(problem, moment.tile),
                           moment.position);
      row.emplace(place.offset, moment.tile);
    }
  }
  return std::nullopt;
}

std::string describeFailure(const SpaceProblem &problem,
                            const SpaceFailure &failure) {
  const SpaceRectangle &tile = problem.rectangles[failure.rectangle];
  std::string out = fmt::format(
      "{} does not fit: {} ({} B in each partition) found no place; {} of {} B "
      "are live at position {}\n",
      isa::name(problem.space), title(problem, failure.rectangle),
      tile.totalBytes(), failure.liveBytes, problem.capacity, failure.position);
  constexpr std::size_t rows = 24; // The largest; a page is read, ten are not.
  std::size_t shown = std::min(rows, failure.live.size());
  for (std::size_t row = 0; row < shown; ++row) {
    std::uint32_t index = failure.live[row];
    const SpaceRectangle &live = problem.rectangles[index];
    out += fmt::format("  {:>8} B  {} partitions  {} slot{}  live {}..{}  {}\n",
                       live.totalBytes(), live.partitions, live.slots,
                       live.slots == 1 ? "" : "s", live.begin, live.end,
                       title(problem, index));
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
      std::string_view space = reader.word();
      if (space == "psum")
        problem.space = isa::Space::psum;
      else if (space == "sbuf")
        problem.space = isa::Space::sbuf;
      else
        reader.fail("expected sbuf or psum");
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
        } else if (reader.accept("name")) {
          tile.name = std::string(reader.remainder());
        } else {
          reader.fail("expected align, slots, bank, pin or name");
        }
      }
      problem.rectangles.push_back(std::move(tile));
    } else {
      reader.fail("expected space or tile");
    }
    if (!reader.failed() && !reader.atEnd())
      reader.fail("trailing words");
  }
  if (reader.failed())
    return {std::nullopt, reader.message()};
  if (Problem wrong = problem.check())
    return {std::nullopt, *wrong};
  return {std::move(problem), ""};
}

} // namespace kiln::problems

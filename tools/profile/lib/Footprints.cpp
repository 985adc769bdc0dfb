//===- Footprints.cpp - The bytes on chip that a run touches -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Footprints.h"

#include "kiln/isa/info.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace kiln::profile {

namespace {

using Pieces = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// [begin, end) of each piece of a partition that the operand has, at most
/// `most`; where there are more, what is between the closest ones counts, too.
Pieces piecesOf(const isa::Access &access, std::int64_t shift,
                std::uint64_t most) {
  const auto element =
      static_cast<std::int64_t>(isa::sizeInBytes(access.dtype));
  std::int64_t begin = access.offset + shift, length = element;
  std::vector<std::pair<std::int64_t, std::int64_t>> dims; // Stride, size.
  std::uint64_t count = 1;
  for (unsigned i = 0; i < access.rank; ++i) {
    std::int64_t stride = element * access.dims[i].stride;
    const std::int64_t size = access.dims[i].size;
    if (stride < 0) {
      begin += stride * (size - 1);
      stride = -stride;
    }
    if (stride == 0 || size <= 1)
      continue;
    dims.emplace_back(stride, size);
    count *= static_cast<std::uint64_t>(size);
  }
  std::sort(dims.begin(), dims.end());
  std::size_t done = 0;
  for (; done < dims.size(); ++done) {
    const auto [stride, size] = dims[done];
    if (stride > length && count <= most)
      break;
    length += stride * (size - 1);
    count /= static_cast<std::uint64_t>(size);
  }
  Pieces pieces{{begin, begin + length}};
  for (; done < dims.size(); ++done) {
    const std::size_t own = pieces.size();
    for (std::int64_t i = 1; i < dims[done].second; ++i)
      for (std::size_t p = 0; p < own; ++p)
        pieces.emplace_back(pieces[p].first + i * dims[done].first,
                            pieces[p].second + i * dims[done].first);
  }
  std::sort(pieces.begin(), pieces.end());
  return pieces;
}

template <class Number> void sortCuts(std::vector<Number> &cuts) {
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
}

template <class Number>
std::uint32_t cellAt(const std::vector<Number> &cuts, Number at) {
  return static_cast<std::uint32_t>(
      std::lower_bound(cuts.begin(), cuts.end(), at) - cuts.begin());
}

/// Control instructions use their operands in the sequencer.
bool notesMoves(const isa::Body &body) {
  return !isa::info(isa::opcode(body)).isControl ||
         std::holds_alternative<isa::CoreBarrier>(body);
}

/// Cells that all uses together may visit; beyond that, cells are larger.
constexpr std::uint64_t mostWork = 400'000'000;

} // namespace

Footprints::Footprints(const Binary &binary, const sim::Timing &timing,
                       const isa::Target &target) {
  collect(binary, timing);
  for (std::uint64_t pieces = 256;; pieces /= 16) {
    cut(target, std::max<std::uint64_t>(1, pieces));
    if (pieces == 0 || work() <= mostWork)
      break;
  }
}

void Footprints::collect(const Binary &binary, const sim::Timing &timing) {
  std::map<std::tuple<const isa::Access *, std::int64_t>, std::uint32_t> known;
  // The moves of a run begin at `move`.
  const auto add = [&](std::uint32_t number, sim::Picoseconds start,
                       sim::Picoseconds visible, std::size_t move) {
    Use use{start, visible, number, static_cast<std::uint32_t>(operands.size()),
            0};
    for (const isa::OperandAccess &entry : binary.all[number].accesses) {
      const isa::Access &access = *entry.access;
      if (access.space == isa::Space::hbm)
        continue;
      std::int64_t shift = 0;
      if (access.numTerms > 0 && move < timing.moves.size())
        shift = timing.moves[move++];
      const auto [found, isNew] = known.try_emplace(
          {&access, shift}, static_cast<std::uint32_t>(placed.size()));
      if (isNew)
        placed.push_back({&access, shift});
      operands.push_back({&entry, found->second});
    }
    use.end = static_cast<std::uint32_t>(operands.size());
    if (use.end > use.first)
      uses.push_back(use);
  };

  std::vector<std::size_t> firstMove;
  std::size_t moves = 0;
  firstMove.reserve(timing.runs.size());
  for (const sim::TraceRun &run : timing.runs) {
    firstMove.push_back(moves);
    const std::uint32_t number = binary.numberOf(run.engine, run.index);
    const Executed &one = binary.all[number];
    if (notesMoves(one.instruction->body))
      for (const isa::OperandAccess &entry : one.accesses)
        moves += entry.access->space != isa::Space::hbm &&
                 entry.access->numTerms > 0;
    else // Without an event.
      add(number, run.acted, std::max(run.acted, run.freed),
          timing.moves.size());
  }
  for (const sim::TraceEvent &event : timing.events) {
    const std::uint32_t number = binary.numberOf(event.engine, event.index);
    const isa::Opcode opcode =
        isa::opcode(binary.all[number].instruction->body);
    const bool isOnQueue = event.track >= isa::numEngines;
    if (event.track == sim::weightsTrack ||
        (!isOnQueue && event.track != event.engine) ||
        isOnQueue != isa::info(opcode).isDma)
      continue;
    add(number, event.start, event.visible,
        event.run < firstMove.size() ? firstMove[event.run]
                                     : timing.moves.size());
  }
  std::stable_sort(uses.begin(), uses.end(), [](const Use &a, const Use &b) {
    return a.start < b.start;
  });
}

void Footprints::cut(const isa::Target &target, std::uint64_t mostPieces) {
  sbuf = psum = {};
  for (std::int64_t bank = 0;
       bank * isa::psumBankBytes <
       static_cast<std::int64_t>(target.bytes(isa::Space::psum));
       ++bank)
    psum.bytes.push_back(bank * isa::psumBankBytes);
  std::vector<Pieces> pieces;
  for (const Placed &one : placed) {
    pieces.push_back(piecesOf(*one.access, one.shift, mostPieces));
    Cells &cells = of(one.access->space);
    for (const auto &[begin, end] : pieces.back()) {
      cells.bytes.push_back(begin);
      cells.bytes.push_back(end);
    }
    cells.partitions.push_back(one.access->partition);
    cells.partitions.push_back(one.access->partition + one.access->partitions);
  }
  for (Cells *cells : {&sbuf, &psum}) {
    sortCuts(cells->bytes);
    sortCuts(cells->partitions);
  }
  all.clear();
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const isa::Access &access = *placed[i].access;
    const Cells &cells = of(access.space);
    Footprint own;
    own.firstByte = pieces[i].front().first;
    own.firstPartition = access.partition;
    own.endPartition = own.firstPartition + access.partitions;
    own.firstGroup = cellAt(cells.partitions, own.firstPartition);
    own.endGroup = cellAt(cells.partitions, own.endPartition);
    for (const auto &[begin, end] : pieces[i]) {
      own.endByte = std::max(own.endByte, end);
      const std::uint32_t first = cellAt(cells.bytes, begin);
      const std::uint32_t last = cellAt(cells.bytes, end);
      if (!own.cells.empty() && first <= own.cells.back().second)
        own.cells.back().second = std::max(own.cells.back().second, last);
      else
        own.cells.emplace_back(first, last);
    }
    all.push_back(std::move(own));
  }
}

std::uint64_t Footprints::work() const {
  std::vector<std::uint64_t> each;
  for (const Footprint &one : all) {
    std::uint64_t cells = 0;
    for (const auto &[first, end] : one.cells)
      cells += end - first;
    each.push_back(cells * (one.endGroup - one.firstGroup));
  }
  std::uint64_t sum = 0;
  for (const Operand &operand : operands)
    sum += each[operand.footprint];
  return sum;
}

} // namespace kiln::profile

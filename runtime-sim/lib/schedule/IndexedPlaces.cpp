//===- IndexedPlaces.cpp - Where an index operand leads -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexedPlaces.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace kiln::sim {

namespace {

/// Entry `at` of lane `lane`, outermost dimension first.
std::int64_t entryOf(const View &list, unsigned lane, std::uint64_t at) {
  const std::uint8_t *place = list.lane(lane);
  for (unsigned d = list.layout.rank; d-- > 0;) {
    const Layout::Step &step = list.layout.dims[d];
    place += static_cast<std::int64_t>(at % step.size) * step.stride;
    at /= step.size;
  }
  std::uint32_t bits = 0;
  std::memcpy(&bits, place, list.layout.elementBytes);
  return list.dtype == isa::DType::i32
             ? std::int64_t{static_cast<std::int32_t>(bits)}
             : std::int64_t{bits};
}

} // namespace

void IndexedPlaces::add(const PlacedAccess &indexed, const isa::Access &pattern,
                        std::int64_t offset) {
  patterns.push_back(pattern);
  PlacedAccess access = indexed;
  access.operand.access = &patterns.back();
  access.operand.isIndexed = false;
  access.offset = offset;
  resolved.push_back(access);
}

void IndexedPlaces::addRows(const PlacedAccess &indexed,
                            const PlacedAccess &index, Memory &memory) {
  const isa::Access &table = *indexed.operand.access;
  const View list = memory.view(*index.operand.access, index.offset);
  isa::Access row = table;
  row.rank = static_cast<std::uint8_t>(table.rank - 1);
  std::copy(table.dims.begin() + 1, table.dims.end(), row.dims.begin());
  const Layout layout = layoutOf(row);
  const std::int64_t stride =
      std::int64_t{table.dims[0].stride} * isa::sizeInBytes(table.dtype);
  const std::int64_t bytes = memory.tensorBytes(table.tensor);
  const std::int64_t rows = memory.tensorRows(table.tensor, stride);
  for (std::uint64_t w = 0; w < table.dims[0].size; ++w) {
    const std::int64_t number =
        entryOf(list, static_cast<unsigned>(w % list.lanes), w / list.lanes);
    const std::int64_t offset = indexed.offset + number * stride;
    if (number >= 0 && number < rows && offset + layout.low >= 0 &&
        offset + layout.high <= bytes)
      add(indexed, row, offset);
  }
}

void IndexedPlaces::addElements(const PlacedAccess &indexed,
                                const PlacedAccess &index, Memory &memory,
                                unsigned groupLanes) {
  const isa::Access &tile = *indexed.operand.access;
  const View list = memory.view(*index.operand.access, index.offset);
  const auto bytes = static_cast<std::int64_t>(isa::sizeInBytes(tile.dtype));
  const std::int64_t end = memory.laneBytes(tile.space);
  std::vector<std::int64_t> places;
  for (unsigned first = 0; first < tile.partitions; first += groupLanes) {
    places.clear();
    for (std::uint64_t i = 0; i < tile.elements(); ++i) {
      const auto lane = static_cast<unsigned>(first + i % groupLanes);
      if (lane >= list.lanes || i / groupLanes >= list.elements())
        break;
      const std::int64_t at =
          indexed.offset + entryOf(list, lane, i / groupLanes) * bytes;
      if (at >= 0 && at + bytes <= end)
        places.push_back(at);
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    isa::Access run = tile;
    run.partition = static_cast<std::uint8_t>(tile.partition + first);
    run.partitions = static_cast<std::uint8_t>(
        std::min(groupLanes, tile.partitions - first));
    run.rank = 1;
    for (std::size_t i = 0, next = 0; i < places.size(); i = next) {
      for (next = i + 1;
           next < places.size() && places[next] == places[next - 1] + bytes;)
        ++next;
      run.dims[0] = {1, static_cast<std::uint32_t>(next - i)};
      add(indexed, run, places[i]);
    }
  }
}

void IndexedPlaces::resolve(std::vector<PlacedAccess> &accesses, Memory &memory,
                            isa::Engine engine) {
  const auto isIndexed = [](const PlacedAccess &access) {
    return access.operand.isIndexed;
  };
  if (std::none_of(accesses.begin(), accesses.end(), isIndexed))
    return;
  resolved.clear();
  patterns.clear();
  std::vector<const PlacedAccess *> indices(accesses.size());
  std::vector<bool> isIndex(accesses.size());
  for (std::size_t i = 0; i < accesses.size(); ++i)
    for (std::size_t k = 0; isIndexed(accesses[i]) && k < accesses.size(); ++k)
      if (accesses[k].operand.name ==
          std::string(accesses[i].operand.name) + "_index") {
        indices[i] = &accesses[k];
        isIndex[k] = true;
      }
  for (std::size_t i = 0; i < accesses.size(); ++i)
    if (isIndex[i])
      resolved.push_back(accesses[i]);
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (isIndex[i])
      continue;
    if (!indices[i])
      resolved.push_back(accesses[i]);
    else if (accesses[i].operand.access->space == isa::Space::hbm)
      addRows(accesses[i], *indices[i], memory);
    else
      addElements(accesses[i], *indices[i], memory,
                  engine == isa::Engine::tensor ? 32 : 16);
  }
  accesses.swap(resolved);
}

} // namespace kiln::sim

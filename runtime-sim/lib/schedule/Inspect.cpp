//===- Inspect.cpp - Stop and look at memory ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inspect.h"

#include "../function/Rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kiln::sim {

bool writesInto(const std::vector<PlacedAccess> &accesses,
                const MemoryRange &range) {
  for (const PlacedAccess &placed : accesses) {
    const isa::Access &access = *placed.operand.access;
    if (placed.operand.effect == isa::Effect::read ||
        access.space != range.space)
      continue;
    if (access.space == isa::Space::hbm
            ? access.tensor != range.tensor
            : access.partition >= range.firstPartition + range.partitions ||
                  range.firstPartition >= access.partition + access.partitions)
      continue;
    const bool missed =
        runsOf(layoutOf(access))
            .forEach(placed.offset, [&](std::int64_t begin, std::int64_t end) {
              return begin >= range.end || range.begin >= end;
            });
    if (!missed)
      return true;
  }
  return false;
}

std::optional<std::string> checkRange(const MemoryRange &range,
                                      const isa::Module &module,
                                      const Memory &memory) {
  const bool inHbm = range.space == isa::Space::hbm;
  if (inHbm && range.tensor >= module.tensors.size())
    return fmt::format("tensor {} of {}", range.tensor, module.tensors.size());
  if (!inHbm &&
      (range.partitions == 0 || range.firstPartition >= isa::maxPartitions ||
       range.partitions > isa::maxPartitions - range.firstPartition))
    return fmt::format("partitions {} to {} of {}", range.firstPartition,
                       range.firstPartition + range.partitions,
                       isa::maxPartitions);
  const std::int64_t limit =
      inHbm ? memory.tensorBytes(range.tensor) : memory.laneBytes(range.space);
  if (range.begin < 0 || range.begin >= range.end || range.end > limit)
    return fmt::format("bytes {} to {} of {}", range.begin, range.end, limit);
  return std::nullopt;
}

std::vector<std::uint8_t> readRange(const MemoryRange &range, Memory &memory) {
  isa::Access access;
  access.space = range.space;
  access.dtype = isa::DType::u8;
  access.tensor = static_cast<std::uint16_t>(range.tensor);
  if (range.space != isa::Space::hbm) {
    access.partition = static_cast<std::uint8_t>(range.firstPartition);
    access.partitions = static_cast<std::uint8_t>(range.partitions);
  }
  // Bytes that no operand reaches have no host memory.
  const std::int64_t end = range.space == isa::Space::hbm
                               ? range.end
                               : std::clamp(memory.reachedBytes(range.space),
                                            range.begin, range.end);
  std::vector<std::uint8_t> result;
  const View view = memory.view(access, range.begin < end ? range.begin : 0);
  for (unsigned p = 0; p < view.lanes; ++p) {
    result.insert(result.end(), view.lane(p), view.lane(p) + end - range.begin);
    result.insert(result.end(), static_cast<std::size_t>(range.end - end),
                  FreshBytes::fresh);
  }
  return result;
}

std::optional<NaNPlace> findNaN(const std::vector<PlacedAccess> &accesses,
                                bool writes, Memory &memory) {
  std::vector<std::uint32_t> raw;
  std::vector<float> wide;
  for (const PlacedAccess &placed : accesses) {
    const isa::Effect unwanted =
        writes ? isa::Effect::read : isa::Effect::write;
    const isa::Access &access = *placed.operand.access;
    if (placed.operand.effect == unwanted || !isa::isFloat(access.dtype) ||
        !Converter::canWiden(access.dtype))
      continue;
    const View view = memory.view(access, placed.offset);
    const std::uint64_t n = view.elements();
    // Four values at most in one element of a packed type.
    raw.resize(n);
    wide.resize(4 * n);
    for (unsigned p = 0; p < view.lanes; ++p) {
      gather(view, p, raw.data());
      const std::uint64_t values = n * isa::info(access.dtype).values;
      kernels().widen[static_cast<std::size_t>(access.dtype)](
          raw.data(), wide.data(), values);
      const auto end = wide.begin() + static_cast<std::ptrdiff_t>(values);
      const auto found = std::find_if(wide.begin(), end,
                                      [](float x) { return std::isnan(x); });
      if (found != end)
        return NaNPlace{&placed, p,
                        static_cast<std::uint64_t>(found - wide.begin())};
    }
  }
  return std::nullopt;
}

} // namespace kiln::sim

//===- Pattern.cpp - What a time model must know of an access ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/machine/pattern.h"

#include <algorithm>
#include <cstdlib>

namespace kiln::machine {

Box makeBox(const isa::Access &access) {
  const std::int64_t bytes = sizeInBytes(access.dtype);
  Box box;
  box.space = access.space;
  box.partitionBegin = access.partition;
  box.partitionEnd = access.partition + access.partitions;
  std::int64_t low = 0;
  std::int64_t high = 0;
  unsigned outer = isa::Access::maxDims;
  for (unsigned i = 0; i < access.rank; ++i) {
    const std::int64_t reach = std::int64_t{access.dims[i].stride} *
                               (std::int64_t{access.dims[i].size} - 1) * bytes;
    low += std::min<std::int64_t>(reach, 0);
    high += std::max<std::int64_t>(reach, 0);
    if (access.dims[i].size > 1 &&
        (outer == isa::Access::maxDims ||
         std::abs(access.dims[i].stride) > std::abs(access.dims[outer].stride)))
      outer = i;
  }
  box.begin = access.offset + low;
  box.end = access.offset + high + bytes;
  if (outer == isa::Access::maxDims)
    return box;
  const std::int64_t period =
      std::abs(std::int64_t{access.dims[outer].stride}) * bytes;
  const std::int64_t width =
      box.end - box.begin -
      period * (std::int64_t{access.dims[outer].size} - 1);
  if (width > 0 && width < period) {
    box.period = period;
    box.width = width;
  }
  return box;
}

bool overlap(const Box &a, std::int64_t shiftA, const Box &b,
             std::int64_t shiftB) {
  if (a.space != b.space || a.partitionEnd <= b.partitionBegin ||
      b.partitionEnd <= a.partitionBegin)
    return false;
  const std::int64_t beginA = a.begin + shiftA;
  const std::int64_t beginB = b.begin + shiftB;
  if (a.end + shiftA <= beginB || b.end + shiftB <= beginA)
    return false;
  if (a.period == 0 || a.period != b.period)
    return true;
  // Same stride: the pieces meet only if their residues do.
  std::int64_t distance = (beginB - beginA) % a.period;
  if (distance < 0)
    distance += a.period;
  return distance < a.width || a.period - distance < b.width;
}

std::uint8_t psumBanks(const Box &box, std::int64_t shift) {
  if (box.space != isa::Space::psum)
    return 0;
  const auto bank = [](std::int64_t byte) {
    return std::clamp<std::int64_t>(byte / isa::psumBankBytes, 0,
                                    isa::psumBanks - 1);
  };
  const std::int64_t first = bank(box.begin + shift);
  const std::int64_t last = bank(box.end + shift - 1);
  return static_cast<std::uint8_t>((0xFFu >> (7 - last)) & (0xFFu << first));
}

std::int32_t innermostStride(const isa::Access &access) {
  for (unsigned i = access.rank; i-- > 0;)
    if (access.dims[i].size > 1)
      return access.dims[i].stride;
  return 1;
}

std::uint64_t contiguousElements(const isa::Access &access) {
  std::uint64_t run = 1;
  for (unsigned i = access.rank; i-- > 0;) {
    if (access.dims[i].size == 1)
      continue;
    if (access.dims[i].stride != static_cast<std::int64_t>(run))
      break;
    run *= access.dims[i].size;
  }
  return run;
}

} // namespace kiln::machine

//===- Inspect.h - Stop and look at memory ----------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_SCHEDULE_INSPECT_H
#define KILN_SIM_LIB_SCHEDULE_INSPECT_H

#include "../Memory.h"
#include "../PlacedAccess.h"

#include "kiln/sim/executor.h"

#include <optional>
#include <string>
#include <vector>

namespace kiln::sim {

/// Exact: a byte of a written operand lies in `range`.
bool writesInto(const std::vector<PlacedAccess> &accesses,
                const MemoryRange &range);

/// Why `range` cannot be inspected, or nothing.
std::optional<std::string> checkRange(const MemoryRange &range,
                                      const isa::Module &module,
                                      const Memory &memory);

/// The bytes of a range that has been checked.
std::vector<std::uint8_t> readRange(const MemoryRange &range, Memory &memory);

/// The first NaN among the operands that an instruction reads, or writes.
struct NaNPlace {
  const PlacedAccess *access = nullptr;
  unsigned lane = 0;
  std::uint64_t element = 0;
};
std::optional<NaNPlace> findNaN(const std::vector<PlacedAccess> &accesses,
                                bool writes, Memory &memory);

} // namespace kiln::sim

#endif // KILN_SIM_LIB_SCHEDULE_INSPECT_H

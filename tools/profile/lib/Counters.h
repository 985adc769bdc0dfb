//===- Counters.h - How much of a memory is used, over time --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_COUNTERS_H
#define KILN_PROFILE_LIB_COUNTERS_H

#include "Binary.h"

#include <string_view>
#include <utility>
#include <vector>

namespace kiln::profile {

/// What a number was from each time on. It begins with 0 and ends with 0.
struct Counter {
  std::string_view name, unit;
  std::vector<std::pair<sim::Picoseconds, double>> steps;
};

/// Bytes of a partition of SBUF and PSUM that hold values, and the rates at
/// which transfers of this core read and write HBM, each spread evenly over the
/// time that it takes.
std::vector<Counter> countersOf(const Binary &binary, const sim::Timing &timing,
                                const isa::Target &target);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_COUNTERS_H

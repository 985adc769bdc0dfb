//===- sent_counts.h - What the tables of collectives said ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The amount that all_gather_v and all_to_all_v move is data in memory. A
// function run records it and a timing run replays it, as for register_load.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_SENT_COUNTS_H
#define KILN_SIM_SENT_COUNTS_H

#include "kiln/isa/dtype.h"

#include <array>
#include <cstdint>
#include <vector>

namespace kiln::sim {

/// Per engine: for each executed collective with a table, in program order, the
/// number of elements that it sends to each rank of its list.
using SentCounts =
    std::array<std::vector<std::vector<std::uint32_t>>, isa::numEngines>;

} // namespace kiln::sim

#endif // KILN_SIM_SENT_COUNTS_H

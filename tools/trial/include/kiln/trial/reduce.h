//===- reduce.h - The smallest Program that still fails ------ -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Delta debugging on Programs. Each step removes something and asks whether the
// rest still fails in the same way. A rest that is no Program does not.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TRIAL_REDUCE_H
#define KILN_TRIAL_REDUCE_H

#include "kiln/trial/trial.h"

#include <functional>
#include <vector>

namespace kiln::trial {

/// tryProgram in a process of its own: a crash and a hang are outcomes, too.
Outcome tryIsolated(std::span<const program::Program> cores,
                    const Settings &settings, unsigned seconds);

using Programs = std::vector<program::Program>; ///< One per core of a rank.
/// True if it still fails in the same way.
using StillFails = std::function<bool(const Programs &)>;

struct Reduced {
  Programs programs;
  std::uint64_t trials = 0;
};

/// Every step changes the programs of all cores at once. `progress` is given
/// the number of operations that are left.
Reduced reducePrograms(Programs programs, const StillFails &stillFails,
                       const std::function<void(std::size_t)> &progress = {});

/// Operations, those in bodies included.
std::size_t countOperations(const program::Program &program);

} // namespace kiln::trial

#endif // KILN_TRIAL_REDUCE_H

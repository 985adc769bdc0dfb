//===- LateWriter.cpp - Who would have written the bytes ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::sim {

/// Completes the report of a read of unwritten bytes: all cores run on,
/// unchecked, until something writes them.
void Cluster::findLateWriter(std::size_t reader, const MemoryRange &unwritten) {
  constexpr std::uint64_t patience = 100'000;
  Fault report = std::move(*fault);
  fault.reset();
  const std::size_t coresOfRank = modules.cores.size();
  const std::size_t firstOfRank = reader - reader % coresOfRank;
  for (std::size_t c = 0; c < schedulers.size(); ++c) {
    std::optional<MemoryRange> range;
    if (c == reader) {
      range = unwritten;
    } else if (unwritten.space == isa::Space::hbm && c >= firstOfRank &&
               c < firstOfRank + coresOfRank) {
      // The tensor as the other core of the rank knows it.
      const auto &own = modules.homes[reader % coresOfRank][unwritten.tensor];
      const auto &its = modules.homes[c - firstOfRank];
      for (std::size_t i = 0; i < its.size() && !range; ++i)
        if (its[i].core == own.core && its[i].tensor == own.tensor) {
          range = unwritten;
          range->tensor = i;
        }
    }
    schedulers[c].watchFor(range, patience);
  }
  schedulers[reader].leaveOut(report.instructions.front());
  if (!schedulers[reader].core.fault)
    runAll();
  fault = std::move(report);
  if (!stopped)
    return;
  fault->text += fmt::format("; {} writes it only later, so let the reader "
                             "wait for a signal of that",
                             nameOf(*stopped));
  involve(*fault, *stopped);
  stopped.reset();
}

} // namespace kiln::sim

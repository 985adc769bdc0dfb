//===- render.h - A profile as JSON, table, trace and page ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_RENDER_H
#define KILN_PROFILE_RENDER_H

#include "kiln/sim/launch.h"
#include "kiln/sim/profile.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kiln::profile {

/// The keys of `kiln profile --json`; docs/timing.md lists them.
std::string toJson(const sim::ProfileReport &report);

/// A table for the terminal, ends with a newline. Lines fit 100 columns.
std::string toTable(const sim::ProfileReport &report);

/// Chrome trace-event JSON: one track an engine and a DMA queue, and one for
/// the loads of stationary operands. Needs a
/// timing that was run with `trace`.
std::string toTrace(const isa::Module &module, const sim::Timing &timing,
                    const isa::Target &target);

/// The cores of a launch, rank by rank. What it refers to must outlive it.
struct LaunchProfile {
  LaunchProfile(std::span<const isa::Module> modules,
                const sim::LaunchTiming &timing, const isa::Target &target,
                std::optional<double> compileMs);

  std::span<const isa::Module> modules; ///< Of the cores of a rank.
  const sim::LaunchTiming &timing;
  const isa::Target &target;
  std::vector<sim::ProfileReport> reports; ///< By core.

  /// The core with the most to do: the one to look at first.
  std::size_t busiest() const;
  const isa::Module &module(std::size_t core) const {
    return modules[core % modules.size()];
  }
  /// "rank 1 core 0", or what of it there is several of.
  std::string name(std::size_t core) const;
};

/// Of one core as above; of several an object with one of them for each.
std::string toJson(const LaunchProfile &launch);
/// A line for each kind of core, or the extremes of many, and the table of the
/// busiest.
std::string toTable(const LaunchProfile &launch);
/// A group of tracks for each core.
std::string toTrace(const LaunchProfile &launch);
/// A page without outside references: the table, a row of time for each core
/// with its meetings, and the tracks of the one that is chosen there.
std::string toHtml(const LaunchProfile &launch);

} // namespace kiln::profile

#endif // KILN_PROFILE_RENDER_H

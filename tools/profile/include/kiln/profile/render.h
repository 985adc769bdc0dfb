//===- render.h - A profile as JSON, table and trace ----------------------===//
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
#include <string_view>
#include <utility>
#include <vector>

namespace kiln::profile {

/// The keys of `kiln profile --json`; docs/profile.md lists them.
std::string toJson(const sim::ProfileReport &report);

/// A table for the terminal. It ends with a newline. Its lines have at most 100
/// columns, except those of `cards`, which stand between the figures and the
/// rest.
std::string toTable(const sim::ProfileReport &report,
                    std::string_view cards = {});

/// Chrome trace-event JSON: one track per engine and per DMA queue, and one for
/// the loads of stationary operands. Needs a timing that was run with `trace`.
std::string toTrace(const isa::Module &module, const sim::Timing &timing,
                    const isa::Target &target);

/// The cores of a launch, rank by rank. All that it refers to must outlive it.
struct LaunchProfile {
  LaunchProfile(std::span<const isa::Module> modules,
                const sim::LaunchTiming &timing, const isa::Target &target,
                std::optional<double> compileMs);

  std::span<const isa::Module> modules; ///< Those of the cores of a rank.
  const sim::LaunchTiming &timing;
  const isa::Target &target;
  std::vector<sim::ProfileReport> reports; ///< One per core.
  std::span<const sim::CoreValues> values; ///< The same; none without data.

  /// The core with the most to do: look at this one first.
  std::size_t busiest() const;
  const isa::Module &module(std::size_t core) const {
    return modules[core % modules.size()];
  }
  /// "rank 1 core 0", or only the part of it that there is more than one of.
  std::string name(std::size_t core) const;
};

/// For one core as above; for several, an object with one such entry per core.
std::string toJson(const LaunchProfile &launch);
/// One line per kind of core, or the extremes if there are many, and the table
/// of the busiest core.
std::string toTable(const LaunchProfile &launch, std::string_view cards = {});
/// A table of the data of a run: the first NaN, masked work, ranges. Empty
/// without data.
std::string toValuesTable(const LaunchProfile &launch);
/// One group of tracks per core.
std::string toTrace(const LaunchProfile &launch);

/// An execution trace of MLCommons Chakra of one rank, with all its cores.
/// Needs a timing that was run with `trace`.
std::string toChakra(const LaunchProfile &launch, std::size_t rank);

} // namespace kiln::profile

#endif // KILN_PROFILE_RENDER_H

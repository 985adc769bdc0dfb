//===- retime.h - The same binary on another machine ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_RETIME_H
#define KILN_PROFILE_RETIME_H

#include "kiln/sim/launch.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace kiln::profile {

/// A machine and costs to time a launch with.
struct Variant {
  isa::Target target;
  std::vector<sim::CostChange> changes;
};

/// The times of a variant.
struct Retimed {
  sim::Picoseconds makespan = 0;
  sim::Picoseconds lowerBound = 0; ///< The bound of the busiest core.
  friend bool operator==(const Retimed &, const Retimed &) = default;
};

/// Times one launch again and again, each run on a thread of its own. All that
/// it refers to must outlive it.
class Retimer {
public:
  /// `values`: what the first run was given for control flow that reads data.
  Retimer(const sim::Launch &launch, const isa::Target &target,
          const sim::LaunchTimingOptions &values);

  const isa::Target &target() const { return machine; }
  const sim::Launch &launched() const { return launch; }

  /// In the order of `variants`; nothing for one that cannot run.
  std::vector<std::optional<Retimed>>
  time(std::span<const Variant> variants) const;
  std::optional<Retimed> time(const Variant &variant) const;

private:
  const sim::Launch &launch;
  isa::Target machine;
  sim::LaunchTimingOptions values;
};

} // namespace kiln::profile

#endif // KILN_PROFILE_RETIME_H

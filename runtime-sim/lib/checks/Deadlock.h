//===- Deadlock.h - Who waits for whom ------------------------ -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_CHECKS_DEADLOCK_H
#define KILN_SIM_LIB_CHECKS_DEADLOCK_H

#include "../Scheduler.h"

#include <span>

namespace kiln::sim {

/// Says why no core of a launch can go on: the cycle of waits over streams,
/// cores and ranks, or the wait that nobody will end.
class DeadlockReport {
public:
  /// Rank by rank, `coresOfRank` each.
  DeadlockReport(std::span<Scheduler *const> cores, unsigned coresOfRank)
      : cores(cores), coresOfRank(coresOfRank) {}

  Fault make() const;

private:
  /// A stream of a core.
  struct Place {
    std::size_t core = 0;
    std::size_t engine = 0;
    bool operator==(const Place &) const = default;
  };
  /// What its head waits for, and which stream could end that.
  struct Wait {
    std::string text;
    std::optional<Place> next;
  };
  std::optional<Wait> waitOf(const Place &place) const;
  Wait waitForToken(const Place &place, const isa::Wait &wait) const;
  /// Who has yet to come to a meeting; continues the text.
  void follow(Wait &wait, const CoreMeetings::Meeting &meeting,
              const PeerGroup &group) const;

  std::span<Scheduler *const> cores;
  unsigned coresOfRank;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_CHECKS_DEADLOCK_H

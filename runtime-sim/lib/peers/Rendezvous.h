//===- Rendezvous.h - Where cores wait for each other -----------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What meets other cores - a barrier, an exchange between two cores, a
// collective of ranks - meets by its key: the n-th arrival of one member with
// the n-th of every other. Values are exchanged and time is told at the same
// meetings, so the two cannot disagree about the members.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_PEERS_RENDEZVOUS_H
#define KILN_SIM_LIB_PEERS_RENDEZVOUS_H

#include "PeerGroup.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace kiln::sim {

/// `Member` is what each brings.
template <class Member> class Rendezvous {
public:
  struct Meeting {
    std::vector<std::optional<Member>> members; ///< In the order of the list.
    std::size_t arrived = 0;
    bool isComplete() const { return arrived == members.size(); }
    /// The place of a member that has not arrived; there is one.
    std::size_t firstMissing() const {
      return static_cast<std::size_t>(
          std::find_if(members.begin(), members.end(),
                       [](const auto &member) { return !member; }) -
          members.begin());
    }
  };

  /// Comes to the next meeting of the group's key.
  std::shared_ptr<Meeting> arrive(const PeerGroup &group, Member member) {
    Line &line = lines[group.key];
    const std::size_t size = group.members.size();
    if (line.visits.empty())
      line.visits.resize(size);
    const std::uint64_t number = line.visits[group.self]++;
    while (number - line.first >= line.open.size()) {
      line.open.push_back(std::make_shared<Meeting>());
      line.open.back()->members.resize(size);
    }
    auto meeting = line.open[number - line.first];
    // All members have arrived at the first ones.
    const std::uint64_t slowest =
        *std::min_element(line.visits.begin(), line.visits.end());
    for (; line.first < slowest; ++line.first)
      line.open.pop_front();
    meeting->members[group.self] = std::move(member);
    ++meeting->arrived;
    return meeting;
  }

private:
  struct Line {
    std::vector<std::uint64_t> visits; ///< Of each place.
    std::uint64_t first = 0;           ///< Number of the first open one.
    std::deque<std::shared_ptr<Meeting>> open;
  };
  std::map<PeerKey, Line> lines;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_PEERS_RENDEZVOUS_H

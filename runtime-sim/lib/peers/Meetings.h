//===- Meetings.h - Who meets whom ---------------------------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_PEERS_MEETINGS_H
#define KILN_SIM_LIB_PEERS_MEETINGS_H

#include "PeerGroup.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace kiln::sim {

/// Instructions of several cores that take effect together, `Member` being
/// what a core leaves there when it arrives.
template <class Member> class Meetings {
public:
  struct Meeting {
    std::vector<std::optional<Member>> members; ///< In the order of the list.
    std::size_t arrived = 0;
    std::uint64_t number = 0; ///< With its key.
    bool isComplete() const { return arrived == members.size(); }
  };

  /// The next meeting of member `place` of `size` with this key. The caller
  /// fills its place with `arrive`.
  std::shared_ptr<Meeting> next(const PeerKey &key, std::size_t place,
                                std::size_t size) {
    Line &line = lines[key];
    if (line.visits.empty())
      line.visits.resize(size);
    const std::uint64_t number = line.visits[place]++;
    while (number - line.first >= line.open.size()) {
      auto meeting = std::make_shared<Meeting>();
      meeting->members.resize(size);
      meeting->number = line.first + line.open.size();
      line.open.push_back(std::move(meeting));
    }
    auto meeting = line.open[number - line.first];
    // Everybody has come to the first ones.
    const std::uint64_t slowest =
        *std::min_element(line.visits.begin(), line.visits.end());
    for (; line.first < slowest; ++line.first)
      line.open.pop_front();
    return meeting;
  }
  static void arrive(Meeting &meeting, std::size_t place, Member member) {
    meeting.members[place] = std::move(member);
    ++meeting.arrived;
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

#endif // KILN_SIM_LIB_PEERS_MEETINGS_H

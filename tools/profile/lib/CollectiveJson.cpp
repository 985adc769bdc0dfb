//===- CollectiveJson.cpp - The collectives of a run as JSON -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveJson.h"

#include "CoreJson.h"

namespace kiln::profile {

using json = nlohmann::ordered_json;

namespace {

json linksOf(const sim::TraceMeeting &meeting) {
  json links = json::array();
  for (const sim::LinkUse &link : meeting.links)
    links.push_back(
        {{"name", link.name}, {"alone_ns", inNanoseconds(link.alone)}});
  return links;
}

} // namespace

json collectiveJson(const Binary &binary, const sim::Timing &timing) {
  // The k-th transfer of an instruction is that of its k-th meeting.
  std::vector<std::vector<const sim::TraceMeeting *>> meetings(
      binary.all.size());
  for (const sim::TraceMeeting &meeting : timing.meetings)
    meetings[binary.numberOf(meeting.engine, meeting.index)].push_back(
        &meeting);
  std::vector<std::size_t> next(binary.all.size());
  json out = json::array();
  for (const sim::TraceEvent &event : timing.events) {
    const std::uint32_t number = binary.numberOf(event.engine, event.index);
    const Executed &one = binary.all[number];
    if (one.kind != "collective" || event.track < isa::numEngines ||
        next[number] == meetings[number].size())
      continue;
    const sim::TraceMeeting &met = *meetings[number][next[number]++];
    out.push_back({{"op", isa::mnemonic(isa::opcode(one.instruction->body))},
                   {"instruction", number},
                   {"algorithm", met.algorithm},
                   {"members", met.members},
                   {"bytes", met.bytes},
                   {"came_ns", inNanoseconds(met.came)},
                   {"peer_wait_ns", inNanoseconds(met.complete - met.came)},
                   {"last_core", met.last},
                   {"launch_ns", inNanoseconds(met.launched - met.complete)},
                   {"links_ns", inNanoseconds(met.carried - met.launched)},
                   {"hops_ns", inNanoseconds(met.ready - met.carried)},
                   {"move_ns", inNanoseconds(event.end - met.ready)},
                   {"end_ns", inNanoseconds(event.end)},
                   {"links", linksOf(met)}});
  }
  return out;
}

} // namespace kiln::profile

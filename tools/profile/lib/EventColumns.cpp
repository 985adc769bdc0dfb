//===- EventColumns.cpp - Executed instructions and waits as columns -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EventColumns.h"

#include "Labels.h"
#include "kiln/profile/document.h"

#include <absl/strings/str_replace.h>
#include <fmt/format.h>

#include <utility>

namespace kiln::profile {

using json = nlohmann::ordered_json;

Tracks::Tracks(const sim::Timing &timing) {
  places.fill(-1);
  for (const sim::TraceEvent &event : timing.events)
    places[event.track] = 0;
  for (unsigned track = 0; track < places.size(); ++track)
    if (places[track] == 0) {
      places[track] = static_cast<int>(tracks.size());
      tracks.push_back(static_cast<std::uint8_t>(track));
    }
}

json eventColumns(const Binary &binary, const Tracks &tracks,
                  const sim::Timing &timing, const Causes &causes) {
  std::vector<std::int64_t> track, instruction, start, length, visible, cause,
      reason, slack, critical, count, producers;
  sim::Picoseconds before = 0;
  for (std::size_t e = 0; e < timing.events.size(); ++e) {
    const sim::TraceEvent &event = timing.events[e];
    track.push_back(tracks.places[event.track]);
    instruction.push_back(binary.numberOf(event.engine, event.index));
    start.push_back(event.start - std::exchange(before, event.start));
    length.push_back(event.end - event.start);
    visible.push_back(event.visible - event.start);
    cause.push_back(causes.cause[e] == PathStep::noEvent
                        ? -1
                        : static_cast<std::int64_t>(causes.cause[e]));
    reason.push_back(causes.reason[e]);
    slack.push_back(causes.slack[e]);
    critical.push_back(causes.critical[e]);
    const auto needs = causes.producersOf(e);
    count.push_back(static_cast<std::int64_t>(needs.size()));
    producers.insert(producers.end(), needs.begin(), needs.end());
  }
  return {{"track", std::move(track)},
          {"instruction", std::move(instruction)},
          {"start_ps", std::move(start)},
          {"length_ps", std::move(length)},
          {"visible_ps", std::move(visible)},
          {"cause", std::move(cause)},
          {"cause_reason", std::move(reason)},
          {"slack_ps", std::move(slack)},
          {"critical", std::move(critical)},
          {"producer_count", std::move(count)},
          {"producers", std::move(producers)}};
}

json waitColumns(const Binary &binary, const sim::Timing &timing) {
  std::vector<std::int64_t> engine, instruction, reason, kind, producer, start,
      length;
  const auto numberOf = [&](std::uint8_t of, std::uint32_t index) {
    return of < isa::numEngines && index < binary.module.streams[of].size()
               ? static_cast<std::int64_t>(binary.numberOf(of, index))
               : -1;
  };
  sim::Picoseconds before = 0;
  for (const sim::TraceWait &wait : timing.waits) {
    engine.push_back(wait.engine);
    instruction.push_back(numberOf(wait.engine, wait.index));
    reason.push_back(static_cast<std::int64_t>(wait.reason));
    kind.push_back(static_cast<std::int64_t>(wait.kind));
    producer.push_back(wait.producer.core == sim::Producer::sameCore
                           ? numberOf(wait.producer.engine, wait.producer.index)
                           : -1);
    start.push_back(wait.start - std::exchange(before, wait.start));
    length.push_back(wait.end - wait.start);
  }
  return {{"engine", std::move(engine)},
          {"instruction", std::move(instruction)},
          {"reason", std::move(reason)},
          {"kind", std::move(kind)},
          {"producer", std::move(producer)},
          {"start_ps", std::move(start)},
          {"length_ps", std::move(length)}};
}

/// A field of a CSV file.
static std::string quoted(const std::string &text) {
  return '"' + absl::StrReplaceAll(text, {{"\"", "\"\""}}) + '"';
}

std::string toCsv(const LaunchProfile &launch) {
  std::string out = "core,track,engine,index,kind,label,source,start_ps,end_ps,"
                    "visible_ps,cause_engine,cause_index,cause,slack_ps,"
                    "critical_ps\n";
  for (std::size_t core = 0; core < launch.timing.cores.size(); ++core) {
    const isa::Module &module = launch.module(core);
    const sim::Timing &timing = launch.timing.cores[core];
    const Causes causes = findCauses(module, launch.target, timing);
    for (std::size_t e = 0; e < timing.events.size(); ++e) {
      const sim::TraceEvent &event = timing.events[e];
      const isa::Instruction *instruction = instructionOf(event, module);
      if (!instruction)
        continue;
      std::string because = ",,";
      if (causes.cause[e] != PathStep::noEvent) {
        const sim::TraceEvent &cause = timing.events[causes.cause[e]];
        because = fmt::format(
            "{},{},{}", isa::name(static_cast<isa::Engine>(cause.engine)),
            cause.index,
            causes.reason[e] == Causes::busy
                ? std::string_view("busy")
                : nameOf(static_cast<sim::StallReason>(causes.reason[e])));
      }
      out += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{}\n", core,
          trackName(event.track),
          isa::name(static_cast<isa::Engine>(event.engine)), event.index,
          kindOf(*instruction, static_cast<isa::Engine>(event.engine)),
          quoted(labelOf(*instruction, module)),
          quoted(sourceOf(*instruction, module)), event.start, event.end,
          event.visible, because, causes.slack[e], causes.critical[e]);
    }
  }
  return out;
}

} // namespace kiln::profile

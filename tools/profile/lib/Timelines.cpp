//===- Timelines.cpp - The data of the page -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Timelines.h"

#include "Json.h"
#include "Labels.h"
#include "kiln/isa/assembly.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kiln::profile {

using json = nlohmann::ordered_json;

namespace {

/// A browser draws this many at ease; a longer run is cut and the page says so.
constexpr std::size_t maxEvents = 300'000;

/// The parameters that the kernel was compiled with, [[name, value], ..].
json parametersOf(const isa::Module &module) {
  json parameters = json::array();
  constexpr std::string_view prefix = "param.";
  for (const auto &[name, value] : module.facts)
    if (name.starts_with(prefix))
      parameters.push_back({name.substr(prefix.size()), value});
  return parameters;
}

/// Ranks that do the same at the same times
/// share one timeline: tracks with [start, length, label]* for each, and the
/// same for its waits.
class Timelines {
public:
  explicit Timelines(const LaunchProfile &launch)
      : launch(launch), drawn(launch.reports.size()) {
    const std::size_t coresOfRank = launch.modules.size();
    std::map<std::size_t, std::vector<std::size_t>> alike;
    for (std::size_t core = 0; core < drawn.size(); ++core) {
      std::vector<std::size_t> &candidates = alike[core % coresOfRank];
      const sim::Timing &own = launch.timing.cores[core];
      const auto same =
          std::find_if(candidates.begin(), candidates.end(), [&](auto other) {
            return launch.timing.cores[other].events == own.events &&
                   launch.timing.cores[other].waits == own.waits;
          });
      drawn[core] = same == candidates.end() ? core : *same;
      if (drawn[core] == core)
        candidates.push_back(core);
      numDifferent += drawn[core] == core;
    }
  }

  std::string data() {
    std::map<std::size_t, std::size_t> lineOf;
    json cores = json::array(), reports = json::array(), lines = json::array();
    for (std::size_t core = 0; core < drawn.size(); ++core) {
      const auto [line, fresh] = lineOf.try_emplace(drawn[core], lineOf.size());
      cores.push_back({launch.name(core), line->second});
      if (!fresh)
        continue;
      lines.push_back(tracksOf(core));
      reports.push_back(jsonOf(launch.reports[core]));
    }
    json head{{"makespan", launch.timing.makespan},
              {"shown", launch.busiest()},
              {"parameters", parametersOf(launch.modules.front())},
              {"cores", std::move(cores)},
              {"reports", std::move(reports)}};
    if (shown() < longest())
      head["cut"] = {shown(), longest()};
    head["lines"] = std::move(lines);
    head["labels"] = std::move(labels);
    return dumped(head);
  }

private:
  /// Events that are drawn, and that there are, of the longest timeline.
  std::size_t shown() const { return std::min(share(), longest()); }
  std::size_t longest() const {
    std::size_t most = 0;
    for (const sim::Timing &core : launch.timing.cores)
      most = std::max(most, core.events.size());
    return most;
  }

  /// Flat lists, for there may be hundreds of thousands: three numbers each,
  /// when it began, how long it took, and its label.
  struct Track {
    json events = json::array(), waits = json::array();
    sim::Picoseconds drawnTo = 0;
  };
  std::size_t share() const {
    return maxEvents / std::max<std::size_t>(1, numDifferent);
  }

  json tracksOf(std::size_t core) {
    std::map<unsigned, Track> tracks;
    const auto &events = launch.timing.cores[core].events;
    for (std::size_t i = 0; i < std::min(share(), events.size()); ++i)
      add(tracks, core, events[i]);
    // Waits end where the events do.
    const sim::Picoseconds last = share() < events.size()
                                      ? events[share()].start
                                      : launch.timing.makespan;
    for (const sim::TraceWait &wait : launch.timing.cores[core].waits)
      if (wait.start < last && (wait.reason != sim::StallReason::end ||
                                tracks.contains(wait.engine)))
        add(tracks[wait.engine], core, wait);
    json out = json::array();
    for (auto &[number, track] : tracks)
      out.push_back({{"name", trackName(number)},
                     {"events", std::move(track.events)},
                     {"waits", std::move(track.waits)}});
    return out;
  }

  void add(Track &track, std::size_t core, const sim::TraceWait &wait) {
    const isa::Module &module = launch.module(core);
    const std::string_view kind =
        wait.kind == sim::WaitKind::none
            ? std::string_view()
            : sim::waitKindNames[static_cast<std::size_t>(wait.kind)];
    const WaitLabel label{nameOf(wait.reason),
                          placeText(module, wait.engine, wait.index), kind,
                          producerText(wait, module, launch.modules)};
    track.waits.push_back(wait.start);
    track.waits.push_back(wait.end - wait.start);
    track.waits.push_back(waitNumber(label));
  }

  std::size_t newLabel(json label) {
    labels.push_back(std::move(label));
    return labels.size() - 1;
  }

  /// Why, who, of what kind, and for whom.
  using WaitLabel =
      std::tuple<std::string_view, std::string, std::string_view, std::string>;

  std::size_t waitNumber(const WaitLabel &label) {
    const auto [found, fresh] = waitNumbers.try_emplace(label, 0);
    if (fresh)
      found->second =
          newLabel(json::array({std::get<0>(label), std::get<1>(label),
                                std::get<2>(label), std::get<3>(label), 2}));
    return found->second;
  }

  void add(std::map<unsigned, Track> &tracks, std::size_t core,
           const sim::TraceEvent &event) {
    const isa::Instruction *instruction =
        instructionOf(event, launch.module(core));
    if (!instruction)
      return;
    Track &track = tracks[event.track];
    const sim::Picoseconds begin =
        std::min(event.end, std::max(event.start, track.drawnTo));
    track.drawnTo = std::max(track.drawnTo, event.end);
    track.events.push_back(begin);
    track.events.push_back(event.end - begin);
    track.events.push_back(labelNumber(core, event, *instruction));
  }

  std::size_t labelNumber(std::size_t core, const sim::TraceEvent &event,
                          const isa::Instruction &instruction) {
    const std::size_t ofRank = core % launch.modules.size();
    const auto [found, fresh] =
        numbers.try_emplace({ofRank, event.engine, event.index}, 0);
    const isa::Module &module = launch.module(core);
    if (fresh)
      found->second = newLabel(json::array(
          {labelOf(instruction, module), sourceOf(instruction, module),
           placeOf(instruction, module).scopes,
           isa::printInstruction(instruction, module),
           isa::info(isa::opcode(instruction.body)).state ==
                   isa::HiddenState::peers
               ? 1
               : 0}));
    return found->second;
  }

  const LaunchProfile &launch;
  std::vector<std::size_t> drawn; ///< By core the first that is like it.
  std::size_t numDifferent = 0;
  std::map<std::tuple<std::size_t, unsigned, std::uint32_t>, std::size_t>
      numbers;
  std::map<WaitLabel, std::size_t> waitNumbers;
  json labels = json::array();
};

} // namespace

std::string pageData(const LaunchProfile &launch) {
  return Timelines(launch).data();
}

} // namespace kiln::profile

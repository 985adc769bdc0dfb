//===- Html.cpp - A page with a timeline ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Labels.h"
#include "Page.h"
#include "kiln/isa/assembly.h"
#include "kiln/profile/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace kiln::profile {

namespace {

/// A browser draws this many at ease; a longer run is cut and the page says so.
constexpr std::size_t maxEvents = 300'000;

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text)
    out += c == '<'   ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '&' ? "&amp;"
                      : std::string(1, c);
  return out;
}

std::string placeHtml(const sim::ProfileReport::Place &place) {
  if (place.engine.empty())
    return {};
  return fmt::format("{} <code>{}</code><br>{}", escaped(place.engine),
                     escaped(place.label.empty() ? "end" : place.label),
                     escaped(place.source));
}

/// The longest waits, longest first.
std::string stallTable(const sim::ProfileReport &report) {
  if (report.topStalls.empty())
    return {};
  std::string out = "<h2>Longest waits</h2>\n<table><tr><th>us</th><th>of the "
                    "time</th><th>who waits</th><th>why</th><th>for "
                    "whom</th></tr>\n";
  for (const sim::ProfileReport::Stall &stall : report.topStalls)
    out += fmt::format(
        "<tr><td>{:.3f}</td><td>{:.1f} %</td><td>{}</td><td>{}{}</td>"
        "<td>{}</td></tr>\n",
        stall.timeNs / 1000, 100 * stall.timeNs / report.makespanNs,
        placeHtml(stall.at), escaped(stall.reason),
        stall.kind == "none" ? "" : ", " + stall.kind,
        placeHtml(stall.producer));
  return out + "</table>\n";
}

/// Collects `data` of the script. Ranks that do the same at the same times
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

  std::string json() {
    std::map<std::size_t, std::size_t> lineOf;
    std::string cores, lines;
    for (std::size_t core = 0; core < drawn.size(); ++core) {
      const auto [line, fresh] = lineOf.try_emplace(drawn[core], lineOf.size());
      cores += fmt::format("{}[{},{}]", core ? "," : "",
                           quoted(launch.name(core)), line->second);
      if (fresh)
        lines += (lines.empty() ? "[" : ",\n[") + tracksOf(core) + "]";
    }
    return fmt::format("{{\"makespan\":{},\"shown\":{},\"cores\":[{}],"
                       "\"lines\":[{}],\n\"labels\":[{}]}}",
                       launch.timing.makespan, launch.busiest(), cores, lines,
                       labels);
  }

  /// Events that are drawn, and that there are, of the longest timeline.
  std::size_t shown() const { return std::min(share(), longest()); }
  std::size_t longest() const {
    std::size_t most = 0;
    for (const sim::Timing &core : launch.timing.cores)
      most = std::max(most, core.events.size());
    return most;
  }

private:
  struct Track {
    std::string events, waits;
    sim::Picoseconds drawnTo = 0;
  };
  std::size_t share() const { return maxEvents / numDifferent; }

  std::string tracksOf(std::size_t core) {
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
    std::string out;
    for (const auto &[number, track] : tracks)
      out += fmt::format("{}{{\"name\":\"{}\",\"events\":[{}],\"waits\":[{}]}}",
                         out.empty() ? "" : ",\n", trackName(number),
                         track.events, track.waits);
    return out;
  }

  void add(Track &track, std::size_t core, const sim::TraceWait &wait) {
    const isa::Module &module = launch.module(core);
    std::string text = fmt::format(
        "[{},{},{},{},2]", quoted(nameOf(wait.reason)),
        quoted(placeText(module, wait.engine, wait.index)),
        quoted(wait.kind == sim::WaitKind::none
                   ? std::string_view()
                   : sim::waitKindNames[static_cast<std::size_t>(wait.kind)]),
        quoted(producerText(wait, module, launch.modules)));
    fmt::format_to(std::back_inserter(track.waits), "{}{},{},{}",
                   track.waits.empty() ? "" : ",", wait.start,
                   wait.end - wait.start, waitNumber(std::move(text)));
  }

  std::size_t newLabel(const std::string &text) {
    labels += (labels.empty() ? "" : ",\n") + text;
    return numLabels++;
  }

  std::size_t waitNumber(std::string text) {
    const auto [found, fresh] = waitNumbers.try_emplace(std::move(text), 0);
    if (fresh)
      found->second = newLabel(found->first);
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
    fmt::format_to(std::back_inserter(track.events), "{}{},{},{}",
                   track.events.empty() ? "" : ",", begin, event.end - begin,
                   labelNumber(core, event, *instruction));
  }

  std::size_t labelNumber(std::size_t core, const sim::TraceEvent &event,
                          const isa::Instruction &instruction) {
    const std::size_t ofRank = core % launch.modules.size();
    const auto [found, fresh] =
        numbers.try_emplace({ofRank, event.engine, event.index}, 0);
    const isa::Module &module = launch.module(core);
    if (fresh)
      found->second = newLabel(
          fmt::format("[{},{},{},{},{}]", quoted(labelOf(instruction, module)),
                      quoted(sourceOf(instruction, module)),
                      quoted(placeOf(instruction, module).scopes),
                      quoted(isa::printInstruction(instruction, module)),
                      isa::info(isa::opcode(instruction.body)).state ==
                              isa::HiddenState::peers
                          ? 1
                          : 0));
    return found->second;
  }

  const LaunchProfile &launch;
  std::vector<std::size_t> drawn; ///< By core the first that is like it.
  std::size_t numDifferent = 0;
  std::map<std::tuple<std::size_t, unsigned, std::uint32_t>, std::size_t>
      numbers;
  std::map<std::string, std::size_t> waitNumbers; ///< By their label.
  std::size_t numLabels = 0;
  std::string labels;
};

} // namespace

std::string toHtml(const LaunchProfile &launch) {
  const sim::ProfileReport &report = launch.reports[launch.busiest()];
  Timelines timelines(launch);
  std::string out(pageHead);
  out +=
      fmt::format("<h1>{} on {}</h1>\n<pre>{}</pre>\n", escaped(report.kernel),
                  escaped(report.target), escaped(toTable(launch)));
  out += stallTable(report);
  out += "<h2>Timeline</h2>\n";
  if (timelines.shown() < timelines.longest())
    out += fmt::format("<p>The timeline shows the first {} of up to {} events "
                       "of a core; the trace file has all.</p>\n",
                       timelines.shown(), timelines.longest());
  out += "<p>Wheel: zoom. Drag: move. Point at a bar: its instruction; at a "
         "strip below: what its engine waits for.";
  if (launch.reports.size() > 1)
    out += " Dark red: where cores meet.</p>\n<p>All cores, a row for each; "
           "click one to see its engines below.</p>\n<div id=\"all\"><canvas "
           "id=\"cores\"></canvas></div>\n<p><label>Core <select "
           "id=\"core\"></select></label>";
  out += "</p>\n<canvas id=\"timeline\"></canvas><div id=\"tip\"></div>\n"
         "<script>\nconst data = ";
  out += timelines.json();
  out += ";";
  out += pageScript;
  return out + "</script></body></html>\n";
}

} // namespace kiln::profile

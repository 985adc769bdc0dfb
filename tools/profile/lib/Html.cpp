//===- Html.cpp - A page with a timeline ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Labels.h"
#include "kiln/isa/assembly.h"
#include "kiln/profile/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace kiln::profile {

namespace {

/// A browser draws this many at ease; a longer run is cut and the page says so.
constexpr std::size_t maxEvents = 300'000;

constexpr std::string_view head = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Kiln profile</title><style>
body{font:14px/1.45 system-ui,sans-serif;margin:1.5rem;color:#1d1d1f;background:#fff}
pre{font:12.5px/1.4 ui-monospace,monospace;background:#f5f5f7;padding:.8rem;border-radius:6px;overflow:auto}
table{border-collapse:collapse;font-size:13px}
td,th{padding:.2rem .8rem .2rem 0;text-align:left;border-bottom:1px solid #e5e5ea;vertical-align:top}
td:first-child,td:nth-child(2){text-align:right;font-variant-numeric:tabular-nums}
canvas{width:100%;border:1px solid #d2d2d7;border-radius:6px;cursor:grab;display:block}
#tip{min-height:5.2em;white-space:pre-wrap;font:12.5px/1.4 ui-monospace,monospace;color:#424245}
</style></head><body>
)";

constexpr std::string_view script = R"JS(
const canvas = document.getElementById('timeline'), tip = document.getElementById('tip');
const row = 22, left = 110, top_ = 24, pen = canvas.getContext('2d');
let from = 0, to = data.makespan || 1;
const colour = name => {
  let h = 0;
  for (const c of name) h = (h * 31 + c.charCodeAt(0)) % 360;
  return `hsl(${h} 55% 62%)`;
};
const colours = data.labels.map(l => colour(l[0]));
const scale = () => (canvas.width / devicePixelRatio - left) / (to - from);
const time = ps => ps >= 1e9 ? (ps / 1e9).toFixed(4) + ' ms' : ps >= 1e6 ? (ps / 1e6).toFixed(3) + ' us' : (ps / 1e3).toFixed(1) + ' ns';
// First event of a track that ends after t: ends are in order.
function first(events, t) {
  let low = 0, high = events.length / 3;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[3 * middle] + events[3 * middle + 1] < t) low = middle + 1; else high = middle;
  }
  return low;
}
function draw() {
  const width = canvas.clientWidth, height = top_ + row * data.tracks.length;
  canvas.style.height = height + 'px';
  canvas.width = width * devicePixelRatio; canvas.height = height * devicePixelRatio;
  pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = '12px system-ui, sans-serif'; pen.textBaseline = 'middle';
  const s = scale();
  let step = 10 ** Math.ceil(Math.log10((to - from) / 8));
  if ((to - from) / step < 3) step /= 2;
  pen.fillStyle = '#86868b';
  for (let t = Math.ceil(from / step) * step; t < to; t += step) {
    const x = left + (t - from) * s;
    pen.fillRect(x, top_ - 6, 1, height);
    pen.fillText(time(t), x + 3, 9);
  }
  data.tracks.forEach((track, index) => {
    const y = top_ + index * row;
    for (let i = first(track.events, from), drawn = -1; 3 * i < track.events.length; ++i) {
      const start = track.events[3 * i], length = track.events[3 * i + 1], label = track.events[3 * i + 2];
      if (start > to) break;
      const x0 = Math.max(left, left + (start - from) * s), x1 = left + (start + length - from) * s;
      if (x1 < drawn + .5) continue;
      pen.fillStyle = colours[label];
      pen.fillRect(x0, y + 2, Math.max(.75, x1 - x0 - .4), row - 4);
      drawn = x1;
      if (x1 - x0 > 46) {
        pen.save(); pen.beginPath(); pen.rect(x0, y, x1 - x0 - 2, row); pen.clip();
        pen.fillStyle = '#1d1d1f'; pen.fillText(data.labels[label][0], x0 + 4, y + row / 2); pen.restore();
      }
    }
    pen.fillStyle = '#fff'; pen.fillRect(0, y, left - 2, row);
    pen.fillStyle = '#1d1d1f'; pen.fillText(track.name, 4, y + row / 2);
  });
}
canvas.addEventListener('wheel', event => {
  event.preventDefault();
  const at = from + Math.max(0, event.offsetX - left) / scale(), factor = Math.exp(event.deltaY * .0015);
  from = Math.max(0, at - (at - from) * factor);
  to = Math.min(data.makespan, Math.max(from + 1000, at + (to - at) * factor));
  draw();
}, { passive: false });
let grabbed = null;
canvas.addEventListener('mousedown', event => grabbed = { x: event.offsetX, from, to });
addEventListener('mouseup', () => grabbed = null);
canvas.addEventListener('mousemove', event => {
  if (grabbed) {
    const moved = (grabbed.x - event.offsetX) / scale(), span = grabbed.to - grabbed.from;
    from = Math.min(Math.max(0, grabbed.from + moved), Math.max(0, data.makespan - span));
    to = from + span;
    draw();
    return;
  }
  const track = data.tracks[Math.floor((event.offsetY - top_) / row)];
  if (!track || event.offsetX < left) return;
  const t = from + (event.offsetX - left) / scale(), i = first(track.events, t);
  if (3 * i >= track.events.length || track.events[3 * i] > t) { tip.textContent = ''; return; }
  const label = data.labels[track.events[3 * i + 2]];
  tip.textContent = `${label[0]}   ${time(track.events[3 * i])} + ${time(track.events[3 * i + 1])}\n${label[1]}  ${label[2]}\n${label[3]}`;
});
addEventListener('resize', draw);
draw();
)JS";

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
  return out + "</table>\n<h2>Timeline</h2>\n";
}

/// Collects `data` of the script: tracks with [start, length, label]* and the
/// labels they refer to.
class Timeline {
public:
  explicit Timeline(const isa::Module &module) : module(module) {}

  void add(const sim::TraceEvent &event) {
    const isa::Instruction *instruction = instructionOf(event, module);
    if (!instruction)
      return;
    Track &track = tracks[event.track];
    const sim::Picoseconds begin =
        std::min(event.end, std::max(event.start, track.drawnTo));
    track.drawnTo = std::max(track.drawnTo, event.end);
    fmt::format_to(std::back_inserter(track.events), "{}{},{},{}",
                   track.events.empty() ? "" : ",", begin, event.end - begin,
                   labelNumber(event, *instruction));
  }

  std::string json(sim::Picoseconds makespan) const {
    std::string out = fmt::format("{{\"makespan\":{},\"tracks\":[", makespan);
    const char *separator = "";
    for (const auto &[number, track] : tracks) {
      out += fmt::format("{}{{\"name\":\"{}\",\"events\":[{}]}}", separator,
                         trackName(number), track.events);
      separator = ",\n";
    }
    return out + "],\n\"labels\":[" + labels + "]}";
  }

private:
  struct Track {
    std::string events;
    sim::Picoseconds drawnTo = 0;
  };

  std::size_t labelNumber(const sim::TraceEvent &event,
                          const isa::Instruction &instruction) {
    const auto [found, fresh] =
        numbers.try_emplace({event.engine, event.index}, numbers.size());
    if (fresh)
      labels += fmt::format("{}[{},{},{},{}]", labels.empty() ? "" : ",\n",
                            quoted(labelOf(instruction, module)),
                            quoted(sourceOf(instruction, module)),
                            quoted(placeOf(instruction, module).scopes),
                            quoted(isa::printInstruction(instruction, module)));
    return found->second;
  }

  const isa::Module &module;
  std::map<unsigned, Track> tracks;
  std::map<std::pair<unsigned, std::uint32_t>, std::size_t> numbers;
  std::string labels;
};

} // namespace

std::string toHtml(const isa::Module &module, const sim::Timing &timing,
                   const sim::ProfileReport &report) {
  Timeline timeline(module);
  const std::size_t shown = std::min(maxEvents, timing.events.size());
  for (std::size_t i = 0; i < shown; ++i)
    timeline.add(timing.events[i]);
  std::string out(head);
  out +=
      fmt::format("<h1>{} on {}</h1>\n<pre>{}</pre>\n", escaped(report.kernel),
                  escaped(report.target), escaped(toTable(report)));
  out += stallTable(report);
  if (shown < timing.events.size())
    out += fmt::format("<p>The timeline shows the first {} of {} events; the "
                       "trace file has all.</p>\n",
                       shown, timing.events.size());
  out += "<p>Wheel: zoom. Drag: move. Point at a bar: its instruction.</p>\n"
         "<canvas id=\"timeline\"></canvas><div id=\"tip\"></div>\n<script>\n"
         "const data = ";
  out += timeline.json(timing.makespan);
  out += ";";
  out += script;
  return out + "</script></body></html>\n";
}

} // namespace kiln::profile

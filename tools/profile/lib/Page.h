//===- Page.h - What is the same in every page --------------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_PAGE_H
#define KILN_PROFILE_LIB_PAGE_H

#include <string_view>

namespace kiln::profile {

inline constexpr std::string_view pageHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Kiln profile</title><style>
body{font:14px/1.45 system-ui,sans-serif;margin:1.5rem;color:#1d1d1f;background:#fff}
pre{font:12.5px/1.4 ui-monospace,monospace;background:#f5f5f7;padding:.8rem;border-radius:6px;overflow:auto}
table{border-collapse:collapse;font-size:13px}
td,th{padding:.2rem .8rem .2rem 0;text-align:left;border-bottom:1px solid #e5e5ea;vertical-align:top}
td:first-child,td:nth-child(2){text-align:right;font-variant-numeric:tabular-nums}
canvas{width:100%;border:1px solid #d2d2d7;border-radius:6px;cursor:grab;display:block}
#all{max-height:24rem;overflow-y:auto}
#tip{min-height:5.2em;white-space:pre-wrap;font:12.5px/1.4 ui-monospace,monospace;color:#424245}
</style></head><body>
)";

/// Draws `data`: makespan, the core shown first, for each core its name and the
/// number of its timeline, the timelines, and the labels that they refer to,
/// whose last entry is 1 where cores meet and 2 if it is a wait: then the
/// others are the reason, who waits, what for (data, buffer, order) and for
/// whom.
inline constexpr std::string_view pageScript = R"JS(
const tip = document.getElementById('tip'), select = document.getElementById('core');
const left = 110, top_ = 24;
let from = 0, to = data.makespan || 1, shown = data.shown;
const colour = name => {
  let h = 0;
  for (const c of name) h = (h * 31 + c.charCodeAt(0)) % 360;
  return `hsl(${h} 55% 62%)`;
};
const meets = data.labels.map(l => l[4] === 1);
const waits = data.labels.map(l => l[4] === 2);
const waiting = reason => reason === 'end' ? '#f0f0f3' : reason === 'wait_peer' ? '#e8596f' : reason.startsWith('wait_') || reason === 'semaphore' ? '#f2a65a' : '#c9a8e0';
const colours = data.labels.map((l, i) => waits[i] ? waiting(l[0]) : meets[i] ? '#a4133c' : colour(l[0]));
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
// Of a timeline: when any engine works, and the meetings.
const overviews = new Map();
function overview(line) {
  if (overviews.has(line)) return overviews.get(line);
  const busy = [], met = [], peers = [];
  for (const track of data.lines[line]) {
    for (let i = 0; i < track.waits.length; i += 3)
      if (data.labels[track.waits[i + 2]][0] === 'wait_peer') peers.push([track.waits[i], track.waits[i] + track.waits[i + 1], track.waits[i + 2]]);
    for (let i = 0; i < track.events.length; i += 3)
      (meets[track.events[i + 2]] ? met : busy).push([track.events[i], track.events[i] + track.events[i + 1], track.events[i + 2]]);
  }
  const merged = list => {
    const out = [];
    let end = -1;
    for (const [begin, stop, label] of list.sort((a, b) => a[0] - b[0])) {
      if (begin <= end && begin < stop) {
        end = Math.max(end, stop);
        out[out.length - 2] = end - out[out.length - 3];
        continue;
      }
      out.push(begin, stop - begin, label);
      end = Math.max(end, stop);
    }
    return out;
  };
  const result = { busy: merged(busy), met: merged(met), peers: merged(peers) };
  overviews.set(line, result);
  return result;
}
class View {
  constructor(id, height, rows) {
    this.canvas = document.getElementById(id);
    this.row = height;
    this.rows = rows; // () => [{name, layers: [{events, fill(label), strip}]}]; strips lie at the bottom
    this.pen = this.canvas.getContext('2d');
    this.listen();
  }
  strip() { return Math.round(this.row / 4); }
  scale() { return (this.canvas.clientWidth - left) / (to - from); }
  draw() {
    const { canvas, pen, row } = this, rows = this.rows();
    const width = canvas.clientWidth, height = top_ + row * rows.length;
    canvas.style.height = height + 'px';
    canvas.width = width * devicePixelRatio; canvas.height = height * devicePixelRatio;
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = Math.min(12, row - 2) + 'px system-ui, sans-serif'; pen.textBaseline = 'middle';
    const s = this.scale();
    let step = 10 ** Math.ceil(Math.log10((to - from) / 8));
    if ((to - from) / step < 3) step /= 2;
    pen.fillStyle = '#86868b';
    for (let t = Math.ceil(from / step) * step; t < to; t += step) {
      const x = left + (t - from) * s;
      pen.fillRect(x, top_ - 6, 1, height);
      pen.fillText(time(t), x + 3, 9);
    }
    rows.forEach((line, index) => {
      const y = top_ + index * row;
      if (line.chosen) { pen.fillStyle = '#ffe8a3'; pen.fillRect(0, y, width, row); }
      for (const layer of line.layers) this.paint(layer, y, s);
      pen.fillStyle = line.chosen ? '#ffe8a3' : '#fff'; pen.fillRect(0, y, left - 2, row);
      pen.fillStyle = '#1d1d1f'; pen.fillText(line.name, 4, y + row / 2);
    });
  }
  paint(layer, y, s) {
    const { pen, row } = this, events = layer.events, gap = row > 16 ? 2 : 1;
    const top = layer.strip ? row - gap - this.strip() : gap, thick = layer.strip ? this.strip() : row - 2 * gap;
    for (let i = first(events, from), drawn = -1; 3 * i < events.length; ++i) {
      const start = events[3 * i], length = events[3 * i + 1], label = events[3 * i + 2];
      if (start > to) break;
      const x0 = Math.max(left, left + (start - from) * s), x1 = left + (start + length - from) * s;
      if (x1 < drawn + .5) continue;
      pen.fillStyle = layer.fill(label);
      pen.fillRect(x0, y + top, Math.max(.75, x1 - x0 - .4), thick);
      drawn = x1;
      if (layer.named && x1 - x0 > 46) {
        pen.save(); pen.beginPath(); pen.rect(x0, y, x1 - x0 - 2, row); pen.clip();
        pen.fillStyle = meets[label] ? '#fff' : '#1d1d1f'; pen.fillText(data.labels[label][0], x0 + 4, y + row / 2); pen.restore();
      }
    }
  }
  // The row at a place and the topmost event there.
  at(event) {
    const number = Math.floor((event.offsetY - top_) / this.row), line = this.rows()[number];
    if (!line) return null;
    const t = from + (event.offsetX - left) / this.scale();
    const below = event.offsetY - top_ - number * this.row >= this.row - this.strip() - 2;
    if (event.offsetX >= left)
      for (const { events } of [...line.layers].reverse().sort((a, b) => (b.strip === true) === (a.strip === true) ? 0 : (b.strip === true) === below ? 1 : -1)) {
        const i = first(events, t);
        if (3 * i < events.length && events[3 * i] <= t)
          return { number, start: events[3 * i], length: events[3 * i + 1], label: events[3 * i + 2] };
      }
    return { number };
  }
  listen() {
    const { canvas } = this;
    canvas.addEventListener('wheel', event => {
      if (event.offsetX < left) return;
      event.preventDefault();
      const at = from + (event.offsetX - left) / this.scale(), factor = Math.exp(event.deltaY * .0015);
      from = Math.max(0, at - (at - from) * factor);
      to = Math.min(data.makespan, Math.max(from + 1000, at + (to - at) * factor));
      redraw();
    }, { passive: false });
    canvas.addEventListener('mousedown', event => grabbed = { view: this, x: event.offsetX, from, to });
    canvas.addEventListener('mousemove', event => {
      if (grabbed && grabbed.view === this) {
        const moved = (grabbed.x - event.offsetX) / this.scale(), span = grabbed.to - grabbed.from;
        from = Math.min(Math.max(0, grabbed.from + moved), Math.max(0, data.makespan - span));
        to = from + span;
        redraw();
        return;
      }
      const found = this.at(event);
      if (!found) return;
      if (found.label === undefined) { tip.textContent = ''; return; }
      const label = data.labels[found.label];
      tip.textContent = this.tells(found, label);
    });
  }
  tells(found, label) {
    if (waits[found.label])
      return `${label[0]}   ${time(found.start)} + ${time(found.length)}\n${label[1]} waits${label[3] ? ' for ' + label[3] : ''}${label[2] ? ' (' + label[2] + ')' : ''}`;
    return `${label[0]}   ${time(found.start)} + ${time(found.length)}\n${label[1]}  ${label[2]}\n${label[3]}`;
  }
}
let grabbed = null;
addEventListener('mouseup', () => grabbed = null);
const fill = label => colours[label];
const views = [new View('timeline', 22, () => data.lines[data.cores[shown][1]].map(track =>
  ({ name: track.name, layers: [{ events: track.events, fill, named: true }, { events: track.waits, fill, strip: true }] })))];
function choose(core) { shown = core; select.value = core; redraw(); }
if (data.cores.length > 1) {
  const all = new View('cores', data.cores.length > 8 ? 12 : 18, () => data.cores.map(([name, line], core) => {
    const { busy, met, peers } = overview(line);
    return { name, chosen: core === shown, layers: [{ events: busy, fill: () => '#b7cbe8' }, { events: met, fill }, { events: peers, fill, strip: true }] };
  }));
  all.tells = (found, label) => `${data.cores[found.number][0]}   ${time(found.start)} + ${time(found.length)}` +
    (waits[found.label] ? `\nwaits for ${label[3]}` : meets[found.label] ? `\n${label[0]}  ${label[1]}\n${label[3]}` : '\nworks');
  all.canvas.addEventListener('click', event => { const found = all.at(event); if (found) choose(found.number); });
  data.cores.forEach(([name], core) => select.add(new Option(name, core)));
  select.value = shown;
  select.addEventListener('change', () => choose(Number(select.value)));
  views.push(all);
}
function redraw() { for (const view of views) view.draw(); }
addEventListener('resize', redraw);
redraw();
)JS";

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_PAGE_H

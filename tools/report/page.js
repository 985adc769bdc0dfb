// Fills the page from `data`: the makespan in ps, the core that is shown first,
// for each core its name and the number of its timeline, the timelines with
// their reports, and the labels that events refer to. A label is [name, source,
// scopes, assembly, 1 where cores meet else 0], or of a wait [reason, who
// waits, data | buffer | order, for whom, 2].
'use strict';

const byId = id => document.getElementById(id);

function element(name, attributes, ...children) {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children);
  return made;
}

let shown = data.shown;
const lineOf = core => data.cores[core][1];
const report = () => data.reports[lineOf(shown)];
const meets = data.labels.map(label => label[4] === 1);
const waits = data.labels.map(label => label[4] === 2);
const colours = data.labels.map((label, i) => waits[i] ? reasonColour(label[0]) : meets[i] ? '#d4526e' : colourOf(label[0]));

function drawFigures() {
  const { kernel, target, makespan_ns: makespan, lower_bound_ns: bound, bound_by: by, roofline_ns: roofline, mbu } = report();
  const tflops = perNs => `${(perNs / 1000).toFixed(1)} TFLOP/s`;
  byId('kernel').textContent = `${kernel} on ${target}`;
  byId('parameters').textContent = data.parameters.map(([name, value]) => `${name}=${value}`).join('  ');
  const figures = [
    ['makespan', timeText(1000 * makespan), `about ${timeText(1000 * report().end_to_end_ns)} with launch and tear-down`],
    ['lower bound', timeText(1000 * bound), `${shareText(bound, makespan)} of the makespan, bound by ${by}`],
    ['roofline', timeText(1000 * roofline), `${shareText(roofline, makespan)} of the makespan, bound by ${report().roofline.bound_by}; no compiler changes it`],
    ['HBM', shareText(mbu, 1), `${bytesText(report().hbm_read_bytes)} read, ${bytesText(report().hbm_write_bytes)} written`],
    ['on chip', bytesText(report().sbuf_peak_bytes), `of each SBUF partition; ${report().psum_banks_peak} PSUM banks`],
    ['instructions', report().instructions, `from ${report().static_instructions} in the binary`],
  ];
  if (report().matmul_flops > 0) {
    const { mfu, mfu_of_type: ofType, product_type: type, peak_flops_per_ns: peak, peak_of_type_flops_per_ns: peakOfType } = report();
    const other = type === 'bf16' ? '' : `; ${shareText(ofType, 1)} of ${tflops(peakOfType)} (${type})`;
    figures.splice(3, 0, ['MFU', shareText(mfu, 1), `of ${tflops(peak)} (bf16)${other}`]);
  }
  byId('figures').replaceChildren(...figures.map(([name, value, note]) =>
    element('div', {}, element('dt', { textContent: name }), element('dd', { textContent: value }, element('small', { textContent: note })))));
}

// A bar for each engine: what it did with the makespan, by reason.
function drawEngines() {
  const makespan = report().makespan_ns, used = new Set();
  byId('engines').replaceChildren(...Object.entries(report().engines).map(([name, engine]) => {
    const parts = [['busy', engine.busy_ns], ...Object.entries(engine.stalls).sort((a, b) => b[1] - a[1])];
    const bar = element('div', { className: 'bar' }, ...parts.filter(([reason]) => reason !== 'end').map(([reason, ns]) => {
      used.add(reason);
      const part = element('span', { title: `${reason}: ${timeText(1000 * ns)}, ${shareText(ns, makespan)}` });
      part.style.width = 100 * ns / makespan + '%';
      part.style.background = reasonColour(reason);
      return part;
    }));
    const row = element('div', { className: 'engine' }, element('span', { textContent: name }), bar,
      element('span', { className: 'share', textContent: shareText(engine.busy_ns, makespan) }));
    row.setAttribute('role', 'row');
    row.setAttribute('aria-label', parts.map(([reason, ns]) => `${reason} ${shareText(ns, makespan)}`).join(', '));
    return row;
  }));
  byId('legend').replaceChildren(...[...used].map(reason => {
    const patch = element('i', {});
    patch.style.background = reasonColour(reason);
    return element('li', {}, patch, reason);
  }));
}

function placeCell(place) {
  const cell = element('td', {});
  if (place)
    cell.append(`${place.core ? place.core + ' ' : ''}${place.engine} ${place.label || 'end'}`, element('small', { textContent: place.source }));
  return cell;
}

function drawTables() {
  const makespan = report().makespan_ns, number = text => element('td', { className: 'number', textContent: text });
  byId('waits').tBodies[0].replaceChildren(...report().top_stalls.map(stall =>
    element('tr', {}, number(timeText(1000 * stall.ns)), number(shareText(stall.ns, makespan)), placeCell(stall.at),
      element('td', { textContent: stall.reason + (stall.kind === 'none' ? '' : ', ' + stall.kind) }), placeCell(stall.producer))));
  byId('counts').tBodies[0].replaceChildren(...Object.entries(report().instruction_counts).map(([name, count]) =>
    element('tr', {}, number(count), element('td', { textContent: name }))));
}

// Of a timeline: when any engine works, and the meetings.
const overviews = new Map();
function overview(line) {
  if (overviews.has(line)) return overviews.get(line);
  const busy = [], met = [], peers = [];
  for (const track of data.lines[line]) {
    for (let i = 0; i < track.waits.length; i += 3)
      if (data.labels[track.waits[i + 2]][0] === 'wait_peer')
        peers.push([track.waits[i], track.waits[i] + track.waits[i + 1], track.waits[i + 2]]);
    for (let i = 0; i < track.events.length; i += 3)
      (meets[track.events[i + 2]] ? met : busy).push([track.events[i], track.events[i] + track.events[i + 1], track.events[i + 2]]);
  }
  const result = { busy: merged(busy), met: merged(met), peers: merged(peers) };
  overviews.set(line, result);
  return result;
}

const tip = byId('tip'), fill = label => colours[label];

function tellEvent(found) {
  if (found.label === undefined) { tip.textContent = ''; return; }
  const label = data.labels[found.label], when = `${label[0]}   ${timeText(found.start)} + ${timeText(found.length)}\n`;
  tip.textContent = when + (waits[found.label]
    ? `${label[1]} waits${label[3] ? ' for ' + label[3] : ''}${label[2] ? ' (' + label[2] + ')' : ''}`
    : `${label[1]}  ${label[2]}\n${label[3]}`);
}

function tellCore(found) {
  if (found.label === undefined) { tip.textContent = ''; return; }
  const label = data.labels[found.label];
  tip.textContent = `${data.cores[found.number][0]}   ${timeText(found.start)} + ${timeText(found.length)}` +
    (waits[found.label] ? `\nwaits for ${label[3]}` : meets[found.label] ? `\n${label[0]}  ${label[1]}\n${label[3]}` : '\nworks');
}

const views = [];
const redraw = () => { for (const view of views) view.draw(); };
const span = new Span(data.makespan, redraw);
views.push(new View(byId('timeline'), 22, () => data.lines[lineOf(shown)].map(track => ({
  name: track.name,
  layers: [{ events: track.events, fill, named: label => data.labels[label][0] }, { events: track.waits, fill, strip: true }],
})), span, tellEvent));

function choose(core) {
  shown = core;
  byId('core').value = core;
  drawFigures();
  drawEngines();
  drawTables();
  redraw();
}

if (data.cores.length > 1) {
  byId('all').hidden = false;
  const all = new View(byId('cores'), data.cores.length > 8 ? 12 : 18, () => data.cores.map(([name, line], core) => {
    const { busy, met, peers } = overview(line);
    return { name, chosen: core === shown, layers: [{ events: busy, fill: () => '#8fb0dc' }, { events: met, fill }, { events: peers, fill, strip: true }] };
  }), span, tellCore);
  all.canvas.addEventListener('click', event => { const found = all.at(event); if (found) choose(found.number); });
  data.cores.forEach(([name], core) => byId('core').add(new Option(name, core)));
  byId('core').addEventListener('change', () => choose(Number(byId('core').value)));
  views.push(all);
}
if (data.cut) {
  byId('cut').hidden = false;
  byId('cut').textContent = `The timeline shows the first ${data.cut[0]} of up to ${data.cut[1]} events of a core; the trace file has all.`;
}
byId('closer').addEventListener('click', () => span.zoom(.5));
byId('wider').addEventListener('click', () => span.zoom(2));
byId('fit').addEventListener('click', () => span.fit());
addEventListener('resize', redraw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
choose(shown);

// Pure functions of the report: numbers as text, colours, and lists of events.
'use strict';

// Picoseconds as text.
function timeText(ps) {
  if (ps >= 1e9) return (ps / 1e9).toFixed(4) + ' ms';
  if (ps >= 1e6) return (ps / 1e6).toFixed(3) + ' us';
  return (ps / 1e3).toFixed(1) + ' ns';
}

function bytesText(bytes) {
  for (const [unit, size] of [['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 2 ** 10]])
    if (bytes >= size) return (bytes / size).toFixed(bytes >= 100 * size ? 0 : 1) + ' ' + unit;
  return bytes + ' B';
}

function shareText(part, whole) {
  return whole > 0 ? (100 * part / whole).toFixed(1) + ' %' : '-';
}

// A colour that depends on the name alone.
function colourOf(name) {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.charCodeAt(0)) % 360;
  return `hsl(${hash} 55% 62%)`;
}

const fixedColours = {
  busy: '#4c8bd6', end: 'transparent', wait_peer: '#e8596f', semaphore: '#c98a3d', descriptor: '#9d7bd8',
  wait_tensor: '#f2a65a', wait_vector: '#f7c35f', wait_scalar: '#eb8a5b', wait_gpsimd: '#d9a13b',
  wait_sync: '#c2b04a', wait_dma: '#f5b7a3', dependence: '#8f9bb3',
};
function reasonColour(reason) {
  return fixedColours[reason] || colourOf(reason);
}

// Events are [start, length, label]*, in order of their ends. The first that
// ends at `time` or later.
function firstAt(events, time) {
  let low = 0, high = events.length / 3;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[3 * middle] + events[3 * middle + 1] < time) low = middle + 1; else high = middle;
  }
  return low;
}

// [begin, end, label] in any order as events; what overlaps becomes one.
function merged(list) {
  const out = [];
  let end = -1;
  for (const [begin, stop, label] of [...list].sort((a, b) => a[0] - b[0])) {
    if (begin <= end && begin < stop) {
      end = Math.max(end, stop);
      out[out.length - 2] = end - out[out.length - 3];
      continue;
    }
    out.push(begin, stop - begin, label);
    end = Math.max(end, stop);
  }
  return out;
}

// The distance of the ticks of an axis with about `count` of them: 1, 2 or 5
// times a power of ten.
function tickStep(span, count) {
  const rough = span / count, power = 10 ** Math.floor(Math.log10(rough));
  for (const factor of [1, 2, 5])
    if (factor * power >= rough) return factor * power;
  return 10 * power;
}

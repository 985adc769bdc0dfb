// Numbers as text, and the ticks of an axis. Pure functions.
'use strict';

// Picoseconds as text.
function timeText(ps) {
  const size = Math.abs(ps);
  if (size >= 1e9) return (ps / 1e9).toFixed(4) + ' ms';
  if (size >= 1e6) return (ps / 1e6).toFixed(3) + ' us';
  return (ps / 1e3).toFixed(1) + ' ns';
}

// Three digits and a unit: where there is little room.
function shortTime(ps) {
  for (const [unit, size] of [['ms', 1e9], ['us', 1e6], ['ns', 1e3]])
    if (ps >= size) {
      const digits = ps / size;
      return `${digits.toFixed(digits >= 99.95 ? 0 : digits >= 9.995 ? 1 : 2)} ${unit}`;
    }
  return `${Math.round(ps)} ps`;
}

function bytesText(bytes) {
  for (const [unit, size] of [['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 2 ** 10]])
    if (bytes >= size) return (bytes / size).toFixed(bytes >= 100 * size ? 0 : 1) + ' ' + unit;
  return Math.round(bytes) + ' B';
}

function countText(count) {
  for (const [unit, size] of [['T', 1e12], ['G', 1e9], ['M', 1e6], ['k', 1e4]])
    if (count >= size) return (count / (unit === 'k' ? 1e3 : size)).toFixed(1) + ' ' + unit;
  return String(count);
}

// Operations in a nanosecond.
function speedText(perNs) {
  for (const [unit, size] of [['P', 1e6], ['T', 1e3], ['G', 1]])
    if (perNs >= size) return `${Number((perNs / size).toPrecision(3))} ${unit}FLOP/s`;
  return `${Number((1000 * perNs).toPrecision(3))} MFLOP/s`;
}

// Three digits, and the unit with a prefix.
function siText(value, unit) {
  if (value <= 0) return `0 ${unit}`;
  for (const [prefix, size] of [['T', 1e12], ['G', 1e9], ['M', 1e6], ['k', 1e3], ['', 1], ['m', 1e-3],
                                ['u', 1e-6], ['n', 1e-9]])
    if (value >= size)
      return `${
          (value / size)
              .toFixed(value >= 100 * size  ? 0
                       : value >= 10 * size ? 1
                                            : 2)} ${prefix}${unit}`;
  return `${(1e12 * value).toFixed(0)} p${unit}`;
}

function shareText(part, whole) { return whole > 0 ? (100 * part / whole).toFixed(1) + ' %' : '-'; }

// The distance of the ticks of an axis with about `count` of them: 1, 2 or 5
// times a power of ten.
function tickStep(span, count) {
  const rough = span / count, power = 10 ** Math.floor(Math.log10(rough));
  for (const factor of [1, 2, 5])
    if (factor * power >= rough) return factor * power;
  return 10 * power;
}

// A tick at `ps` of an axis with ticks `step` apart: as many decimals as keep
// it distinct from its neighbours.
function tickText(ps, step) {
  const [unit, size] = ps >= 1e9 || step >= 1e8   ? ['ms', 1e9]
                       : ps >= 1e6 || step >= 1e5 ? ['us', 1e6]
                                                  : ['ns', 1e3];
  const decimals = Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9));
  return (ps / size).toFixed(decimals) + ' ' + unit;
}

// The numbers of the ticks from `from` to `to`, as multiples of `step`.
function ticksOf(from, to, step) {
  const ticks = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to; ++i) ticks.push(i * step);
  return ticks;
}

const baseName = file => file.slice(file.lastIndexOf('/') + 1);
// The end of each path that no other one has.
function shortNames(files) {
  const parts = files.map(file => file.split('/')), end = (i, count) => parts[i].slice(-count).join('/');
  return files.map((file, i) => {
    for (let count = 1; count < parts[i].length; ++count)
      if (files.every((other, j) => other === file || end(j, count) !== end(i, count))) return end(i, count);
    return file;
  });
}
// "FILE:LINE" as [file, line].
function splitPlace(text) {
  const at = text.lastIndexOf(':');
  return [text.slice(0, at), Number(text.slice(at + 1))];
}
const plural = (count, word) => `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;

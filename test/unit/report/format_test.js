// Pure functions of the report (tools/report/format.js).
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const vm = require('node:vm');

const file = path.join(__dirname, '../../../tools/report/format.js');
const page = vm.createContext({});
vm.runInContext(fs.readFileSync(file, 'utf8'), page, file);
const same = (a, b) => assert.deepStrictEqual(JSON.stringify(a), JSON.stringify(b));

test('times change their unit at 1 us and 1 ms', () => {
  same(page.timeText(0), '0.0 ns');
  same(page.timeText(999_900), '999.9 ns');
  same(page.timeText(1_000_000), '1.000 us');
  same(page.timeText(999_999_000), '999.999 us');
  same(page.timeText(1_812_000_000), '1.8120 ms');
});

test('bytes and shares', () => {
  same(page.bytesText(0), '0 B');
  same(page.bytesText(1023), '1023 B');
  same(page.bytesText(1024), '1.0 KiB');
  same(page.bytesText(136 * 1024), '136 KiB');
  same(page.bytesText(2 ** 30), '1.0 GiB');
  same(page.shareText(1, 3), '33.3 %');
  same(page.shareText(1, 0), '-');
});

test('a colour depends on the name alone, and reasons have their own', () => {
  same(page.colourOf('activation'), page.colourOf('activation'));
  assert.notStrictEqual(page.colourOf('activation'), page.colourOf('dma_copy'));
  assert.notStrictEqual(page.reasonColour('wait_dma'), page.reasonColour('wait_vector'));
  same(page.reasonColour('a new reason'), page.colourOf('a new reason'));
});

test('the first event at a time, on both sides of each edge', () => {
  const events = [0, 10, 0, 10, 5, 0, 30, 10, 0];
  same([-1, 0, 10, 11, 15, 16, 40, 41].map(t => page.firstAt(events, t)), [0, 0, 0, 1, 1, 2, 2, 3]);
  same(page.firstAt([], 5), 0);
});

test('what overlaps becomes one, what only touches does not', () => {
  same(page.merged([[5, 9, 1], [0, 6, 0], [20, 30, 2]]), [0, 9, 0, 20, 10, 2]);
  same(page.merged([[0, 9, 0], [2, 3, 1]]), [0, 9, 0]);
  same(page.merged([]), []);
});

test('ticks are 1, 2 or 5 times a power of ten, and at most so many', () => {
  for (const span of [3, 17, 999, 1000, 1001, 192_443_574, 1e12]) {
    const step = page.tickStep(span, 8), digit = step / 10 ** Math.floor(Math.log10(step) + 1e-9);
    assert.ok([1, 2, 5].some(d => Math.abs(d - digit) < 1e-6), `${span}: ${step}`);
    assert.ok(span / step <= 8 && span / step > 3, `${span}: ${step}`);
  }
});

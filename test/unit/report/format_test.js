// Numbers as text, and ticks (tools/report/format.js).
'use strict';

const assert = require('node:assert');
const test = require('node:test');
const {load, same} = require('./load.js');

const page = load(['format.js']);

test('times change their unit at 1 us and 1 ms', () => {
  same(page.timeText(0), '0.0 ns');
  same(page.timeText(999_900), '999.9 ns');
  same(page.timeText(1_000_000), '1.000 us');
  same(page.timeText(999_999_000), '999.999 us');
  same(page.timeText(1_812_000_000), '1.8120 ms');
});

test('short times have three digits', () => {
  for (const [ps, text] of [[0, '0 ps'], [83, '83 ps'], [999, '999 ps'], [1000, '1.00 ns'], [9994, '9.99 ns'],
                            [9996, '10.0 ns'], [99_960, '100 ns'], [147_309_000, '147 us'],
                            [1_812_000_000, '1.81 ms'], [92_888_000_000, '92.9 ms']])
    same(page.shortTime(ps), text);
});

test('files have the shortest names that tell them apart', () => {
  same(page.shortNames(['kernels/a/kernel.h', 'kernels/b/kernel.h', 'kernels/b/block.h', 'x.cpp']),
       ['a/kernel.h', 'b/kernel.h', 'block.h', 'x.cpp']);
  same(page.shortNames(['kernel.h', 'a/kernel.h']), ['kernel.h', 'a/kernel.h']);
  same(page.shortNames([]), []);
});

test('bytes, counts, speeds and shares', () => {
  same(page.bytesText(0), '0 B');
  same(page.bytesText(1023), '1023 B');
  same(page.bytesText(1024), '1.0 KiB');
  same(page.bytesText(136 * 1024), '136 KiB');
  same(page.bytesText(2 ** 30), '1.0 GiB');
  same(page.countText(9999), '9999');
  same(page.countText(10_000), '10.0 k');
  same(page.countText(134_217_728), '134.2 M');
  same(page.speedText(78643.2), '78.6 TFLOP/s');
  same(page.speedText(2_000_000), '2 PFLOP/s');
  same(page.speedText(0.5), '500 MFLOP/s');
  same(page.shareText(1, 3), '33.3 %');
  same(page.shareText(1, 0), '-');
});

test('ticks of a tenth of a second are distinct and short at any zoom', () => {
  for (let span = 100; span <= 1e11; span *= 7) {
    const step = page.tickStep(span, 7),
          texts = page.ticksOf(1e11 - span, 1e11, step).map(tick => page.tickText(tick, step));
    assert.strictEqual(new Set(texts).size, texts.length, texts.join());
    assert.ok(texts.length > 2 && texts.every(text => text.length <= 15), texts.join());
  }
});

test('ticks are 1, 2 or 5 times a power of ten, and at most so many', () => {
  for (const span of [3, 17, 999, 1000, 1001, 192_443_574, 1e12]) {
    const step = page.tickStep(span, 8), digit = step / 10 ** Math.floor(Math.log10(step) + 1e-9);
    assert.ok([1, 2, 5].some(d => Math.abs(d - digit) < 1e-6), `${span}: ${step}`);
    assert.ok(span / step <= 8 && span / step > 3, `${span}: ${step}`);
  }
});

test('ticks stay distinct at any zoom, anywhere', () => {
  for (const from of [0, 999_000, 999_999_000, 1_800_123_456, 3_600_000_000_000])
    for (let span = 100; span < 4e12; span *= 7) {
      const step = page.tickStep(span, 8),
            texts = page.ticksOf(from, from + span, step).map(tick => page.tickText(tick, step));
      assert.ok(texts.length >= 3);
      assert.strictEqual(new Set(texts).size, texts.length, texts.join(' '));
    }
});

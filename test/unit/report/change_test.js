// What the page of two runs says of a change (tools/report/change.js).
'use strict';

const assert = require('node:assert');
const test = require('node:test');
const {load, same} = require('./load.js');

const page = load(['format.js', 'kinds.js', 'change.js'], ['pathPartText', 'pathPartStyle', 'changeText']);

test('a change has a sign, and what is new or gone has no share', () => {
  same([page.ratioText(200, 250), page.ratioText(200, 150), page.ratioText(200, 200)],
       ['+25.0 %', '-25.0 %', '0.0 %']);
  same([page.ratioText(0, 3), page.ratioText(3, 0), page.ratioText(0, 0)], ['new', 'gone', '']);
  same([1500, -1500, 0].map(change => page.changeText(change, page.timeText)),
       ['+1.5 ns', '-1.5 ns', '0.0 ns']);
});

test('a bar begins or ends in the middle, and stays in its half', () => {
  same(page.changeBar(5, 10), [0.5, 0.25]);
  same(page.changeBar(-10, 10), [0, 0.5]);
  same(page.changeBar(99, 10), [0.5, 0.5]);
  same(page.changeBar(0, 0), [0.5, 0]);
});

test('each part of a critical path has words and a colour or a pattern', () => {
  same(page.pathPartText('work_tensor'), 'TensorE works');
  same(page.pathPartText('work_dma'), 'DMA works');
  same(page.pathPartText('latency'), 'its result is under way');
  same(page.pathPartText('table'), 'ScalarE loads a function table');
  same(page.pathPartStyle('work_vector'), ['', 'var(--engine-vector)']);
  same(page.pathPartStyle('table'), ['wait own', '']);
  for (const name of ['work_tensor', 'latency', 'fetch', 'wait_peer', 'descriptor'])
    assert.ok(page.pathPartStyle(name).some(Boolean), name);
});

// Columns of numbers (tools/report/columns.js) as the tool writes them.
'use strict';

const assert = require('node:assert');
const test = require('node:test');
const {ColumnWriter} = require('./made_profile.js');
const {load, same} = require('./load.js');

const page = load(['columns.js'], ['ColumnReader', 'Growing', 'pathReasons']);
const readerOf = add => {
  const writer = new ColumnWriter(64);
  add(writer);
  return new page.ColumnReader(page.bytesOfBase64(writer.text()));
};

test('numbers of every length, on both sides of each', () => {
  const numbers = [0, 1];
  for (let power = 7; power <= 52; ++power) numbers.push(2 ** power - 1, 2 ** power, 2 ** power + 1);
  const reader = readerOf(writer => numbers.forEach(number => writer.add(number)));
  for (const number of numbers) assert.strictEqual(reader.next(), number);
});

test('signed numbers', () => {
  const numbers = [0, -1, 1, -63, 64, -65, 2 ** 40, -(2 ** 40)];
  const reader = readerOf(writer => numbers.forEach(number => writer.addSigned(number)));
  for (const number of numbers) assert.strictEqual(reader.nextSigned(), number);
});

test('a list grows', () => {
  const list = new page.Growing(Uint32Array);
  for (let i = 0; i < 5000; ++i) list.push(i);
  assert.strictEqual(list.trimmed().length, 5000);
  assert.strictEqual(list.trimmed()[4999], 4999);
});

test('a timeline: two tracks, a producer, the path, a wait', () => {
  const reader = readerOf(writer => {
    for (const number of [2, 10, 5, 0]) writer.add(number);
    writer.addSigned(3);
    for (const number of [7, 90, 4, 1]) writer.add(number);
    writer.addSigned(-2);
    for (const number of [0, 1, 20, 6, 2]) writer.add(number);
    writer.addSigned(0);
    writer.add(1);
    for (const number of [0, 0, 1]) writer.add(number);
    writer.addSigned(-2);
    for (const number of [3, 10, 0, 1, 0, 4, 2, 0, 12, 7, 1, 4]) writer.add(number);
    for (const number of [1, 15, 5, 3, 2, 1, 0, 0, 0, 0, 0, 0]) writer.add(number);
    for (const number of [2, 5, 32, 10, 0, 1, 12, 2048]) writer.add(number);
    for (const number of [2, 0, 1, 9, 64, 32, 0, 128, 2, 1, 2, 8, 0, 2048, 32, 64, 0]) writer.add(number);
    for (const number of [3, 5, 10, 0, 7, 1, 1, 3, 20, 0]) writer.add(number);
  });
  const timeline = page.readTimeline(reader, 2);
  same([...timeline.start], [10, 100, 20]);
  same([...timeline.length], [5, 4, 6]);
  same([...timeline.instruction], [0, 1, 2]);
  same([...timeline.latency], [3, -2, 0]);
  same([...timeline.slack], [7, 0, 1]);
  same([...timeline.firstOfTrack], [0, 2, 3]);
  same([...timeline.firstProducer], [0, 0, 0, 1]);
  same([...timeline.producers], [0]);
  same([...timeline.path.start], [0, 10, 14]);
  same([...timeline.path.length], [10, 4, 12]);
  same([...timeline.path.instruction], [0, -1, 2]);
  same([...timeline.path.event], [0, -1, 2]);
  same([...timeline.path.reason].map(reason => page.pathReasons(['wait_tensor', 'port'])[reason]),
       ['work', 'wait_tensor', undefined]);
  const {held} = timeline;
  same([[...held.sbuf.start], [...held.sbuf.bytes]], [[5, 15], [32, 0]]);
  same([[...held.psum.start], [...held.psum.bytes]], [[12], [2048]]);
  const {ranges} = timeline, range = i => [ranges.at(i).memory, ranges.at(i).start, ranges.at(i).end,
                                           ranges.at(i).first_byte, ranges.at(i).writer];
  same([0, 1, 2].map(range), [['sbuf', 5, 15, 64, 2], ['psum', 12, 13, 0, 0], ['sbuf', 15, 35, 64, 2]]);
  same(ranges.at(1).partitions, 64);
  same(
      [
        timeline.waits[0].start[0], timeline.waits[0].length[0], timeline.waits[0].instruction[0],
        timeline.waits[0].producer[0]
      ],
      [15, 5, 2, -1]);
});

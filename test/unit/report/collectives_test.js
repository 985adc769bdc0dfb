// Collectives against those that do the same (tools/report/collectives.js).
'use strict';

const test = require('node:test');
const {load, same} = require('./load.js');

const page = load(['format.js', 'kinds.js', 'collectives.js']);

test('a collective has its share of the median of those that do the same', () => {
  const one = (bytes, wait, time, more = {}) => ({
    op: 'all_reduce',
    algorithm: 'ring',
    members: 4,
    bytes,
    came_ns: 7,
    peer_wait_ns: wait,
    end_ns: 7 + wait + time,
    ...more
  });
  const all = [
    one(64, 0, 10), one(64, 500, 20), one(64, 3, 40), // The wait for peers does not count.
    one(128, 0, 30), one(128, 0, 50),                 // Of an even number, the middle of two.
    one(64, 0, 1000, {members: 2}), one(64, 0, 99, {op: 'all_gather'})
  ];
  const shares = page.sharesOfMedian(all);
  same(all.map(collective => shares.get(collective)), [0.5, 1, 2, 0.75, 1.25, 1, 1]);
});

// What proves an insight (tools/report/insights.js).
'use strict';

const assert = require('node:assert');
const test = require('node:test');
const {load, same} = require('./load.js');

const page = load(['format.js', 'insights.js']);

test('evidence is told by line, in its order', () => {
  const evidence =
      [[7, 'a.h:3', 'x'], [-1, 'a.h:3', 'no instruction'], [2, 'b.h:1', 'y'], [5, 'a.h:3', 'z']].map(
          ([instruction, source, text]) => ({instruction, source, text}));
  same(page.evidenceByLine(evidence), [
    {source: 'a.h:3', numbers: [7, 5], texts: ['x', 'z']},
    {source: 'a.h:3', numbers: [], texts: ['no instruction']}, {source: 'b.h:1', numbers: [2], texts: ['y']}
  ]);
});

test('a place is a file and a line', () => {
  same(page.splitPlace('kernels/a.h:12'), ['kernels/a.h', 12]);
  same(page.splitPlace('C:/a.h:7'), ['C:/a.h', 7]);
  assert.ok(Number.isNaN(page.splitPlace('')[1]) || page.splitPlace('')[0] === '');
});

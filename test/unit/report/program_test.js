// The program behind a selection (tools/report/program.js).
'use strict';

const assert = require('node:assert');
const test = require('node:test');
const {madeProfile} = require('./made_profile.js');
const {load, same} = require('./load.js');

const page = load(['format.js', 'columns.js', 'kinds.js', 'model.js', 'program.js'], ['Profile']);
const {head, columns} = madeProfile(60);
const core = new page.Profile(head, columns).cores[0];

test('assembly names each instruction as kiln explain does', () => {
  const number = core.binary.findIndex(({op}) => op === 'tensor_reduce');
  same(page.assemblyOf(core, [number]), 'vector:0  tensor_reduce dst=sbuf[p0:128, 0x800: bf16 512x1]');
  assert.strictEqual(page.assemblyOf(core, [...core.binary.keys()]).split('\n').length, core.binary.length);
});

test('of the IR, the lines of a source line, and where others were left out', () => {
  const file = 'kernels/made/made.h', at = (text, line) => ({text, file, line});
  const lines = [at('a', 6), at('b', 6), at('c', 7), at('d', 6), {text: 'e', file: '', line: 6}, at('f', 6)];
  const product = [core.binary.findIndex(({op}) => op === 'nc_matmul')]; // Line 6.
  same(page.irOf(core, lines, product), 'a\nb\n\nd\n\nf\n');
  same(page.irOf(core, lines, []), '');
});

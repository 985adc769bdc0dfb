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

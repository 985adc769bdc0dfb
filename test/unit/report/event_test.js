// An event as JSON, and the address of a line in an editor (tools/report/event.js,
// editor.js).
'use strict';

const assert = require('node:assert');
const test = require('node:test');
const {madeProfile} = require('./made_profile.js');
const {load, same} = require('./load.js');

const page = load(['format.js', 'columns.js', 'kinds.js', 'model.js', 'event.js', 'editor.js'],
                  ['Profile', 'editorStart']);
const {head, columns} = madeProfile(600);
const core = new page.Profile(head, columns).cores[0];
core.report.wait_kinds = ['none', 'data', 'buffer', 'order'];

test('an event as JSON has its times, its waits and both ends of its links', () => {
  const event = core.firstOfTrack[1] + 5, one = page.jsonOfEvent(core, 3, event);
  same([one.core, one.track, one.engine, one.op, one.run, one.runs],
       [3, 'VectorE', 'vector', 'tensor_reduce', 6, 100]);
  same([one.start_ps, one.end_ps, one.visible_ps, one.slack_ps],
       [core.start[event], core.end(event), core.end(event) + core.latency[event], core.slack[event]]);
  same([one.source, one.is_critical, one.scopes],
       ['kernels/made/made.h:7', core.isCritical[event] === 1, ['rows']]);
  // The product before it, and the activation behind it, of the same round.
  const link = (links, op) => {
    same(links.length, 1);
    same([links[0].op, links[0].run], [op, 6]);
    return links[0];
  };
  assert.ok(link(one.producers, 'nc_matmul').end_ps <= one.start_ps);
  assert.ok(link(one.consumers, 'activation').start_ps >= one.end_ps);
  const product = core.binary.find(({op}) => op === 'nc_matmul');
  same(one.waits.map(({reason, kind, length_ps: length, producer}) => [reason, kind, length > 0, producer]),
       [['wait_tensor', 'data', true, {engine: product.engine, index: product.index}]]);
  // Nothing is lost on the way.
  same(JSON.parse(JSON.stringify(one)), one);
});

test('a line in an editor: the folder comes from the reader, unless the path has it', () => {
  const address = (template, file) => page.editorAddress(template, file, 12) ?? '';
  same(address('vscode://file/home/me/{file}:{line}', 'kernels/a b.h'),
       'vscode://file/home/me/kernels/a%20b.h:12');
  same(address('vscode://file/home/me/{file}:{line}', '/tmp/a.cpp'), 'vscode://file/tmp/a.cpp:12');
  same(address('txmt://open?url=file:///home/{file}&line={line}', 'a.h'),
       'txmt://open?url=file:///home/a.h&line=12');
  same(address('txmt://open?url=file:///home/{file}&line={line}', '/tmp/a.h'),
       'txmt://open?url=file:///tmp/a.h&line=12');
  for (const template of[undefined, null, '', 'file', 'vscode://file/', 'javascript://{file}', '{file}://x'])
    same(address(template, 'a.h'), '');
  assert.notStrictEqual(address(page.editorStart, 'a.h'), '');
});

// Sums, links and search of a profile (tools/report/model.js).
'use strict';

const assert = require('node:assert');
const test = require('node:test');
const {madeProfile} = require('./made_profile.js');
const {load, same} = require('./load.js');

const page = load(['format.js', 'columns.js', 'kinds.js', 'model.js', 'hierarchy.js', 'source.js'],
                  ['Profile', 'kindNames']);
const {head, columns} = madeProfile(600);
const core = new page.Profile(head, columns).cores[0];

test('sums of a stretch are those of its halves', () => {
  const middle = core.makespan / 3,
        [first, second, all] = [core.summary(0, middle), core.summary(middle), core.whole()];
  for (const name of ['busy', 'stalls', 'critical', 'occupied', 'waited'])
    all[name].forEach((value, i) => assert.ok(Math.abs(value - first[name][i] - second[name][i]) < 1, name));
  all.runs.forEach((runs, i) => assert.strictEqual(runs, first.runs[i] + second.runs[i]));
  same([...all.runs], [100, 100, 100, 100, 100, 100]);
  same(all.bytes, 100 * (65536 + 32768));
});

test('sums of a box are those of its tracks, and of all boxes those of the stretch', () => {
  for (const [from, to] of [[0, core.makespan], [1e7 + 17, 3.3e7]]) {
    const all = core.summary(from, to),
          boxes = core.tracks.map((_, track) => core.summary(from, to, [track]));
    for (const name of ['busy', 'stalls', 'critical', 'occupied', 'waited'])
      all[name].forEach((value, i) => assert.ok(
                            Math.abs(value - boxes.reduce((sum, box) => sum + box[name][i], 0)) < 1, name));
    same(boxes.reduce((sum, box) => sum + box.bytes, 0), all.bytes);
    same(boxes[2].occupied.map((time, track) => time === (track === 2 ? all.occupied[2] : 0)).every(Boolean),
         true);
    assert.ok(boxes[2].busy.some(time => time > 0) && boxes[2].waited[2] > 0 && boxes[2].waited[0] === 0);
    same([...core.summary(from, to, [...core.tracks.keys()]).busy], [...all.busy]);
  }
});

test('the whole run has all executions, also those without events', () => {
  const runs = [7, ...core.binary.slice(1).map(() => 100), 3],
        binary = [...core.binary, {...core.binary[0], kind: 'control', bytes: 0}].map(
            (one, i) => ({...one, runs: runs[i]}));
  const given = Object.assign(new page.Profile(head, columns).cores[0], {binary, wholeSummary: undefined});
  same([...given.whole().runs], runs);
  same([...given.summary(0, core.makespan / 2).runs].at(-1), 0);
});

test('sums are those of plain loops over all events', () => {
  const from = 1e7, to = 3.3e7, busy = new Float64Array(core.binary.length), sum = core.summary(from, to);
  for (let event = 0; event < core.count; ++event)
    busy[core.instruction[event]] +=
        Math.max(0, Math.min(to, core.end(event)) - Math.max(from, core.start[event]));
  same([...sum.busy], [...busy]);
});

test('instructions that the source names are those of no tile operation', () => {
  const given = new page.Profile(head, columns).cores[0],
        loads = given.binary.find(one => one.kind === 'dma_in');
  same(given.runsOfSource(),
       {nc_matmul: 100, tensor_reduce: 100, activation: 100, dma_copy: 200, tensor_copy: 100});
  given.places = given.places.map((place, i) => ({...place, operation: i === loads.place ? 'load' : ''}));
  same(given.runsOfSource().dma_copy, 100);
  given.binary.forEach(instruction => { instruction.kind = 'control'; });
  same(given.runsOfSource(), {});
});

test('times by op are those of all executions', () => {
  const times = core.timesOfOps();
  same(times.nc_matmul, core.whole().runs[core.binary.findIndex(({op}) => op === 'nc_matmul')] * 1_200_000);
  same(Object.values(times).reduce((all, time) => all + time, 0),
       core.whole().busy.reduce((all, time) => all + time, 0));
});

test('the lower bound of a part is that of its longest resource', () => {
  same(page.boundOf({engines: [5000, 7000, 1, 1, 1, 90000], hbm: 6}, 1), 7000);
  same(page.boundOf({engines: [5000, 7000, 1, 1, 1, 90000], hbm: 18}, 2), 9000);
});

test('what an event lost to a cold engine or a taken port is no work', () => {
  const given = new page.Profile(head, columns).cores[0], before = given.summary(), waits = given.waits[0],
        lost = waits.length.reduce((sum, time, i) => sum + (waits.instruction[i] >= 0 ? time : 0), 0);
  waits.reason.forEach((reason, i) => {
    if (waits.instruction[i] >= 0) waits.reason[i] = given.reasons.indexOf('throttle');
  });
  const after = given.summary(), number = given.binary.findIndex(one => one.op === 'nc_matmul');
  assert.ok(lost > 0);
  same(before.busy[number] - after.busy[number], lost);
  same(before.engines[6 * number] - after.engines[6 * number], lost);
  same([...after.stalls], [...before.stalls]);
});

test('an engine works or waits', () => {
  core.tracks.filter(track => track.engine >= 0).forEach(track => {
    const t = core.tracks.indexOf(track);
    assert.strictEqual(core.whole().occupied[t] + core.whole().waited[track.engine], core.makespan,
                       track.name);
  });
});

test('who needs an event is who has it as a producer', () => {
  for (let event = 0; event < core.count; ++event) {
    for (const producer of core.producersOf(event)) assert.ok(core.consumersOf(producer).includes(event));
    for (const consumer of core.consumersOf(event)) assert.ok(core.producersOf(consumer).includes(event));
  }
});

test('the event at a time, on both sides of its edges', () => {
  const event = core.firstOfTrack[1] + 5, start = core.start[event];
  assert.strictEqual(core.eventAt(1, start), event);
  assert.strictEqual(core.eventAt(1, core.end(event) - 1), event);
  assert.strictEqual(core.eventAt(1, core.end(event)), -1);
  assert.strictEqual(core.eventAt(1, start - 1), -1);
  assert.strictEqual(core.eventAt(1, start - 1, 2), event);
  assert.ok(core.waitAt(1, start - 1) >= 0);
  assert.strictEqual(core.waitAt(1, start), -1);
  same(core.runOf(event), [6, 100]);
});

test('search wants all words, anywhere', () => {
  const found = query => [...core.matching(query).keys()]
                             .filter(i => core.matching(query)[i])
                             .map(i => core.binary[i].op);
  same(found('MATMUL tensor'), ['nc_matmul']);
  same(found('dma_copy made.h:4'), ['dma_copy']);
  same(found('   '), []);
  const events = core.eventsOf(core.matching('dma_copy'));
  assert.strictEqual(events.length, 200);
  for (let i = 1; i < events.length; ++i) assert.ok(core.start[events[i - 1]] <= core.start[events[i]]);
});

test('the critical path has no gap, and its parts add up to the makespan', () => {
  const {path} = core;
  for (let i = 1; i < path.count; ++i)
    assert.strictEqual(path.start[i], path.start[i - 1] + path.length[i - 1]);
  assert.strictEqual(core.pathParts().reduce((all, part) => all + part.time, 0), core.makespan);
  // By instruction: all but the last step, which is nobody's.
  assert.strictEqual(core.whole().critical.reduce((all, time) => all + time, 0), path.start[path.count - 1]);
  for (let i = 0; i < path.count - 1; ++i) assert.ok(core.isCritical[path.event[i]]);
});

test('parts of the critical path are those of lines, also of copies that were unrolled', () => {
  const before = core.pathParts(), longest = before.find(({number}) => number >= 0);
  // Every second step is one of a copy of its instruction.
  const copies = [...core.binary, ...core.binary.map(one => ({...one, index: one.index + 100}))],
        {path} = core, other = Object.assign(Object.create(core), {
          binary: copies,
          path: {
            ...path,
            instruction: path.instruction.map(
                (number, i) => number >= 0 && i % 4 > 1 ? number + core.binary.length : number)
          }
        });
  const after = other.pathParts();
  same(after.map(({what, time, steps}) => [what, time, steps]),
       before.map(({what, time, steps}) => [what, time, steps]));
  same(longest.numbers.size, 1);
  assert.ok(after.some(({numbers}) => numbers.size === 2));
});

test('the first event of a stretch, and the nearest one on another track', () => {
  const event = core.firstOfTrack[1] + 5;
  assert.strictEqual(core.nearestOf(1, core.start[event]), event);
  assert.strictEqual(core.nearestOf(1, core.start[event] - 1), event - 1);
  assert.strictEqual(core.nearestOf(1, 0), core.firstOfTrack[1]);
  const first = core.firstWithin(core.start[event], core.end(event));
  assert.ok(core.end(first) > core.start[event] && core.start[first] < core.end(event));
  assert.strictEqual(core.firstWithin(core.makespan, core.makespan + 1), -1);
});

test('a node of the tree has the sums of the nodes below it', () => {
  for (const sum of [core.whole(), core.summary(1e7, 3.3e7)]) {
    const root = page.treeOf(core, sum), visit = node => {
      if (node.children.length === 0) return;
      for (const name of ['busy', 'stalls', 'critical', 'bytes', 'runs'])
        assert.ok(Math.abs(node.children.reduce((all, child) => all + child[name], 0) - node[name]) < 1e-3,
                  `${node.name}: ${name}`);
      node.children.forEach(visit);
    };
    visit(root);
    assert.strictEqual(root.busy, sum.busy.reduce((all, time) => all + time, 0));
    assert.strictEqual(root.children.length, 2);
  }
});

test('a line has the time of the helpers that it calls, each once', () => {
  const made = madeProfile(600), {places} = made.head.cores[0];
  // The reduction's helper is called from line 2, and so is that of the move, which calls itself, through
  // line 3.
  places[7].callers = [2];
  places[9].callers = [9, 9, 3, 2];
  const called = new page.Profile(made.head, made.columns).cores[0], sum = called.whole();
  const lines = page.linesOf(called, sum).get('kernels/made/made.h');
  const busy = line => sum.busy[called.binary.findIndex(instruction => instruction.place === line)];
  assert.ok(busy(7) > 0 && busy(9) > 0);
  same([2, 3, 9].map(line => lines.get(line).called.busy), [busy(7) + busy(9), busy(9), busy(9)]);
  same([2, 3, 7, 9].map(line => lines.get(line).busy), [0, 0, busy(7), busy(9)]);
  assert.strictEqual(lines.get(7).called, undefined);
  same(lines.get(2).instructions, []);
});

test('scopes as colours: the longest have their own, the rest share the last one', () => {
  const few = core.scopeShades(),
        time = shade =>
            core.binary.reduce((all, _, i) => all + (few.of[i] === shade ? core.whole().busy[i] : 0), 0);
  core.binary.forEach(
      (one, i) => assert.strictEqual(few.names[few.of[i]], core.placeOf(one).scopes.join(' \u203a ')));
  for (let i = 1; i < few.names.length; ++i) assert.ok(time(i - 1) >= time(i));
  // Sixteen scopes, and twelve colours.
  const many = new page.Profile(head, columns).cores[0];
  const binary = Array.from({length: 16}, (_, place) => ({...many.binary[0], place}));
  Object.assign(many,
                {binary, places: binary.map((_, i) => ({file: '', line: 0, scopes: ['s' + i], name: ''}))});
  many.wholeSummary = {busy: binary.map((_, i) => 100 - i)};
  const {names, of} = many.scopeShades();
  same(names, [...Array.from({length: 11}, (_, i) => 's' + i), 'others']);
  same([...of], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11, 11, 11, 11]);
});

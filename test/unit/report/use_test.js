// Use over time, bands, groups, markers and CSV (tools/report/use.js, groups.js,
// markers.js, csv.js).
'use strict';

const assert = require('node:assert');
const test = require('node:test');
const {madeProfile} = require('./made_profile.js');
const {load, same} = require('./load.js');

const page =
    load(['format.js', 'columns.js', 'kinds.js', 'model.js', 'use.js', 'groups.js', 'markers.js', 'csv.js'],
         ['Profile', 'markerText', 'quotedText', 'engineNames']);
const {head, columns} = madeProfile(600);
const core = new page.Profile(head, columns).cores[0];

test('use of tracks is the time of their events, wherever the parts end', () => {
  for (const [from, to] of [[0, core.makespan], [1e7 + 17, 3.3e7]]) {
    const sum = core.summary(from, to);
    for (const tracks of [[0], [2], [5, 6]]) {
      const bins = page.useOfTracks(core, tracks, from, to, 37),
            time = [...bins].reduce((all, share) => all + share, 0) * (to - from) / 37;
      assert.ok(Math.abs(time - tracks.reduce((all, track) => all + sum.occupied[track], 0)) < 1);
      assert.ok(bins.every(share => share >= 0 && share < tracks.length + 1e-9));
    }
  }
  // One part, all of it occupied; the next one, half of it.
  const event = core.firstOfTrack[1], length = core.length[event], start = core.start[event];
  same([...page.useOfTracks(core, [1], start, start + 2 * length, 2)].map(share => Math.round(1e6 * share)),
       [1e6, 0]);
});

test('the time in which any track is occupied is that between edges where one is', () => {
  for (const [from, to] of [[0, core.makespan], [1e7 + 17, 1.3e7], [core.makespan, core.makespan]])
    for (const tracks of [[], [5], [5, 6], [0, 1, 2, 5, 6]]) {
      const events = tracks.flatMap(
                track => [...core.instruction.keys()].filter(event => core.trackOf[event] === track)),
            edges = [...new Set([from, to, ...events.flatMap(event => [core.start[event], core.end(event)])])]
                        .filter(time => time >= from && time <= to)
                        .sort((a, b) => a - b);
      const time = edges.slice(1).reduce((all, edge, i) => {
        const isOccupied = events.some(event => core.start[event] < edge && core.end(event) > edges[i]);
        return all + (isOccupied ? edge - edges[i] : 0);
      }, 0);
      same(page.timeOfAny(core, tracks, from, to), time);
      assert.ok(time > 0 || tracks.length === 0 || from === to);
    }
});

test('bytes of HBM are those of the transfers, wherever the parts end', () => {
  const rate = (bins, from, to) => bins.reduce((all, one) => all + one, 0) * (to - from) / bins.length / 1000;
  core.binary.forEach(one => {
    one.hbm_read_bytes = one.kind === 'dma_in' ? one.bytes : 0;
    one.hbm_written_bytes = one.kind === 'dma_out' ? one.bytes : 0;
  });
  for (const [key, kind] of [['hbm_read_bytes', 'dma_in'], ['hbm_written_bytes', 'dma_out']]) {
    const bytes = core.binary.reduce(
        (all, one, i) => all + (one.kind === kind ? one.bytes * core.whole().runs[i] : 0), 0);
    const moved = rate(page.useOfHbm(core, key, 0, core.makespan, 53), 0, core.makespan);
    assert.ok(bytes > 0 && Math.abs(moved / bytes - 1) < 1e-9, `${key}: ${moved}, ${bytes}`);
  }
  // In the middle of the first load, its own rate.
  const track = core.tracks.findIndex(({isQueue}) => isQueue), event = core.firstOfTrack[track];
  const [middle] =
      page.useOfHbm(core, 'hbm_read_bytes', core.start[event] + 1000, core.start[event] + 2000, 1);
  assert.ok(Math.abs(middle - 1000 * core.instructionOf(event).bytes / core.length[event]) < 1e-9);
});

test('flops and waits over time add up to those of the stretch', () => {
  for (const [from, to] of [[0, core.makespan], [1e7 + 17, 3.3e7]]) {
    const all = bins => bins.reduce((sum, one) => sum + one, 0) * (to - from) / bins.length;
    const sum = core.summary(from, to), track = core.tracks.findIndex(({engine}) => engine === 0);
    // Each product has as many, evenly over its time.
    const flops = all(page.useOfTensor(core, 'flops', from, to, 53)) / 1000;
    assert.ok(flops > 0 && Math.abs(flops / (16777216 * sum.occupied[track] / 1_200_000) - 1) < 1e-9);
    for (const [engine, reason] of [[0, 'wait_dma'], [2, 'queue'], [0, 'throttle']]) {
      const waited = sum.reasons[engine][core.reasons.indexOf(reason)];
      assert.ok(Math.abs(all(page.useOfWaits(core, engine, reason, from, to, 37)) - waited) < 1, reason);
    }
    assert.ok(sum.reasons[0][core.reasons.indexOf('wait_dma')] > 0);
  }
});

test('DMA engines over time: what the transfers ask of each of them', () => {
  const engines = [0, 1, 2], plans = {
    dma_in: {ns: [400, 100, 10], bytes: [60000, 5536, 0]},
    dma_out: {ns: [0, 200, 10], bytes: [0, 32768, 0]}
  };
  const given = Object.assign(Object.create(core), {
    report: {dma_engines: engines},
    dmaPlans: undefined,
    binary: core.binary.map(one => one.bytes > 0 ? {...one, dma: plans[one.kind]} : one)
  });
  const {runs} = core.whole(), from = 0, to = core.makespan;
  for (const key of ['ns', 'bytes']) {
    const bins = page.useOfDmaEngines(given, from, to, 41)[key];
    same(bins.length, 3);
    for (const e of engines) {
      const sum = bins[e].reduce((all, one) => all + one, 0) * (to - from) / 41 / 1000,
            wanted = given.binary.reduce((all, {dma}, i) => all + (dma ? dma[key][e] * runs[i] : 0), 0);
      assert.ok(Math.abs(sum - wanted) <= 1e-9 * wanted, `${key} ${e}: ${sum}, ${wanted}`);
    }
  }
  // In the middle of the first load: of each nanosecond its part.
  const track = core.tracks.findIndex(({isQueue}) => isQueue), event = core.firstOfTrack[track],
        inside = [core.start[event] + 1000, core.start[event] + 2000, 1];
  same(page.useOfDmaEngines(given, ...inside).ns.map(([share]) => Math.round(1e6 * share)),
       [400, 100, 10].map(ns => Math.round(1e9 * ns / core.length[event])));
});

test('operations over time are those of the runs, and none is faster than the fastest', () => {
  const given = Object.assign(Object.create(core), {
    binary: core.binary.map(one => ({
                              ...one,
                              operations: one.engine === 'scalar' && one.bytes === 0 ? 9000 : 0,
                              cost: {interval: 900}
                            }))
  });
  const engine = page.engineNames.indexOf('scalar'), {makespan} = core,
        bins = page.useOfEngine(given, engine, 'operations', 0, makespan, 29),
        runs = given.binary.reduce(
            (all, {operations}, i) => all + (operations > 0 ? core.whole().runs[i] : 0), 0);
  assert.ok(runs > 0 &&
            Math.abs(bins.reduce((all, one) => all + one, 0) * makespan / 29 / 1000 / (9000 * runs) - 1) <
                1e-9);
  same(page.fastestOf(given, engine), 10);
  assert.ok(bins.every(rate => rate <= 10 + 1e-9));
  same(page.fastestOf(given, page.engineNames.indexOf('vector')), 0);
});

test('bytes in use are those that hold values', () => {
  const held = {
    sbuf: {count: 4, start: [0, 25, 50, 75], bytes: [100, 120, 20, 0]},
    psum: {count: 1, start: [10], bytes: [7]}
  };
  same([...page.useOfMemory({held}, 'sbuf', 0, 100, 4)], [100, 120, 20, 0]);
  same([...page.useOfMemory({held}, 'sbuf', 20, 70, 2)].map(Math.round), [116, 40]);
  same([...page.useOfMemory({held}, 'psum', 0, 80, 2)], [5.25, 7]);
});

test('rows by tensor and by scope', () => {
  const numbersOf = kind => [...core.binary.keys()].filter(i => core.binary[i].kind === kind);
  const loads = numbersOf('dma_in'), products = numbersOf('matmul');
  const node = (parent, type, name, instruction = -1) => ({parent, type, name, instruction});
  const report = {
    tensors: [{name: 'x', instructions: loads}, {name: 'unused', instructions: []}],
    hierarchy: [
      node(-1, 'kernel', 'k'), node(0, 'scope', 'outer'), node(1, 'loop', 'inner'),
      node(2, 'statement', 'k.h:6'), node(3, 'operation', 'matmul'),
      ...products.map(i => node(4, 'instruction', 'nc_matmul', i)),
      ...loads.map(i => node(1, 'instruction', 'dma_copy', i))
    ]
  };
  const given = Object.assign(Object.create(core), {report});
  const [x, ...others] = page.groupRows(given, 'tensors');
  same([x.name, others.length], ['x', 0]);
  // No two loads of the profile overlap.
  const sum = core.whole();
  assert.ok(Math.abs(x.time - loads.reduce((all, i) => all + sum.busy[i], 0)) < 1);
  const scopes = page.groupRows(given, 'scopes');
  same(scopes.map(({name}) => name), ['outer', 'outer \u203a inner']);
  same([...scopes[1].numbers], products);
  assert.ok(scopes[0].time >= scopes[1].time && scopes[1].time > 0);
  // By the lines that call helpers: with what the helpers of a helper became.
  const places = [...core.places], own = core.binary[products[0]].place;
  places[own] = {...places[own], callers: [3, 2, 3]};
  places[core.binary[loads[0]].place] = {...places[core.binary[loads[0]].place], callers: [2]};
  const called =
      page.groupRows(Object.assign(Object.create(core), {report, places, shortFiles: undefined}), 'calls');
  same(called.map(({name, numbers}) => [name, [...numbers].sort((a, b) => a - b)]),
       [['made.h:3', products], ['made.h:2', [...products, ...loads].sort((a, b) => a - b)]]);
  same(page.groupRows(core, 'calls'), []);
  // No more rows than a reader can look at: those that take longest.
  const stores = numbersOf('dma_out'), names = Array.from({length: 40}, (_, i) => `t${i}`);
  report.tensors = names.map((name, i) => ({name, instructions: i < 20 ? stores : loads}));
  same(page.groupRows(given, 'tensors').map(({name}) => name), [...names.slice(0, 4), ...names.slice(20)]);
});

test('banks of PSUM', () => {
  same(page.banksOf({first_byte: 0, bytes: 2048}, 16384), [0, 0]);
  same(page.banksOf({first_byte: 6144, bytes: 2049}, 16384), [3, 4]);
  same(page.banksOf({first_byte: 14336, bytes: 2048}, 16384), [7, 7]);
});

test('bands cover the events of their instructions and nothing far from them', () => {
  const number = core.binary.findIndex(({op}) => op === 'nc_matmul'),
        matches = new Uint8Array(core.binary.length);
  matches[number] = 1;
  const events = [...core.eventsOf(matches)], apart = page.bandsOf(core, [number], 0);
  same(apart.length, events.length);
  same(apart[7], [core.start[events[7]], core.end(events[7])]);
  same(page.bandsOf(core, [number], core.makespan).length, 1);
  same(page.bandsOf(core, [], 5), []);
});

test('flops by use add up to what TensorE could do', () => {
  const report = (more = {}) => Object.assign(core.report, {
    makespan_ns: core.makespan / 1000,
    peak_of_type_flops_per_ns: 20000,
    matmul_flops: 100 * 16777216,
    flops: 80 * 16777216,
    engines: {tensor: {stalls: {}}}
  },
                                              more);
  const parts = () => Object.fromEntries(page.flopsByUse(core).map(([name, share]) => [name, share])),
        all = uses => Object.values(uses).reduce((sum, share) => sum + share, 0);
  report();
  const uses = parts(), capacity = 20000 * core.makespan / 1000;
  assert.ok(Math.abs(uses['useful products'] - 80 * 16777216 / capacity) < 1e-12);
  assert.ok(Math.abs(uses['padding and masked products'] - 20 * 16777216 / capacity) < 1e-12);
  assert.ok(Math.abs(uses.idle - (1 - 100 * 1_200_000 / core.makespan)) < 1e-9);
  assert.strictEqual(uses.transposes, 0);
  assert.ok(Math.abs(all(uses) - 1) < 1e-9);
  report({engines: {tensor: {stalls: {throttle: core.makespan / 1000 / 10}}}});
  assert.ok(Math.abs(parts().throttled - 0.1) < 1e-12 && Math.abs(all(parts()) - 1) < 1e-9);
});

test('markers have names of their own, and survive an address', () => {
  const markers = [];
  for (let i = 0; i < 28; ++i) markers.push({time: 100 * i, name: page.freeName(markers)});
  same([0, 25, 26, 27].map(i => markers[i].name), ['A', 'Z', 'A2', 'B2']);
  same(page.freeName([{name: 'A'}, {name: 'C'}]), 'B');
  const odd = [{time: 7, name: 'load & store, = #2'}, {time: 12, name: ''}];
  const address = new URLSearchParams();
  for (const marker of odd) address.append('mark', page.markerText(marker));
  same(page.markersOf(new URLSearchParams(String(address)).getAll('mark'), 12), odd);
  same(page.markersOf(['x A', '13 B', '5'], 12), []);
});

test('a marker goes to the edge of an event that is near', () => {
  const event = core.firstOfTrack[1] + 5, start = core.start[event], end = core.end(event);
  same(page.snappedTime(core, 1, start + 3, 5), start);
  same(page.snappedTime(core, 1, end - 4, 5), end);
  same(page.snappedTime(core, 1, end + 4, 5), end);
  same(page.snappedTime(core, 1, start + 30, 5), start + 30);
});

test('CSV has the events of a stretch, by start, with all their commas and quotes', () => {
  const from = 1e7, to = 2e7, lines = page.csvOf(core, 3, from, to).split('\n');
  const [first, ...rest] = lines.slice(0, -1), starts = rest.map(line => Number(line.split(',')[7]));
  assert.ok(
      first.startsWith('core,track,engine,index,kind,label,source,start_ps,end_ps,visible_ps,slack_ps'));
  let count = 0;
  for (let event = 0; event < core.count; ++event) count += core.start[event] < to && core.end(event) > from;
  assert.strictEqual(rest.length, count);
  for (let i = 1; i < starts.length; ++i) assert.ok(starts[i - 1] <= starts[i]);
  assert.match(
      rest.find(line => line.includes('nc_matmul')),
      /^3,TensorE,tensor,0,matmul,"nc_matmul","kernels\/made\/made.h:6",\d+,\d+,\d+,0,[01],0,16777216,"nc_matmul dst=sbuf\[p0:128, 0x400: bf16 512x1\]"$/);
  const focus = new Uint8Array(core.binary.length);
  focus[core.binary.findIndex(({op}) => op === 'nc_matmul')] = 1;
  const only = page.csvOf(core, 0, from, to, focus).split('\n').slice(1, -1);
  assert.ok(only.length > 0 && only.length < rest.length && only.every(line => line.includes('nc_matmul')));
  const boxed = page.csvOf(core, 0, from, to, null, [1, 5]).split('\n').slice(1, -1);
  same(boxed.length, rest.filter(line => /^3,(VectorE|DMA queue 0),/.test(line)).length);
  assert.ok(boxed.length > 0 && boxed.every(line => /^0,(VectorE|DMA queue 0),/.test(line)));
  same(page.quotedText('a "b", c'), '"a ""b"", c"');
});

// Iterations of a loop (tools/report/iterations.js).
'use strict';

const assert = require('node:assert');
const test = require('node:test');
const {madeProfile} = require('./made_profile.js');
const {load, same} = require('./load.js');

const page =
    load(['format.js', 'columns.js', 'kinds.js', 'model.js', 'iterations.js', 'hierarchy.js'], ['Profile']);
const {head, columns} = madeProfile(600);
const core = new page.Profile(head, columns).cores[0];
const all = [...core.binary.keys()], numberOf = op => core.binary.findIndex(one => one.op === op);

test('sums of the iterations are those of the loop', () => {
  const root = page.treeOf(core, core.whole()), loop = root.all.find(({type}) => type === 'loop');
  for (const node of [root, loop]) {
    const iterations = page.iterationsOf(core, page.instructionsBelow(node));
    assert.strictEqual(iterations.length, 100);
    assert.strictEqual(page.countIterations(core, page.instructionsBelow(node)), 100);
    for (const name of ['busy', 'stalls', 'critical', 'bytes', 'runs'])
      assert.ok(Math.abs(iterations.reduce((sum, iteration) => sum + iteration[name], 0) - node[name]) < 1,
                name);
    for (let engine = 0; engine < 6; ++engine)
      assert.ok(Math.abs(iterations.reduce((sum, iteration) => sum + iteration.engines[engine], 0) -
                         node.engines[engine]) < 1);
  }
});

test('an iteration begins with its first event and ends with its last', () => {
  const iterations = page.iterationsOf(core, all), first = core.firstOfTrack[5], last = core.firstOfTrack[6];
  for (const i of [0, 41, 99]) {
    same([iterations[i].from, iterations[i].to], [core.start[first + i], core.end(last + i)]);
    same([iterations[i].runs, iterations[i].bytes], [6, 65536 + 32768]);
  }
});

test('copies of an operation for different buffers are one', () => {
  // Every second run of the product, as an instruction of its own.
  const copy = core.binary.length, product = numberOf('nc_matmul');
  const other = Object.assign(Object.create(core), {
    binary: [...core.binary, {...core.binary[product], index: 1}],
    instruction: core.instruction.map((number, event) => number === product && event % 2 ? copy : number)
  });
  const iterations = page.iterationsOf(other, [...all, copy]);
  same(iterations.length, 100);
  assert.ok(iterations.every(iteration => iteration.runs === 6 && iteration.engines[0] === 1_200_000));
});

test('an unrolled loop: what the compiler made of each iteration', () => {
  // Two iterations in each run of an outer loop; the second one has its own instructions,
  // and runs first.
  const places = [...core.places], binary = [...core.binary], copies = new Map();
  for (const number of all) {
    copies.set(number, binary.length);
    for (const iteration of [0, 1]) {
      const {place} = core.binary[number];
      places.push(
          {...core.places[place], scopes: ['rows', 'part'], loops: [{depth: 1, trips: 2, turn: iteration}]});
      const made = {...core.binary[number], place: places.length - 1};
      if (iteration)
        binary.push(made);
      else
        binary[number] = made;
    }
  }
  const seen = new Map(), other = Object.assign(Object.create(core), {
    binary,
    places,
    instruction: core.instruction.map(number => {
      seen.set(number, (seen.get(number) ?? 0) + 1);
      return seen.get(number) % 2 ? copies.get(number) : number;
    })
  });
  const iterations = page.iterationsOf(other, [...all, ...copies.values()], 1),
        plain = page.iterationsOf(core, all);
  same(iterations.length, 100);
  for (const i of [0, 41, 99]) same(iterations[i].from, plain[i ^ 1].from);
  // A loop whose iterations are not known by name.
  same(page.iterationsOf(other, [...all, ...copies.values()], 0).length, 100);
});

test('what runs twice in an iteration is in it twice; what cannot be told apart has no iterations', () => {
  const twice = Object.assign(Object.create(core), {
    // The reduction only in every second iteration: two iterations are one.
    instruction: core.instruction.map((number, event) =>
                                          number === numberOf('tensor_reduce') && event % 2 ? 0 : number)
  });
  const iterations = page.iterationsOf(twice, all.filter(number => number !== 0));
  same(iterations.length, 50);
  assert.ok(iterations.every(iteration => iteration.runs === 9));
  same(page.iterationsOf(core, []), []);
  same([page.commonDivisor(12, 18), page.commonDivisor(0, 7), page.commonDivisor(5, 3)], [6, 7, 1]);
});

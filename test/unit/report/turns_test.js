// Turns of a loop (tools/report/turns.js).
'use strict';

const assert = require('node:assert');
const test = require('node:test');
const {madeProfile} = require('./made_profile.js');
const {load, same} = require('./load.js');

const page =
    load(['format.js', 'columns.js', 'kinds.js', 'model.js', 'turns.js', 'hierarchy.js'], ['Profile']);
const {head, columns} = madeProfile(600);
const core = new page.Profile(head, columns).cores[0];
const all = [...core.binary.keys()], numberOf = op => core.binary.findIndex(one => one.op === op);

test('sums of the turns are those of the loop', () => {
  const root = page.treeOf(core, core.whole()), loop = root.all.find(({type}) => type === 'loop');
  for (const node of [root, loop]) {
    const turns = page.turnsOf(core, page.instructionsBelow(node));
    assert.strictEqual(turns.length, 100);
    assert.strictEqual(page.countTurns(core, page.instructionsBelow(node)), 100);
    for (const name of ['busy', 'stalls', 'critical', 'bytes', 'runs'])
      assert.ok(Math.abs(turns.reduce((sum, turn) => sum + turn[name], 0) - node[name]) < 1, name);
    for (let engine = 0; engine < 6; ++engine)
      assert.ok(Math.abs(turns.reduce((sum, turn) => sum + turn.engines[engine], 0) - node.engines[engine]) <
                1);
  }
});

test('a turn begins with its first event and ends with its last', () => {
  const turns = page.turnsOf(core, all), first = core.firstOfTrack[5], last = core.firstOfTrack[6];
  for (const i of [0, 41, 99]) {
    same([turns[i].from, turns[i].to], [core.start[first + i], core.end(last + i)]);
    same([turns[i].runs, turns[i].bytes], [6, 65536 + 32768]);
  }
});

test('copies of an operation for different buffers are one', () => {
  // Every second run of the product, as an instruction of its own.
  const copy = core.binary.length, product = numberOf('nc_matmul');
  const other = Object.assign(Object.create(core), {
    binary: [...core.binary, {...core.binary[product], index: 1}],
    instruction: core.instruction.map((number, event) => number === product && event % 2 ? copy : number)
  });
  const turns = page.turnsOf(other, [...all, copy]);
  same(turns.length, 100);
  assert.ok(turns.every(turn => turn.runs === 6 && turn.engines[0] === 1_200_000));
});

test('an unrolled loop: what the compiler made of each turn', () => {
  // Two turns in each run of an outer loop; the second one has its own instructions,
  // and runs first.
  const places = [...core.places], binary = [...core.binary], copies = new Map();
  for (const number of all) {
    copies.set(number, binary.length);
    for (const turn of [0, 1]) {
      const {place} = core.binary[number];
      places.push({...core.places[place], scopes: ['rows', 'part'], loops: [{depth: 1, trips: 2, turn}]});
      const made = {...core.binary[number], place: places.length - 1};
      if (turn)
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
  const turns = page.turnsOf(other, [...all, ...copies.values()], 1), plain = page.turnsOf(core, all);
  same(turns.length, 100);
  for (const i of [0, 41, 99]) same(turns[i].from, plain[i ^ 1].from);
  // A loop whose turns are not known by name.
  same(page.turnsOf(other, [...all, ...copies.values()], 0).length, 100);
});

test('what runs twice in a turn is in it twice; what cannot be told apart has no turns', () => {
  const twice = Object.assign(Object.create(core), {
    // The reduction only in every second turn: two turns are one.
    instruction: core.instruction.map((number, event) =>
                                          number === numberOf('tensor_reduce') && event % 2 ? 0 : number)
  });
  const turns = page.turnsOf(twice, all.filter(number => number !== 0));
  same(turns.length, 50);
  assert.ok(turns.every(turn => turn.runs === 9));
  same(page.turnsOf(core, []), []);
  same([page.commonDivisor(12, 18), page.commonDivisor(0, 7), page.commonDivisor(5, 3)], [6, 7, 1]);
});

// A profile that no tool measured, small enough to check by hand: a load, a
// product, a reduction, an activation, a move and a store, over and over. Only
// what the pure functions of the page read; views are tested on pages of real
// kernels.
'use strict';

// As tools/profile/lib/Columns.h writes them.
class ColumnWriter {
  constructor(size) {
    this.bytes = Buffer.alloc(size);
    this.at = 0;
  }
  add(value) {
    if (this.at + 16 > this.bytes.length)
      this.bytes = Buffer.concat([this.bytes, Buffer.alloc(this.bytes.length)]);
    for (; value >= 128; value = Math.floor(value / 128)) this.bytes[this.at++] = 128 + value % 128;
    this.bytes[this.at++] = value;
  }
  addSigned(value) { this.add(value < 0 ? -2 * value - 1 : 2 * value); }
  text() { return this.bytes.toString('base64', 0, this.at); }
}

// [op, engine, track, kind, line, length in ps, bytes, flops]
const steps = [
  ['dma_copy', 'sync', 5, 'dma_in', 4, 1_900_000, 65536, 0],
  ['nc_matmul', 'tensor', 0, 'matmul', 6, 1_200_000, 0, 16777216],
  ['tensor_reduce', 'vector', 1, 'reduction', 7, 700_000, 0, 0],
  ['activation', 'scalar', 2, 'activation', 8, 900_000, 0, 0],
  ['tensor_copy', 'gpsimd', 3, 'move', 9, 600_000, 0, 0],
  ['dma_copy', 'scalar', 6, 'dma_out', 10, 1_700_000, 32768, 0],
];
const streams = ['tensor', 'vector', 'scalar', 'gpsimd', 'sync'];

function madeProfile(numEvents) {
  const turns = Math.ceil(numEvents / steps.length), period = 2_000_000,
        random = (() => {
          let state = 7;
          return () => (state = state * 1103515245 % 2147483648, state / 2147483648);
        })();
  const order = steps.map((_, s) => s)
                    .sort((a, b) => streams.indexOf(steps[a][1]) - streams.indexOf(steps[b][1]) || a - b);
  const binary = order.map(s => {
    const [op, engine, , kind, line, , bytes, flops] = steps[s],
                                              index = order.filter(other => steps[other][1] === engine)
                                                          .indexOf(s);
    return {
      engine,
      index,
      op,
      kind,
      place: line,
      asm: `${op} dst=sbuf[p0:128, 0x${(1024 * s).toString(16)}: bf16 512x1]`,
      bytes,
      flops
    };
  });
  const numberOf = s => order.indexOf(s),
        byTrack = steps.map((_, s) => s).sort((a, b) => steps[a][2] - steps[b][2]);
  const columns = new ColumnWriter(16 * numEvents), starts = steps.map(() => new Float64Array(turns));
  for (let turn = 0, ready = 0; turn < turns; ++turn) {
    ready = turn * period;
    steps.forEach(([, , , , , length], s) => {
      starts[s][turn] =
          Math.max(ready, turn > 0 ? starts[s][turn - 1] + length : 0) + Math.floor(random() * 40_000);
      ready = starts[s][turn] + length;
    });
  }
  const tracks = ['TensorE', 'VectorE', 'ScalarE', 'GpSimdE', 'SyncE', 'DMA queue 0', 'DMA queue 8'];
  const last = steps.length - 1, makespan = starts[last][turns - 1] + steps[last][5] + 50_000;
  const firstOf = new Map();
  let number = 0;
  tracks.forEach((_, track) => {
    const s = byTrack.find(step => steps[step][2] === track);
    columns.add(s === undefined ? 0 : turns);
    if (s === undefined) return;
    firstOf.set(s, number);
    number += turns;
    for (let turn = 0, before = 0; turn < turns; before = starts[s][turn++])
      for (const [value, signed] of [[starts[s][turn] - before], [steps[s][5]], [numberOf(s)], [60_000, true],
                                     [s === 1 ? 0 : 100_000 + 1000 * s]])
        signed ? columns.addSigned(value) : columns.add(value);
  });
  for (const s of byTrack)
    for (let turn = 0; turn < turns; ++turn) {
      columns.add(s > 0 ? 1 : 0);
      if (s > 0) columns.addSigned(firstOf.get(s - 1) - firstOf.get(s));
    }
  // The path: the load of each turn, what passes before it, and the rest of the
  // last turn.
  const path = [];
  let until = 0;
  const step = (s, turn) => {
    const add = (length, reason) => {
      if (length > 0) path.push([length, reason, firstOf.get(s) + turn]);
    };
    add(starts[s][turn] - until, 1);
    add(starts[s][turn] + steps[s][5] - Math.max(until, starts[s][turn]), 0);
    until = Math.max(until, starts[s][turn] + steps[s][5]);
  };
  for (let turn = 0; turn < turns; ++turn) step(0, turn);
  for (let s = 1; s < steps.length; ++s) step(s, turns - 1);
  path.push([makespan - until, 2 + 9, -1]);
  columns.add(path.length);
  let previous = 0;
  for (const [length, reason, event] of path) {
    for (const value of [length, reason, event < 0 ? 0 : 1]) columns.add(value);
    if (event >= 0) columns.addSigned(event - previous);
    previous = event;
  }
  const reasons = [
    'wait_tensor', 'wait_vector', 'wait_scalar', 'wait_gpsimd', 'wait_sync', 'wait_dma', 'wait_peer',
    'semaphore', 'queue', 'control', 'fetch', 'dependence', 'port', 'bank', 'weights', 'throttle', 'table',
    'descriptor', 'end'
  ];
  streams.forEach((_, e) => {
    const s = steps.findIndex(step => step[2] === e), waits = [];
    let until = 0;
    const add = (to, reason, instruction, producer) => {
      if (to > until)
        waits.push([until, to - until, instruction + 1, reasons.indexOf(reason), 1, producer + 1, 0]);
    };
    if (s >= 0)
      for (let turn = 0; turn < turns; ++turn) {
        add(starts[s][turn], ['wait_dma', 'wait_tensor', 'queue', 'dependence'][e], numberOf(s),
            numberOf(s - 1));
        until = starts[s][turn] + steps[s][5];
      }
    add(makespan, 'end', -1, -1);
    columns.add(waits.length);
    let start = 0;
    for (const wait of waits) {
      columns.add(wait[0] - start);
      start = wait[0];
      for (const value of wait.slice(1)) columns.add(value);
    }
  });
  columns.add(0); // No step of SBUF,
  columns.add(0); // none of PSUM;
  columns.add(0); // live ranges have no shapes,
  columns.add(0); // and there are none.
  const place = line => ({file: 'kernels/made/made.h', line, scopes: line > 5 ? ['rows'] : [], name: ''});
  const places =
      [{file: '', line: 0, scopes: [], name: ''}, ...Array.from({length: 12}, (_, i) => place(i + 1))];
  const node = (parent, type, name, instruction) => ({parent, type, name, instruction});
  const hierarchy = [
    node(-1, 'kernel', 'made', -1), node(0, 'loop', 'rows', -1),
    ...binary.map((instruction, i) => node(instruction.place > 5 ? 1 : 0, 'instruction', instruction.op, i))
  ];
  const head = {
    makespan_ns: makespan / 1000,
    names: [['', 0]],
    cores: [{tracks, reasons, lost_reasons: ['port', 'bank', 'throttle'], places, binary, hierarchy}],
  };
  return {head, columns: columns.text()};
}

module.exports = {
  ColumnWriter,
  madeProfile
};

// A profile that no tool measured: as many events as wanted, and something for
// every view. A load, a product, a reduction, an activation, a move and a store,
// over and over; the shape is that of docs/profile.schema.json.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

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
const text = `// A made kernel: every view of the report has something to show.
template <class T> struct Made {
  void operator()(In<T, 2> x, Out<T, 2> y) const {
    auto tile = load(x.rows_at(r, n));
    tiles("rows", rows, 128_c, [&](Index r, auto n) {
      auto s = matmul(tile, tile);
      auto m = row_max(s);
      auto p = exp(s - m);
      auto q = copy(p);
      store(y.rows_at(r, n), q);
    });
  }
};
`;

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
      ...(bytes ? {bytes} : {}),
      ...(flops ? {flops} : {})
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
  const critical = Math.min(turns, 5000);
  columns.add(steps.length + critical - 1);
  let before = 0;
  for (let i = 0; i < critical; ++i) {
    columns.addSigned(firstOf.get(0) + i - before);
    before = firstOf.get(0) + i;
  }
  for (let s = 1; s < steps.length; ++s) {
    const event = firstOf.get(s) + critical - 1;
    columns.addSigned(event - before);
    before = event;
  }
  const reasons = [
    'wait_tensor', 'wait_vector', 'wait_scalar', 'wait_gpsimd', 'wait_sync', 'wait_dma', 'wait_peer',
    'semaphore', 'queue', 'control', 'fetch', 'dependence', 'port', 'bank', 'weights', 'throttle', 'table',
    'descriptor', 'end'
  ];
  const report = {engines: {}};
  streams.forEach((engine, e) => {
    const s = steps.findIndex(step => step[2] === e), sums = {};
    let waited = 0, until = 0;
    const waits = [];
    const add = (to, reason, instruction, producer) => {
      if (to > until) {
        waits.push([until, to - until, instruction + 1, reasons.indexOf(reason), 1, producer + 1, 0]);
        sums[reason] = (sums[reason] ?? 0) + to - until;
        waited += to - until;
      }
    };
    if (s >= 0)
      for (let turn = 0; turn < turns; ++turn) {
        add(starts[s][turn], ['wait_dma', 'wait_tensor', 'port', 'dependence'][e], numberOf(s),
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
    for (const reason in sums) sums[reason] /= 1000;
    report.engines[engine] = {
      busy_ns: (makespan - waited) / 1000,
      stall_ns: waited / 1000,
      instructions: turns,
      stalls: sums,
      waits: {}
    };
  });
  report.engines
      .dma = {busy_ns: 0.6 * makespan / 1000, stall_ns: 10, instructions: 2 * turns, stalls: {}, waits: {}};
  const ns = makespan / 1000, ranges = Array.from({length: 48}, (_, i) => ({
                                                                  memory: i % 3 === 2 ? 'psum' : 'sbuf',
                                                                  buffer: i,
                                                                  place: steps[i % 6][4],
                                                                  first_byte: 2048 * (i % 12),
                                                                  bytes: 1900,
                                                                  first_partition: 0,
                                                                  partitions: 128,
                                                                  start_ns: ns * i / 60,
                                                                  end_ns: ns * (i + 9) / 60,
                                                                  writer: numberOf(i % 6)
                                                                }));
  Object.assign(report, {
    kernel: 'made',
    target: 'trn2',
    module: 0,
    tracks,
    makespan_ns: ns,
    end_to_end_ns: ns + 20000,
    lower_bound_ns: 0.6 * ns,
    bound_by: 'tensor',
    roofline_ns: 0.4 * ns,
    roofline: {
      bound_by: 'flops',
      flops_ns: 0.4 * ns,
      hbm_ns: 0.2 * ns,
      compulsory_read_bytes: 1,
      compulsory_write_bytes: 1
    },
    mfu: 0.4,
    peak_flops_per_ns: 78643.2,
    mfu_of_type: 0.2,
    peak_of_type_flops_per_ns: 157286.4,
    product_type: 'fp8',
    flops: turns * 16777216,
    matmul_flops: turns * 16777216,
    mbu: 0.2,
    average_dma_bytes: 49152,
    hbm_read_bytes: turns * 65536,
    hbm_write_bytes: turns * 32768,
    sbuf_peak_bytes: 24576,
    psum_banks_peak: 4,
    instructions: turns * 6,
    static_instructions: 6,
    instruction_counts: Object.fromEntries(steps.map(([op]) => [op, turns])),
    compile_ms: null,
    top_stalls: [{
      reason: 'wait_dma',
      kind: 'data',
      ns: ns / 9,
      count: turns,
      at: {engine: 'tensor', index: 0, label: 'nc_matmul', source: 'made.h:6'},
      producer: {engine: 'sync', index: 0, label: 'dma_copy', source: 'made.h:4'}
    }],
    memory: {
      ranges,
      sbuf: {capacity_bytes: 196608, peak_bytes: 24576, at_ns: ns / 3, owners: [3, 4, 6, 7]},
      psum: {capacity_bytes: 16384, peak_bytes: 8192, at_ns: ns / 2, owners: [2, 5]}
    },
    tensors: [{
      name: 'x',
      role: 'input',
      dtype: 'bf16',
      shape: [4096, 512],
      bytes: 4194304,
      read_bytes: turns * 65536,
      written_bytes: 0,
      loads: turns,
      stores: 0,
      reloads: turns * 65536 / 4194304,
      average_transfer_bytes: 65536,
      transfer_sizes: [{bytes: 65536, count: turns}],
      efficiency: 0.8,
      instructions: [numberOf(0)]
    }],
    hbm: {read_ns: 0.2 * ns, write_ns: 0.1 * ns, idle_ns: 0.7 * ns},
    roofline_points: [
      {name: 'made', node: 0, operands: 'fp8', flops: turns * 16777216, bytes: turns * 98304, ns},
      {name: 'rows', node: 1, operands: 'fp8', flops: turns * 8388608, bytes: turns * 32768, ns: 0.8 * ns}
    ],
    collectives: [
      {
        op: 'all_reduce',
        instruction: numberOf(4),
        bytes: 65536,
        algorithm: 'ring',
        start_ns: 10,
        length_ns: 900,
        peer_wait_ns: 100,
        launch_ns: 50,
        hops_ns: 90,
        links_ns: 600,
        members: 4
      },
      {
        op: 'all_gather',
        instruction: numberOf(4),
        bytes: 1048576,
        algorithm: 'direct',
        start_ns: 2000,
        length_ns: 9000,
        peer_wait_ns: 0,
        launch_ns: 50,
        hops_ns: 90,
        links_ns: 8000,
        members: 4
      }
    ],
    energy: {
      estimate: true,
      joules: 0.02,
      average_watts: 90,
      peak_watts: 140,
      by_part: {tensor: 0.011, hbm: 0.006, idle: 0.003},
      joules_per_token: null,
      tokens_per_joule: 2000,
      unknown: ['clock trees'],
      sources: []
    },
  });
  const insight = (id, title, saving) => ({
    id,
    rule: 'R1',
    title,
    condition: `${turns} transfers read 64 KiB each, again and again`,
    saving_ns: saving * ns,
    saving,
    proof: {change: 'without them', makespan_ns: (1 - saving) * ns},
    evidence: [{instruction: numberOf(0), source: 'made.h:4', text: 'reads x once more'}],
    lines: ['made.h:4'],
    remedy: 'Load it once, before the loop.',
    sketch: 'auto all = load(x);\ntiles("rows", ...)'
  });
  const place = (line, scopes) => ({file: 'kernels/made/made.h', line, scopes, name: ''});
  const places = [
    {file: '', line: 0, scopes: '', name: ''},
    ...Array.from({length: 12}, (_, i) => place(i + 1, i + 1 > 5 ? 'rows' : ''))
  ];
  const head = {
    kernel: 'made',
    target: 'trn2',
    kiln_version: '0.1.0',
    command: `kiln profile made --rows=${128 * turns} --html report.html`,
    parameters: [['rows', String(128 * turns)], ['dtype', 'bf16']],
    makespan_ps: makespan,
    busiest: 0,
    names: [['', 0]],
    reasons,
    wait_kinds: ['none', 'data', 'buffer', 'order'],
    hbm_bytes_per_ns: 716.8,
    sources: {'kernels/made/made.h': text},
    modules: [{places, binary}],
    cores: [report],
    insights: [
      insight('reload', 'x is loaded again in every turn', 0.21),
      insight('small', 'Transfers are small', 0.08), insight('cold', 'TensorE is cold', 0.03),
      insight('table', 'Function tables change', 0.01)
    ],
    what_if: [
      {
        name: 'DMA',
        change: 'infinite',
        parameters: {},
        measure: {makespan_ns: 0.7 * ns, saving_ns: 0.3 * ns, saving: 0.3}
      },
      {
        name: 'semaphores',
        change: 'zero',
        parameters: {},
        measure: {makespan_ns: 0.9 * ns, saving_ns: 0.1 * ns, saving: 0.1}
      }
    ],
    sweeps: [{
      parameter: 'hbm_bytes_per_ns',
      unit: 'B/ns',
      current: 716.8,
      points: [358.4, 716.8, 1433.6].map(
          value => ({value, makespan_ns: ns * (0.6 + 286 / value), lower_bound_ns: ns / 2}))
    }],
    schedule: {
      cores: [{
        loops: [{
          place: {file: 'kernels/made/made.h', line: 5},
          depth: 0,
          parent: null,
          turns,
          iterations_in_body: 1,
          stages: 3,
          instructions: 6,
          interval_ns: 2000,
          why_no_interval: null,
          bound_ns: 1900,
          gap: 0.05,
          binding: {kind: 'resource', resource: 'dma', text: 'no interval below 1900 ns is possible: dma'},
          resources: [
            {name: 'dma', bound_ns: 1900, users: [{name: 'dma_copy', ns: 1900}]},
            {name: 'tensor', bound_ns: 1200, users: []}
          ],
          recurrences: [],
          rings: [],
          decisions: [],
          notes: []
        }]
      }]
    },
    remarks: [
      {
        severity: 'remark',
        pass: 'nc-pipeline-loops',
        name: 'Pipelined',
        kind: 'passed',
        text: 'pipelined with 3 stages',
        place: {file: 'kernels/made/made.h', line: 5},
        values: {},
        times: 1
      },
      {
        severity: 'remark',
        pass: 'nc-choose-engines',
        name: 'Kept',
        kind: 'missed',
        text: 'stays on VectorE',
        place: {file: 'kernels/made/made.h', line: 7},
        values: {},
        times: 1
      }
    ],
  };
  return {head, columns: columns.text(), count: turns * steps.length};
}

// The page as tools/profile/lib/Html.cpp makes it.
function pageOf({head, columns}) {
  const folder = path.join(__dirname, '../../tools/report');
  const texts = {
    title: `${head.kernel} on ${head.target}: ${head.command}`,
    head: JSON.stringify(head).replaceAll('<', '\\u003c'),
    columns
  };
  return fs.readFileSync(path.join(folder, 'page.html'), 'utf8')
      .replace(/\{\{([a-z._]+)\}\}/g,
               (_, name) => texts[name] ?? fs.readFileSync(path.join(folder, name), 'utf8'));
}

module.exports = {
  ColumnWriter,
  madeProfile,
  pageOf
};

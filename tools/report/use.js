// How much of a track, a memory or HBM is used over time, and where instructions
// run. Pure.
'use strict';

// Adds `amount` to the parts of a stretch that [start, end] covers, each as
// much as it is covered. A `sum` is {from, to, bins}, with numbers in `bins`.
function addStretch(sum, start, end, amount) {
  const {bins, from, to} = sum, scale = bins.length / (to - from), x0 = Math.max(0, (start - from) * scale),
                     x1 = Math.min(bins.length, (end - from) * scale);
  for (let x = Math.floor(x0); x < x1; ++x) bins[x] += amount * (Math.min(x + 1, x1) - Math.max(x, x0));
}
const newUse = (from, to, count) => ({from, to, bins: new Float64Array(count)});

// How many of the tracks were occupied, in `count` equal parts of a stretch.
function useOfTracks(core, tracks, from, to, count) {
  const sum = newUse(from, to, count);
  for (const track of tracks)
    for (let event = core.firstAfter(track, from), last = core.firstOfTrack[track + 1];
         event < last && core.start[event] < to; ++event)
      addStretch(sum, core.start[event], core.end(event), 1);
  return sum.bins;
}

// The time within a stretch in which at least one of the tracks was occupied.
function timeOfAny(core, tracks, from, to) {
  const next = tracks.map(track => core.firstAfter(track, from));
  for (let time = 0, until = from;;) {
    let first = -1;
    for (let i = 0; i < next.length; ++i)
      if (next[i] < core.firstOfTrack[tracks[i] + 1] &&
          (first < 0 || core.start[next[i]] < core.start[next[first]]))
        first = i;
    if (first < 0 || core.start[next[first]] >= to) return time;
    const event = next[first]++, end = Math.min(to, core.end(event));
    time += Math.max(0, end - Math.max(until, core.start[event]));
    until = Math.max(until, end);
  }
}

// How many bytes of a partition of `memory` held a value, likewise.
function useOfMemory({held}, memory, from, to, count) {
  const sum = newUse(from, to, count), {start, bytes, count: steps} = held[memory];
  for (let i = 0; i < steps && start[i] < to; ++i) {
    const end = i + 1 < steps ? start[i + 1] : to;
    if (bytes[i] > 0 && end > from) addStretch(sum, start[i], end, bytes[i]);
  }
  return sum.bins;
}

// How many bytes of HBM a nanosecond transfers moved, likewise, or flops that
// TensorE computed; `key` is that of an instruction. What an event did is spread
// evenly over the time that it has on its track.
function useOfHbm(core, key, ...stretch) {
  return useOfEvents(core, key, ({isQueue}) => isQueue, ...stretch);
}
function useOfTensor(core, key, ...stretch) { return useOfEngine(core, 0, key, ...stretch); }
// Operations on elements of another engine, or whatever `key` says.
function useOfEngine(core, number, key, ...stretch) {
  return useOfEvents(core, key, ({engine}) => engine === number, ...stretch);
}
// The most operations a nanosecond that an instruction of the binary reaches on an
// engine.
function fastestOf(core, number) {
  const {runs} = core.whole();
  return core.binary.reduce((most, {engine, operations, cost}, i) =>
                                engine === engineNames[number] && runs[i] > 0 && cost.interval > 0
                                    ? Math.max(most, operations / cost.interval)
                                    : most,
                            0);
}
function useOfEvents(core, key, isCounted, from, to, count) {
  const sum = newUse(from, to, count), amounts = core.binary.map(instruction => instruction[key]);
  core.tracks.forEach((row, track) => {
    if (!isCounted(row)) return;
    for (let event = core.firstAfter(track, from), last = core.firstOfTrack[track + 1];
         event < last && core.start[event] < to; ++event) {
      const length = Math.max(1, core.length[event]);
      addStretch(sum, core.start[event], core.start[event] + length,
                 1000 * amounts[core.instruction[event]] / length);
    }
  });
  return sum.bins;
}

// By DMA engine, likewise: the part of the time in which it works for transfers,
// `ns`, and the bytes a nanosecond that it moves, `bytes`. Events whose transfers
// ask the same of the engines are added up first.
function useOfDmaEngines(core, from, to, count) {
  core.dmaPlans ??= core.binary.map(({dma}) => dma ? JSON.stringify(dma) : '');
  const sums = new Map();
  core.tracks.forEach(({isQueue}, track) => {
    if (!isQueue) return;
    for (let event = core.firstAfter(track, from), last = core.firstOfTrack[track + 1];
         event < last && core.start[event] < to; ++event) {
      const number = core.instruction[event], plan = core.dmaPlans[number];
      if (!plan) continue;
      const entry = sums.get(plan) ??
                    sums.set(plan, {dma: core.binary[number].dma, ...newUse(from, to, count)}).get(plan),
            length = Math.max(1, core.length[event]);
      addStretch(entry, core.start[event], core.start[event] + length, 1000 / length);
    }
  });
  const ofEngine = key => core.report.dma_engines.map((_, engine) => {
    const all = new Float64Array(count);
    for (const {dma, bins} of sums.values())
      if (dma[key][engine] > 0) bins.forEach((time, i) => { all[i] += time * dma[key][engine]; });
    return all;
  });
  return {ns: ofEngine('ns'), bytes: ofEngine('bytes')};
}

// The part of the time in which an engine waited for a reason, likewise.
function useOfWaits(core, engine, reason, from, to, count) {
  const sum = newUse(from, to, count), waits = core.waits[engine], wanted = core.reasons.indexOf(reason);
  for (let i = firstWhere(0, waits.count, wait => waits.start[wait] + waits.length[wait] > from);
       i < waits.count && waits.start[i] < to; ++i)
    if (waits.reason[i] === wanted) addStretch(sum, waits.start[i], waits.start[i] + waits.length[i], 1);
  return sum.bins;
}

// The stretches [from, to] in which one of `numbers` runs; those that are not
// farther apart than `gap` are one. If `onQueues`, only what queues move counts.
function bandsOf(core, numbers, gap, onQueues = false) {
  const matches = new Uint8Array(core.binary.length), bands = [];
  for (const number of numbers) matches[number] = 1;
  for (const event of core.eventsOf(matches)) {
    if (onQueues && !core.tracks[core.trackOf[event]].isQueue) continue;
    const last = bands.at(-1);
    if (last && core.start[event] <= last[1] + gap)
      last[1] = Math.max(last[1], core.end(event));
    else
      bands.push([core.start[event], core.end(event)]);
  }
  return bands;
}

// What a core of `psumBanks` banks keeps in each: [first bank, last bank] of a
// shape.
const psumBanks = 8;
function banksOf({first_byte: first, bytes}, capacity) {
  const size = capacity / psumBanks;
  return [
    Math.floor(first / size), Math.min(psumBanks - 1, Math.floor((first + Math.max(1, bytes) - 1) / size))
  ];
}

// What became of the flops that TensorE could do in the makespan, at the peak
// of the operands that most of them had: [text, share, colour]. They add up to 1.
function flopsByUse(core) {
  const {report} = core, peak = report.peak_of_type_flops_per_ns, sum = core.whole(),
        track = core.tracks.findIndex(({engine}) => engine === 0);
  const all = sum.occupied[track] || 1,
        // Of the time in which it does not wait.
      busy = Math.max(0, core.makespan - sum.waited[0]) / core.makespan,
        transposes = busy * sum.kinds[track][kindNumber('transpose')] / all,
        products = report.matmul_flops / peak / report.makespan_ns,
        useful = Math.min(products, report.flops / peak / report.makespan_ns),
        throttled = (report.engines.tensor.stalls.throttle ?? 0) / report.makespan_ns;
  const unused = Math.max(0, busy - transposes - products);
  return [
    ['useful products', useful, kindColour('matmul')],
    ['padding and masked products', products - useful, kindColour('reduction')],
    ['transposes', transposes, kindColour('transpose')],
    ['works, but fills less of the array or of the time', unused, kindColour('other')],
    ['throttled', throttled, kindColour('dma_out')],
    ['idle', Math.max(0, 1 - Math.max(busy, products + transposes) - throttled), ''],
  ];
}

// The iterations of a loop, one by one. Pure.
'use strict';

// The greatest number that divides both.
function commonDivisor(a, b) {
  while (b > 0) [a, b] = [b, a % b];
  return a;
}

// The loop of the source at `depth` in the path of an instruction's scopes, if
// its number of trips is known: {trips}, with `turn` if the compiler unrolled it.
function sourceLoopOf(core, number, depth) {
  return core.placeOf(core.binary[number]).loops?.find(loop => loop.depth === depth);
}
// How many scopes and loops are around a node of the hierarchy.
function depthOfNode(core, {parent}) {
  const above = core.report.hierarchy[parent];
  return above && above.type !== 'kernel' ? depthOfNode(core, above) + 1 : 0;
}

// Events by what the source asked for: copies of an operation that the compiler
// made for different buffers or engines are one, and so are those of different
// iterations unless `byIteration`. Of each group the events in their order, their time, and
// if they are runs, as Core.summary counts them.
function groupsOf(core, numbers, byIteration) {
  const groups = new Map(), wanted = new Uint8Array(core.binary.length);
  for (const number of numbers) wanted[number] = 1;
  core.tracks.forEach((track, t) => {
    if (track.engine < 0 && !track.isQueue) return;
    for (let event = core.firstOfTrack[t]; event < core.firstOfTrack[t + 1]; ++event) {
      const number = core.instruction[event];
      if (!wanted[number]) continue;
      const {place, op} = core.binary[number], isRun = core.isRun(track, number), at = core.places[place];
      const where =
                byIteration || !at ? place : [at.file, at.line, at.scopes, at.name, at.operation, at.callers],
            key = `${where} ${op} ${isRun}`;
      const group = groups.get(key) ?? groups.set(key, {isRun, number, time: 0, events: []}).get(key);
      group.events.push(event);
      group.time += core.length[event];
    }
  });
  for (const {events} of groups.values()) events.sort((a, b) => core.start[a] - core.start[b] || a - b);
  return [...groups.values()];
}

// How many iterations iterationsOf would find, by the sums of the run: quick, also for a
// million events.
function countIterations(core, numbers) {
  const {runs, busy} = core.whole(), groups = new Map();
  for (const number of numbers) {
    const {place, op} = core.binary[number],
                  {file, line, scopes, name, operation, callers} = core.places[place] ?? {},
                  key = `${[file, line, scopes, name, operation, callers]} ${op}`,
                  group = groups.get(key) ?? groups.set(key, {runs: 0, time: 0}).get(key);
    group.runs += runs[number];
    group.time += busy[number];
  }
  const all = [...groups.values()], time = all.reduce((sum, group) => sum + group.time, 0);
  return all.filter(group => group.runs > 0 && group.time >= 0.005 * time)
      .reduce((count, group) => commonDivisor(count, group.runs), 0);
}

// The sums of each iteration of a loop that has these instructions, as newSums()
// has them, with `from` and `to`: [] if its iterations cannot be told apart. If the
// compiler made one run of several iterations, those are one. What takes next to no
// time may run less often, as what was taken out of the loop does. A wait belongs
// to the next run of its instruction. `depth` is that of the loop: where it was
// unrolled, its instructions know their iterations.
function iterationsOf(core, numbers, depth = -1) {
  const loops = numbers.filter(number => core.binary[number].kind !== 'control')
                    .map(number => sourceLoopOf(core, number, depth)),
        isUnrolled = loops.length > 0 && loops.every(loop => loop?.turn !== undefined),
        trips = isUnrolled ? loops[0].trips : 1, groups = groupsOf(core, numbers, isUnrolled),
        time = groups.reduce((all, group) => all + group.time, 0),
        // How often the loop runs; all its iterations are one, if they are not known.
      times = groups.filter(group => group.isRun && group.time >= 0.005 * time)
                  .reduce((all, {events}) => commonDivisor(all, events.length), 0),
        count = times * trips;
  if (count < 2) return [];
  const iterationOf = new Int32Array(core.count).fill(-1), ofNumber = new Map();
  const iterations =
      Array.from({length: count}, (_, number) => ({...newSums(), number, from: Infinity, to: 0}));
  for (const {isRun, number: first, events} of groups)
    events.forEach((event, i) => {
      const own = isUnrolled ? sourceLoopOf(core, first, depth).turn : 0,
            iteration = iterations[iterationOf[event] = Math.floor(i * times / events.length) * trips + own],
            number = core.instruction[event], track = core.tracks[core.trackOf[event]];
      iteration.busy += core.length[event];
      iteration.engines[track.isQueue ? 5 : track.engine] += core.length[event];
      iteration.from = Math.min(iteration.from, core.start[event]);
      iteration.to = Math.max(iteration.to, core.end(event));
      if (!isRun) return;
      ++iteration.runs;
      iteration.bytes += core.binary[number].bytes;
      (ofNumber.get(number) ?? ofNumber.set(number, []).get(number)).push(event);
    });
  // Those of loops and registers have no events: the next one of the loop counts.
  const all = [...ofNumber.values()].flat().sort((a, b) => core.start[a] - core.start[b]),
        wanted = new Set(numbers);
  const iterationAt = (events, time) =>
      iterations[iterationOf[events[firstWhere(0, events.length - 1, at => core.start[events[at]] >= time)]]];
  core.waits.forEach((waits, engine) => {
    for (let i = 0; i < waits.count; ++i) {
      if (!wanted.has(waits.instruction[i])) continue;
      const iteration = iterationAt(ofNumber.get(waits.instruction[i]) ?? all, waits.start[i]);
      iteration.stalls += waits.length[i];
      if (core.isLost[waits.reason[i]]) {
        iteration.busy -= waits.length[i];
        iteration.engines[engine] -= waits.length[i];
      }
    }
  });
  const {path} = core;
  for (let i = 0; i < path.count; ++i)
    if (path.event[i] >= 0 ? iterationOf[path.event[i]] >= 0 : wanted.has(path.instruction[i])) {
      const iteration =
          path.event[i] >= 0 ? iterations[iterationOf[path.event[i]]] : iterationAt(all, path.start[i]);
      iteration.critical += path.length[i];
    }
  return iterations;
}

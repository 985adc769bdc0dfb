// The profile of a core: its events in columns, and sums over any stretch of
// time. Knows nothing of the page.
'use strict';

// The first number in [low, high) for which `test` holds; `high` if for none.
function firstWhere(low, high, test) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

const newSums = () => ({engines: new Float64Array(6), busy: 0, stalls: 0, critical: 0, bytes: 0, runs: 0});

const scopesText = ({scopes}) => scopes.join(' \u203a ');

class Core {
  // `report` is an entry of the document's `cores`, and `timeline` is what
  // readTimeline returns.
  constructor(report, timeline, makespan) {
    const {reasons, binary, places} = report;
    Object.assign(this, {report, makespan, reasons, binary, places}, timeline);
    // An event that lost time to these is longer than its work.
    this.isLost = reasons.map(reason => report.lost_reasons.includes(reason));
    this.kindOf = Uint8Array.from(this.binary, instruction => kindNumber(instruction.kind));
    this.tracks = report.tracks.map(name => {
      const engine = Object.values(engineTitles).indexOf(name);
      return {name, engine: engine < 5 ? engine : -1, isQueue: name.startsWith('DMA')};
    });
    this.trackOf = new Uint8Array(this.count);
    this.tracks.forEach((track, t) => this.trackOf.fill(t, this.firstOfTrack[t], this.firstOfTrack[t + 1]));
    this.isCritical = new Uint8Array(this.count);
    for (const event of this.path.event)
      if (event >= 0) this.isCritical[event] = 1;
    this.findConsumers();
  }
  findConsumers() {
    this.firstConsumer = new Uint32Array(this.count + 1);
    for (const producer of this.producers) ++this.firstConsumer[producer + 1];
    for (let i = 0; i < this.count; ++i) this.firstConsumer[i + 1] += this.firstConsumer[i];
    const at = this.firstConsumer.slice();
    this.consumers = new Uint32Array(this.producers.length);
    for (let event = 0; event < this.count; ++event)
      for (const producer of this.producersOf(event)) this.consumers[at[producer]++] = event;
  }
  producersOf(event) {
    return this.producers.subarray(this.firstProducer[event], this.firstProducer[event + 1]);
  }
  consumersOf(event) {
    return this.consumers.subarray(this.firstConsumer[event], this.firstConsumer[event + 1]);
  }
  end(event) { return this.start[event] + this.length[event]; }
  // For the style of an element.
  colourOf(number) { return kindColour(kindNames[this.kindOf[number]]); }
  instructionOf(event) { return this.binary[this.instruction[event]]; }
  placeOf(instruction) {
    return this.places[instruction.place] ?? this.places[0] ?? {file: '', line: 0, scopes: [], name: ''};
  }
  // The calls that lead to the helper it lies in, innermost first.
  callersOf(instruction) { return this.placeOf(instruction).callers?.map(place => this.places[place]) ?? []; }
  nameOf(instruction) { return this.placeOf(instruction).name || instruction.op; }
  sourceOf(instruction) {
    const {file, line} = this.placeOf(instruction);
    return file ? this.shortPlace(file, line) : '';
  }
  // A line of the source: its file by the shortest name that no other file has.
  shortPlace(file, line) {
    if (!this.shortFiles) {
      const files = [...new Set(this.places.map(place => place.file).filter(Boolean))],
            names = shortNames(files);
      this.shortFiles = new Map(files.map((file, i) => [file, names[i]]));
    }
    return `${this.shortFiles.get(file) ?? baseName(file)}:${line}`;
  }

  // The first event of a track that ends after `time`.
  firstAfter(track, time) {
    return firstWhere(this.firstOfTrack[track], this.firstOfTrack[track + 1],
                      event => this.end(event) > time);
  }
  // The event of a track at `time`, or within `reach` of it; -1 if there is none.
  eventAt(track, time, reach = 0) {
    const event = this.firstAfter(track, time - reach);
    return event < this.firstOfTrack[track + 1] && this.start[event] <= time + reach ? event : -1;
  }
  // The first event of the first track that has one in this stretch; -1 if none has.
  firstWithin(from, to) {
    for (const track of this.tracks.keys()) {
      const event = this.firstAfter(track, from);
      if (event < this.firstOfTrack[track + 1] && this.start[event] < to) return event;
    }
    return -1;
  }
  // The event of a track that starts last before `time`, or its first one.
  nearestOf(track, time) {
    const first = this.firstOfTrack[track],
          next = firstWhere(first, this.firstOfTrack[track + 1], event => this.start[event] > time);
    return Math.max(first, next - 1);
  }
  // The wait of an engine at `time`; -1 if there is none.
  waitAt(engine, time) {
    const waits = this.waits[engine];
    const i = firstWhere(0, waits.count, wait => waits.start[wait] + waits.length[wait] > time);
    return i < waits.count && waits.start[i] <= time ? i : -1;
  }
  // The waits that kept an engine until an event began, the last one first.
  waitsBefore(event) {
    const {engine} = this.tracks[this.trackOf[event]], found = [];
    if (engine < 0) return found;
    const waits = this.waits[engine], number = this.instruction[event];
    let i = firstWhere(0, waits.count, wait => waits.start[wait] >= this.start[event]) - 1;
    for (let until = this.start[event]; i >= 0 && found.length < 8; --i) {
      if (waits.instruction[i] !== number || waits.start[i] + waits.length[i] < until - 1) break;
      found.push(i);
      until = waits.start[i];
    }
    return found;
  }
  // Of the events of its instruction, which one this is: [number from 1, how many].
  runOf(event) {
    let before = 0, all = 0;
    const track = this.trackOf[event], number = this.instruction[event];
    for (let i = this.firstOfTrack[track]; i < this.firstOfTrack[track + 1]; ++i)
      if (this.instruction[i] === number) {
        ++all;
        if (i < event) ++before;
      }
    return [before + 1, all];
  }

  // That an event of an instruction on a track is a run of it: loads of
  // stationary operands are in the background of products.
  isRun(track, number) {
    const {engine, bytes} = this.binary[number];
    return track.engine < 0 ? track.isQueue : engineNames[track.engine] === engine && !(bytes > 0);
  }

  // Adds what `sum` says of an instruction to `entry`, which newSums() made.
  addSums(entry, sum, number) {
    for (let engine = 0; engine < 6; ++engine) entry.engines[engine] += sum.engines[6 * number + engine];
    entry.busy += sum.busy[number];
    entry.stalls += sum.stalls[number];
    entry.critical += sum.critical[number];
    entry.bytes += sum.runs[number] * this.binary[number].bytes;
    entry.runs += sum.runs[number];
  }

  // What happened from `from` to `to`: by track the time in which it was
  // occupied and that of each kind of work, by engine the time of each reason,
  // by instruction its executions that ended there (of the whole run all, as the
  // document counts them; registers and loops have no events to tell when), its time on its tracks, the time
  // that it kept its engine waiting, and its part of the critical path. With a
  // list of tracks, only what is on those.
  summary(from = 0, to = this.makespan, tracks = null) {
    const isIn = Uint8Array.from(this.tracks, (_, t) => tracks === null || tracks.includes(t) ? 1 : 0),
          trackOfEngine = engine => this.tracks.findIndex(track => track.engine === engine);
    const numKinds = kindNames.length, size = this.binary.length;
    const sum = {
      from,
      to,
      kinds: this.tracks.map(() => new Float64Array(numKinds)),
      occupied: new Float64Array(this.tracks.length),
      runs: new Float64Array(size),
      busy: new Float64Array(size),
      engines: new Float64Array(6 * size), // By instruction, as engineTitles.
      stalls: new Float64Array(size),
      critical: new Float64Array(size),
      reasons: this.waits.map(() => new Float64Array(this.reasons.length)),
      waited: new Float64Array(5),
      bytes: 0,
    };
    this.tracks.forEach((track, t) => {
      if (!isIn[t]) return;
      for (let event = this.firstAfter(t, from), last = this.firstOfTrack[t + 1];
           event < last && this.start[event] < to; ++event) {
        const time = Math.min(to, this.end(event)) - Math.max(from, this.start[event]),
              number = this.instruction[event];
        sum.occupied[t] += time;
        sum.kinds[t][this.kindOf[number]] += time;
        if (track.engine >= 0 || track.isQueue) {
          sum.busy[number] += time;
          sum.engines[6 * number + (track.isQueue ? 5 : track.engine)] += time;
        }
        if (this.isRun(track, number) && this.end(event) <= to) {
          ++sum.runs[number];
          sum.bytes += this.binary[number].bytes;
        }
      }
    });
    if (from <= 0 && to >= this.makespan && tracks === null)
      this.binary.forEach(({runs}, number) => sum.runs[number] = runs ?? sum.runs[number]);
    this.waits.forEach((waits, engine) => {
      if (tracks !== null && !isIn[trackOfEngine(engine)]) return;
      for (let i = firstWhere(0, waits.count, wait => waits.start[wait] + waits.length[wait] > from);
           i < waits.count && waits.start[i] < to; ++i) {
        const time = Math.min(to, waits.start[i] + waits.length[i]) - Math.max(from, waits.start[i]);
        sum.reasons[engine][waits.reason[i]] += time;
        sum.waited[engine] += time;
        const number = waits.instruction[i];
        if (number < 0) continue;
        sum.stalls[number] += time;
        if (this.isLost[waits.reason[i]]) {
          sum.busy[number] -= time;
          sum.engines[6 * number + engine] -= time;
        }
      }
    });
    const {path} = this;
    for (let i = firstWhere(0, path.count, step => path.start[step] + path.length[step] > from);
         i < path.count && path.start[i] < to; ++i)
      if (path.instruction[i] >= 0 && (tracks === null || isIn[this.trackOfStep(i)]))
        sum.critical[path.instruction[i]] +=
            Math.min(to, path.start[i] + path.length[i]) - Math.max(from, path.start[i]);
    return sum;
  }
  // The track of a step of the critical path: of its event, or of its engine; -1 if there is none.
  trackOfStep(step) {
    const {event, instruction} = this.path;
    if (event[step] >= 0) return this.trackOf[event[step]];
    const name = this.binary[instruction[step]]?.engine;
    return this.tracks.findIndex(({engine}) => engine >= 0 && engineNames[engine] === name);
  }
  whole() { return this.wholeSummary ??= this.summary(); }
  // By op, how often those ran that the source names itself; the compiler chose
  // those of tile operations.
  runsOfSource() {
    const {runs} = this.whole(), sums = {};
    this.binary.forEach((instruction, i) => {
      if (instruction.kind === 'control' || this.placeOf(instruction).operation) return;
      sums[instruction.op] = (sums[instruction.op] ?? 0) + runs[i];
    });
    return sums;
  }

  // By op, the time of all its executions on their tracks.
  timesOfOps() {
    const {busy} = this.whole(), sums = {};
    this.binary.forEach(({op}, i) => sums[op] = (sums[op] ?? 0) + busy[i]);
    return sums;
  }

  // Scopes as colours: those that take longest have one each, and the rest the
  // last one. {names, of: by instruction}
  scopeShades() {
    if (this.shadesOfScopes) return this.shadesOfScopes;
    const times = new Map(), last = kindNames.length - 1, {busy} = this.whole();
    const scopeOf = instruction => scopesText(this.placeOf(instruction));
    this.binary.forEach((instruction, i) => {
      const scope = scopeOf(instruction);
      times.set(scope, (times.get(scope) ?? 0) + busy[i]);
    });
    const names = [...times.keys()].sort((a, b) => times.get(b) - times.get(a) || (a < b ? -1 : 1)),
          of = Uint8Array.from(this.binary, one => Math.min(last, names.indexOf(scopeOf(one))));
    return this.shadesOfScopes = {
      names: names.length > last + 1 ? [...names.slice(0, last), 'others'] : names,
      of
    };
  }

  // What to look at: instructions whose text has all words of `query`.
  matching(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean),
          matches = new Uint8Array(this.binary.length);
    if (words.length === 0) return matches;
    this.binary.forEach((instruction, i) => {
      const place = this.placeOf(instruction);
      const text = `${instruction.op} ${instruction.kind} ${instruction.engine} ${place.name} ${
                       place.scopes.join('/')} ${place.file}:${place.line} ${instruction.asm}`
                       .toLowerCase();
      matches[i] = words.every(word => text.includes(word));
    });
    return matches;
  }
  // The events of such instructions, by start.
  eventsOf(matches) {
    const found = new Growing(Uint32Array);
    for (let event = 0; event < this.count; ++event)
      if (matches[this.instruction[event]]) found.push(event);
    return found.trimmed().slice().sort((a, b) => this.start[a] - this.start[b] || a - b);
  }

  // The parts of the critical path, longest first: what its steps spent their
  // time with, in instructions of an engine that a line of the source became.
  // `number` is the first of them, -1 if there is none.
  pathParts() {
    const {path} = this, parts = new Map(), names = pathReasons(this.reasons);
    const keys = this.binary.map(one => `${one.engine} ${one.op} ${this.sourceOf(one)}`);
    for (let i = 0; i < path.count; ++i) {
      const what = names[path.reason[i]], number = path.instruction[i], key = `${what} ${keys[number]}`;
      const part =
          parts.get(key) ?? parts.set(key, {what, number, numbers: new Set(), time: 0, steps: 0}).get(key);
      if (number >= 0) part.numbers.add(number);
      part.time += path.length[i];
      ++part.steps;
    }
    return [...parts.values()].sort((a, b) => b.time - a.time || a.number - b.number);
  }
}

// The whole profile from the two texts of the page.
class Profile {
  constructor(head, columns) {
    this.head = head;
    const reader = new ColumnReader(bytesOfBase64(columns));
    this.makespan = Math.round(1000 * head.makespan_ns);
    this.cores =
        head.cores.map(report => new Core(report, readTimeline(reader, report.tracks.length), this.makespan));
  }
  // A line of the source, or nothing if it is not at hand.
  textOf(file, line) { return this.head.sources?.[file]?.split('\n')[line - 1]?.trim() ?? ''; }
  // By its number in the launch.
  core(number) { return this.cores[this.head.names[number][1]]; }
}

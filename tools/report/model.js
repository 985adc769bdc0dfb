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

class Core {
  // `report` has the figures, `code` the places and the instructions, and
  // `timeline` is what readTimeline returns.
  constructor(report, code, timeline, makespan, reasons) {
    Object.assign(this, {report, makespan, reasons, binary: code.binary, places: code.places}, timeline);
    this.kindOf = Uint8Array.from(this.binary, instruction => kindNumber(instruction.kind));
    this.tracks = report.tracks.map(name => {
      const engine = Object.values(engineTitles).indexOf(name);
      return {name, engine: engine < 5 ? engine : -1};
    });
    this.trackOf = new Uint8Array(this.count);
    this.tracks.forEach((track, t) => this.trackOf.fill(t, this.firstOfTrack[t], this.firstOfTrack[t + 1]));
    this.isCritical = new Uint8Array(this.count);
    for (const event of this.path) this.isCritical[event] = 1;
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
  instructionOf(event) { return this.binary[this.instruction[event]]; }
  placeOf(instruction) {
    return this.places[instruction.place] ?? this.places[0] ?? {file: '', line: 0, scopes: '', name: ''};
  }
  nameOf(instruction) { return this.placeOf(instruction).name || instruction.op; }
  sourceOf(instruction) {
    const {file, line} = this.placeOf(instruction);
    return file ? `${baseName(file)}:${line}` : '';
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
  turnOf(event) {
    let before = 0, all = 0;
    const track = this.trackOf[event], number = this.instruction[event];
    for (let i = this.firstOfTrack[track]; i < this.firstOfTrack[track + 1]; ++i)
      if (this.instruction[i] === number) {
        ++all;
        if (i < event) ++before;
      }
    return [before + 1, all];
  }

  // What happened from `from` to `to`: by track the time in which it was
  // occupied and that of each kind of work, by engine the time of each reason,
  // by instruction its runs that ended there, its time on its tracks, the time
  // that it kept its engine waiting, and its part of the critical path.
  summary(from = 0, to = this.makespan) {
    const numKinds = kindNames.length, size = this.binary.length;
    const sum = {
      from,
      to,
      kinds: this.tracks.map(() => new Float64Array(numKinds)),
      occupied: new Float64Array(this.tracks.length),
      runs: new Float64Array(size),
      busy: new Float64Array(size),
      stalls: new Float64Array(size),
      critical: new Float64Array(size),
      reasons: this.waits.map(() => new Float64Array(this.reasons.length)),
      waited: new Float64Array(5),
      bytes: 0,
    };
    this.tracks.forEach((track, t) => {
      for (let event = this.firstAfter(t, from), last = this.firstOfTrack[t + 1];
           event < last && this.start[event] < to; ++event) {
        const time = Math.min(to, this.end(event)) - Math.max(from, this.start[event]),
              number = this.instruction[event];
        sum.occupied[t] += time;
        sum.kinds[t][this.kindOf[number]] += time;
        sum.busy[number] += time;
        if (this.isCritical[event]) sum.critical[number] += time;
        const isOwn = track.engine < 0 ? track.name.startsWith('DMA')
                                       : engineNames[track.engine] === this.binary[number].engine &&
                                             !(this.binary[number].bytes > 0);
        if (isOwn && this.end(event) <= to) {
          ++sum.runs[number];
          sum.bytes += this.binary[number].bytes ?? 0;
        }
      }
    });
    this.waits.forEach((waits, engine) => {
      for (let i = firstWhere(0, waits.count, wait => waits.start[wait] + waits.length[wait] > from);
           i < waits.count && waits.start[i] < to; ++i) {
        const time = Math.min(to, waits.start[i] + waits.length[i]) - Math.max(from, waits.start[i]);
        sum.reasons[engine][waits.reason[i]] += time;
        sum.waited[engine] += time;
        if (waits.instruction[i] >= 0) sum.stalls[waits.instruction[i]] += time;
      }
    });
    return sum;
  }
  whole() { return this.wholeSummary ??= this.summary(); }

  // What to look at: instructions whose text has all words of `query`.
  matching(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean),
          matches = new Uint8Array(this.binary.length);
    if (words.length === 0) return matches;
    this.binary.forEach((instruction, i) => {
      const place = this.placeOf(instruction);
      const text = `${instruction.op} ${instruction.kind} ${instruction.engine} ${place.name} ${
                       place.scopes} ${place.file}:${place.line} ${instruction.asm}`
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

  // The critical path as [reason or kind, instruction, time], longest first:
  // what it spent in events, and what passed between them.
  pathParts() {
    const parts = new Map();
    const add = (what, number, time) => {
      if (time <= 0) return;
      const key = what + ' ' + number;
      const part = parts.get(key) ?? parts.set(key, {what, number, time: 0}).get(key);
      part.time += time;
    };
    let until = 0;
    for (const event of this.path) {
      const number = this.instruction[event], wait = this.waitsBefore(event)[0];
      const engine = this.tracks[this.trackOf[event]].engine;
      if (this.start[event] > until)
        add(wait === undefined ? 'latency' : this.reasons[this.waits[engine].reason[wait]], number,
            this.start[event] - until);
      add('work', number, this.end(event) - Math.max(until, this.start[event]));
      until = Math.max(until, this.end(event));
    }
    return [...parts.values()].sort((a, b) => b.time - a.time || a.number - b.number);
  }
}

// The whole profile from the two texts of the page.
class Profile {
  constructor(head, columns) {
    this.head = head;
    const reader = new ColumnReader(bytesOfBase64(columns));
    this.cores = head.cores.map(report => new Core(report, head.modules[report.module],
                                                   readTimeline(reader, report.tracks.length),
                                                   head.makespan_ps, head.reasons));
  }
  // By its number in the launch.
  core(number) { return this.cores[this.head.names[number][1]]; }
}

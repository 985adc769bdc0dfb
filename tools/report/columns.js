// Reads the lists of numbers that tools/profile/lib/Columns.h writes. Pure.
'use strict';

function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

class ColumnReader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  // Seven bits a byte, the low ones first; exact up to 2^53.
  next() {
    const bytes = this.bytes;
    let byte = bytes[this.at++], value = byte & 0x7f;
    if (byte < 0x80) return value;
    byte = bytes[this.at++];
    value |= (byte & 0x7f) << 7;
    if (byte < 0x80) return value;
    byte = bytes[this.at++];
    value |= (byte & 0x7f) << 14;
    if (byte < 0x80) return value;
    byte = bytes[this.at++];
    value |= (byte & 0x7f) << 21;
    for (let factor = 2 ** 28; byte >= 0x80; factor *= 128) {
      byte = bytes[this.at++];
      value += (byte & 0x7f) * factor;
    }
    return value;
  }
  nextSigned() {
    const value = this.next();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}

// A list of numbers that grows.
class Growing {
  constructor(Type) {
    this.array = new Type(1024);
    this.length = 0;
  }
  push(value) {
    if (this.length === this.array.length) {
      const larger = new this.array.constructor(2 * this.length);
      larger.set(this.array);
      this.array = larger;
    }
    this.array[this.length++] = value;
  }
  trimmed() { return this.array.subarray(0, this.length); }
}

const eventColumns = {
  start: Float64Array,
  length: Float64Array,
  instruction: Uint32Array,
  latency: Float64Array,
  slack: Float64Array
};

// The events of a core with `tracks` tracks, as TimelineColumns.h describes
// them: numbered track by track; those of track t are firstOfTrack[t] up to
// firstOfTrack[t + 1].
function readTimeline(reader, tracks) {
  const columns =
      Object.fromEntries(Object.entries(eventColumns).map(([name, Type]) => [name, new Growing(Type)]));
  const firstOfTrack = new Uint32Array(tracks + 1);
  for (let track = 0; track < tracks; ++track) {
    let start = 0;
    const count = reader.next();
    for (let i = 0; i < count; ++i) {
      columns.start.push(start += reader.next());
      columns.length.push(reader.next());
      columns.instruction.push(reader.next());
      columns.latency.push(reader.nextSigned());
      columns.slack.push(reader.next());
    }
    firstOfTrack[track + 1] = firstOfTrack[track] + count;
  }
  const count = firstOfTrack[tracks];
  const timeline = {count, firstOfTrack};
  for (const name in columns) timeline[name] = columns[name].trimmed();
  const firstProducer = new Uint32Array(count + 1), producers = new Growing(Uint32Array);
  for (let event = 0; event < count; ++event) {
    for (let left = reader.next(); left > 0; --left) producers.push(event + reader.nextSigned());
    firstProducer[event + 1] = producers.length;
  }
  return Object.assign(timeline, {
    firstProducer,
    producers: producers.trimmed(),
    path: readPath(reader, timeline.instruction),
    waits: readWaits(reader),
    held: {sbuf: readSteps(reader), psum: readSteps(reader)},
    ranges: new Ranges(reader),
  });
}

// The steps of the critical path, without a gap from 0 on. A reason is in
// pathReasons; an instruction or event of -1 is none.
function readPath(reader, instructionOf) {
  const count = reader.next();
  const path = {
    count,
    start: new Float64Array(count),
    length: new Float64Array(count),
    reason: new Uint8Array(count),
    instruction: new Int32Array(count).fill(-1),
    event: new Int32Array(count).fill(-1),
  };
  for (let i = 0, start = 0, event = 0; i < count; start += path.length[i++]) {
    path.start[i] = start;
    path.length[i] = reader.next();
    path.reason[i] = reader.next();
    const who = reader.next();
    if (who === 1) {
      path.event[i] = event += reader.nextSigned();
      path.instruction[i] = instructionOf[event];
    } else
      path.instruction[i] = who - 2 < 0 ? -1 : who - 2;
  }
  return path;
}
const pathReasons = reasons => ['work', 'latency', ...reasons, 'starting'];

// From when on so many bytes of a partition of a memory hold values.
function readSteps(reader) {
  const count = reader.next();
  const steps = {count, start: new Float64Array(count), bytes: new Float64Array(count)};
  for (let i = 0, start = 0; i < count; ++i) {
    steps.start[i] = start += reader.next();
    steps.bytes[i] = reader.next();
  }
  return steps;
}

// What was on chip, by start.
class Ranges {
  constructor(reader) {
    this.shapes = Array.from({length: reader.next()}, () => ({
                                                        memory: ['sbuf', 'psum'][reader.next()],
                                                        buffer: reader.next(),
                                                        place: reader.next(),
                                                        first_byte: reader.next(),
                                                        bytes: reader.next(),
                                                        first_partition: reader.next(),
                                                        partitions: reader.next(),
                                                        writer: reader.next(),
                                                      }));
    this.count = reader.next();
    this.start = new Float64Array(this.count);
    this.end = new Float64Array(this.count);
    this.shape = new Uint32Array(this.count);
    for (let i = 0, start = 0; i < this.count; ++i) {
      this.start[i] = start += reader.next();
      this.end[i] = start + reader.next();
      this.shape[i] = reader.next();
    }
  }
  at(i) { return {...this.shapes[this.shape[i]], start: this.start[i], end: this.end[i]}; }
}

// By engine; an instruction or producer of -1 is none, a core of -1 the same.
function readWaits(reader) {
  const engines = [];
  for (let engine = 0; engine < 5; ++engine) {
    const count = reader.next();
    const waits = {
      count,
      start: new Float64Array(count),
      length: new Float64Array(count),
      instruction: new Int32Array(count),
      reason: new Uint8Array(count),
      kind: new Uint8Array(count),
      producer: new Int32Array(count),
      core: new Int32Array(count),
    };
    for (let i = 0, start = 0; i < count; ++i) {
      waits.start[i] = start += reader.next();
      waits.length[i] = reader.next();
      waits.instruction[i] = reader.next() - 1;
      waits.reason[i] = reader.next();
      waits.kind[i] = reader.next();
      waits.producer[i] = reader.next() - 1;
      waits.core[i] = reader.next() - 1;
    }
    engines.push(waits);
  }
  return engines;
}

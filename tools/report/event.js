// An event as JSON, with what it waited for and what needs it.
'use strict';

// What the page knows of it. Its times are picoseconds, and its keys those of
// kiln profile --json where that has them, too.
function jsonOfEvent(core, chosen, event) {
  const instruction = core.instructionOf(event), place = core.placeOf(instruction),
        track = core.tracks[core.trackOf[event]], [run, runs] = core.runOf(event);
  const source = ({file, line}) => file ? `${file}:${line}` : '';
  const other = one => {
    const {engine, index, op} = core.instructionOf(one), [ownRun] = core.runOf(one);
    return {
      engine,
      index,
      op,
      source: source(core.placeOf(core.instructionOf(one))),
      run: ownRun,
      start_ps: core.start[one],
      end_ps: core.end(one)
    };
  };
  const waits = core.waitsBefore(event).map(i => {
    const all = core.waits[track.engine],
          producer = all.core[i] < 0 ? core.binary[all.producer[i]] : undefined;
    return {
      reason: core.reasons[all.reason[i]],
      kind: core.report.wait_kinds[all.kind[i]],
      start_ps: all.start[i],
      length_ps: all.length[i],
      producer: producer ? {engine: producer.engine, index: producer.index} : null
    };
  });
  const {engine, index, op, kind, asm, bytes, flops, hardware_flops, operations, cost} = instruction;
  return {
    core: chosen,
    track: track.name,
    engine,
    index,
    op,
    kind,
    name: place.name,
    asm,
    source: source(place),
    operation: place.operation,
    scopes: place.scopes,
    called_from: core.callersOf(instruction).map(source),
    run,
    runs,
    start_ps: core.start[event],
    end_ps: core.end(event),
    visible_ps: core.end(event) + core.latency[event],
    slack_ps: core.slack[event],
    is_critical: core.isCritical[event] === 1,
    cost,
    bytes,
    flops,
    hardware_flops,
    operations,
    waits,
    producers: [...core.producersOf(event)].map(other),
    consumers: [...core.consumersOf(event)].map(other)
  };
}

// What is pinned goes to the clipboard, or where there is none into a file.
function copyEvent(page) {
  const {core, chosen, pinned} = page, {engine, index} = core.instructionOf(pinned);
  const text = JSON.stringify(jsonOfEvent(core, chosen, pinned), null, 1) + '\n';
  const save = () => {
    saveText(`${engine}-${index}.json`, text, 'application/json');
    page.say('saved as a file');
  };
  if (!navigator.clipboard) return save();
  return navigator.clipboard.writeText(text).then(() => page.say('copied'), save);
}

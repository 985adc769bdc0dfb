// The events of a stretch as CSV, and a file for the reader to keep.
'use strict';

const csvColumns = [
  'core', 'track', 'engine', 'index', 'kind', 'label', 'source', 'start_ps', 'end_ps', 'visible_ps',
  'slack_ps', 'is_critical', 'bytes', 'flops', 'asm'
];
const quotedText = text => `"${String(text).replace(/"/g, '""')}"`;

// A line for each event of `core`, the number `chosen` of the launch, that
// `from` to `to` touches, by start; of `focus`, if there is one, only those of
// its instructions, and of `tracks` only those on them. The columns are those of
// kiln profile --csv where that has them, too.
function csvOf(core, chosen, from, to, focus = null, tracks = null) {
  const events = [];
  core.tracks.forEach((_, track) => {
    if (tracks && !tracks.includes(track)) return;
    for (let event = core.firstAfter(track, from), last = core.firstOfTrack[track + 1];
         event < last && core.start[event] < to; ++event)
      if (!focus || focus[core.instruction[event]]) events.push(event);
  });
  events.sort((a, b) => core.start[a] - core.start[b] || a - b);
  const lines = events.map(event => {
    const instruction = core.instructionOf(event), end = core.end(event),
          {file, line} = core.placeOf(instruction);
    return [
      chosen, core.tracks[core.trackOf[event]].name, instruction.engine, instruction.index, instruction.kind,
      quotedText(core.nameOf(instruction)), quotedText(file ? `${file}:${line}` : ''), core.start[event], end,
      end + core.latency[event], core.slack[event], core.isCritical[event], instruction.bytes,
      instruction.flops, quotedText(instruction.asm)
    ].join(',');
  });
  return [csvColumns.join(','), ...lines, ''].join('\n');
}

// A text under a name, where the browser puts what it downloads.
function saveText(name, text, type = 'text/csv') {
  const address = URL.createObjectURL(new Blob([text], {type}));
  element('a', {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

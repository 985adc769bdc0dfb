// What is told of a place that the pointer is at.
'use strict';

// Beside the pointer, or nothing.
function showTip(text, x, y) {
  const tip = byId('hover');
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  tip.style.left = Math.min(x + 14, innerWidth - tip.offsetWidth - 8) + 'px';
  tip.style.top = (y + 18 + tip.offsetHeight > innerHeight ? y - tip.offsetHeight - 12 : y + 18) + 'px';
}

// Of an event or a wait, as TrackView.at finds it.
function hoverText(page, {event, wait, row, text}) {
  const {core} = page;
  if (text) return text;
  if (event >= 0) {
    const instruction = core.instructionOf(event);
    return `${core.nameOf(instruction)}  ${core.sourceOf(instruction)}\n${timeText(core.start[event])} + ${
               timeText(core.length[event])}` +
           (core.isCritical[event] ? ', on the critical path' : `, slack ${timeText(core.slack[event])}`) +
           `\n${instruction.asm}`;
  }
  if (wait >= 0) {
    const waits = core.waits[row.engine], number = waits.instruction[wait], producer = waits.producer[wait];
    const who = number >= 0 ? core.binary[number] : null,
          by = producer >= 0 && waits.core[wait] < 0 ? core.binary[producer] : null;
    const kind = waitKindText(core.report.wait_kinds[waits.kind[wait]]);
    return `${reasonText(core.reasons[waits.reason[wait]])}: ${timeText(waits.length[wait])}` +
           (who ? `\nbefore ${core.nameOf(who)} ${core.sourceOf(who)}` : '') +
           (by ? `\nfor ${core.nameOf(by)} ${core.sourceOf(by)}${kind ? ', ' + kind : ''}`
            : waits.core[wait] >= 0 ? `\nfor ${page.profile.head.names[waits.core[wait]][0]}`
                                    : '');
  }
  return '';
}

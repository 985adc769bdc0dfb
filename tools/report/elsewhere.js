// Where else on the page an event is seen: the way back from the timeline to the
// other views.
'use strict';

// [{name, act}]: the row of the hierarchy, the value that it wrote in memory, its
// tensors, its collective, the insights that name it.
function elsewhereOf(page, event) {
  const {core} = page, {report} = core, number = core.instruction[event], found = [];
  const add = (name, view, act) => found.push({
    name,
    act: () => {
      page.show(view);
      act(page.views[view]);
    }
  });
  if (core.binary[number].node > 0)
    add('hierarchy', 'hierarchy', view => view.reveal(core.binary[number].node));
  const range = rangeWrittenBy(core, event);
  if (range >= 0) add('memory', 'memory', view => view.reveal(range));
  for (const tensor of report.tensors)
    if (tensor.instructions.includes(number))
      add(`tensor ${tensor.name}`, 'tensors', () => revealRow(byId('views'), tensor));
  const meeting = report.collectives.find(
      one => one.instruction === number && 1000 * one.came_ns <= core.end(event) + core.latency[event] &&
             core.start[event] <= 1000 * one.end_ns);
  if (meeting) add('collective', 'collectives', () => revealRow(byId('views'), meeting));
  page.insights().forEach((insight, i) => {
    if (instructionsOf(page, insight).includes(number))
      found.push({name: insight.title, act: () => page.showInsight(i)});
  });
  return found;
}

// Of the values that the instruction wrote on chip, the one that began closest to
// the event; -1 if there is none.
function rangeWrittenBy({ranges, start, instruction}, event) {
  let best = -1;
  for (let i = 0; i < ranges.count; ++i) {
    if (ranges.shapes[ranges.shape[i]].writer !== instruction[event]) continue;
    const far = at => Math.abs(ranges.start[at] - start[event]);
    if (best < 0 || far(i) < far(best)) best = i;
  }
  return best;
}

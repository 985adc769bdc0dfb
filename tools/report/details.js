// Beside the timeline: the instruction that is pinned, or the sums of what is
// selected or seen.
'use strict';

// An event as a link: a click pins it.
function eventLink(page, event, note) {
  const {core} = page, instruction = core.instructionOf(event);
  const track = core.tracks[core.trackOf[event]].name;
  return element(
      'li', {},
      button(`${track}  ${core.nameOf(instruction)}`, () => page.pin(event, true), {className: 'link'}),
      element('span', {className: 'note', textContent: ` ${core.sourceOf(instruction)} ${note}`}));
}

function eventList(page, events, title, noteOf) {
  const list = element('ul', {className: 'plain'},
                       ...[...events].slice(0, 12).map(event => eventLink(page, event, noteOf(event))));
  if (events.length > 12)
    list.append(element('li', {className: 'note', textContent: `and ${events.length - 12} more`}));
  return [
    element('h3', {textContent: `${title} (${events.length})`}),
    events.length > 0 ? list : element('p', {className: 'note', textContent: 'none'})
  ];
}

// A line of the source: a click lets what it became stand out.
const placeLink = (page, {file, line}, shown = page.core.shortPlace(file, line)) =>
    button(shown, () => page.showLine(file, line), {className: 'link', title: `${file}:${line}`});

function eventDetails(page, event) {
  const {core} = page, instruction = core.instructionOf(event), place = core.placeOf(instruction),
        track = core.tracks[core.trackOf[event]];
  const [run, runs] = core.runOf(event), callers = core.callersOf(instruction),
              row = (name, ...value) => [element('dt', {textContent: name}), element('dd', {}, ...value)];
  const waits = core.waitsBefore(event).map(i => {
    const waits = core.waits[track.engine], reason = core.reasons[waits.reason[i]],
          kind = core.report.wait_kinds[waits.kind[i]];
    const producer = waits.producer[i] >= 0 && waits.core[i] < 0
                         ? `, ${core.nameOf(core.binary[waits.producer[i]])} ${
                               core.sourceOf(core.binary[waits.producer[i]])}`
                         : '';
    return element('li', {}, element('i', {className: 'patch wait ' + groupOf(reason)}),
                   `${timeText(waits.length[i])} ${reasonText(reason)}${producer}`,
                   element('span', {className: 'note', textContent: ' ' + waitKindText(kind)}));
  });
  const wrote = valuesOf(core, core.instruction[event]);
  const gap = (first, second) => `${timeText(core.start[second] - core.end(first))} between`;
  return [
    element('h2', {}, element('i', { className: 'patch', style: { backgroundColor: core.colourOf(core.instruction[event]) } }), core.nameOf(instruction),
      button('\u00d7', () => page.pin(-1), { className: 'close', 'aria-label': 'Unpin' }),
      button('JSON', () => copyEvent(page), { className: 'beside', title: 'Copy it as JSON (j)', 'aria-keyshortcuts': 'j' })),
    element('code', { className: 'assembly', textContent: instruction.asm }),
    element('dl', { className: 'facts' },
      ...row('on', `${track.name}, instruction ${instruction.index} of ${engineTitles[instruction.engine]}`),
      ...row('time', `${timeText(core.start[event])} + ${timeText(core.length[event])}`, core.latency[event] > 0 ? `, visible ${timeText(core.latency[event])} later` : ''),
      ...row('slack', core.isCritical[event] ? element('b', { className: 'critical', textContent: 'on the critical path' }) : `${timeText(core.slack[event])} at least`),
      ...row('run', `${run.toLocaleString('en')} of ${runs.toLocaleString('en')}`),
      ...(instruction.bytes ? row('moves', bytesText(instruction.bytes), track.isQueue ? `, ${(instruction.bytes / Math.max(1, core.length[event]) * 1000).toFixed(1)} B/ns` : '') : []),
      ...(instruction.flops ? row('computes', `${countText(instruction.flops)} flops`) : []),
      ...(wrote ? row('wrote', `${wrote} in all runs`) : []),
      ...(place.file ? row('source', placeLink(page, place, `${place.file}:${place.line}`), button('editor', () => openInEditor(page), { className: 'beside', title: 'Open it in your editor (e)', 'aria-keyshortcuts': 'e' })) : []),
      ...(place.operation ? row('operation', place.operation) : []),
      ...(callers.length > 0 ? row('called from', ...callers.flatMap((call, i) => [i > 0 ? ' \u2039 ' : '', placeLink(page, call)])) : []),
      ...(place.scopes.length > 0 ? row('within', scopesText(place)) : []),
      ...row('seen in', ...elsewhereOf(page, event).flatMap(({ name, act }, i) => [i > 0 ? ', ' : '', button(name, act, { className: 'link' })]))),
    ...(waits.length > 0 ? [element('h3', { textContent: 'Before it, its engine' }), element('ul', { className: 'plain' }, ...waits)] : []),
    ...eventList(page, core.producersOf(event), 'It needs', producer => gap(producer, event)),
    ...eventList(page, core.consumersOf(event), 'Who needs it', consumer => gap(event, consumer)),
    irText(page, [core.instruction[event]]),
  ];
}

function summaryDetails(page) {
  const {core, region, from, to} = page, box = region ? page.box : null;
  const span = region ?? [from, to], sum = page.sumOf(span), length = span[1] - span[0];
  const title = box ? `Selected on ${box.map(track => core.tracks[track].name).join(', ')}`
                : region                                   ? 'Selected'
                : span[0] <= 0 && span[1] >= core.makespan ? 'The whole run'
                                                           : 'In view';
  const isIn = track => !box || box.includes(core.tracks.indexOf(track)),
        bars = core.tracks.filter(track => track.engine >= 0 && isIn(track)).map(track => {
          const reasons = [...sum.reasons[track.engine]]
                              .map((time, i) => [core.reasons[i], time])
                              .filter(([reason, time]) => time > 0 && reason !== 'end')
                              .sort((a, b) => b[1] - a[1]);
          const t = core.tracks.indexOf(track),
                work = [...sum.kinds[t]].map((time, i) => [i, time]).filter(([, time]) => time > 0);
          const busy = Math.max(0, length - sum.waited[track.engine]), all = sum.occupied[t] || 1;
          const parts = [
            ...work.map(([kind, time]) => [`${kinds[kindNames[kind]]}: ${timeText(busy * time / all)}`,
                                           busy * time / all / length, '', kindColour(kindNames[kind])]),
            ...reasons.map(([reason, time]) => [`${reasonText(reason)}: ${timeText(time)}`, time / length,
                                                'wait ' + groupOf(reason)])
          ];
          const label =
              `${track.name} busy ${shareText(busy, length)}` +
              reasons.map(([reason, time]) => `, ${reasonText(reason)} ${shareText(time, length)}`).join('');
          return element('div', {className: 'engine narrow'}, element('span', {textContent: track.name}),
                         stackedBar(parts, label),
                         element('span', {className: 'number', textContent: shareText(busy, length)}));
        });
  const order = [...sum.busy.keys()].filter(i => sum.busy[i] > 0).sort((a, b) => sum.busy[b] - sum.busy[a]);
  return [
    element('h2', {textContent: title},
            region ? button('\u00d7', () => page.select(null),
                            {className: 'close', 'aria-label': 'Clear the selection'})
                   : null),
    element('p', {
      className: 'note',
      textContent: `${timeText(span[0])} to ${timeText(span[1])}: ${timeText(length)}, ${
          shareText(length, core.makespan)} of the makespan; ${bytesText(sum.bytes)} moved, ${
          (1000 * sum.bytes / Math.max(1, length)).toFixed(1)} B/ns`
    }),
    ...bars,
    queueBar(core, sum, core.tracks.filter(track => track.isQueue && isIn(track))),
    ...insightsHere(page, sum),
    element('h3', {}, 'Instructions by time',
            button('CSV',
                   () => saveText(`${page.profile.head.kernel}.csv`,
                                  csvOf(core, page.chosen, ...span, page.focus, box)),
                   {className: 'beside', 'aria-label': 'Download the instructions of this stretch as CSV'})),
    table('Instructions of the stretch by time',
          [
            ['instruction', i => `${core.nameOf(core.binary[i])} ${core.sourceOf(core.binary[i])}`],
            ['runs', i => sum.runs[i].toLocaleString('en'), true],
            ['time', i => timeText(sum.busy[i]), true],
            ['waits', i => sum.stalls[i] > 0 ? timeText(sum.stalls[i]) : '', true],
            [
              'slack',
              i => sum.critical[i] > 0 ? element('b', {className: 'critical', textContent: 'critical'})
                                       : timeText(1000 * core.binary[i].slack_ns),
              true
            ],
          ],
          order.slice(0, 200), {pick: i => page.showInstruction(i), most: 14}),
    ...programText(page,
                   [...core.binary.keys()].filter(i => sum.busy[i] > 0 && (!page.focus || page.focus[i]))),
  ];
}

// When at least one queue moves something, by what the queues move.
function queueBar(core, {from, to, kinds: times}, list) {
  if (list.length === 0) return null;
  const queues = list.map(track => core.tracks.indexOf(track)), length = to - from,
        any = timeOfAny(core, queues, from, to);
  const byKind = kindNames.map((_, kind) => queues.reduce((sum, track) => sum + times[track][kind], 0)),
        all = byKind.reduce((sum, time) => sum + time, 0) || 1;
  const parts = byKind.map((time, kind) => [`${kinds[kindNames[kind]]}: ${timeText(time)} in all queues`,
                                            any * time / all / length, '', kindColour(kindNames[kind])]);
  return element('div', {className: 'engine narrow'}, element('span', {textContent: 'queues'}),
                 stackedBar(parts, `at least one of ${plural(queues.length, 'queue')} moves something: ${
                                       shareText(any, length)}`),
                 element('span', {className: 'number', textContent: shareText(any, length)}));
}

// Of the insights that name an instruction that ran in the stretch.
function insightsHere(page, sum) {
  const here = page.insights().flatMap((insight, number) => {
    const runs = instructionsOf(page, insight).some(number => sum.busy[number] > 0);
    return runs ? [element(
                      'li', {}, button(insight.title, () => page.showInsight(number), {className: 'link'}),
                      element('span',
                              {className: 'note', textContent: ` ${timeText(1000 * insight.saving_ns)}`}))]
                : [];
  });
  return here.length > 0
             ? [element('h3', {textContent: 'Insights here'}), element('ul', {className: 'plain'}, ...here)]
             : [];
}

// What would help: insights with their proof, and what other machines would
// buy. Without those, what the critical path consists of.
'use strict';

// [{source, numbers, texts}]: what is told of the instructions of each line, in order.
function evidenceByLine(evidence) {
  const lines = new Map();
  for (const {source, instruction, text} of evidence) {
    const key = instruction >= 0 ? source : `${source} ${text}`,
          entry = lines.get(key) ?? lines.set(key, {source, numbers: [], texts: []}).get(key);
    entry.texts.push(text);
    if (instruction >= 0) entry.numbers.push(instruction);
  }
  return [...lines.values()];
}

// All instructions of a core that an insight is about.
const instructionsOf = (page, {extent}) =>
    extent.instructions[page.chosen % (page.profile.head.cores_of_rank ?? 1)];

class InsightsView {
  constructor(page) { this.page = page; }
  title() { return 'Insights'; }
  draw(root) {
    const {head} = this.page.profile, {core} = this.page, insights = this.page.insights();
    root.replaceChildren(
        section('What would help', insights.length > 0
                                       ? element('ol', {className: 'insights'},
                                                 ...insights.map((insight, i) => this.insight(insight, i)))
                                       : absent(whyNone(this.page))),
        this.path(core),
        section(
            'What if',
            head.what_if?.length > 0
                ? this.whatIf(head.what_if, core)
                : absent(
                      'Profile with --what-if to see what a faster machine would buy, and with --sweep for a curve.')),
        ...(head.sweeps ?? []).map(sweep => section(`Makespan over ${sweep.parameter}`, this.sweep(sweep))),
        this.waits(core));
  }
  insight(insight, i) {
    const {page} = this;
    return element('li', {id: `insight-${i}`, tabIndex: -1},
                   element('h3', {}, insight.title,
                           element('span', {className: 'saving'},
                                   element('b', {textContent: timeText(1000 * insight.saving_ns)}),
                                   ` ${shareText(insight.saving, 1)}`)),
                   element('p', {textContent: insight.condition}), element('p', {
                     className: 'note',
                     textContent: `Measured: ${insight.proof.change}: ${
                         timeText(1000 * insight.proof.makespan_ns)}. Rule ${insight.rule}.`
                   }),
                   element('p', {textContent: insight.remedy}),
                   insight.sketch ? element('pre', {textContent: insight.sketch}) : null,
                   this.extent(insight),
                   element('ul', {className: 'plain'},
                           ...evidenceByLine(insight.evidence).slice(0, 8).map(one => this.evidence(one))));
  }
  // How much of the kernel it is about; a click lets all of it stand out.
  extent(insight) {
    const {page} = this, {title, extent} = insight, numbers = instructionsOf(page, insight);
    const sum = `${extent.runs.toLocaleString('en')} runs, busy ${
        timeText(1000 * extent.busy_ns)}, keep engines waiting for ${timeText(1000 * extent.stall_ns)}`;
    const name =
        plural(numbers.length, 'instruction') + (extent.instructions.length > 1 ? ' of this core' : '');
    return element('p', {className: 'note'},
                   numbers.length > 0
                       ? button(name, () => page.showInstructions(numbers, title), {className: 'link'})
                       : name,
                   `; in all ${sum}. The most costly ones:`);
  }
  // A line, with its text, and what its instructions cost.
  evidence({source, numbers, texts}) {
    const {page} = this, {core} = page, sum = core.whole();
    if (numbers.length === 0)
      return element('li', {}, source, element('span', {className: 'note', textContent: ' ' + texts[0]}));
    const all = of => numbers.reduce((total, number) => total + of[number], 0),
          [file, line] = splitPlace(source);
    const names = [...new Set(numbers.map(number => core.nameOf(core.binary[number])))].join(', ');
    const told = numbers.length === 1
                     ? `${names} ${texts[0]}`
                     : `${numbers.length} \u00d7 ${names}: ${all(sum.runs).toLocaleString('en')} runs, busy ${
                           timeText(all(sum.busy))}, keep engines waiting for ${timeText(all(sum.stalls))}`;
    return element('li', {},
                   button(source || names, () => page.showInstructions(numbers, source), {className: 'link'}),
                   element('span', {className: 'note', textContent: ' ' + told}),
                   element('code', {className: 'text', textContent: page.profile.textOf(file, line)}));
  }
  path(core) {
    const parts = core.pathParts(), {makespan} = core,
          work = parts.filter(part => part.what === 'work').reduce((sum, part) => sum + part.time, 0);
    const who = number => core.binary[number];
    return section('The critical path', element('p', {
                     className: 'note',
                     textContent: `${plural(core.path.count, 'step')} from 0 to the end: ${
                         shareText(work, makespan)} work, ${shareText(makespan - work, makespan)} waits.`
                   }),
                   table('Parts of the critical path',
                         [
                           ['time', part => timeText(part.time), true, part => part.time],
                           ['share', part => shareText(part.time, makespan), true],
                           ['steps', part => part.steps.toLocaleString('en'), true, part => part.steps],
                           ['instructions', part => part.numbers.size, true, part => part.numbers.size],
                           ['engine', part => engineTitles[who(part.number)?.engine] ?? ''],
                           [
                             'instruction', part => part.number < 0 ? 'the start'
                                                                    : `${core.nameOf(who(part.number))} ${
                                                                          core.sourceOf(who(part.number))}`
                           ],
                           ['what', part => this.step(core, part)]
                         ],
                         parts, {
                           most: 12,
                           pick: part => part.number >= 0 &&
                                         this.page.showInstructions([...part.numbers], stepText(part.what))
                         }));
  }
  step(core, {what, number}) {
    const patch = what === 'work' ? {className: 'patch', style: {backgroundColor: core.colourOf(number)}}
                                  : {className: 'patch wait ' + groupOf(what)};
    return element('span', {}, element('i', patch), stepText(what));
  }
  whatIf(list, core) {
    const change = {infinite: 'infinitely fast', double: 'twice as fast', zero: 'gone'};
    const isSlower = list.some(({measure}) => measure.saving_ns < 0);
    return element(
        'div', {},
        isSlower ? element('p', {
          className: 'note',
          textContent:
              'Less than nothing is saved where the program, whose order stays, gets slower: what comes earlier, here or on other cores, takes a queue, a port or HBM before what the end waits for.'
        })
                 : null,
        table('What if',
              [
                [
                  'saving', entry => timeText(1000 * entry.measure.saving_ns), true,
                  entry => entry.measure.saving_ns
                ],
                [
                  '', entry => element('div', {className: 'wide'},
                                       stackedBar([['', Math.max(0, entry.measure.saving), 'busy']], ''))
                ],
                ['share', entry => shareText(entry.measure.saving, 1), true],
                ['what', entry => `${entry.name} ${change[entry.change] ?? entry.change}`],
                ['makespan', entry => timeText(1000 * entry.measure.makespan_ns), true]
              ],
              list, {most: 12}));
  }
  // A curve, where both axes have a place for the values, and all of them in a table.
  sweep(sweep) {
    const isSeen = point => point.value > 0 && point.makespan_ns > 0;
    return element(
        'div', {}, sweep.points.filter(isSeen).length > 1 ? this.curve(sweep) : null,
        sweep.points.every(isSeen)
            ? null
            : element(
                  'p',
                  {className: 'note', textContent: 'The axis is logarithmic: a curve has no place for 0.'}),
        table(`Makespan by ${sweep.parameter}`,
              [
                [
                  `${sweep.parameter} (${sweep.unit})`,
                  point => `${point.value}${point.value === sweep.current ? ', as it is' : ''}`, true,
                  point => point.value
                ],
                ['makespan', point => timeText(1000 * point.makespan_ns), true, point => point.makespan_ns],
                ['lower bound', point => timeText(1000 * point.lower_bound_ns), true]
              ],
              sweep.points));
  }
  curve(sweep) {
    const points =
        sweep.points.flatMap(point => [[
                               point.value, point.makespan_ns,
                               `${point.value} ${sweep.unit}: ${timeText(1000 * point.makespan_ns)}`,
                               point.value === sweep.current ? 'var(--point-chosen)' : 'var(--point)'
                             ]]);
    return scatter(
        points, [`${sweep.parameter} (${sweep.unit})`, x => String(Number(x.toPrecision(3)))],
        ['makespan', ns => timeText(1000 * ns)], `Makespan over ${sweep.parameter}`, {
          under: (picture, xAt, yAt) => {
            const corners = points.filter(([x, y]) => x > 0 && y > 0).sort((a, b) => a[0] - b[0]);
            picture.append(
                svg('polyline',
                    {points: corners.map(([x, y]) => `${xAt(x)},${yAt(y)}`).join(' '), class: 'curve'}));
          }
        });
  }
  waits(core) {
    const place = of => of ? `${engineTitles[of.engine] ?? of.engine} ${of.label} ${
                                 core.shortPlace(...splitPlace(of.source))}`
                           : '';
    return section(
        'Waits', element('p', {
          className: 'note',
          textContent:
              'By what they cost: for how long the critical path was in what an engine waited for. A wait that costs nothing is of an engine that had nothing to do.'
        }),
        table('Waits',
              [
                ['cost', stall => timeText(1000 * stall.critical_ns), true, stall => stall.critical_ns],
                ['of the makespan', stall => shareText(stall.critical_ns, core.report.makespan_ns), true],
                ['time', stall => timeText(1000 * stall.ns), true, stall => stall.ns],
                ['times', stall => stall.count.toLocaleString('en'), true, stall => stall.count],
                ['what waits', stall => place(stall.at)],
                [
                  'why', stall => element('span', {},
                                          element('i', {className: 'patch wait ' + groupOf(stall.reason)}),
                                          reasonText(stall.reason))
                ],
                [
                  'for whom',
                  stall => stall.producer ? `${stall.producer.core ? stall.producer.core + ' ' : ''}${
                                                place(stall.producer)}${
                                                stall.kind === 'none' ? '' : ', ' + waitKindText(stall.kind)}`
                                          : ''
                ]
              ],
              core.report.top_stalls, {most: 24, pick: stall => this.page.showPlace(stall.at)}));
  }
}

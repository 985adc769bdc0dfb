// What would help: insights with their proof, and what other machines would
// buy. Without those, what the critical path consists of.
'use strict';

class InsightsView {
  constructor(page) { this.page = page; }
  title() { return 'Insights'; }
  draw(root) {
    const {head} = this.page.profile, {core} = this.page, insights = this.page.insights();
    root.replaceChildren(
        ...(insights.length > 0
                ? [section('What would help',
                           element('ol', {className: 'insights'},
                                   ...insights.map((insight, i) => this.insight(insight, i))))]
                : []),
        this.path(core),
        ...(head.what_if?.length > 0 ? [section('What if', this.whatIf(head.what_if, core))] : []),
        ...(head.sweeps ?? []).map(sweep => section(`Makespan over ${sweep.parameter}`, this.sweep(sweep))),
        this.waits(core),
        ...(core.report.energy ? [section('Energy', this.energy(core.report.energy))] : []));
  }
  insight(insight, i) {
    const {page} = this;
    return element(
        'li', {id: `insight-${i}`, tabIndex: -1},
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
        element('ul', {className: 'plain'},
                ...insight.evidence.slice(0, 8).map(
                    evidence => element(
                        'li', {},
                        evidence.instruction >= 0
                            ? button(evidence.source || evidence.text,
                                     () => page.showInstruction(evidence.instruction), {className: 'link'})
                            : evidence.source,
                        element('span', {className: 'note', textContent: ' ' + evidence.text})))));
  }
  path(core) {
    const parts = core.pathParts(), all = parts.reduce((sum, part) => sum + part.time, 0),
          work = parts.filter(part => part.what === 'work').reduce((sum, part) => sum + part.time, 0);
    const what = part =>
        part.what === 'work'
            ? element('span', {}, element('i', {
                        className: 'patch',
                        style: {backgroundColor: kindColours[core.kindOf[part.number]]}
                      }),
                      'works')
            : element(
                  'span', {}, element('i', {className: 'patch wait ' + groupOf(part.what)}),
                  part.what === 'latency'
                      ? (core.binary[part.number].bytes > 0 ? 'start-up of the transfer' : 'until it starts')
                      : reasonText(part.what));
    return section('The critical path', element('p', {
                     className: 'note',
                     textContent: `${plural(core.path.length, 'event')}: ${shareText(work, all)} work, ${
                         shareText(all - work, all)} between events.`
                   }),
                   table('Parts of the critical path',
                         [
                           ['time', part => timeText(part.time), true, part => part.time],
                           ['share', part => shareText(part.time, core.makespan), true],
                           ['engine', part => engineTitles[core.binary[part.number].engine]],
                           [
                             'instruction', part => `${core.nameOf(core.binary[part.number])} ${
                                                core.sourceOf(core.binary[part.number])}`
                           ],
                           ['what', what]
                         ],
                         parts, {most: 12, pick: part => this.page.showInstruction(part.number)}));
  }
  whatIf(list, core) {
    const change = {infinite: 'infinitely fast', double: 'twice as fast', zero: 'without its latency'};
    return table('What if',
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
                 list, {most: 12});
  }
  sweep(sweep) {
    const points =
        sweep.points.flatMap(point => [[
                               point.value, point.makespan_ns,
                               `${point.value} ${sweep.unit}: ${timeText(1000 * point.makespan_ns)}`,
                               point.value === sweep.current ? '#ce811d' : '#5388e3'
                             ]]);
    return scatter(points, [`${sweep.parameter} (${sweep.unit})`, x => String(Number(x.toPrecision(3)))],
                   ['makespan', ns => timeText(1000 * ns)], `Makespan over ${sweep.parameter}`);
  }
  waits(core) {
    const place = of =>
        of ? `${engineTitles[of.engine] ?? of.engine} ${of.label} ${baseName(of.source)}` : '';
    return section(
        'Longest waits',
        table('Longest waits',
              [
                ['time', stall => timeText(1000 * stall.ns), true, stall => stall.ns],
                ['share', stall => shareText(stall.ns, core.report.makespan_ns), true],
                ['times', stall => stall.count.toLocaleString('en'), true, stall => stall.count],
                ['who waits', stall => place(stall.at)],
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
  energy(energy) {
    const parts = Object.entries(energy.by_part).sort((a, b) => b[1] - a[1]);
    return element(
        'div', {}, element('p', {
          textContent:
              `${(1000 * energy.joules).toPrecision(3)} mJ, ${
                  energy.average_watts.toFixed(
                      1)} W on average, ${energy.peak_watts.toFixed(1)} W at the peak` +
                  (energy.tokens_per_joule ? `, ${energy.tokens_per_joule.toPrecision(3)} tokens per joule`
                                           : '')
        }),
        table('Energy by part',
              [
                ['part', ([name]) => name], ['mJ', ([, joules]) => (1000 * joules).toPrecision(3), true],
                ['share', ([, joules]) => shareText(joules, energy.joules), true]
              ],
              parts),
        element('p',
                {className: 'note', textContent: 'An estimate. Left out: ' + energy.unknown.join('; ')}));
  }
}

// The first screen: what ran, how far it is from its bounds, what each engine
// did with the makespan, and what would save most.
'use strict';

function figure(name, value, note, share) {
  const parts = [element('dt', {textContent: name}), element('dd', {textContent: value})];
  if (share !== undefined)
    parts.push(element('dd', {className: 'gauge', 'aria-hidden': 'true'},
                       element('i', {style: {width: Math.min(100, 100 * (share || 0)) + '%'}})));
  parts.push(element('dd', {className: 'note', textContent: note}));
  return element('div', {}, ...parts);
}

function figuresOf(report) {
  const {makespan_ns: makespan, lower_bound_ns: bound, roofline_ns: roofline} = report;
  const tflops = perNs => `${(perNs / 1000).toFixed(1)} TFLOP/s`;
  const figures = [
    figure('makespan', timeText(1000 * makespan), `${timeText(1000 * report.end_to_end_ns)} with launch`),
    figure('lower bound', timeText(1000 * bound),
           `${shareText(bound, makespan)}, bound by ${report.bound_by}`, bound / makespan),
    figure('roofline', timeText(1000 * roofline),
           `${shareText(roofline, makespan)}, bound by ${report.roofline.bound_by}`, roofline / makespan),
  ];
  if (report.matmul_flops > 0) {
    const other = report.product_type === 'bf16'
                      ? ''
                      : `; ${shareText(report.mfu_of_type, 1)} of ${report.product_type}`;
    figures.push(figure('MFU', shareText(report.mfu, 1), `of ${tflops(report.peak_flops_per_ns)}${other}`,
                        report.mfu));
  }
  if (report.hardware_flops > 0 && report.hardware_flops !== report.flops)
    figures.push(figure('HFU', shareText(report.hfu, 1),
                        `${countText(report.hardware_flops)}flops executed, with transposes`, report.hfu));
  const {count, longest_ns: longest, busiest_link: link, busiest_link_ns: linkBusy} = report.collective_bound;
  if (count > 0)
    figures.push(figure('links', shareText(linkBusy, makespan),
                        `${link ? `${timeText(1000 * linkBusy)} on ${link}; ` : ''}${
                            plural(count, 'collective')}, the longest ${timeText(1000 * longest)} alone`,
                        linkBusy / makespan));
  figures.push(
      figure('HBM bandwidth', shareText(report.mbu, 1),
             `${bytesText(report.hbm_read_bytes)} read, ${bytesText(report.hbm_write_bytes)} written`,
             report.mbu),
      figure('on chip at the peak', bytesText(report.sbuf_peak_bytes),
             `a partition; ${plural(report.psum_banks_peak, 'PSUM bank')}`),
      figure('energy', energyText(report.energy.joules), energyNote(report.energy)),
      figure('instructions', report.instructions.toLocaleString('en'),
             `from ${report.static_instructions.toLocaleString('en')} in the binary`));
  return element('dl', {id: 'figures', 'aria-label': 'Key figures'}, ...figures);
}

// A bar for each engine: busy, then its waits, the longest first.
function engineBars(report) {
  const makespan = report.makespan_ns;
  return element(
      'div', {id: 'engines', role: 'list', 'aria-label': 'Each engine by reason'},
      ...Object.entries(report.engines).map(([name, engine]) => {
        const stalls = Object.entries(engine.stalls)
                           .filter(([reason, ns]) => reason !== 'end' && ns > 0)
                           .sort((a, b) => b[1] - a[1]);
        const say = (what, ns) => `${what}: ${timeText(1000 * ns)}, ${shareText(ns, makespan)}`;
        const label =
            [say('busy', engine.busy_ns), ...stalls.map(([reason, ns]) => say(reasonText(reason), ns))].join(
                '; ');
        const bar = stackedBar(
            [
              [say('busy', engine.busy_ns), engine.busy_ns / makespan, 'busy'],
              ...stalls.map(([reason, ns]) => [say(reasonText(reason), ns), ns / makespan,
                                               reason === 'no_transfer' ? 'idle' : 'wait ' + groupOf(reason)])
            ],
            label);
        const [longest] = stalls;
        return element(
            'div', {className: 'engine', role: 'listitem'},
            element('span', {textContent: engineTitles[name] ?? name}), bar,
            element('span', {className: 'number', textContent: shareText(engine.busy_ns, makespan)}),
            element('span', {
              className: 'note',
              title: label,
              textContent: longest ? `${reasonText(longest[0])} ${shareText(longest[1], makespan)}` : ''
            }));
      }));
}

// What would save most: insights that were measured, else what the critical
// path spent longest on.
function cardsOf(page, most = 3) {
  const insights = page.insights();
  if (insights.length > 0)
    return insights.slice(0, most).map((insight, i) => ({
                                         value: `${timeText(1000 * insight.saving_ns)}`,
                                         note: `${shareText(insight.saving, 1)} of the makespan, measured`,
                                         title: insight.title,
                                         text: insight.condition,
                                         source: insight.lines[0],
                                         act: () => page.showInsight(i),
                                       }));
  const core = page.core;
  return core.pathParts()
      .filter(part => part.number >= 0)
      .slice(0, most)
      .map(({what, number, numbers, time}) => {
        const instruction = core.binary[number];
        return {
          value: timeText(time),
          note: `${shareText(time, core.makespan)} of the makespan, on the critical path`,
          title: `${engineTitles[instruction.engine]} ${core.nameOf(instruction)}: ${stepText(what)}`,
          text: numbers.size === 1 ? instruction.asm : `${plural(numbers.size, 'instruction')} of this line`,
          source: core.sourceOf(instruction),
          act: () => page.showInstructions([...numbers], core.sourceOf(instruction)),
        };
      });
}

function card({value, note, title, text, source, act}, i) {
  const made = element('div', {className: 'card'}, element('h3', {textContent: title}),
                       element('p', {className: 'saving'}, element('b', {textContent: value}), ' ' + note),
                       element('p', {className: 'text', textContent: text}),
                       element('p', {className: 'place', textContent: source ?? ''}));
  made.setAttribute('aria-label', `${i + 1}: ${title}, ${value}`);
  made.setAttribute('role', 'button');
  activates(made, act);
  return made;
}

// Why there are no insights.
function whyNone({core, profile: {head}}) {
  if (core.report.instructions === 0) return 'The kernel executes no instruction.';
  return head.command.includes('--no-insights')
             ? 'Insights were left out (--no-insights).'
             : 'No rule found anything that saves a noticeable part of the makespan.';
}

class Overview {
  constructor(page) { this.page = page; }
  title() { return 'Overview'; }
  draw(root) {
    const {core} = this.page, isMeasured = this.page.insights().length > 0;
    root.replaceChildren(
        figuresOf(core.report),
        element('div', {className: 'columns'},
                element('div', {},
                        section('Where each engine\'s time went', engineBars(core.report),
                                legend('Colours',
                                       [
                                         ['busy', 'busy'],
                                         ...groupNames.map(name => [waitGroups[name], 'wait ' + name]),
                                         ['has nothing to do', 'idle']
                                       ])),
                        section('The whole run', this.strip = element('div', {id: 'strip'}),
                                kindLegend(kindNames.filter(
                                    (_, kind) => core.whole().kinds.some(of => of[kind] > 0))))),
                section(isMeasured ? 'What would save most' : 'Longest on the critical path',
                        isMeasured ? '' : element('p', {className: 'note', textContent: whyNone(this.page)}),
                        element('div', {id: 'cards'}, ...cardsOf(this.page).map(card)))));
    this.navigator = new Navigator(this.page, this.strip, span => {
      this.page.setSpan(...span);
      this.page.show('timeline');
    }, 16);
    this.navigator.draw();
    if (this.page.profile.head.names.length > 1) root.append(this.coreRows());
    root.append(energySection(core.report.energy));
  }
  redraw() {
    this.navigator.draw();
    this.drawRows?.();
  }
  // A row of time for each core; red where cores meet.
  coreRows() {
    const {head} = this.page.profile,
          canvas = element('canvas', {className: 'cores', role: 'img', 'aria-label': 'Time of all cores'});
    const rows = element('div', {className: 'scroll'}, canvas);
    this.drawRows = () => drawCores(canvas, this.page);
    requestAnimationFrame(this.drawRows);
    canvas.addEventListener('click', event => this.page.chooseCore(Math.min(
                                         head.names.length - 1, Math.floor(event.offsetY / coreRow))));
    return section(plural(head.names.length, 'core'), rows);
  }
}

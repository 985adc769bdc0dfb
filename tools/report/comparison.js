// The page of two runs: what the time of each went to, and what became more or
// less of it.
'use strict';

class ComparisonPage {
  // `runs` are those whose events are in the page.
  constructor(head, runs) {
    this.head = head;
    this.timelines = runs.length > 0 ? new TwoTimelines(runs) : null;
    this.missing = ['before', 'after'].filter(when => !runs.some(run => run.when === when));
  }
  draw() {
    const {head} = this, {makespan} = head, ns = value => timeText(1000 * value);
    byId('runs').replaceChildren(...['before', 'after'].flatMap(
        when => [element('dt', {textContent: when}),
                 element('dd', {}, element('code', {textContent: head[when]}))]));
    byId('settings')
        .replaceChildren(...head.settings.flatMap(
            ({name, before, after}) => [element('dt', {textContent: name}),
                                        element('dd', {}, `${before || 'none'} \u2192 ${after || 'none'}`)]));
    byId('change').textContent = `${ns(makespan.before_ns)} to ${ns(makespan.after_ns)}, ${
        ratioText(makespan.before_ns, makespan.after_ns) || 'the same'}`;
    const lists = [
      ['Critical path by reason', head.reasons, 'reason', row => this.reason(row.name)],
      ['Critical path by line', head.lines, 'line', row => this.line(row.name)],
      ['Critical path by scope', head.scopes, 'scope', row => row.name || '(none)'],
    ];
    byId('views').replaceChildren(
        section('The makespan, by what its critical path spent it on', this.bars()),
        section('Timelines', ...this.drawTimelines()), section('Busy time of each engine', this.engines()),
        ...lists.map(([title, rows, ...column]) => section(title, this.table(title, rows, 'ns', ns, column))),
        ...(head.energy.length > 0
                ? [section('Energy, an estimate', this.table('Energy', head.energy, 'joules',
                                                             joules => `${joules < 0 ? '\u2212' : ''}${
                                                                 siText(Math.abs(joules), 'J')}`,
                                                             ['part', row => row.name]))]
                : []));
    this.timelines?.draw();
    this.listen();
  }
  drawTimelines() {
    return [
      this.timelines?.root,
      this.missing.length > 0
          ? absent(`The page has no events of the run ${
                this.missing.join(' and of that ')}: JSON has sums. Give the binary or the kernel instead.`)
          : null
    ].filter(Boolean);
  }
  // One bar for each run, in the same scale.
  bars() {
    const {makespan, reasons} = this.head, most = Math.max(makespan.before_ns, makespan.after_ns);
    const shown = reasons.filter(row => row.before_ns > 0.002 * most || row.after_ns > 0.002 * most);
    const bar = when => {
      const say = row => `${pathPartText(row.name)}: ${timeText(1000 * row[when + '_ns'])}`;
      return element(
          'div', {className: 'engine narrow'}, element('span', {textContent: when}),
          stackedBar([...reasons]
                         .sort((a, b) => b.before_ns - a.before_ns)
                         .map(row => [say(row), row[when + '_ns'] / most, ...pathPartStyle(row.name)]),
                     `${when}: ${reasons.map(say).join('; ')}`),
          element('span', {className: 'number', textContent: timeText(1000 * makespan[when + '_ns'])}));
    };
    return element('div', {}, bar('before'), bar('after'),
                   legend('Parts', shown.map(row => [pathPartText(row.name), ...pathPartStyle(row.name)])));
  }
  engines() {
    const {engines, makespan} = this.head,
                    most = Math.max(makespan.before_ns, makespan.after_ns,
                                    ...engines.flatMap(row => [row.before_ns, row.after_ns]));
    const bar = (row, when) => {
      const say = `${engineTitles[row.name] ?? row.name} ${when}: ${timeText(1000 * row[when + '_ns'])}`;
      return element(
          'div', {className: 'engine narrow'},
          element('span', {textContent: when === 'before' ? engineTitles[row.name] ?? row.name : ''}),
          stackedBar(
              [
                [say, row[when + '_ns'] / most, when === 'before' ? 'faded' : '', `var(--engine-${row.name})`]
              ],
              say),
          element('span', {className: 'number', textContent: timeText(1000 * row[when + '_ns'])}));
    };
    return element('div', {}, ...engines.flatMap(row => [bar(row, 'before'), bar(row, 'after')]),
                   element('p', {
                     className: 'note',
                     textContent: 'The pale bar of an engine is before, the other one is after.'
                   }));
  }
  reason(name) {
    const [className, colour] = pathPartStyle(name);
    return element('span', {},
                   element('i', {className: 'patch ' + className, style: {backgroundColor: colour}}),
                   pathPartText(name));
  }
  // A line, with its text; with both texts if they are not the same.
  line(name) {
    const texts =
        ['before_texts', 'after_texts'].map(key => this.head[key]?.[name]).filter(text => text !== undefined);
    return element(
        'span', {},
        name && this.timelines ? button(name, () => this.timelines.chooseLine(name), {className: 'link'})
                               : name || '(none)',
        ...[...new Set(texts)].map(text => element('code', {className: 'text', textContent: text.trim()})));
  }
  table(title, rows, unit, text, [name, cell]) {
    const [before, after, change] = ['before', 'after', 'change'].map(key => `${key}_${unit}`),
                          most = Math.max(...rows.map(row => Math.abs(row[change])));
    if (rows.length === 0) return absent('Neither run has any.');
    const bar = row => {
      const [left, width] = changeBar(row[change], most);
      return element('div', {className: 'wide change', 'aria-hidden': 'true'}, element('i', {
                       className: row[change] > 0 ? 'removed' : 'added',
                       style: {left: 100 * left + '%', width: 100 * width + '%'}
                     }));
    };
    return table(title,
                 [
                   [name, cell, false, row => row.name],
                   ['before', row => text(row[before]), true, row => row[before]],
                   ['after', row => text(row[after]), true, row => row[after]],
                   [
                     'change', row => element('span', {
                                 className: row[change] > 0 ? 'number removed' : 'number added',
                                 textContent: changeText(row[change], text)
                               }),
                     true, row => Math.abs(row[change])
                   ],
                   ['', row => ratioText(row[before], row[after]), true], ['', bar]
                 ],
                 rows, {most: 25});
  }
  listen() {
    const redraw = () => {
      forgetColours();
      this.timelines?.redraw();
    };
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
    addEventListener('resize', redraw);
    const themes = {auto: 'light', light: 'dark', dark: 'auto'}, {dataset} = document.documentElement,
          set = theme => {
            dataset.theme = theme;
            byId('theme').textContent = theme;
            byId('theme').setAttribute('aria-label', `Colours: ${theme}`);
            redraw();
          }, next = () => {
            remember('theme', themes[dataset.theme]);
            set(themes[dataset.theme]);
          };
    set(remembered('theme') in themes ? remembered('theme') : 'auto');
    byId('theme').addEventListener('click', next);
    addEventListener('keydown', event => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const act = event.key === 't' ? next : this.timelines?.act(event.key);
      if (!act) return;
      event.preventDefault();
      act();
    });
  }
}

const textOf = id => byId(id).textContent;
const runs = ['before', 'after'].flatMap(when => {
  const head = JSON.parse(textOf(`${when}-head`));
  return head ? [new Run(when, new Profile(head, textOf(`${when}-columns`)))] : [];
});
const twoRuns = new ComparisonPage(JSON.parse(textOf('head')), runs);
twoRuns.draw();

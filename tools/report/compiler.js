// What the compiler did: the schedule of each loop, remarks, and what ran.
'use strict';

class CompilerView {
  constructor(page) { this.page = page; }
  title() { return 'Compiler'; }
  draw(root) {
    const {schedule, remarks, ...head} = this.page.profile.head, passes = ofCore(this.page, head, 'passes');
    root.replaceChildren(section('Schedules of the loops', ...this.schedules(schedule)),
                         section('Remarks', ...this.remarks(remarks)),
                         section('What each pass changed', ...this.passes(passes, remarks)),
                         section('Instructions', this.counts()));
  }
  // A row for each pass that changed something; opened, it shows the difference.
  passes(passes, remarks) {
    if (!passes)
      return [absent(remarks ? 'Profile with --passes to see the IR after each pass.'
                             : 'The page was made from a binary; profile the kernel itself, with --passes.')];
    const most = Math.max(...passes.map(({added, removed}) => added + removed)),
          idle = passes.filter(({added, removed}) => added + removed === 0).map(({name}) => name);
    return [
      ...passes.filter(({added, removed}) => added + removed > 0).map(pass => this.pass(pass, most)),
      ...(idle.length > 0
              ? [element('p', {className: 'note', textContent: `Without a change: ${idle.join(', ')}.`})]
              : [])
    ];
  }
  pass({name, ms, lines, added, removed, statistics, diff}, most) {
    const told = statistics.map(({remark, times, sums}) =>
                                    `${times} \u00d7 ${remark}` +
                                    Object.entries(sums).map(([key, sum]) => `, ${key} ${sum}`).join(''));
    const details =
        element('details', {className: 'loop pass'},
                element('summary', {}, element('b', {textContent: name}),
                        element('span', {className: 'number', textContent: `${ms.toFixed(1)} ms`}),
                        element('span', {className: 'number', textContent: plural(lines, 'line')}),
                        element('span', {className: 'number added', textContent: '+' + added}),
                        element('span', {className: 'number removed', textContent: '\u2212' + removed}),
                        stackedBar(
                            [
                              [`${added} added`, added / most, 'added'],
                              [`${removed} removed`, removed / most, 'removed']
                            ],
                            `${added} added, ${removed} removed`),
                        element('span', {className: 'note', textContent: told.join('; ')})));
    details.addEventListener('toggle', () => {
      if (details.open && details.children.length === 1) details.append(this.diff(diff));
    });
    return details;
  }
  // Lines in the colours of what happened to them; long ones in parts.
  diff(text) {
    const kinds = {'+': 'added', '-': 'removed', '@': 'place'}, holder = element('div'),
          body = element('pre', {className: 'diff', tabIndex: 0}),
          lines = text.replace(/\n$/, '').split('\n');
    let shown = 0;
    const more = button('', () => fill(), {className: 'more'});
    const fill = () => {
      body.append(
          ...lines.slice(shown, shown += 1000)
              .map(line => element('span', {className: kinds[line[0]] ?? '', textContent: line + '\n'})));
      more.hidden = shown >= lines.length;
      more.textContent = `${(lines.length - shown).toLocaleString('en')} more lines`;
    };
    fill();
    holder.append(body, more);
    return holder;
  }
  link(place) {
    return place?.file ? button(this.page.core.shortPlace(place.file, place.line),
                                () => this.page.showLine(place.file, place.line), {className: 'link'})
                       : '';
  }
  schedules(schedule) {
    const loops = (schedule?.cores ?? []).flatMap(core => core.loops);
    if (loops.length === 0)
      return [absent(
          schedule
              ? 'The binary has no loops: what the source repeats is unrolled. The hierarchy shows its iterations.'
              : 'The page was made from a binary; profile the kernel itself to see its schedules.')];
    return loops.map(loop => {
      const time = ns => ns === null || ns === undefined ? '-' : timeText(1000 * ns),
            most = Math.max(1, ...loop.resources.map(resource => resource.bound_ns), loop.interval_ns ?? 0);
      return element(
          'details', {open: loops.length < 4, className: 'loop', style: {marginLeft: `${loop.depth}rem`}},
          element(
              'summary', {}, element('b', {
                textContent: loop.place?.file ? this.page.core.shortPlace(loop.place.file, loop.place.line)
                                              : 'a loop'
              }),
              ` ${loop.interval_ns === null ? 'no interval' : `interval ${time(loop.interval_ns)}`}, bound ${
                  time(loop.bound_ns)}` +
                  (loop.gap === null ? '' : ` (${Math.max(0, 100 * loop.gap).toFixed(1)} % above)`) +
                  `, ${plural(loop.stages, 'stage')}, ${plural(loop.instructions, 'instruction')}` +
                  (loop.turns === null ? '' : `, ${plural(loop.turns, 'iteration')}`)),
          element('p', {}, loop.binding?.text ?? loop.why_no_interval ?? '', ' ', this.link(loop.place)),
          ...loop.resources.filter(resource => resource.bound_ns > 0)
              .map(
                  resource => element(
                      'div', {className: 'engine narrow'},
                      element('span', {textContent: engineTitles[resource.name] ?? resource.name}),
                      stackedBar(
                          [[
                            resource.users.map(user => `${user.name} ${timeText(1000 * user.ns)}`).join(', '),
                            resource.bound_ns / most, 'busy'
                          ]],
                          `${resource.name}: ${time(resource.bound_ns)}`),
                      element('span', {className: 'number', textContent: time(resource.bound_ns)}))),
          ...loop.notes.map(note => element('p', {className: 'note', textContent: note})));
    });
  }
  remarks(remarks) {
    if (!remarks)
      return [absent('The page was made from a binary; profile the kernel itself to see its remarks.')];
    const counts = new Map();
    for (const {pass} of remarks) counts.set(pass, (counts.get(pass) ?? 0) + 1);
    const holder = element('div'),
          choose =
              element('select', {'aria-label': 'Pass', onchange: () => fill()}, new Option('all passes', ''),
                      ...[...counts].map(([pass, count]) => new Option(`${pass} (${count})`, pass)));
    const kind =
        element('select', {'aria-label': 'Kind', onchange: () => fill()},
                ...['', 'passed', 'missed', 'analysis'].map(name => new Option(name || 'all kinds', name)));
    const fill =
        () => holder.replaceChildren(table('Remarks',
                                           [
                                             ['pass', remark => remark.pass, false, remark => remark.pass],
                                             ['remark', remark => remark.name, false, remark => remark.name],
                                             [
                                               'kind', remark => element('span', {
                                                         className: remark.kind === 'missed' ? 'critical'
                                                                                             : '',
                                                         textContent: remark.kind
                                                       })
                                             ],
                                             ['times', remark => remark.times, true, remark => remark.times],
                                             ['text', remark => remark.text],
                                             ['place', remark => this.link(remark.place)]
                                           ],
                                           remarks.filter(
                                               remark => (!choose.value || remark.pass === choose.value) &&
                                                         (!kind.value || remark.kind === kind.value)),
                                           {most: 60}));
    fill();
    return [element('div', {className: 'tools'}, choose, kind), holder];
  }
  counts() {
    const {core} = this.page, written = core.runsOfSource(), times = core.timesOfOps();
    return table('Instructions executed',
                 [
                   ['instruction', ([name]) => name, false, ([name]) => name],
                   ['executed', ([, count]) => count.toLocaleString('en'), true, ([, count]) => count],
                   [
                     'written in the source', ([name]) => (written[name] ?? 0).toLocaleString('en'), true,
                     ([name]) => written[name] ?? 0
                   ],
                   [
                     'time', ([name]) => times[name] > 0 ? timeText(times[name]) : '', true,
                     ([name]) => times[name] ?? 0
                   ]
                 ],
                 Object.entries(core.report.instruction_counts), {pick: ([name]) => this.page.search(name)});
  }
}

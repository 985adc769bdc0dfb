// What the compiler did: the schedule of each loop, remarks, and what ran.
'use strict';

class CompilerView {
  constructor(page) { this.page = page; }
  title() { return 'Compiler'; }
  draw(root) {
    const {schedule, remarks} = this.page.profile.head;
    root.replaceChildren(section('Schedules of the loops', ...this.schedules(schedule)),
                         section('Remarks', ...this.remarks(remarks)),
                         section('Instructions', this.counts()));
  }
  link(place) {
    return place?.file ? button(`${baseName(place.file)}:${place.line}`,
                                () => this.page.showLine(place.file, place.line), {className: 'link'})
                       : '';
  }
  schedules(schedule) {
    const loops = (schedule?.cores ?? []).flatMap(core => core.loops);
    if (loops.length === 0)
      return [absent(
          schedule ? 'The kernel has no loops.'
                   : 'The page was made from a binary; profile the kernel itself to see its schedules.')];
    return loops.map(loop => {
      const time = ns => ns === null || ns === undefined ? '-' : timeText(1000 * ns),
            most = Math.max(1, ...loop.resources.map(resource => resource.bound_ns), loop.interval_ns ?? 0);
      return element(
          'details', {open: loops.length < 4, className: 'loop', style: {marginLeft: `${loop.depth}rem`}},
          element(
              'summary', {},
              element('b', {textContent: `${baseName(loop.place?.file ?? '')}:${loop.place?.line ?? '?'}`}),
              ` interval ${time(loop.interval_ns)}, bound ${time(loop.bound_ns)}` +
                  (loop.gap === null ? '' : ` (${(100 * loop.gap).toFixed(1)} % above)`) +
                  `, ${plural(loop.stages, 'stage')}, ${plural(loop.instructions, 'instruction')}` +
                  (loop.turns === null ? '' : `, ${plural(loop.turns, 'turn')}`)),
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
    return table('Instructions executed',
                 [
                   ['instruction', ([name]) => name, false, ([name]) => name],
                   ['executed', ([, count]) => count.toLocaleString('en'), true, ([, count]) => count]
                 ],
                 Object.entries(this.page.core.report.instruction_counts),
                 {pick: ([name]) => this.page.search(name)});
  }
}

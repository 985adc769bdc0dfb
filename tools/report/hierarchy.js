// Kernel, scopes and loops, lines, tile operations, instructions: a tree with sums that add up.
'use strict';

// The nodes of the document's `hierarchy` with the sums of a stretch; those in
// which nothing happened there are left out.
function treeOf(core, sum) {
  const nodes = core.report.hierarchy.map(
      ({parent, type, name, instruction}, number) =>
          ({...newSums(), number, parent, type, name, instruction, hbm: 0, children: []}));
  for (const node of nodes) {
    if (node.instruction < 0) continue;
    const {hbm_read_bytes: read, hbm_written_bytes: written} = core.binary[node.instruction],
                                                    bytes = sum.runs[node.instruction] * (read + written);
    for (let above = node; above; above = nodes[above.parent]) {
      core.addSums(above, sum, node.instruction);
      above.hbm += bytes;
    }
  }
  for (const node of nodes)
    if (node.parent >= 0 && (node.busy > 0 || node.stalls > 0 || node.critical > 0))
      nodes[node.parent].children.push(node);
  return Object.assign(nodes[0], {all: nodes});
}

// In no less time can its parts run, whatever their order: that of the engine
// with the most work, or that of their bytes through HBM at `rate` bytes a ns.
function boundOf({engines, hbm}, rate) { return Math.max(...engines.slice(0, 5), 1000 * hbm / rate); }

class HierarchyView {
  constructor(page) { this.page = page; }
  title() { return 'Hierarchy'; }
  draw(root) {
    const {core, region} = this.page, sum = region ? this.page.sumOf(region) : core.whole();
    this.body = element('tbody');
    this.whole = treeOf(core, sum);
    const titles = [...Object.values(engineTitles), 'lower bound', 'waits', 'moved', 'critical path', 'runs'];
    root.replaceChildren(
        section(
            region ? 'Hierarchy of what is selected' : 'Hierarchy', element('p', {
              className: 'note',
              textContent:
                  'Time on each engine and queue: every row is the sum of the rows below it, and its bars are its share of all that the engine did. The lower bound is the longest time of an engine, or that of the bytes through HBM. Right and left open and close a row; Enter shows it on the timeline.'
            }),
            element(
                'div', {className: 'table'},
                element(
                    'table', {role: 'treegrid', 'aria-label': 'Hierarchy'},
                    element('thead', {},
                            element('tr', {}, element('th', {scope: 'col', textContent: 'what'}),
                                    ...titles.map(
                                        title => element(
                                            'th', {scope: 'col', className: 'number', textContent: title})))),
                    this.body))),
        this.iterations());
    this.open(this.add(this.whole, 1, null), true);
    let row = this.body.rows[0];
    // Down to where it branches.
    for (let node = this.whole; node.children.length === 1 && row.nextSibling; row = row.nextSibling) {
      [node] = node.children;
      this.open(row.nextSibling, true);
    }
  }
  // Of a loop, scope or line that the reader chooses, each iteration. What was
  // unrolled is no loop of the binary, but its copies can be told apart.
  iterations() {
    const {core} = this.page, {all: nodes} = treeOf(core, core.whole()),
          of = type => nodes.filter(node => node.type === type && node.busy > 0),
          unrolled = [...of('scope'), ...of('statement').sort((a, b) => b.busy - a.busy).slice(0, 30)].filter(
              node => countIterations(core, instructionsBelow(node)) > 1);
    // {name, numbers of instructions, depth}, in the order of the options.
    const entries = [], loops = of('loop'), holder = element('div'), entryOf = node => ({
                                                                       name: this.pathOf(nodes, node),
                                                                       numbers: instructionsBelow(node),
                                                                       depth: depthOfNode(core, node)
                                                                     }),
          calls = callGroups(core).filter(({numbers}) => countIterations(core, numbers) > 1);
    const group = (label, list) => list.length === 0 ? [] : [
      element('optgroup', {label}, ...list.map(entry => new Option(entry.name, entries.push(entry) - 1)))
    ];
    const choose = element('select', {
      'aria-label': 'Loop',
      onchange: () =>
          holder.replaceChildren(...(choose.value === '' ? [] : this.iterationsOfLoop(entries[choose.value])))
    },
                           new Option('choose a loop', ''), ...group('loops', loops.map(entryOf)),
                           ...group('scopes and lines', unrolled.map(entryOf)),
                           ...group('calls of helpers', calls));
    const none = loops.length > 0
                     ? ''
                     : 'The binary has no loops: those of the source are unrolled, if there are any.';
    return section('Iterations of a loop', none && element('p', {className: 'note', textContent: none}),
                   entries.length > 0 ? choose : absent('No line runs more than once.'), holder);
  }
  pathOf(nodes, {type, name, parent}) {
    const own = type === 'statement' ? this.page.core.shortPlace(...splitPlace(name)) : name;
    return parent > 0 ? `${this.pathOf(nodes, nodes[parent])} \u203a ${own}` : own;
  }
  iterationsOfLoop({name, numbers, depth}) {
    const {core} = this.page, iterations = iterationsOf(core, numbers, depth);
    if (iterations.length === 0) return [absent('Its iterations cannot be told apart.')];
    const lengths = iterations.map(({from, to}) => to - from).sort((a, b) => a - b),
          at = share => timeText(lengths[Math.floor(share * (lengths.length - 1))]);
    const cell =
        (name, value,
         text) => [name, iteration => value(iteration) > 0 ? text(value(iteration)) : '', true, value];
    return [
      element('p', {
        className: 'note',
        textContent: `${plural(iterations.length, 'iteration')}; from ${at(0)} to ${
            at(1)} long, half of them at most ${
            at(0.5)}. Iterations overlap. If the compiler made one of several iterations, they are one row.`
      }),
      table('Iterations of a loop',
            [
              ['iteration', iteration => iteration.number + 1, true, iteration => iteration.number],
              ['from', iteration => timeText(iteration.from), true, iteration => iteration.from],
              cell('length', iteration => iteration.to - iteration.from, timeText),
              ...Object.values(engineTitles)
                  .map((title, i) => cell(title, iteration => iteration.engines[i], timeText)),
              cell('waits', iteration => iteration.stalls, timeText),
              cell('moved', iteration => iteration.bytes, bytesText),
              cell('critical path', iteration => iteration.critical, time => shareText(time, core.makespan)),
            ],
            iterations, {most: 30, pick: iteration => this.showIteration(iteration, numbers, name)})
    ];
  }
  showIteration({from, to}, numbers, name) {
    const {page} = this;
    page.setSpan(from - (to - from) / 4, to + (to - from) / 4);
    page.focusInstructions(numbers, name);
    page.select([from, to]);
  }
  add(node, level, behind) {
    const number = (text, share) =>
        element('td', {className: 'number'}, share === undefined ? text : element('span', {
                  className: 'shaded',
                  style: {backgroundSize: `${100 * share}% 100%`},
                  textContent: text
                }));
    const {makespan} = this.page.core, {engines} = this.whole;
    const row = element(
        'tr', {role: 'row', 'aria-level': level, tabIndex: behind ? -1 : 0},
        element('td',
                {style: {paddingLeft: `${0.4 + 1.1 * (level - 1)}rem`}, className: 'name node-' + node.type},
                element('i', {className: 'twist', 'aria-hidden': 'true'}), this.nameOf(node)),
        ...[...node.engines].map(
            (time, i) => number(time > 0 ? timeText(time) : '', Math.min(1, time / (engines[i] || 1)))),
        number(timeText(boundOf(node, this.page.profile.head.hbm_bytes_per_ns))),
        number(node.stalls > 0 ? timeText(node.stalls) : ''),
        number(node.bytes > 0 ? bytesText(node.bytes) : ''),
        number(node.critical > 0 ? shareText(node.critical, makespan) : ''),
        number(node.runs.toLocaleString('en')));
    row.node = node;
    if (node.children.length > 0) row.setAttribute('aria-expanded', 'false');
    if (behind)
      behind.after(row);
    else
      this.body.append(row);
    row.addEventListener('click', () => {
      this.toFocus(row);
      this.open(row, row.getAttribute('aria-expanded') === 'false');
    });
    row.addEventListener('keydown', event => this.key(event, row));
    return row;
  }
  nameOf({type, name, instruction}) {
    if (instruction >= 0) {
      const {engine, index} = this.page.core.binary[instruction];
      return `${name} ${engineTitles[engine]} ${index}`;
    }
    return type === 'statement' ? this.page.core.shortPlace(...splitPlace(name))
           : type === 'loop'    ? `${name} (loop)`
                                : name;
  }
  open(row, wanted) {
    if (!row.hasAttribute('aria-expanded') || (row.getAttribute('aria-expanded') === 'true') === wanted)
      return;
    const level = Number(row.getAttribute('aria-level'));
    row.setAttribute('aria-expanded', String(wanted));
    if (wanted) {
      let behind = row;
      for (const child of [...row.node.children].sort((a, b) => b.busy - a.busy))
        behind = this.add(child, level + 1, behind);
    } else
      while (row.nextSibling && Number(row.nextSibling.getAttribute('aria-level')) > level)
        row.nextSibling.remove();
  }
  // Opens what leads to a node, or as far as there is something of it.
  reveal(number) {
    const {all} = this.whole, chain = [];
    for (let node = all[number]; node; node = all[node.parent]) chain.unshift(node);
    let row = null;
    for (const node of chain) {
      const next = [...this.body.rows].find(one => one.node === node);
      if (!next) break;
      this.open(row = next, true);
    }
    this.toFocus(row);
    row.scrollIntoView({block: 'center'});
  }
  toFocus(row) {
    for (const other of this.body.querySelectorAll('tr[tabindex="0"]')) other.tabIndex = -1;
    row.tabIndex = 0;
    row.focus();
  }
  key(event, row) {
    const acts = {
      ArrowDown: () => row.nextSibling && this.toFocus(row.nextSibling),
      ArrowUp: () => row.previousSibling && this.toFocus(row.previousSibling),
      ArrowRight: () => this.open(row, true),
      ArrowLeft: () => this.open(row, false),
      Enter: () => this.page.focusInstructions(instructionsBelow(row.node), row.node.name),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    acts[event.key]();
  }
}

function instructionsBelow(node) {
  return node.instruction >= 0 ? [node.instruction] : node.children.flatMap(instructionsBelow);
}

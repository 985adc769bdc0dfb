// The kernel's source with what each line cost, linked to the timeline.
'use strict';

// Sums of each line of each file, from sums of instructions.
function linesOf(core, sum) {
  const files = new Map();
  const entryOf = ({file, line}) => {
    const lines = files.get(file) ?? files.set(file, new Map()).get(file);
    return lines.get(line) ?? lines.set(line, {...newSums(), instructions: []}).get(line);
  };
  core.binary.forEach((instruction, i) => {
    const place = core.placeOf(instruction);
    if (!place.file) return;
    const entry = entryOf(place);
    entry.instructions.push(i);
    core.addSums(entry, sum, i);
    // A helper may call itself: each line once.
    for (const caller of new Set(core.callersOf(instruction).map(entryOf)))
      core.addSums(caller.called ??= newSums(), sum, i);
  });
  return files;
}

const engineShades = Object.keys(engineTitles).map(name => `var(--engine-${name})`);

class SourceView {
  constructor(page) {
    this.page = page;
    this.select = element('select', {
      'aria-label': 'File',
      onchange: () => {
        this.file = this.select.value;
        this.draw(false);
      }
    });
    this.of = element('span', {className: 'note'});
    this.links = legend(
        'Lines',
        [['what is pinned needs it', '', 'var(--from)'], ['it needs what is pinned', '', 'var(--towards)']]);
    this.links.hidden = true;
    this.body = element('div', {className: 'code', role: 'list', 'aria-label': 'Source lines'});
    rowsByArrows(this.body, '.line.has');
    this.root = element(
        'section', {className: 'pane source', 'aria-label': 'Source'},
        element('div', {className: 'head'}, element('h2', {textContent: 'Source'}), this.select, this.of,
                legend('Engines', Object.values(engineTitles).map((name, i) => [name, '', engineShades[i]])),
                this.links),
        this.body);
  }
  // `follows`: the file is that of what is chosen, else the one that the reader wants.
  draw(follows = true) {
    const {page} = this, {core} = page, {sources} = page.profile.head;
    const sum = page.region ? page.sumOf(page.region) : core.whole();
    this.of.textContent = page.region ? 'what is selected' : 'the whole run';
    this.lines = linesOf(core, sum);
    const weight = file => [...this.lines.get(file).values()].reduce((all, line) => all + line.busy, 0);
    const files = [...this.lines.keys()].sort((a, b) => weight(b) - weight(a));
    if (!this.lines.has(this.file)) this.file = files[0];
    this.select.replaceChildren(...files.map(
        file => new Option(splitPlace(core.shortPlace(file, 0))[0], file, false, file === this.file)));
    if (this.file === undefined)
      return this.body.replaceChildren(absent('The binary names no source lines.'));
    const lines = this.lines.get(this.file),
          most = Math.max(1, ...[...lines.values()].map(line => line.busy));
    const text = sources?.[this.file]?.replace(/\n$/, '').split('\n');
    const numbers = text ? text.map((_, i) => i + 1) : [...lines.keys()].sort((a, b) => a - b);
    this.rows = new Map();
    this.body.replaceChildren(
        element('div', {className: 'line titles', 'aria-hidden': 'true'},
                element('span', {className: 'costs'},
                        ...['', 'time', 'waits', 'moved', 'path'].map(
                            title => element('span', {textContent: title})))),
        ...numbers.map(number => this.line(number, text?.[number - 1] ?? '(the source is not at hand)',
                                           lines.get(number), most)));
    this.mark(follows);
  }
  line(number, text, entry, most) {
    const cell = (content, className = '') => element('span', {className, textContent: content});
    const row =
        element('div', {className: 'line' + (entry ? ' has' : ''), role: 'listitem'},
                element('span', {className: 'costs'}, cell(number, 'at'), ...this.costs(entry, most, cell)),
                element('code', {textContent: text}));
    if (!entry) return row;
    const helpers =
        entry.called ? `its helpers: ${timeText(entry.called.busy)}, waits ${timeText(entry.called.stalls)}`
                     : '';
    const wrote = valuesOfLine(this.page.core, this.file, number);
    row.setAttribute('aria-label', `line ${number}: ${timeText(entry.busy)}, waits ${timeText(entry.stalls)}${
                                       helpers && `, ${helpers}`}: ${text.trim()}`);
    row.dataset.line = number;
    if (entry.called) row.classList.add('calls');
    row.title = [this.costText(entry), helpers, wrote && `wrote ${wrote}`].filter(Boolean).join('\n');
    activates(row, () => this.page.focusLine(this.file, number), -1);
    this.rows.set(number, row);
    return row;
  }
  // Time, waits, bytes and share of the critical path, in short.
  costs(entry, most, cell) {
    if (!entry) return [];
    const {makespan} = this.page.core, {stalls, bytes, critical, engines} = entry,
          parts = [...engines].map((time, i) => ['', time / most, '', engineShades[i]]);
    return [
      element('span', {className: 'cost'}, shortTime(entry.busy || entry.called?.busy || 0),
              stackedBar(parts, '')),
      cell(stalls > 0 ? shortTime(stalls) : ''), cell(bytes > 0 ? bytesText(bytes) : ''),
      cell(critical > 0.0005 * makespan ? shareText(critical, makespan) : '', critical > 0 ? 'critical' : '')
    ];
  }
  costText({engines, stalls, bytes, critical}) {
    return [
      ...[...engines].map((time, i) => time > 0 ? `${Object.values(engineTitles)[i]} ${timeText(time)}` : ''),
      stalls > 0 ? `keeps engines waiting for ${timeText(stalls)}` : '',
      bytes > 0 ? `moves ${bytesText(bytes)}` : '',
      critical > 0 ? `${shareText(critical, this.page.core.makespan)} of the critical path` : ''
    ].filter(Boolean)
        .join('\n');
  }
  // The line of what is chosen, seen, and those that called it. Only this pane
  // scrolls.
  mark(follows = true) {
    const {page} = this, pinned = page.pinned >= 0 ? page.core.instructionOf(page.pinned) : undefined;
    const place = pinned ? page.core.placeOf(pinned) : page.line;
    if (follows && place?.file && place.file !== this.file && this.lines?.has(place.file)) {
      this.file = place.file;
      return this.draw();
    }
    for (const row of this.body.querySelectorAll('.chosen, .caller, .needs, .needed')) {
      row.classList.remove('chosen', 'caller', 'needs', 'needed');
      row.removeAttribute('aria-current');
      row.removeAttribute('aria-description');
    }
    this.markDependences();
    for (const call of pinned ? page.core.callersOf(pinned) : [])
      if (call.file === this.file) this.rows?.get(call.line)?.classList.add('caller');
    let row = place && place.file === this.file ? this.rows?.get(place.line) : undefined;
    row?.classList.add('chosen');
    row?.setAttribute('aria-current', 'true');
    // At first, where something happens.
    if (!place && this.body.scrollTop === 0) [row] = this.rows?.values() ?? [];
    if (!row) return;
    const top = row.getBoundingClientRect().top - this.body.getBoundingClientRect().top;
    if (top < 20 || top > this.body.clientHeight - 30)
      this.body.scrollTop += top - this.body.clientHeight / 3;
  }
  // The lines of what the pinned event needs, and of what needs it, in the
  // colours of the arrows.
  markDependences() {
    const {core, pinned} = this.page;
    this.links.hidden = pinned < 0;
    if (pinned < 0) return;
    const mark = (events, name, text) => {
      for (const event of events) {
        const {file, line} = core.placeOf(core.instructionOf(event)),
                     row = file === this.file ? this.rows?.get(line) : undefined;
        if (!row || row.classList.contains(name)) continue;
        row.classList.add(name);
        row.setAttribute('aria-description',
                         [row.getAttribute('aria-description'), text].filter(Boolean).join(', '));
      }
    };
    mark(core.producersOf(pinned), 'needed', 'what is pinned needs it');
    mark(core.consumersOf(pinned), 'needs', 'it needs what is pinned');
  }
}

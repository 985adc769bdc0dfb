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
        this.draw();
      }
    });
    this.body = element('div', {className: 'code', role: 'list', tabIndex: 0, 'aria-label': 'Source lines'});
    this.root = element(
        'section', {className: 'pane source', 'aria-label': 'Source'},
        element('div', {className: 'head'}, element('h2', {textContent: 'Source'}), this.select,
                legend('Engines', Object.values(engineTitles).map((name, i) => [name, '', engineShades[i]]))),
        this.body);
  }
  draw() {
    const {page} = this, {core} = page, {sources} = page.profile.head;
    const sum = page.region ? core.summary(...page.region) : core.whole();
    this.lines = linesOf(core, sum);
    const weight = file => [...this.lines.get(file).values()].reduce((all, line) => all + line.busy, 0);
    const files = [...this.lines.keys()].sort((a, b) => weight(b) - weight(a));
    if (!this.lines.has(this.file)) this.file = files[0];
    this.select.replaceChildren(
        ...files.map(file => new Option(baseName(file), file, false, file === this.file)));
    if (this.file === undefined)
      return this.body.replaceChildren(absent('The binary names no source lines.'));
    const lines = this.lines.get(this.file),
          most = Math.max(1, ...[...lines.values()].map(line => line.busy));
    const text = sources?.[this.file]?.replace(/\n$/, '').split('\n');
    const numbers = text ? text.map((_, i) => i + 1) : [...lines.keys()].sort((a, b) => a - b);
    this.rows = new Map();
    this.body.replaceChildren(
        element('div', {className: 'line titles', 'aria-hidden': 'true'},
                ...['', 'time', 'waits', 'moved', 'path', ''].map(title =>
                                                                      element('span', {textContent: title}))),
        ...numbers.map(number => this.line(number, text?.[number - 1] ?? '(the source is not at hand)',
                                           lines.get(number), most)));
    this.mark();
  }
  line(number, text, entry, most) {
    const cells = entry ? [
      element('span', { className: 'cost' }, stackedBar([...entry.engines].map((time, i) => [`${Object.values(engineTitles)[i]}: ${timeText(time)}`, time / most, '', engineShades[i]]), ''), timeText(entry.busy || entry.called?.busy || 0)),
      element('span', { textContent: entry.stalls > 0 ? timeText(entry.stalls) : '' }), element('span', { textContent: entry.bytes > 0 ? bytesText(entry.bytes) : '' }),
      element('span', { className: entry.critical > 0 ? 'critical' : '', textContent: entry.critical > 0.0005 * this.page.core.makespan ? shareText(entry.critical, this.page.core.makespan) : '' }),
    ] : [element('span'), element('span'), element('span'), element('span')];
    const row = element('div', {className: 'line' + (entry ? ' has' : ''), role: 'listitem'},
                        element('span', {className: 'at', textContent: number}), ...cells,
                        element('code', {textContent: text}));
    if (entry) {
      const helpers =
          entry.called ? `its helpers: ${timeText(entry.called.busy)}, waits ${timeText(entry.called.stalls)}`
                       : '';
      row.setAttribute('aria-label',
                       `line ${number}: ${timeText(entry.busy)}, waits ${timeText(entry.stalls)}${
                           helpers && `, ${helpers}`}: ${text.trim()}`);
      row.dataset.line = number;
      if (entry.called) row.classList.add('calls');
      const wrote = valuesOfLine(this.page.core, this.file, number);
      row.title = [helpers, wrote && `wrote ${wrote}`].filter(Boolean).join('; ');
      activates(row, () => this.page.focusLine(this.file, number));
      this.rows.set(number, row);
    }
    return row;
  }
  // The line of what is chosen, seen, and those that called it.
  mark() {
    const {page} = this, pinned = page.pinned >= 0 ? page.core.instructionOf(page.pinned) : undefined;
    const place = pinned ? page.core.placeOf(pinned) : page.line;
    if (place?.file && place.file !== this.file && this.lines?.has(place.file)) {
      this.file = place.file;
      return this.draw();
    }
    for (const row of this.body.querySelectorAll('.chosen, .caller'))
      row.classList.remove('chosen', 'caller');
    for (const call of pinned ? page.core.callersOf(pinned) : [])
      if (call.file === this.file) this.rows?.get(call.line)?.classList.add('caller');
    let row = place && place.file === this.file ? this.rows?.get(place.line) : undefined;
    row?.classList.add('chosen');
    // At first, where something happens.
    if (!place && this.body.scrollTop === 0) [row] = this.rows?.values() ?? [];
    if (!row) return;
    const top = row.offsetTop - this.body.offsetTop;
    if (top < this.body.scrollTop || top > this.body.scrollTop + this.body.clientHeight - 30)
      this.body.scrollTop = top - this.body.clientHeight / 3;
  }
}

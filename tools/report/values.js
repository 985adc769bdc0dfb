// What the data of a run say: ranges, the first NaN, masked work.
'use strict';

const rangeText = ({least, most}) => least === null   ? ''
                                     : least === most ? String(least)
                                                      : `${numberText(least)} \u2026 ${numberText(most)}`;
const numberText = value => String(Number(value.toPrecision(5)));

// "3 NaN, 1 infinite, 2 saturated"; empty if all is well.
function oddText({nans, infinities, saturated}) {
  return [[nans, 'NaN'], [infinities, 'infinite'], [saturated, 'saturated']]
      .filter(([count]) => count > 0)
      .map(([count, what]) => `${count.toLocaleString('en')} ${what}`)
      .join(', ');
}

// Of a tile: what it held.
function writtenText(written) { return [rangeText(written), oddText(written)].filter(Boolean).join('; '); }

// What an instruction wrote, in all its runs; empty without data.
function valuesOf(core, number) {
  const entry = core.report.values?.instructions.find(one => one.instruction === number);
  return entry ? writtenText(entry.written) : '';
}
// What a line wrote.
function valuesOfLine(core, file, line) {
  const entry = core.report.values?.lines.find(one => one.source === `${file}:${line}`);
  return entry ? writtenText(entry.written) : '';
}

// The section of a view, if there are data.
function valuesSection(page) {
  const {core} = page, {values} = core.report;
  if (!values) return null;
  const first = values.first_nan,
        part = (name, {all, part}, what) => part > 0 ? element('li', {
          textContent: `${name}: ${shareText(part, all)} of ${all.toLocaleString('en')} ${what}`
        })
                                                     : null;
  const rows = [
    ...values.tensors.map(({name, held}) => ({name, written: held})),
    ...values.lines.map(line => ({...line, name: line.source})),
  ];
  return section(
      'Values',
      first ? element('p', {},
                      button(`First NaN: ${core.nameOf(core.binary[first.instruction])} ${
                                 core.sourceOf(core.binary[first.instruction])}`,
                             () => page.showInstruction(first.instruction), {className: 'link'}),
                      ` run ${first.run}, element ${first.element} of lane ${first.lane} of ${
                          first.operand}, from operands ${first.made ? 'without one' : 'that have one'}`)
            : element('p', {className: 'note', textContent: 'No instruction wrote a NaN.'}),
      element('ul', {className: 'plain'}, part('masked', values.masked, 'elements that masks saw'),
              part('exp is 0', values.vanished, 'results'),
              part('times 0', values.idle_multiplications, 'multiplications of products'),
              part('saturated', values.saturated_blocks, 'blocks of MX')),
      table('Values',
            [
              ['tensor or line', row => row.name, false, row => row.name],
              ['values', row => row.written.values.toLocaleString('en'), true, row => row.written.values],
              ['least \u2026 most', row => rangeText(row.written), true, row => row.written.most ?? 0],
              ['zeros', row => row.written.zeros.toLocaleString('en'), true, row => row.written.zeros],
              ['odd', row => oddText(row.written)],
              [
                'masked', row => row.masked?.part > 0 ? shareText(row.masked.part, row.masked.all) : '', true,
                row => row.masked?.share ?? 0
              ],
              [
                'times 0',
                row => row.idle_multiplications?.part > 0
                           ? shareText(row.idle_multiplications.part, row.idle_multiplications.all)
                           : '',
                true, row => row.idle_multiplications?.share ?? 0
              ],
            ],
            rows,
            {most: 50, pick: row => row.instructions && page.focusInstructions(row.instructions, row.name)}));
}

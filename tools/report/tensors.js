// Tensors in HBM and how they were moved.
'use strict';

class TensorsView {
  constructor(page) { this.page = page; }
  title() { return 'Tensors'; }
  draw(root) {
    const {report} = this.page.core, {tensors, hbm} = report;
    root.replaceChildren(...[section('HBM', this.hbm(report, hbm)), section('Tensors', this.tensors(tensors)),
                             valuesSection(this.page), this.transfers(), this.engines()]
                             .filter(Boolean));
  }
  hbm(report, {read_ns: read, write_ns: write, idle_ns: idle}) {
    const rate = this.page.profile.head.hbm_bytes_per_ns, whole = report.makespan_ns;
    // What the kernel puts aside and takes back.
    const internal = key =>
              report.tensors.reduce((all, tensor) => all + (tensor.role === 'internal' ? tensor[key] : 0), 0),
          [saved, reloaded] = ['written_bytes', 'read_bytes'].map(internal);
    const say = (name, ns) => `${name}: ${timeText(1000 * ns)}, ${shareText(ns, whole)}`;
    const parts = [
      [say('read', read), read / whole, '', kindColour('dma_in')],
      [say('write', write), write / whole, '', kindColour('dma_out')]
    ];
    return element('div', {},
                   stackedBar(parts, [say('read', read), say('write', write), say('idle', idle)].join('; ')),
                   legend('Colours',
                          [
                            [say('read', read), '', kindColour('dma_in')],
                            [say('write', write), '', kindColour('dma_out')], [say('idle', idle), 'idle']
                          ]),
                   element('p', {
                     className: 'note',
                     textContent: `At the bandwidth of the stack, ${rate.toFixed(0)} B/ns. ${
                         bytesText(report.hbm_read_bytes)} read, ${
                         bytesText(report.hbm_write_bytes)} written; a transfer has ${
                         bytesText(report.average_dma_bytes)} on average.${
                         saved + reloaded > 0
                             ? ` Internal tensors: ${bytesText(reloaded)} read, ${bytesText(saved)} written.`
                             : ''}`
                   }));
  }
  tensors(tensors) {
    return table(
        'Tensors',
        [
          [
            'tensor',
            t => element('span', {}, element('b', {textContent: t.name}),
                         ` ${t.dtype}[${t.shape.join(', ')}]`),
            false, t => t.name
          ],
          ['role', t => t.role, false, t => t.role],
          ['size', t => bytesText(t.bytes), true, t => t.bytes],
          ['read', t => bytesText(t.read_bytes), true, t => t.read_bytes],
          [
            'times reloaded',
            t => t.read_bytes > 0
                     ? element(
                           'span',
                           {className: t.reloads > 1.5 ? 'critical' : '', textContent: t.reloads.toFixed(2)})
                     : '',
            true, t => t.reloads
          ],
          ['written', t => bytesText(t.written_bytes), true, t => t.written_bytes],
          ['loads', t => t.loads, true, t => t.loads],
          ['stores', t => t.stores, true, t => t.stores],
          ['a transfer', t => bytesText(t.average_transfer_bytes), true, t => t.average_transfer_bytes],
          [
            'sizes', t => t.transfer_sizes.map(size => `${size.count} \u00d7 ${bytesText(size.bytes)}`)
                              .slice(0, 4)
                              .join(', ')
          ],
          ['efficiency', t => shareText(t.efficiency, 1), true, t => t.efficiency],
        ],
        tensors, {pick: t => this.page.focusInstructions(t.instructions, t.name)});
  }
  // Each transfer of the binary, by the bytes that it moved.
  transfers() {
    const {core} = this.page, sum = core.whole(),
          list = [...core.binary.keys()].filter(i => core.binary[i].bytes > 0 && sum.runs[i] > 0);
    list.sort((a, b) => core.binary[b].bytes * sum.runs[b] - core.binary[a].bytes * sum.runs[a]);
    return section(
        'Transfers',
        table('Transfers',
              [
                [
                  'transfer',
                  i => element('span', {},
                               element('i', {className: 'patch', style: {backgroundColor: core.colourOf(i)}}),
                               `${core.nameOf(core.binary[i])} ${core.sourceOf(core.binary[i])}`)
                ],
                ['runs', i => sum.runs[i].toLocaleString('en'), true, i => sum.runs[i]],
                ['bytes a run', i => bytesText(core.binary[i].bytes), true, i => core.binary[i].bytes],
                [
                  'bytes', i => bytesText(core.binary[i].bytes * sum.runs[i]),
                  true, i => core.binary[i].bytes * sum.runs[i]
                ],
                ['time', i => timeText(sum.busy[i]), true, i => sum.busy[i]],
                [
                  'B/ns',
                  i => (1000 * core.binary[i].bytes * sum.runs[i] / Math.max(1, sum.busy[i])).toFixed(1),
                  true, i => core.binary[i].bytes * sum.runs[i] / Math.max(1, sum.busy[i])
                ],
                ['assembly', i => element('code', {textContent: core.binary[i].asm})],
              ],
              list, {most: 50, pick: i => this.page.showInstruction(i)}));
  }
  // Each DMA engine, by what its transfers carry and by who made their descriptors.
  engines() {
    const {report, makespan} = this.page.core, {dma_engines: engines} = report;
    const sumOf = parts => 1000 * Object.values(parts).reduce((all, ns) => all + ns, 0);
    const keysOf = part => [...new Set(engines.flatMap(engine => Object.keys(engine[part])))];
    const makers = {none: 'made before the run', hwdge: 'made by hardware', swdge: 'made by software'};
    const cell =
        (title, part,
         key) => [title, ({engine}) => engine[part][key] > 0 ? timeText(1000 * engine[part][key]) : '', true,
                  ({engine}) => engine[part][key] ?? 0];
    const rows = engines.map((engine, number) => ({number, engine, time: sumOf(engine.by_data_ns)}));
    return section(
        'DMA engines', element('p', {
          className: 'note',
          textContent:
              'Time that each engine works for transfers: by the tensor in HBM that they write, or else read, and by who made their descriptors. Other: registers that are loaded, and collectives. Moved: by transfers. View 2 has each of them over time (u).'
        }),
        table('DMA engines',
              [
                ['engine', ({number}) => number, true, ({number}) => number],
                ['time', ({time}) => timeText(time), true, ({time}) => time],
                ['of the makespan', ({time}) => shareText(time, makespan), true, ({time}) => time],
                ['moved', ({engine}) => bytesText(engine.bytes), true, ({engine}) => engine.bytes],
                [
                  'B/ns at work', ({engine, time}) => (1000 * engine.bytes / Math.max(1, time)).toFixed(1),
                  true, ({engine, time}) => engine.bytes / Math.max(1, time)
                ],
                ...keysOf('by_data_ns').map(key => cell(key, 'by_data_ns', key)),
                ...keysOf('by_descriptors_ns').map(key => cell(makers[key], 'by_descriptors_ns', key)),
              ],
              rows));
  }
}

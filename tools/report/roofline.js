// Pictures with two logarithmic axes, and the roofline.
'use strict';

// Points [x, y, text, colour]; an axis is [title, number => text]. `under` adds
// to the picture behind them, given the two scales. With `areRings`, what lies
// under other points is larger than they are.
function scatter(points, [xTitle, xText], [yTitle, yText], label,
                 {under, pick, spans, nameOf, areRings} = {}) {
  const width = 860, height = 360, left = 84, right = 26, bottom = 38,
        positive = points.filter(([x, y]) => x > 0 && y > 0);
  const range = (values, extra) => {
    const all = [...values, ...(extra ?? [])].filter(value => value > 0);
    return all.length === 0 ? [0, 1] : [
      Math.floor(Math.log10(Math.min(...all)) - 0.05), Math.ceil(Math.log10(Math.max(...all)) + 0.05)
    ];
  };
  const [x0, x1] = range(positive.map(([x]) => x), spans?.x),
             [y0, y1] = range(positive.map(([, y]) => y), spans?.y);
  const xAt = x => left + (width - left - right) * (Math.log10(x) - x0) / (x1 - x0 || 1),
        yAt = y => height - bottom - (height - bottom - 12) * (Math.log10(y) - y0) / (y1 - y0 || 1);
  const picture =
      svg('svg', {viewBox: `0 0 ${width} ${height}`, class: 'chart', role: 'img', 'aria-label': label});
  const text = (x, y, content, anchor = 'middle') => {
    const made = svg('text', {x, y, 'text-anchor': anchor});
    made.textContent = content;
    return made;
  };
  for (let power = x0; power <= x1; ++power)
    picture.append(
        svg('line', {x1: xAt(10 ** power), x2: xAt(10 ** power), y1: 12, y2: height - bottom, class: 'grid'}),
        text(xAt(10 ** power), height - bottom + 15, xText(10 ** power)));
  for (let power = y0; power <= y1; ++power)
    picture.append(
        svg('line', {x1: left, x2: width - right, y1: yAt(10 ** power), y2: yAt(10 ** power), class: 'grid'}),
        text(left - 6, yAt(10 ** power) + 4, yText(10 ** power), 'end'));
  picture.append(text((left + width) / 2, height - 6, xTitle));
  const upright = text(0, 0, yTitle);
  upright.setAttribute('transform', `translate(12 ${(height - bottom) / 2}) rotate(-90)`);
  picture.append(upright);
  under?.(picture, xAt, yAt, 10 ** x0, 10 ** x1, 10 ** y0);
  const isNear = ([x, y], [otherX, otherY]) => Math.hypot(xAt(x) - xAt(otherX), yAt(y) - yAt(otherY)) < 4;
  for (const [i, point] of positive.entries()) {
    const [x, y, say, colour] = point, title = svg('title');
    title.textContent = say;
    const above = areRings ? positive.slice(i + 1).filter(other => isNear(point, other)).length : 0;
    const dot =
        svg('circle',
            {cx: xAt(x), cy: yAt(y), r: 5 + 3 * Math.min(above, 5), style: `fill: ${colour}`, class: 'dot'},
            title);
    if (pick) {
      dot.setAttribute('tabindex', '0');
      dot.setAttribute('role', 'button');
      dot.setAttribute('aria-label', say);
      dot.addEventListener('click', () => pick(point));
      dot.addEventListener('keydown', event => event.key === 'Enter' && pick(point));
    }
    picture.append(dot);
  }
  // A name beside each, where no other one is; the last one first.
  const named = [];
  for (const point of nameOf ? positive.toReversed() : []) {
    const x = xAt(point[0]), y = yAt(point[1]) + 4, isLeft = x < width - 150, gap = areRings ? 24 : 9,
          from = isLeft ? x + gap : x - gap;
    if (named.some(at => Math.abs(at[0] - from) < 90 && Math.abs(at[1] - y) < 13)) continue;
    named.push([from, y]);
    picture.append(text(from, y, nameOf(point), isLeft ? 'start' : 'end'));
  }
  return picture;
}

// Of the points of a type, where there are several types.
const operandColours = {
  bf16: 'matmul',
  f32: 'transpose',
  fp8: 'elementwise',
  mxfp8: 'dma_out',
  mxfp4: 'reduction'
};
const operandColour = operands => kindColour(operandColours[operands] ?? 'other');

class RooflineView {
  constructor(page) { this.page = page; }
  title() { return 'Roofline'; }
  draw(root) {
    const {report} = this.page.core, rate = this.page.profile.head.hbm_bytes_per_ns,
          points = report.roofline_points.filter(point => point.flops > 0 && point.ns > 0);
    if (points.length === 0)
      return root.replaceChildren(
          section(
              'Roofline',
              absent(
                  'The kernel computes no products: its roofline is the time of its arguments through HBM, ' +
                  timeText(1000 * report.roofline_ns) + '.')),
          this.operationsSection());
    // The roofs of the operands that are there.
    const all = this.page.profile.head.product_peaks,
          peaks = new Map(points.map(({operands}) => [operands, all[operands]])),
          highest = Math.max(...peaks.values());
    const intensities = points.filter(point => point.bytes > 0).map(point => point.flops / point.bytes);
    const lowest = Math.min(...intensities, highest / rate / 10),
          // What moves nothing through HBM stands at the right edge.
        most = 10 ** (Math.ceil(Math.log10(Math.max(...intensities, 10 * highest / rate)) + 0.1) - 0.06);
    const intensityOf = point => point.bytes > 0 ? point.flops / point.bytes : most,
          speedOf = point => point.flops / point.ns,
          roofOf = point => Math.min(peaks.get(point.operands), rate * intensityOf(point));
    const intensityText = point =>
        point.bytes > 0 ? (point.flops / point.bytes).toFixed(1) : 'nothing through HBM';
    // What has products of several types has a point for each.
    const types = [...peaks.keys()], isMixed = types.length > 1,
          nameOf = point => isMixed ? `${point.name}, ${point.operands}` : point.name,
          colourOf = ({operands}) => isMixed ? operandColour(operands) : 'var(--point)';
    const dot =
        point => [intensityOf(point), speedOf(point),
                  `${nameOf(point)}: ${intensityText(point)}${point.bytes > 0 ? ' flops a byte' : ''}, ${
                      speedText(speedOf(point))}, ${shareText(speedOf(point), roofOf(point))} of its roof`,
                  point.node === 0 ? 'var(--point-chosen)' : colourOf(point), point];
    root.replaceChildren(
        section(
            'Roofline',
            scatter(
                points.map(dot).reverse(), ['flops a byte of HBM', x => String(Number(x.toPrecision(3)))],
                ['', speedText], 'Roofline: intensity against speed', {
                  under: this.roofs(peaks, rate),
                  pick: ([, , , , point]) => this.show(point),
                  nameOf: ([, , , , point]) => nameOf(point),
                  areRings: isMixed,
                  spans: {x: [lowest, most], y: [Math.min(lowest * rate, ...points.map(speedOf)), highest]}
                }),
            legend('Points',
                   [
                     ['kernel', '', 'var(--point-chosen)'],
                     ...types.map(operands => [isMixed ? `scope or loop, ${operands}` : 'scope or loop', '',
                                               colourOf({operands})])
                   ]),
            table('Points of the roofline',
                  [
                    ['what', point => point.name, false, point => point.name],
                    ['operands', point => point.operands],
                    ['flops', point => countText(point.flops), true, point => point.flops],
                    ['HBM', point => bytesText(point.bytes), true, point => point.bytes],
                    ['flops a byte', intensityText, true, intensityOf],
                    ['time', point => timeText(1000 * point.ns), true, point => point.ns],
                    ['speed', point => speedText(speedOf(point)), true, speedOf],
                    ['of its roof', point => shareText(speedOf(point), roofOf(point)), true],
                  ],
                  points, {pick: point => this.show(point)})),
        this.flopsSection(), this.operationsSection());
  }
  // What the engines computed: products, and operations on elements.
  operationsSection() {
    const {core} = this.page, {report, makespan} = core, sum = core.whole();
    const rows = engineNames.flatMap((engine, number) => {
      const of = key => core.binary.reduce(
                (all, one, i) => all + (one.engine === engine ? one[key] * sum.runs[i] : 0), 0),
            count = number === 0 ? of('hardware_flops') : of('operations'),
            busy = 1000 * report.engines[engine].busy_ns;
      return count > 0 ? [{engine, count, busy}] : [];
    });
    const rate = (count, time) => siText(1e12 * count / Math.max(1, time), 'op/s');
    return section(
        'What each engine computed', element('p', {
          className: 'note',
          textContent:
              'TensorE: flops, with transposes. The others: operations on elements, as the energy counts them; a function or a copy of an element is one. View 2 has them over time (u).'
        }),
        rows.length === 0 ? absent('No engine computes anything.')
                          : table('What each engine computed',
                                  [
                                    ['engine', row => engineTitles[row.engine]],
                                    ['operations', row => countText(row.count), true, row => row.count],
                                    ['busy', row => shareText(row.busy, makespan), true, row => row.busy],
                                    ['speed', row => rate(row.count, makespan), true, row => row.count],
                                    ['speed at work', row => rate(row.count, row.busy), true]
                                  ],
                                  rows));
  }
  flopsSection() {
    const {core} = this.page, parts = flopsByUse(core).filter(([, share]) => share > 0),
          {product_type: type, peak_of_type_flops_per_ns: peak} = core.report;
    const say = ([text, share]) =>
        `${text}: ${shareText(share, 1)}, ${countText(share * peak * core.report.makespan_ns)}flops`;
    return section(
        'What became of the flops of TensorE', element('p', {
          className: 'note',
          textContent: `All that it could do in the makespan with operands of ${type}, at ${speedText(peak)}.`
        }),
        element('div', {className: 'uses'},
                stackedBar(parts.map(([text, share,
                                       colour]) => [say([text, share]), share, colour ? '' : 'idle', colour]),
                           parts.map(say).join('; '))),
        legend('Uses of flops', parts.map(part => [say(part), part[2] ? '' : 'idle', part[2]])));
  }
  show({node, name}) {
    const {core} = this.page, below = new Set([node]);
    const numbers = core.report.hierarchy.flatMap(({parent, instruction}, n) => {
      if (below.has(parent)) below.add(n);
      return below.has(n) && instruction >= 0 ? [instruction] : [];
    });
    this.page.focusInstructions(numbers, name);
  }
  roofs(peaks, rate) {
    return (picture, xAt, yAt, lowest, high, slowest) => {
      for (const [type, peak] of peaks) {
        const knee = peak / rate, low = Math.max(lowest, slowest / rate),
              line = svg('path', {
                d: `M${xAt(low)} ${yAt(low * rate)} L${xAt(Math.min(high, knee))} ${
                    yAt(Math.min(peak, high * rate))} L${xAt(high)} ${yAt(Math.min(peak, high * rate))}`,
                class: 'roof'
              });
        const name = svg('text', {x: xAt(lowest) + 8, y: yAt(peak) + 14});
        name.textContent = `${type}: ${speedText(peak)}`;
        picture.append(line, name);
      }
    };
  }
}

// Pictures with two logarithmic axes, and the roofline.
'use strict';

// Points [x, y, text, colour]; an axis is [title, number => text]. `under` adds
// to the picture behind them, given the two scales.
function scatter(points, [xTitle, xText], [yTitle, yText], label, {under, pick, spans} = {}) {
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
  under?.(picture, xAt, yAt, 10 ** x0, 10 ** x1);
  for (const point of positive) {
    const [x, y, say, colour] = point, title = svg('title');
    title.textContent = say;
    const dot = svg('circle', {cx: xAt(x), cy: yAt(y), r: 5, fill: colour, class: 'dot'}, title);
    if (pick) {
      dot.setAttribute('tabindex', '0');
      dot.setAttribute('role', 'button');
      dot.setAttribute('aria-label', say);
      dot.addEventListener('click', () => pick(point));
      dot.addEventListener('keydown', event => event.key === 'Enter' && pick(point));
    }
    picture.append(dot);
  }
  return picture;
}

class RooflineView {
  constructor(page) { this.page = page; }
  title() { return 'Roofline'; }
  // The kernel, and its loops where the profile has them.
  points() {
    const {report} = this.page.core, bytes = report.hbm_read_bytes + report.hbm_write_bytes;
    const all =
        (report.roofline_points ?? []).filter(point => point.flops > 0 && point.bytes > 0 && point.ns > 0);
    if (all.length > 0) return all;
    return report.flops > 0 && bytes > 0 ? [{
      name: report.kernel,
      node: -1,
      operands: report.product_type,
      flops: report.flops,
      bytes,
      ns: report.makespan_ns
    }]
                                         : [];
  }
  draw(root) {
    const {report} = this.page.core, rate = this.page.profile.head.hbm_bytes_per_ns, points = this.points();
    if (points.length === 0)
      return root.replaceChildren(section(
          'Roofline',
          absent('The kernel computes no products: its roofline is the time of its arguments through HBM, ' +
                 timeText(1000 * report.roofline_ns) + '.')));
    const peaks = new Map([
      ['bf16', report.peak_flops_per_ns], [report.product_type || 'bf16', report.peak_of_type_flops_per_ns]
    ]);
    const flops = perNs => speedText(perNs), most = Math.max(...peaks.values());
    const under = (picture, xAt, yAt, low, high) => {
      for (const [type, peak] of peaks) {
        const knee = peak / rate,
              line = svg('path', {
                d: `M${xAt(low)} ${yAt(low * rate)} L${xAt(Math.min(high, knee))} ${
                    yAt(Math.min(peak, high * rate))} L${xAt(high)} ${yAt(Math.min(peak, high * rate))}`,
                class: 'roof'
              });
        const name = svg('text', {x: xAt(high) - 6, y: yAt(peak) - 6, 'text-anchor': 'end'});
        name.textContent = `${type}: ${flops(peak)}`;
        picture.append(line, name);
      }
    };
    const of = point => [point.flops / point.bytes, point.flops / point.ns,
                         `${point.name}: ${(point.flops / point.bytes).toFixed(1)} flops a byte, ${
                             flops(point.flops / point.ns)}`,
                         point.node <= 0 ? '#ce811d' : '#5388e3', point];
    const lowest = Math.min(...points.map(point => point.flops / point.bytes), most / rate / 10),
          intensity = x => String(Number(x.toPrecision(3)));
    root.replaceChildren(section('Roofline', scatter(points.map(of), ['flops a byte of HBM', intensity], ['', flops], 'Roofline: intensity against speed',
      { under, spans: { x: [lowest, 10 * most / rate], y: [Math.min(lowest * rate, ...points.map(point => point.flops / point.ns)), most] } }),
    table('Points of the roofline', [['loop', point => point.name, false, point => point.name], ['operands', point => point.operands], ['flops', point => countText(point.flops), true, point => point.flops], ['bytes', point => bytesText(point.bytes), true, point => point.bytes],
      ['flops a byte', point => (point.flops / point.bytes).toFixed(1), true, point => point.flops / point.bytes], ['time', point => timeText(1000 * point.ns), true, point => point.ns], ['speed', point => flops(point.flops / point.ns), true, point => point.flops / point.ns],
      ['of its roof', point => shareText(point.flops / point.ns, Math.min(peaks.get(point.operands) ?? most, rate * point.flops / point.bytes)), true]], points)));
  }
}

// On-chip memory: address against time, who owns it, and what is live at the
// peak.
'use strict';

class MemoryView {
  constructor(page) { this.page = page; }
  title() { return 'Memory'; }
  draw(root) {
    const pointed = this.pointed = element(
        'p',
        {className: 'note', textContent: 'Point at a range to see what it holds. Click it: who wrote it.'});
    this.revealed = -1;
    const {core} = this.page, writes = new Set(core.ranges.shapes.map(({writer}) => core.kindOf[writer]));
    this.draws = [];
    root.replaceChildren(pointed, kindLegend(kindNames.filter((_, kind) => writes.has(kind))),
                         ...['sbuf', 'psum'].map(space => this.space(space)));
    this.redraw();
  }
  redraw() {
    for (const draw of this.draws) draw();
  }
  // A frame around a range, and its words above.
  reveal(number) {
    this.revealed = number;
    this.pointed.textContent = this.text(this.page.core.ranges.at(number));
    this.pointed.scrollIntoView({block: 'center'});
    this.redraw();
  }
  space(space) {
    const {core} = this.page, peak = core.report.memory[space], {ranges} = core, name = space.toUpperCase();
    if (peak.peak_bytes === 0) return section(name, absent(`Nothing is kept in ${name}.`));
    const isHere = ranges.shapes.map(({memory}) => memory === space);
    const canvas =
        element('canvas', {className: 'memory', role: 'img', 'aria-label': `${name}: addresses over time`});
    const top = Math.max(1, ...ranges.shapes.filter((_, shape) => isHere[shape])
                                .map(shape => shape.first_byte + shape.bytes)),
          height = space === 'sbuf' ? 220 : 130, left = 64, whole = core.makespan;
    this.draws.push(() => {
      const width = canvas.clientWidth, pen = penOf(canvas, width, height + 18),
            scale = (width - left) / whole;
      pen.fillStyle = styled('--track');
      pen.fillRect(left, 0, width - left, height);
      const paints = ranges.shapes.map(({writer}) => kindPaint(core.kindOf[writer])),
            boxes =
                ranges.shapes.map(({first_byte: first, bytes}) => [height * (1 - (first + bytes) / top) + 0.5,
                                                                   Math.max(1, height * bytes / top - 1)]);
      // Where many of a shape share a pixel, one of them is enough.
      const drawn = new Float64Array(ranges.shapes.length).fill(-1);
      for (let i = 0; i < ranges.count; ++i) {
        const shape = ranges.shape[i], x0 = left + scale * ranges.start[i], x1 = left + scale * ranges.end[i];
        if (!isHere[shape] || x1 < drawn[shape] + 0.4) continue;
        drawn[shape] = x1;
        pen.fillStyle = paints[shape];
        pen.fillRect(x0, boxes[shape][0], Math.max(1, x1 - x0), boxes[shape][1]);
      }
      if (this.revealed >= 0 && isHere[ranges.shape[this.revealed]]) {
        const at = this.revealed, [y, high] = boxes[ranges.shape[at]], x0 = left + scale * ranges.start[at];
        pen.strokeStyle = styled('--text');
        pen.lineWidth = 2;
        pen.strokeRect(x0 - 1, y - 1, Math.max(3, scale * (ranges.end[at] - ranges.start[at])) + 2, high + 2);
      }
      pen.fillStyle = styled('--soft');
      for (let i = 0; i <= 4; ++i)
        pen.fillText(bytesText(top * i / 4), 2, Math.min(height - 6, Math.max(7, height * (1 - i / 4))));
      const step = tickStep(whole, 8);
      for (const tick of ticksOf(0, whole, step))
        pen.fillText(tickText(tick, step), left + scale * tick + 2, height + 10);
      pen.fillStyle = styled('--path');
      pen.fillRect(left + scale * 1000 * peak.at_ns, 0, 1.5, height);
    });
    const at = event => {
      const time = whole * (event.offsetX - left) / (canvas.clientWidth - left),
            byte = top * (1 - event.offsetY / height), reach = whole / (canvas.clientWidth - left);
      for (let i = ranges.count - 1; i >= 0; --i) {
        const {first_byte: first, bytes} = ranges.shapes[ranges.shape[i]];
        if (isHere[ranges.shape[i]] && ranges.start[i] <= time + reach && ranges.end[i] >= time - reach &&
            first <= byte && byte < first + bytes)
          return ranges.at(i);
      }
      return null;
    };
    canvas.addEventListener('pointermove', event => {
      const range = at(event);
      canvas.style.cursor = range ? 'pointer' : '';
      this.page.hover(range ? this.text(range) : '', event.clientX, event.clientY);
    });
    canvas.addEventListener('pointerleave', () => this.page.hover(''));
    canvas.addEventListener('click', event => {
      const range = at(event);
      if (range) this.page.showInstruction(range.writer, range.start);
    });
    return section(
        `${space.toUpperCase()}: ${bytesText(peak.peak_bytes)} of ${
            bytesText(peak.capacity_bytes)} a partition at the peak, ${timeText(1000 * peak.at_ns)}`,
        canvas,
        table(`Live in ${space.toUpperCase()} at the peak`,
              [
                ['live at the peak', range => this.place(range)],
                ['bytes', range => bytesText(range.owned), true, range => range.owned],
                ['address', range => `0x${range.first_byte.toString(16)}`, true, range => range.first_byte],
                [
                  'partitions',
                  range => `${range.first_partition}..${range.first_partition + range.partitions - 1}`, true
                ],
                ['from', range => timeText(range.start), true, range => range.start],
                ['to', range => timeText(range.end), true, range => range.end],
                ['what its line says', range => element('code', {textContent: this.lineText(range)})],
              ],
              peak.owners.map((owner, i) => ({...ranges.at(owner), owned: peak.owner_bytes[i]})),
              {most: 10, pick: range => this.page.showInstruction(range.writer, range.start)}));
  }
  place(range) {
    const place = this.page.core.places[range.place];
    return place?.file ? this.page.core.shortPlace(place.file, place.line) : `buffer ${range.buffer}`;
  }
  lineText({place: number}) {
    const place = this.page.core.places[number];
    return place?.file ? this.page.profile.textOf(place.file, place.line) : '';
  }
  text(range) {
    const {core} = this.page, writer = core.binary[range.writer];
    return `${this.place(range)}: ${bytesText(range.bytes)} at 0x${range.first_byte.toString(16)}, ${
               plural(range.partitions, 'partition')}, ${timeText(range.start)} to ${timeText(range.end)}` +
           (writer ? `, written by ${writer.op} ${core.sourceOf(writer)}` : '') +
           (this.lineText(range) && `\n${this.lineText(range)}`);
  }
}

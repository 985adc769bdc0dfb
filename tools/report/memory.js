// On-chip memory: address against time, who owns it, and what is live at the
// peak. Needs `memory` of the profile.
'use strict';

class MemoryView {
  constructor(page) { this.page = page; }
  title() { return 'Memory'; }
  draw(root) {
    const {memory} = this.page.core.report;
    if (!memory)
      return root.replaceChildren(
          section('Memory', absent('This profile has no map of the on-chip memory.')));
    const pointed = element('p', {
      className: 'note pointed',
      'aria-live': 'polite',
      textContent: 'Point at a range to see what it holds.'
    });
    root.replaceChildren(...['sbuf', 'psum'].map(space => this.space(memory, space, pointed)), pointed);
    for (const draw of this.draws) draw();
  }
  space(memory, space, pointed) {
    const {core} = this.page, peak = memory[space],
          ranges = memory.ranges.filter(range => range.memory === space);
    const canvas = element(
        'canvas',
        {className: 'memory', role: 'img', 'aria-label': `${space.toUpperCase()}: addresses over time`});
    const top = Math.max(1, ...ranges.map(range => range.first_byte + range.bytes)),
          height = space === 'sbuf' ? 220 : 130, left = 64;
    const whole = core.makespan / 1000,
          boxOf = (range, width) => [left + (width - left) * range.start_ns / whole,
                                     height * (1 - (range.first_byte + range.bytes) / top),
                                     (width - left) * (range.end_ns - range.start_ns) / whole,
                                     height * range.bytes / top];
    const colourOf = range =>
        kindColours[range.writer >= 0 && core.binary[range.writer] ? core.kindOf[range.writer]
                                                                   : kindNames.length - 1];
    (this.draws ??= []).length = space === 'sbuf' ? 0 : this.draws.length;
    this.draws.push(() => {
      const width = canvas.clientWidth, pen = penOf(canvas, width, height + 18);
      pen.fillStyle = styled('--track');
      pen.fillRect(left, 0, width - left, height);
      for (const range of ranges) {
        const [x, y, w, h] = boxOf(range, width);
        pen.fillStyle = colourOf(range);
        pen.fillRect(x, y + 0.5, Math.max(1, w), Math.max(1, h - 1));
      }
      pen.fillStyle = styled('--soft');
      for (let i = 0; i <= 4; ++i)
        pen.fillText(bytesText(top * i / 4), 2, Math.min(height - 6, Math.max(7, height * (1 - i / 4))));
      const step = tickStep(core.makespan, 8);
      for (const tick of ticksOf(0, core.makespan, step))
        pen.fillText(tickText(tick, step), left + (width - left) * tick / core.makespan + 2, height + 10);
      pen.fillStyle = styled('--path');
      pen.fillRect(left + (width - left) * peak.at_ns / whole, 0, 1.5, height);
    });
    const at = event => {
      const found = ranges.findLast(range => {
        const [x, y, w, h] = boxOf(range, canvas.clientWidth);
        return event.offsetX >= x && event.offsetX <= x + Math.max(1, w) && event.offsetY >= y &&
               event.offsetY <= y + h;
      });
      return found;
    };
    canvas.addEventListener('pointermove', event => {
      const range = at(event);
      pointed.textContent = range ? this.text(range) : 'Point at a range to see what it holds.';
    });
    canvas.addEventListener('click', event => {
      const range = at(event);
      if (range && range.writer >= 0) this.page.showInstruction(range.writer, range.start_ns * 1000);
    });
    return section(
        `${space.toUpperCase()}: ${bytesText(peak.peak_bytes)} of ${
            bytesText(peak.capacity_bytes)} a partition at the peak, ${timeText(1000 * peak.at_ns)}`,
        canvas,
        table(`Live in ${space.toUpperCase()} at the peak`,
              [
                ['live at the peak', range => this.place(range)],
                ['bytes', range => bytesText(range.bytes), true, range => range.bytes],
                ['address', range => `0x${range.first_byte.toString(16)}`, true, range => range.first_byte],
                [
                  'partitions',
                  range => `${range.first_partition}..${range.first_partition + range.partitions - 1}`, true
                ],
                ['from', range => timeText(1000 * range.start_ns), true, range => range.start_ns],
                ['to', range => timeText(1000 * range.end_ns), true, range => range.end_ns],
              ],
              peak.owners.map(owner => memory.ranges[owner]), {
                most: 10,
                pick: range =>
                    range.writer >= 0 && this.page.showInstruction(range.writer, range.start_ns * 1000)
              }));
  }
  place(range) {
    const place = this.page.core.places[range.place];
    return place?.file ? `${baseName(place.file)}:${place.line}` : `buffer ${range.buffer}`;
  }
  text(range) {
    const {core} = this.page, writer = core.binary[range.writer];
    return `${this.place(range)}: ${bytesText(range.bytes)} at 0x${range.first_byte.toString(16)}, ${
               plural(range.partitions,
                      'partition')}, ${timeText(1000 * range.start_ns)} to ${timeText(1000 * range.end_ns)}` +
           (writer ? `, written by ${writer.op} ${core.sourceOf(writer)}` : '');
  }
}

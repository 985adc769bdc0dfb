// The timeline: rows of events on a canvas, zoomed and moved together.
'use strict';

const left = 110, top_ = 24;

// Rows of time on a canvas. All views show the same stretch, `span`.
class View {
  // `rows` gives [{name, chosen, layers: [{events, fill(label), named, strip}]}];
  // strips lie at the bottom of their row.
  constructor(canvas, height, rows, span, tells) {
    Object.assign(this, { canvas, row: height, rows, span, tells });
    this.pen = canvas.getContext('2d');
    this.listen();
  }
  strip() { return Math.round(this.row / 4); }
  scale() { return (this.canvas.clientWidth - left) / (this.span.to - this.span.from); }
  draw() {
    const { canvas, pen, row } = this, { from, to } = this.span, rows = this.rows(), style = getComputedStyle(document.body);
    const text = style.getPropertyValue('--text'), back = style.getPropertyValue('--back'), chosen = style.getPropertyValue('--chosen');
    const width = canvas.clientWidth, height = top_ + row * rows.length;
    canvas.style.height = height + 'px';
    canvas.width = width * devicePixelRatio; canvas.height = height * devicePixelRatio;
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = Math.min(12, row - 2) + 'px system-ui, sans-serif'; pen.textBaseline = 'middle';
    const s = this.scale();
    const step = tickStep(to - from, 8);
    pen.fillStyle = style.getPropertyValue('--soft');
    for (let t = Math.ceil(from / step) * step; t < to; t += step) {
      const x = left + (t - from) * s;
      pen.fillRect(x, top_ - 6, 1, height);
      pen.fillText(timeText(t), x + 3, 9);
    }
    rows.forEach((line, index) => {
      const y = top_ + index * row;
      if (line.chosen) { pen.fillStyle = chosen; pen.fillRect(0, y, width, row); }
      for (const layer of line.layers) this.paint(layer, y, s);
      pen.fillStyle = line.chosen ? chosen : back; pen.fillRect(0, y, left - 2, row);
      pen.fillStyle = text; pen.fillText(line.name, 4, y + row / 2);
    });
  }
  paint(layer, y, s) {
    const { pen, row } = this, { from, to } = this.span, events = layer.events, gap = row > 16 ? 2 : 1;
    const top = layer.strip ? row - gap - this.strip() : gap, thick = layer.strip ? this.strip() : row - 2 * gap;
    for (let i = firstAt(events, from), drawn = -1; 3 * i < events.length; ++i) {
      const start = events[3 * i], length = events[3 * i + 1], label = events[3 * i + 2];
      if (start > to) break;
      const x0 = Math.max(left, left + (start - from) * s), x1 = left + (start + length - from) * s;
      if (x1 < drawn + .5) continue;
      pen.fillStyle = layer.fill(label);
      pen.fillRect(x0, y + top, Math.max(.75, x1 - x0 - .4), thick);
      drawn = x1;
      if (layer.named && x1 - x0 > 46) {
        pen.save(); pen.beginPath(); pen.rect(x0, y, x1 - x0 - 2, row); pen.clip();
        pen.fillStyle = '#1d1d1f'; pen.fillText(layer.named(label), x0 + 4, y + row / 2); pen.restore();
      }
    }
  }
  // The row at a place and the topmost event there.
  at(event) {
    const number = Math.floor((event.offsetY - top_) / this.row), line = this.rows()[number];
    if (!line) return null;
    const t = this.span.from + (event.offsetX - left) / this.scale();
    const below = event.offsetY - top_ - number * this.row >= this.row - this.strip() - 2;
    if (event.offsetX >= left)
      for (const { events } of [...line.layers].reverse().sort((a, b) => (b.strip === true) === (a.strip === true) ? 0 : (b.strip === true) === below ? 1 : -1)) {
        const i = firstAt(events, t);
        if (3 * i < events.length && events[3 * i] <= t)
          return { number, start: events[3 * i], length: events[3 * i + 1], label: events[3 * i + 2] };
      }
    return { number };
  }
  listen() {
    const { canvas, span } = this;
    let grabbed = null;
    canvas.addEventListener('wheel', event => {
      if (!event.ctrlKey || event.offsetX < left) return; // The page scrolls.
      event.preventDefault();
      span.zoom(Math.exp(event.deltaY * .0015), span.from + (event.offsetX - left) / this.scale());
    }, { passive: false });
    canvas.addEventListener('mousedown', event => grabbed = { x: event.offsetX, from: span.from });
    addEventListener('mouseup', () => grabbed = null);
    canvas.addEventListener('mousemove', event => {
      if (grabbed) {
        span.moveTo(grabbed.from + (grabbed.x - event.offsetX) / this.scale());
        return;
      }
      const found = this.at(event);
      if (found) this.tells(found);
    });
    canvas.addEventListener('keydown', event => {
      const part = (span.to - span.from) / 10;
      const act = { ArrowLeft: () => span.moveTo(span.from - part), ArrowRight: () => span.moveTo(span.from + part),
        '+': () => span.zoom(.7), '-': () => span.zoom(1.4), 0: () => span.fit() }[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });
  }
}

// The stretch of time that is shown.
class Span {
  constructor(whole, changed) {
    Object.assign(this, { whole: whole || 1, changed, from: 0, to: whole || 1 });
  }
  zoom(factor, at = (this.from + this.to) / 2) {
    const from = Math.max(0, at - (at - this.from) * factor);
    this.to = Math.min(this.whole, Math.max(from + 1000, at + (this.to - at) * factor));
    this.from = from;
    this.changed();
  }
  moveTo(from) {
    const length = this.to - this.from;
    this.from = Math.min(Math.max(0, from), this.whole - length);
    this.to = this.from + length;
    this.changed();
  }
  fit() {
    this.from = 0;
    this.to = this.whole;
    this.changed();
  }
}

// The tracks of a core on a canvas: events in the colours of their work, waits
// as patterns, and what is chosen of them.
'use strict';

const gutter = 118, rulerHeight = 24, trackHeight = 24, queueHeight = 15;

class TrackView {
  constructor(page, lanes) {
    this.page = page;
    this.ruler = element('canvas', {className: 'ruler', 'aria-hidden': 'true'});
    this.canvas = element('canvas', {
      className: 'tracks',
      tabIndex: 0,
      role: 'application',
      'aria-label': 'Timeline: the tracks of engines and queues',
      'aria-describedby': 'timeline-help'
    });
    this.box = element('div', {className: 'tracks-box'}, this.ruler, this.canvas);
    this.lanes = lanes;
  }
  // Those of the core by their numbers, then the lanes, wherever they stand.
  tracks() {
    const {core} = this.page;
    let y = 2;
    const place = row => {
      const placed = {...row, y};
      y += row.height + 3;
      return placed;
    };
    const lane = row => place({...row, engine: -1, number: -1}), above = this.lanes.above().map(lane);
    const tracks = core.tracks.map(
        (track, number) => place({...track, number, height: track.engine >= 0 ? trackHeight : queueHeight}));
    return [...tracks, ...above, ...this.lanes.below().map(lane)];
  }
  scale() { return (this.width - gutter) / (this.page.to - this.page.from); }
  xOf(time) { return gutter + (time - this.page.from) * this.scale(); }
  timeAt(x) { return this.page.from + (x - gutter) / this.scale(); }

  draw() {
    this.width = Math.max(300, this.box.clientWidth);
    this.rows = this.tracks();
    this.height = Math.max(...this.rows.map(row => row.y + row.height)) + 4;
    const pen = this.pen = penOf(this.canvas, this.width, this.height),
          ruler = penOf(this.ruler, this.width, rulerHeight);
    this.drawRuler(ruler);
    pen.save();
    pen.beginPath();
    pen.rect(gutter, 0, this.width - gutter, this.height);
    pen.clip();
    pen.fillStyle = styled('--grid');
    for (const tick of this.ticks) pen.fillRect(Math.round(this.xOf(tick)), 0, 1, this.height);
    for (const row of this.rows) row.number < 0 ? this.lanes.draw(row, this) : this.drawTrack(row);
    if (this.page.showsPath) this.drawPath();
    if (this.page.pinned >= 0) this.drawLinks(this.page.pinned);
    if (this.page.region) this.drawRegion(this.page.region, this.page.box);
    this.page.markers.draw(this, ruler);
    pen.restore();
    this.drawNames();
  }
  // What is selected, between two lines; of a box, on its tracks.
  drawRegion(region, box) {
    const {pen} = this, [x0, x1] = region.map(time => Math.round(this.xOf(time)));
    const rows = box ? box.map(number => this.rows[number]) : [],
          top = box ? Math.min(...rows.map(row => row.y)) - 1 : 0,
          bottom = box ? Math.max(...rows.map(row => row.y + row.height)) + 1 : this.height;
    pen.fillStyle = styled('--accent');
    pen.globalAlpha = 0.12;
    pen.fillRect(x0, top, x1 - x0, bottom - top);
    pen.globalAlpha = 1;
    for (const x of [x0, x1 - 1]) pen.fillRect(x, top, 1, bottom - top);
    if (box)
      for (const y of [top, bottom - 1]) pen.fillRect(x0, y, x1 - x0, 1);
  }
  // The tracks that a stretch of the canvas touches, from top to bottom or back.
  between(y0, y1) {
    const [top, bottom] = [y0, y1].sort((a, b) => a - b);
    return (this.rows ?? [])
        .filter(row => row.number >= 0 && row.y <= bottom && row.y + row.height >= top)
        .map(row => row.number);
  }
  drawRuler(pen) {
    const {from, to} = this.page;
    const step = this.step = tickStep(to - from, Math.max(2, (this.width - gutter) / 110));
    this.ticks = ticksOf(from, to, step);
    pen.fillStyle = styled('--soft');
    for (const tick of this.ticks) {
      const x = Math.round(this.xOf(tick));
      pen.fillRect(x, rulerHeight - 6, 1, 6);
      const text = tickText(tick, step);
      if (x + 4 + pen.measureText(text).width <= this.width) pen.fillText(text, x + 4, rulerHeight / 2);
    }
  }
  drawNames() {
    const {pen} = this;
    pen.fillStyle = styled('--back');
    pen.fillRect(0, 0, gutter - 1, this.height);
    for (const row of this.rows) {
      pen.fillStyle = styled(row.engine >= 0 ? '--text' : '--soft');
      pen.font = fontOf(row.engine >= 0 ? '600 11px' : '10.5px');
      // Of a long name its end.
      const most = Math.floor((gutter - 10) / pen.measureText('n').width), {name} = row;
      pen.fillText(name.length > most ? '\u2026' + name.slice(1 - most) : name, 6,
                   row.y + row.height / 2 + 0.5);
    }
  }

  // What is not searched, chosen or, while the critical path is shown, on it.
  isDimmed(event) {
    const {core, focus, showsPath} = this.page;
    return focus ? !focus[core.instruction[event]] : showsPath && !core.isCritical[event];
  }

  drawTrack(row) {
    const {pen, page: {core, from, to}} = this, scale = this.scale(), shades = this.page.shades();
    pen.fillStyle = styled('--track');
    pen.fillRect(gutter, row.y, this.width - gutter, row.height);
    if (row.engine >= 0) this.drawWaits(row);
    const first = core.firstAfter(row.number, from), end = core.firstOfTrack[row.number + 1];
    const last = firstWhere(first, end, event => core.start[event] >= to);
    if (last - first > 3 * (this.width - gutter))
      this.drawDense(row, first, last);
    else
      for (let event = first; event < last; ++event) {
        const x = gutter + (core.start[event] - from) * scale,
              width = Math.max(0.8, core.length[event] * scale - 0.5);
        const number = core.instruction[event];
        pen.globalAlpha = this.isDimmed(event) ? 0.18 : 1;
        pen.fillStyle = kindPaint(shades[number]);
        pen.fillRect(x, row.y, width, row.height);
        if (width > 26 && row.height > 14) {
          const x0 = Math.max(x, gutter), instruction = core.binary[number];
          pen.fillStyle = styled('--ink');
          textInBox(pen, core.nameOf(instruction), x0 + 4, row.y + row.height / 2 + 0.5, x + width - x0 - 6);
        }
      }
    pen.globalAlpha = 1;
  }
  // More events than pixels: each pixel has the colour that fills most of
  // it, as strong as the track is occupied there.
  drawDense(row, first, last) {
    const {pen, page: {core, from, focus, showsPath}} = this, scale = this.scale(),
                                          columns = Math.ceil(this.width - gutter),
                                          numKinds = kindNames.length, shades = this.page.shades();
    const cover = new Float32Array(columns * numKinds),
          lit = focus || showsPath ? new Float32Array(columns) : null;
    for (let event = first; event < last; ++event) {
      const x0 = Math.max(0, (core.start[event] - from) * scale),
            x1 = Math.min(columns, x0 + Math.max(0.01, core.length[event] * scale));
      const kind = shades[core.instruction[event]], dimmed = lit && this.isDimmed(event);
      for (let x = Math.floor(x0); x < x1; ++x) {
        const part = Math.min(x + 1, x1) - Math.max(x, x0);
        cover[x * numKinds + kind] += part;
        if (lit && !dimmed) lit[x] += part;
      }
    }
    for (let x = 0; x < columns; ++x) {
      let most = 0, sum = 0;
      for (let kind = 0; kind < numKinds; ++kind) {
        const part = cover[x * numKinds + kind];
        sum += part;
        if (part > cover[x * numKinds + most]) most = kind;
      }
      if (sum <= 0) continue;
      pen.globalAlpha = lit && lit[x] === 0 ? 0.15 : 0.3 + 0.7 * Math.min(1, sum);
      pen.fillStyle = kindPaint(most);
      pen.fillRect(gutter + x, row.y, 1, row.height);
    }
    pen.globalAlpha = 1;
  }
  drawWaits(row) {
    const {pen, page: {core, from, to}} = this, scale = this.scale(), waits = core.waits[row.engine];
    let drawn = -1;
    for (let i = firstWhere(0, waits.count, wait => waits.start[wait] + waits.length[wait] > from);
         i < waits.count && waits.start[i] < to; ++i) {
      const reason = core.reasons[waits.reason[i]], x0 = gutter + (waits.start[i] - from) * scale,
            x1 = x0 + waits.length[i] * scale;
      if (reason === 'end' || x1 < drawn + 0.7) continue;
      pen.globalAlpha = this.page.focus ? 0.35 : 1;
      pen.fillStyle = waitPattern(pen, groupOf(reason));
      pen.fillRect(x0, row.y + 3, Math.max(0.8, x1 - x0), row.height - 6);
      drawn = x1;
    }
    pen.globalAlpha = 1;
  }

  middleOf(event) {
    const row = this.rows[this.page.core.trackOf[event]];
    return row.y + row.height / 2;
  }
  outline(event, colour, thick = 2) {
    const {pen, page: {core}} = this, row = this.rows[core.trackOf[event]];
    pen.strokeStyle = colour;
    pen.lineWidth = thick;
    pen.strokeRect(this.xOf(core.start[event]), row.y + 0.5, Math.max(2, core.length[event] * this.scale()),
                   row.height - 1);
  }
  // A line through the steps, at the foot of the track of each: thick where it works, thin
  // and broken where it waits.
  drawPath() {
    const {pen, page: {core, from, to}} = this, {path} = core, work = new Path2D(), waits = new Path2D();
    let y = -1, drawn = -1;
    for (let i = firstWhere(0, path.count, step => path.start[step] + path.length[step] > from);
         i < path.count && path.start[i] < to; ++i) {
      const event = path.event[i], engine = core.binary[path.instruction[i]]?.engine,
            at = this.footOf(event >= 0 ? this.rows[core.trackOf[event]] : this.rowOfEngine(engine));
      const x0 = this.xOf(path.start[i]), x1 = this.xOf(path.start[i] + path.length[i]);
      if (x1 - drawn < 0.7 && at === y) continue;
      const line = path.reason[i] === 0 ? work : waits;
      if (y >= 0 && at !== y) {
        waits.moveTo(x0, y);
        waits.lineTo(x0, at);
      }
      line.moveTo(Math.min(x0, Math.max(drawn, gutter)), at);
      line.lineTo(drawn = x1, at);
      y = at;
    }
    pen.strokeStyle = styled('--path');
    pen.lineWidth = 1.2;
    pen.setLineDash([3, 2]);
    pen.stroke(waits);
    pen.setLineDash([]);
    pen.lineWidth = 3;
    pen.stroke(work);
  }
  rowOfEngine(name) {
    return this.rows.find(row => row.engine === engineNames.indexOf(name)) ?? this.rows[0];
  }
  footOf(row) { return row.y + row.height - 2; }
  // How much later it may be: from its end to where that would matter.
  drawSlack(event) {
    const {pen, page: {core}} = this, row = this.rows[core.trackOf[event]], slack = core.slack[event];
    if (!(slack > 0) || core.isCritical[event]) return;
    const x0 = this.xOf(core.end(event)), x1 = Math.max(x0 + 2, this.xOf(core.end(event) + slack));
    pen.globalAlpha = 0.3;
    pen.fillStyle = styled('--towards');
    pen.fillRect(x0, row.y + row.height - 5, x1 - x0, 5);
    pen.globalAlpha = 1;
    pen.fillRect(x1 - 1.5, row.y, 1.5, row.height);
  }
  drawLinks(event) {
    const {pen, page: {core}} = this;
    const arrow = (first, second, colour) => {
      const x0 = this.xOf(core.end(first)), y0 = this.middleOf(first), x1 = this.xOf(core.start[second]),
            y1 = this.middleOf(second);
      const bend = Math.max(14, Math.min(60, Math.abs(x1 - x0) / 2));
      pen.strokeStyle = pen.fillStyle = colour;
      pen.lineWidth = 1.5;
      pen.beginPath();
      pen.moveTo(x0, y0);
      pen.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
      pen.stroke();
      pen.beginPath();
      pen.moveTo(x1 + 1, y1);
      pen.lineTo(x1 - 6, y1 - 3.5);
      pen.lineTo(x1 - 6, y1 + 3.5);
      pen.fill();
    };
    for (const producer of core.producersOf(event).subarray(0, 40)) {
      arrow(producer, event, styled('--from'));
      this.outline(producer, styled('--from'), 1.2);
    }
    for (const consumer of core.consumersOf(event).subarray(0, 40)) {
      arrow(event, consumer, styled('--towards'));
      this.outline(consumer, styled('--towards'), 1.2);
    }
    this.drawSlack(event);
    this.outline(event, styled('--text'), 2);
  }

  // What is at a place of the canvas: {row, event, wait}, with -1 for none; of a
  // lane also {text, act}.
  at(x, y) {
    const row = this.rows?.find(line => y >= line.y - 1 && y < line.y + line.height + 2);
    if (!row || x < gutter) return {row, event: -1, wait: -1, text: row?.name};
    if (row.number < 0) return {row, event: -1, wait: -1, ...this.lanes.at(row, this.timeAt(x), y)};
    const time = this.timeAt(x), event = this.page.core.eventAt(row.number, time, 2 / this.scale());
    return {row, event, wait: row.engine >= 0 && event < 0 ? this.page.core.waitAt(row.engine, time) : -1};
  }
}

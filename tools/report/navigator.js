// The whole run in a strip: how busy each engine was, and the part of it that
// the timeline shows. Drag in it to choose another part.
'use strict';

class Navigator {
  constructor(page, root, choose, row = 7) {
    Object.assign(this, {page, choose, row});
    this.canvas = element('canvas', {className: 'navigator', 'aria-hidden': 'true'});
    this.frame = element('div', {className: 'frame'});
    root.append(element('div', {className: 'navigator-box'}, this.canvas, this.frame));
    this.listen();
  }
  draw() {
    const {core} = this.page, width = Math.max(300, this.canvas.clientWidth), rows = 6;
    const pen = penOf(this.canvas, width, rows * (this.row + 2) + 2), columns = Math.ceil(width - gutter);
    const scale = columns / core.makespan,
          cover = Array.from({length: rows}, () => new Float32Array(columns)),
          colours = cover.map(() => new Uint8Array(columns));
    core.tracks.forEach((track, t) => {
      const row = track.engine >= 0 ? track.engine : track.name.startsWith('DMA') ? 5 : 0;
      for (let event = core.firstOfTrack[t]; event < core.firstOfTrack[t + 1]; ++event) {
        const x0 = core.start[event] * scale, x1 = Math.min(columns, x0 + core.length[event] * scale),
              kind = core.kindOf[core.instruction[event]];
        for (let x = Math.floor(x0); x < x1; ++x) {
          const part = Math.min(x + 1, x1) - Math.max(x, x0);
          cover[row][x] += part;
          if (part > 0.3 || cover[row][x] <= part) colours[row][x] = kind;
        }
      }
    });
    cover.forEach((parts, row) => {
      const y = 2 + row * (this.row + 2);
      pen.globalAlpha = 1;
      pen.fillStyle = styled('--soft');
      pen.font = fontOf(Math.min(11, this.row + 3) + 'px');
      if (this.row > 9) pen.fillText(Object.values(engineTitles)[row], 6, y + this.row / 2);
      pen.fillStyle = styled('--track');
      pen.fillRect(gutter, y, columns, this.row);
      parts.forEach((part, x) => {
        if (part <= 0) return;
        pen.globalAlpha = 0.25 + 0.75 * Math.min(1, part);
        pen.fillStyle = kindPaint(colours[row][x]);
        pen.fillRect(gutter + x, y, 1, this.row);
      });
    });
    this.move();
  }
  // The frame follows the part that is shown.
  move() {
    const width = this.canvas.clientWidth - gutter, {core, from, to} = this.page;
    const scale = core.makespan > 0 ? width / core.makespan : 0;
    this.frame.style.left = gutter + scale * from + 'px';
    this.frame.style.width = Math.max(3, scale * (to - from)) + 'px';
  }
  listen() {
    let start = null;
    const timeAt = event => {
      const box = this.canvas.getBoundingClientRect();
      return Math.min(1, Math.max(0, (event.clientX - box.left - gutter) / (box.width - gutter))) *
             this.page.core.makespan;
    };
    this.canvas.addEventListener('pointerdown', event => {
      start = timeAt(event);
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener('pointermove', event => {
      if (start === null) return;
      const [low, high] = [start, timeAt(event)].sort((a, b) => a - b);
      this.frame.style.left =
          gutter + (this.canvas.clientWidth - gutter) * low / this.page.core.makespan + 'px';
      this.frame.style.width =
          (this.canvas.clientWidth - gutter) * (high - low) / this.page.core.makespan + 'px';
    });
    this.canvas.addEventListener('pointerup', event => {
      if (start === null) return;
      const [low, high] = [start, timeAt(event)].sort((a, b) => a - b), {core, from, to} = this.page;
      start = null;
      if (high - low > core.makespan / 500)
        this.choose([low, high]);
      else
        this.choose([low - (to - from) / 2, low + (to - from) / 2]);
    });
  }
}

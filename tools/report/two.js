// The timelines of two runs, one above the other: they move together.
'use strict';

// The tracks of a run, without what a page of one run draws beside them.
class RunTracks extends TrackView {
  constructor(run) {
    super(run, {above: () => [], below: () => []});
    this.canvas.setAttribute('aria-label',
                             `Timeline of the run ${run.when}: the tracks of engines and queues`);
    this.canvas.setAttribute('aria-describedby', 'two-help');
  }
}

// A run as RunTracks wants it.
class Run {
  constructor(when, profile) {
    Object.assign(this, {
      when,
      profile,
      core: profile.core(profile.head.busiest),
      pinned: -1,
      focus: null,
      region: null,
      showsPath: false,
      markers: {draw: () => {}}
    });
    this.tracks = new RunTracks(this);
  }
  shades() { return this.core.kindOf; }
  // The instructions of a line stand out, and of the lines that call it; null: all.
  chooseLine(source) {
    const has = place => `${place.file}:${place.line}` === source;
    this.focus = source === null ? null : Uint8Array.from(this.core.binary, instruction => {
      return [this.core.placeOf(instruction), ...this.core.callersOf(instruction)].some(has);
    });
  }
  lineOf(event) {
    const {file, line} = this.core.placeOf(this.core.instructionOf(event));
    return file ? `${file}:${line}` : null;
  }
}

class TwoTimelines {
  // `runs` are those whose events are there.
  constructor(runs) {
    Object.assign(this, {runs, from: 0, to: 1, sameScale: true, line: null, path: false});
    this.scaleButton = button('same scale', () => this.setScale(!this.sameScale), {'aria-pressed': 'true'});
    this.pathButton = button('critical path', () => this.showPath(!this.path), {'aria-pressed': 'false'});
    this.chosen = element('output', {className: 'note'});
    const used = kindNames.filter(
        (_, kind) => runs.some(({core}) => core.whole().kinds.some(times => times[kind] > 0)));
    this.root = element(
        'div', {},
        element('div', {className: 'tools'}, button('+', () => this.zoom(0.5), {'aria-label': 'Zoom in'}),
                button('\u2212', () => this.zoom(2), {'aria-label': 'Zoom out'}),
                button('fit', () => this.setSpan(0, 1)), this.scaleButton, this.pathButton, kindLegend(used),
                waitLegend()),
        element('p', {
          id: 'two-help',
          className: 'note',
          textContent: 'Drag: move. Ctrl and wheel: zoom. Click an instruction: its line stands out in both.'
        }),
        ...runs.flatMap(run => [element('h3', {textContent: run.when}), run.tracks.box]), this.chosen);
    for (const run of runs) this.listen(run);
  }

  // A stretch of both: of the longer makespan, or of the makespan of each.
  setSpan(from, to) {
    const length = Math.min(1, Math.max(100 / this.longest(), to - from));
    this.from = Math.max(0, Math.min(from, 1 - length));
    this.to = this.from + length;
    this.redraw();
  }
  zoom(factor, at = (this.from + this.to) / 2) {
    this.setSpan(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }
  move(share) { this.setSpan(this.from + share, this.to + share); }
  longest() { return Math.max(...this.runs.map(run => run.core.makespan)); }
  setScale(same) {
    this.sameScale = same;
    this.scaleButton.setAttribute('aria-pressed', String(same));
    this.redraw();
  }
  showPath(shown) {
    this.path = shown;
    this.pathButton.setAttribute('aria-pressed', String(shown));
    this.redraw();
  }
  chooseLine(source) {
    this.line = source === this.line ? null : source;
    for (const run of this.runs) run.chooseLine(this.line);
    this.chosen.textContent = this.line ? `${this.line}: its instructions stand out. Escape: all.` : '';
    this.redraw();
  }
  redraw() {
    this.waiting ||= requestAnimationFrame(() => {
      this.waiting = 0;
      this.draw();
    });
  }
  draw() {
    for (const run of this.runs) {
      const whole = this.sameScale ? this.longest() : run.core.makespan;
      Object.assign(run, {from: this.from * whole, to: this.to * whole, showsPath: this.path});
      run.tracks.draw();
    }
  }

  // Of a place on a canvas, the share that setSpan takes.
  shareAt(run, x) {
    return this.from + (this.to - this.from) * (Math.max(gutter, x) - gutter) / (run.tracks.width - gutter);
  }
  listen(run) {
    const {canvas} = run.tracks;
    let grabbed = null;
    listenToWheel(canvas, (factor, x) => this.zoom(factor, this.shareAt(run, x)),
                  pixels => this.move((this.to - this.from) * pixels / run.tracks.width));
    canvas.addEventListener('pointerdown', event => {
      if (event.button !== 0) return;
      grabbed = {x: event.offsetX, from: this.from, to: this.to, moved: false};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', event => {
      if (!grabbed) return this.hover(run, event);
      grabbed.moved ||= Math.abs(event.offsetX - grabbed.x) > 3;
      const share = (grabbed.to - grabbed.from) * (event.offsetX - grabbed.x) / (run.tracks.width - gutter);
      if (grabbed.moved) this.setSpan(grabbed.from - share, grabbed.to - share);
    });
    canvas.addEventListener('pointerup', event => {
      const found = grabbed && !grabbed.moved ? run.tracks.at(event.offsetX, event.offsetY) : null;
      grabbed = null;
      if (found) this.chooseLine(found.event >= 0 ? run.lineOf(found.event) : null);
    });
    canvas.addEventListener('pointercancel', () => { grabbed = null; });
    canvas.addEventListener('pointerleave', () => showTip(''));
  }
  hover(run, event) {
    const found = run.tracks.at(event.offsetX, event.offsetY);
    run.tracks.canvas.style.cursor = found.event >= 0 ? 'pointer' : 'grab';
    showTip(hoverText(run, found), event.clientX, event.clientY);
  }
  // What a key does; nothing for others.
  act(key) {
    const tenth = (this.to - this.from) / 10;
    return {
      w: () => this.zoom(0.6),
      s: () => this.zoom(1 / 0.6),
      a: () => this.move(-tenth),
      d: () => this.move(tenth),
      f: () => this.setSpan(0, 1),
      c: () => this.showPath(!this.path),
      Escape: () => this.chooseLine(null)
    }[key];
  }
}

// The view of the timeline: tracks, what is pinned or selected, and the source.
'use strict';

class TimelineView {
  constructor(page) {
    this.page = page;
    this.tracks = new TrackView(page, new Lanes(page));
    this.source = new SourceView(page);
    this.details = element('section', {className: 'pane details', 'aria-label': 'Details', tabIndex: 0});
    this.listen();
  }
  title() { return 'Timeline'; }
  draw(root) {
    const {page} = this, tool = (text, key, what, act, pressed) => button(text, act, {
                           title: `${what} (${key})`,
                           'aria-keyshortcuts': key,
                           'aria-pressed': pressed === undefined ? undefined : String(pressed)
                         });
    this.top = element('div', {className: 'timeline'});
    this.navigator = new Navigator(page, this.top, span => page.setSpan(...span));
    this.top.append(this.tracks.box);
    this.toggles = {
      showsPath:
          tool('critical path', 'c', 'The chain that sets the makespan', () => page.togglePath(), false),
      showsUse: tool('use', 'u', 'How much of each engine and memory is used over time',
                     () => page.toggleUse(), false),
      byScope:
          tool('by scope', 'o', 'Colours by scope, or by kind of work', () => page.toggleScopes(), false),
      showsSource:
          tool('source', 'b', 'The source beside the timeline, or not', () => page.toggleSource(), true),
    };
    this.rowsButton =
        tool('', 'g', 'Rows for tensors, for scopes and loops, for calls, none', () => page.nextGrouping());
    const {showsPath, showsUse, byScope, showsSource} = this.toggles;
    this.split = element('div', {className: 'split'});
    this.panes = element('div', {className: 'panes'});
    const divider = new Splitter(this.split, 'timeline', 'Width of the timeline',
                                 {upright: true, start: 58, limits: [30, 80]}),
          across =
              new Splitter(this.panes, 'details', 'Height of the details', {start: 42, limits: [15, 80]});
    this.panes.append(this.details, across.root, this.source.root);
    this.split.append(this.top, divider.root, this.panes);
    root.replaceChildren(
        element(
            'div', {className: 'tools'},
            button('+', () => page.zoom(0.5), {'aria-label': 'Zoom in', title: 'Zoom in (w)'}),
            button('\u2212', () => page.zoom(2), {'aria-label': 'Zoom out', title: 'Zoom out (s)'}),
            tool('fit', 'f', 'The whole run', () => page.fit()), showsPath, showsUse, this.rowsButton,
            tool('marker', 'm', 'A marker at what is pinned or selected, or in the middle',
                 () => page.markers.set()),
            byScope, showsSource,
            tool('only this', 'v', 'Only the view, or the bars above it, too', () => page.toggleBare()),
            this.colours(), waitLegend(), element('span', {
              id: 'timeline-help',
              className: 'note',
              textContent:
                  'Drag: move. Shift and drag: select a time. Ctrl and drag: select a box. Ctrl and wheel: zoom. Click: pin.'
            })),
        this.split);
    this.widths?.disconnect();
    this.widths = new ResizeObserver(() => this.top.clientWidth !== this.width && this.redraw());
    this.widths.observe(this.top);
    this.arrange();
    this.drawDetails();
    this.source.draw();
  }
  // Side by side, as high as what is left of the screen, or one below the other.
  arrange() {
    this.split.classList.toggle('alone', !this.page.showsSource);
    this.press();
    this.redraw();
  }
  press() {
    for (const [state, toggle] of Object.entries(this.toggles))
      toggle.setAttribute('aria-pressed', String(this.page[state]));
    this.rowsButton.textContent = `rows: ${this.page.grouping || 'engines'}`;
    this.rowsButton.setAttribute('aria-pressed', String(this.page.grouping !== ''));
  }
  // What a colour on the tracks means.
  colours() {
    const {core, byScope} = this.page;
    return byScope ? legend('Scopes', core.scopeShades().names.map(
                                          (name, i) => [name || '(none)', '', kindColour(kindNames[i])]))
                   : kindLegend(kindNames.filter(name => this.uses(name)));
  }
  uses(name) {
    const {core} = this.page, number = kindNames.indexOf(name);
    return core.whole().kinds.some(of => of[number] > 0);
  }
  // The stretch that is shown has changed.
  moved() {
    if (!this.top?.isConnected) return;
    this.navigator.move();
    this.redrawTracks();
    if (!this.page.region && this.page.pinned < 0) {
      clearTimeout(this.later);
      this.later = setTimeout(() => this.drawDetails(), 120);
    }
  }
  // All that is on canvases, at the width of the moment.
  redraw() {
    this.split.style.setProperty('--above', this.split.getBoundingClientRect().top + scrollY + 'px');
    this.width = this.top.clientWidth;
    this.navigator.draw();
    this.tracks.draw();
  }
  redrawTracks() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      if (this.top?.isConnected) this.tracks.draw();
    });
  }
  // What is pinned, selected or in focus has changed. While the reader still
  // selects, only the tracks follow at once.
  chosen({region, moving} = {}) {
    if (!this.top?.isConnected) return;
    this.press();
    this.redrawTracks();
    clearTimeout(this.later);
    if (moving) {
      this.later = setTimeout(() => this.drawDetails(), 120);
      return;
    }
    this.drawDetails();
    if (region)
      this.source.draw();
    else
      this.source.mark();
  }
  drawDetails() {
    const {page} = this;
    this.details.replaceChildren(
        ...(page.pinned >= 0 ? eventDetails(page, page.pinned) : summaryDetails(page)).filter(Boolean),
        ...page.markers.section());
  }

  listen() {
    const {page, tracks} = this, {canvas} = tracks;
    let grabbed = null;
    listenToWheel(canvas, (factor, x) => page.zoom(factor, tracks.timeAt(Math.max(gutter, x))),
                  pixels => page.move(pixels / tracks.scale()));
    canvas.addEventListener('pointerdown', event => {
      if (event.button !== 0) return;
      const boxes = event.ctrlKey || event.metaKey;
      grabbed = {
        x: event.offsetX,
        y: event.offsetY,
        from: page.from,
        to: page.to,
        boxes,
        selects: boxes || event.shiftKey,
        moved: false
      };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', event => {
      if (!grabbed) return this.hover(event);
      grabbed.moved ||= Math.abs(event.offsetX - grabbed.x) > 3;
      if (!grabbed.moved) return;
      if (grabbed.selects) {
        grabbed.region =
            [grabbed.x, event.offsetX].map(x => tracks.timeAt(Math.max(gutter, x))).sort((a, b) => a - b);
        grabbed.box = grabbed.boxes ? tracks.between(grabbed.y, event.offsetY) : null;
        page.select(grabbed.region, {moving: true, box: grabbed.box});
      } else
        page.setSpan(grabbed.from - (event.offsetX - grabbed.x) / tracks.scale(),
                     grabbed.to - (event.offsetX - grabbed.x) / tracks.scale());
    });
    canvas.addEventListener('pointerup', event => {
      const click = grabbed && !grabbed.moved;
      if (grabbed?.region) page.select(grabbed.region, {box: grabbed.box});
      grabbed = null;
      if (!click) return;
      const found = tracks.at(event.offsetX, event.offsetY);
      found.act ? found.act() : page.pin(found.event);
    });
    canvas.addEventListener('pointercancel', () => { grabbed = null; });
    canvas.addEventListener('pointerleave', () => {
      this.pointed = null;
      page.hover('');
    });
  }
  hover(event) {
    const found = this.tracks.at(event.offsetX, event.offsetY);
    this.pointed = this.timeUnder(event, found);
    this.tracks.canvas.style.cursor = found.event >= 0 || found.act ? 'pointer' : 'grab';
    this.page.hover(hoverText(this.page, found), event.clientX, event.clientY);
  }
  // Where a marker would be: at the edge of an event, if one is near.
  timeUnder({offsetX}, {row}) {
    const {tracks, page} = this, time = tracks.timeAt(Math.max(gutter, offsetX));
    return row?.number >= 0 ? snappedTime(page.core, row.number, time, 6 / tracks.scale()) : time;
  }
}

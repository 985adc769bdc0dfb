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
    const {page} = this;
    this.top = element('div', {className: 'timeline'});
    this.navigator = new Navigator(page, this.top, span => page.setSpan(...span));
    this.pathButton =
        button('critical path', () => page.togglePath(), {'aria-pressed': String(page.showsPath)});
    this.useButton = button('use', () => page.toggleUse(), {'aria-pressed': String(page.showsUse)});
    this.top.append(
        element('div', {className: 'tools'}, button('+', () => page.zoom(0.5), {'aria-label': 'Zoom in'}),
                button('\u2212', () => page.zoom(2), {'aria-label': 'Zoom out'}),
                button('fit', () => page.fit()), this.pathButton, this.useButton,
                button('rows', () => page.nextGrouping()), button('marker', () => page.markers.set()),
                button('by scope', () => page.toggleScopes(), {'aria-pressed': String(page.byScope)}),
                this.colours(), waitLegend(), element('span', {
                  id: 'timeline-help',
                  className: 'note',
                  textContent: 'Drag: move. Shift and drag: select. Ctrl and wheel: zoom. Click: pin.'
                })),
        this.tracks.box);
    root.replaceChildren(this.top, element('div', {className: 'panes'}, this.details, this.source.root));
    this.navigator.draw();
    this.tracks.draw();
    this.drawDetails();
    this.source.draw();
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
    this.redraw();
    if (!this.page.region && this.page.pinned < 0) {
      clearTimeout(this.later);
      this.later = setTimeout(() => this.drawDetails(), 120);
    }
  }
  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      if (this.top?.isConnected) this.tracks.draw();
    });
  }
  // What is pinned, selected or in focus has changed.
  chosen({region} = {}) {
    if (!this.top?.isConnected) return;
    this.pathButton.setAttribute('aria-pressed', String(this.page.showsPath));
    this.useButton.setAttribute('aria-pressed', String(this.page.showsUse));
    this.redraw();
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
      grabbed = {x: event.offsetX, from: page.from, to: page.to, selects: event.shiftKey, moved: false};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', event => {
      if (!grabbed) return this.hover(event);
      grabbed.moved ||= Math.abs(event.offsetX - grabbed.x) > 3;
      if (!grabbed.moved) return;
      if (grabbed.selects)
        page.select(
            [grabbed.x, event.offsetX].map(x => tracks.timeAt(Math.max(gutter, x))).sort((a, b) => a - b));
      else
        page.setSpan(grabbed.from - (event.offsetX - grabbed.x) / tracks.scale(),
                     grabbed.to - (event.offsetX - grabbed.x) / tracks.scale());
    });
    canvas.addEventListener('pointerup', event => {
      const click = grabbed && !grabbed.moved;
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

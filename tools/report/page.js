// The page: its state, its views, search and keys.
'use strict';

class Page {
  constructor(profile) {
    this.profile = profile;
    this.chosen = profile.head.busiest;
    this.core = profile.core(this.chosen);
    Object.assign(this, {
      from: 0,
      to: this.core.makespan,
      pinned: -1,
      region: null,
      box: null, // Of what is selected, the tracks; null: all.
      line: null,
      focus: null,
      showsPath: false,
      showsUse: false,
      grouping: '',
      byScope: false,
      showsSource: remembered('source') !== 'hidden',
      hits: [],
      hit: -1
    });
    this.markers = new Markers(this);
    this.views = {
      overview: new Overview(this),
      timeline: new TimelineView(this),
      hierarchy: new HierarchyView(this),
      memory: new MemoryView(this),
      tensors: new TensorsView(this),
      roofline: new RooflineView(this),
      collectives: new CollectivesView(this),
      insights: new InsightsView(this),
      compiler: new CompilerView(this),
    };
    this.drawHead();
    const theme = remembered('theme');
    this.setTheme(['light', 'dark'].includes(theme) ? theme : 'auto');
    this.listen();
    followAddress(this, location.hash);
  }
  // What happened in a stretch of this core, found once for all panes; of what
  // is selected, on its tracks.
  sumOf(span) {
    const {core, summed} = this, [from, to] = span, box = span === this.region ? this.box : null;
    if (summed?.core === core && summed.box === box && summed.sum.from === from && summed.sum.to === to)
      return summed.sum;
    return (this.summed = {core, box, sum: core.summary(from, to, box)}).sum;
  }
  insights() { return this.profile.head.insights; }

  drawHead() {
    const {head} = this.profile;
    byId('kernel').textContent = head.kernel;
    byId('target').textContent = 'on ' + head.target;
    byId('parameters')
        .replaceChildren(...head.parameters.map(
            ([name, value]) => element('li', {}, name + '=', element('b', {textContent: value}))));
    byId('command').textContent = head.command;
    byId('version').textContent = head.kiln_version ? 'kiln ' + head.kiln_version : '';
    byId('tabs').replaceChildren(
        ...Object.entries(this.views)
            .map(([name, view], i) =>
                     element('button', {
                       type: 'button',
                       role: 'tab',
                       id: 'tab-' + name,
                       'aria-controls': 'views',
                       'aria-keyshortcuts': String(i + 1),
                       onclick: () => this.show(name),
                     },
                             view.title(), element('kbd', {'aria-hidden': 'true', textContent: i + 1}))));
    byId('views').setAttribute('role', 'tabpanel');
    if (head.names.length > 1) {
      byId('cores').hidden = false;
      byId('core').replaceChildren(
          ...head.names.map(([name], number) => new Option(name, number, false, number === this.chosen)));
    }
  }

  show(name) {
    this.view = name;
    for (const tab of byId('tabs').children) {
      tab.setAttribute('aria-selected', String(tab.id === 'tab-' + name));
      tab.tabIndex = tab.id === 'tab-' + name ? 0 : -1;
    }
    byId('views').setAttribute('aria-labelledby', 'tab-' + name);
    byId('views').dataset.view = name;
    this.hover('');
    this.views[name].draw(byId('views'));
    this.keepAddress();
  }
  chooseCore(number) {
    this.chosen = number;
    this.core = this.profile.core(number);
    Object.assign(this, {pinned: -1, region: null, box: null, line: null, focus: null, hits: [], hit: -1});
    byId('core').value = number;
    this.show(this.view);
  }

  // The stretch of time that is shown: at least 100 ps of the run.
  setSpan(from, to) {
    const whole = this.core.makespan, length = Math.min(whole, Math.max(100, to - from));
    this.from = Math.max(0, Math.min(from, whole - length));
    this.to = this.from + length;
    this.views.timeline.moved();
    this.keepAddress();
  }
  zoom(factor, at = (this.from + this.to) / 2) {
    this.setSpan(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }
  // What stays where it is while keys zoom.
  anchor() {
    const {core, from, to, pinned} = this,
                           at = this.views.timeline.pointed ?? (pinned >= 0 ? core.start[pinned] : -1);
    return at >= from && at <= to ? at : (from + to) / 2;
  }
  move(time) { this.setSpan(this.from + time, this.to + time); }
  fit() { this.setSpan(0, this.core.makespan); }
  // An event fills a good part of the timeline, or all of what is selected, or of what stands out, does.
  zoomToChosen() {
    const {core, pinned, region, focus} = this;
    if (pinned >= 0) {
      const length = Math.max(2000, core.length[pinned]);
      return this.setSpan(core.start[pinned] - 2 * length, core.end(pinned) + 2 * length);
    }
    if (region) return this.setSpan(...region);
    const events = focus ? core.eventsOf(focus) : [];
    if (events.length === 0) return;
    const from = core.start[events[0]],
          to = events.reduce((last, event) => Math.max(last, core.end(event)), from);
    this.setSpan(from - (to - from) / 50, to + (to - from) / 50);
  }

  pin(event, seen = false) {
    this.pinned = event;
    if (event >= 0) {
      // A line stands out until something of another one is pinned.
      if (this.isLineFocus && !this.focus?.[this.core.instruction[event]]) this.setFocus(null);
      this.line = null;
      const {start} = this.core, length = this.to - this.from;
      if (seen && (start[event] < this.from || this.core.end(event) > this.to))
        this.setSpan(start[event] - length / 2, start[event] + length / 2);
      this.say(`${this.core.nameOf(this.core.instructionOf(event))}, ${timeText(start[event])}`);
    }
    this.views.timeline.chosen();
    this.keepAddress();
  }
  // A stretch of time, on some tracks or on all.
  select(region, {moving = false, box = null} = {}) {
    Object.assign(this, {region, box: region && box?.length > 0 ? box : null});
    if (region) this.pinned = -1;
    this.views.timeline.chosen({region: true, moving});
  }
  togglePath() {
    this.showsPath = !this.showsPath;
    this.views.timeline.chosen();
  }
  toggleUse() {
    this.showsUse = !this.showsUse;
    this.views.timeline.chosen();
  }
  // What is in view, on the track of what is pinned or on all of them.
  selectView(onTrack) {
    const {core, from, to, pinned} = this;
    this.select([from, to], {box: onTrack && pinned >= 0 ? [core.trackOf[pinned]] : null});
  }
  // Rows by tensor, by scope, by call, none; those that have no row are left out.
  nextGrouping() {
    do this.grouping = groupings[(groupings.indexOf(this.grouping) + 1) % groupings.length];
    while (this.grouping !== '' && groupRows(this.core, this.grouping).length === 0);
    this.say(this.grouping ? `A row for each of the ${this.grouping}` : '');
    this.views.timeline.chosen();
  }
  toggleSource(shown = !this.showsSource) {
    this.showsSource = shown;
    remember('source', shown ? 'shown' : 'hidden');
    if (this.view === 'timeline') this.views.timeline.arrange();
  }
  toggleScopes() {
    this.byScope = !this.byScope;
    this.show('timeline');
  }
  // By instruction, the colour on the timeline: a number of kindNames.
  shades() { return this.byScope ? this.core.scopeShades().of : this.core.kindOf; }
  // Only these instructions stand out; null: all.
  setFocus(numbers) {
    this.focus = null;
    this.isLineFocus = false;
    if (numbers) {
      this.focus = new Uint8Array(this.core.binary.length);
      for (const number of numbers) this.focus[number] = 1;
    }
  }
  focusLine(file, line) {
    const again = this.line?.file === file && this.line?.line === line;
    this.line = again ? null : {file, line};
    this.pinned = -1;
    this.setFocus(again ? null : [...this.core.binary.keys()].filter(i => {
      const instruction = this.core.binary[i];
      return [this.core.placeOf(instruction), ...this.core.callersOf(instruction)].some(
          place => place.file === file && place.line === line);
    }));
    this.isLineFocus = !again;
    if (!again) this.bringIntoView();
    this.views.timeline.chosen();
    this.say(again ? 'all lines' : `line ${line}: its instructions stand out`);
  }
  // Where nothing of what stands out is in view, moves to what is nearest.
  bringIntoView() {
    const {core, from, to} = this, events = core.eventsOf(this.focus), length = to - from;
    if (events.length === 0 || events.some(event => core.start[event] < to && core.end(event) > from)) return;
    const next = events[firstWhere(0, events.length - 1, i => core.start[events[i]] >= from)];
    this.setSpan(core.start[next] - length / 10, core.start[next] + 0.9 * length);
  }
  showLine(file, line) {
    this.line = null;
    if (!this.showsSource) this.toggleSource();
    if (this.view !== 'timeline') this.show('timeline');
    this.focusLine(file, line);
  }
  focusInstructions(numbers, name) {
    this.setFocus(numbers);
    this.pinned = -1;
    this.line = null;
    this.bringIntoView();
    this.say(`${name}: its instructions stand out`);
    this.show('timeline');
  }
  // The run of an instruction at `time`, or its first one, pinned and seen.
  showInstruction(number, time = 0) {
    const {core} = this, matches = new Uint8Array(core.binary.length);
    matches[number] = 1;
    const events = core.eventsOf(matches);
    if (events.length === 0) return;
    const event =
        events[Math.min(events.length - 1, firstWhere(0, events.length, i => core.end(events[i]) > time))];
    if (this.view !== 'timeline') this.show('timeline');
    this.pin(event, true);
  }
  // One is pinned; several stand out.
  showInstructions(numbers, name) {
    numbers.length === 1 ? this.showInstruction(numbers[0]) : this.focusInstructions(numbers, name);
  }
  showPlace(place) {
    const number = this.core.binary.findIndex(instruction => instruction.engine === place.engine &&
                                                             instruction.index === place.index);
    if (number >= 0) this.showInstruction(number);
  }
  showInsight(i) {
    this.show('insights');
    const entry = byId(`insight-${i}`);
    entry?.scrollIntoView();
    entry?.focus();
  }

  search(query) {
    byId('query').value = this.query = query;
    const matches = this.core.matching(query);
    this.hits = query.trim() ? this.core.eventsOf(matches) : [];
    this.hit = -1;
    this.focus = query.trim() ? matches : null;
    this.isLineFocus = false;
    byId('hits').textContent = query.trim() ? plural(this.hits.length, 'hit') : '';
    byId('next').disabled = byId('previous').disabled = this.hits.length === 0;
    if (query.trim() && this.view !== 'timeline')
      this.show('timeline');
    else
      this.views.timeline.chosen();
  }
  step(direction) {
    if (this.hits.length === 0) return;
    this.hit = this.hit < 0 ? (direction > 0 ? 0 : this.hits.length - 1)
                            : (this.hit + direction + this.hits.length) % this.hits.length;
    byId('hits').textContent =
        `${(this.hit + 1).toLocaleString('en')} of ${this.hits.length.toLocaleString('en')}`;
    this.pin(this.hits[this.hit], true);
  }
  // The event before or behind the pinned one on its track; at first, one in view.
  neighbour(direction) {
    const {core, pinned} = this;
    if (pinned < 0) return this.pin(core.firstWithin(this.from, this.to), true);
    const track = core.trackOf[pinned], other = pinned + direction;
    if (other >= core.firstOfTrack[track] && other < core.firstOfTrack[track + 1]) this.pin(other, true);
  }
  // On the next track up or down that has events, the one at the same time.
  across(direction) {
    const {core, pinned} = this;
    if (pinned < 0) return this.neighbour(1);
    let track = core.trackOf[pinned] + direction;
    while (core.firstOfTrack[track] === core.firstOfTrack[track + 1]) track += direction;
    if (track in core.tracks) this.pin(core.nearestOf(track, core.start[pinned]), true);
  }
  // To what it waited for longest, or to who waits for it first.
  follow(events, better) {
    if (events.length > 0)
      this.pin([...events].reduce((best, event) => better(event, best) ? event : best), true);
  }

  hover(text, x, y) { showTip(text, x, y); }
  say(text) { byId('status').textContent = text; }

  keepAddress() {
    clearTimeout(this.addressLater);
    this.addressLater = setTimeout(() => history.replaceState(null, '', addressOf(this)), 200);
  }

  setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    const names = {auto: 'as the system has them', light: 'light', dark: 'dark'};
    byId('theme').textContent = theme;
    byId('theme').setAttribute('aria-label', 'Colours: ' + names[theme]);
    this.redrawCanvases();
  }
  nextTheme() {
    const theme = {light: 'dark', dark: 'auto'}[document.documentElement.dataset.theme] ?? 'light';
    remember('theme', theme);
    this.setTheme(theme);
  }
  // The theme or the width has changed: what styles do not draw.
  redrawCanvases() {
    forgetColours();
    this.views[this.view]?.redraw?.();
  }
  // Nothing on the screen but the view.
  toggleBare(bare = !this.bare) {
    this.bare = bare;
    document.documentElement.classList.toggle('bare', bare);
    byId('leave').hidden = !bare;
    this.say(bare ? 'Only the view; v or Escape shows the rest' : '');
    this.redrawCanvases();
  }
  clear() {
    if (this.bare) this.toggleBare(false);
    Object.assign(this, {pinned: -1, region: null, line: null});
    this.search('');
    this.select(null);
  }
  listen() {
    const acts = new Map(keysOf(this).flatMap(([keys, act]) => keys.split(' ').map(key => [key, act])));
    addEventListener('keydown', event => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
      if (event.target.matches?.('input, select') && event.key !== 'Escape') return;
      const isMove = event.key.startsWith('Arrow');
      if (isMove && event.target.getAttribute?.('role') === 'tab') return this.nextTab(event);
      if (isMove && !event.target.matches?.('canvas.tracks')) return;
      const act = acts.get(event.key);
      if (!act) return;
      event.preventDefault();
      act(event.key);
      if (event.key === 'Escape') event.target.blur?.();
    });
    byId('search').addEventListener('submit', event => {
      event.preventDefault();
      this.step(1);
    });
    byId('query').addEventListener('input', () => {
      clearTimeout(this.searchLater);
      this.searchLater = setTimeout(() => this.search(byId('query').value), 150);
    });
    byId('query').addEventListener('keydown', event => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      clearTimeout(this.searchLater);
      if (byId('query').value !== this.query) this.search(byId('query').value);
      this.step(event.shiftKey ? -1 : 1);
    });
    byId('previous').addEventListener('click', () => this.step(-1));
    byId('core').addEventListener('change', () => this.chooseCore(Number(byId('core').value)));
    byId('theme').addEventListener('click', () => acts.get('t')());
    byId('leave').addEventListener('click', () => this.toggleBare(false));
    byId('help').addEventListener('click', () => showKeys(this));
    addEventListener('hashchange', () => followAddress(this, location.hash));
    addEventListener('resize', () => {
      clearTimeout(this.resizeLater);
      this.resizeLater = setTimeout(() => this.redrawCanvases(), 50);
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.redrawCanvases());
  }
  nextTab(event) {
    const tabs = [...byId('tabs').children], at = tabs.indexOf(event.target);
    const next = tabs[(at + (event.key === 'ArrowRight' || event.key === 'ArrowDown' ? 1 : tabs.length - 1)) %
                      tabs.length];
    event.preventDefault();
    next.click();
    next.focus();
  }
}

const page = new Page(new Profile(JSON.parse(byId('head').textContent), byId('columns').textContent));

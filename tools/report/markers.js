// Times that the reader has named, and what lies between them.
'use strict';

// 'A' to 'Z', then 'A2' and on: the first that no marker has.
function freeName(markers) {
  const taken = new Set(markers.map(({name}) => name));
  for (let number = 1;; ++number)
    for (let letter = 0; letter < 26; ++letter) {
      const name = String.fromCharCode(65 + letter) + (number > 1 ? number : '');
      if (!taken.has(name)) return name;
    }
}

// In an address: "TIME NAME".
const markerText = ({time, name}) => `${Math.round(time)} ${name}`;
function markersOf(texts, makespan) {
  return texts.map(text => /^(\d+) (.*)$/s.exec(text))
      .filter(found => found && Number(found[1]) <= makespan)
      .map(([, time, name]) => ({time: Number(time), name}))
      .sort((a, b) => a.time - b.time);
}

// The start or end of an event of a track that is nearest to `time`, if one is
// within `reach`.
function snappedTime(core, track, time, reach) {
  let best = time, least = reach;
  for (let event = core.firstAfter(track, time - reach), last = core.firstOfTrack[track + 1];
       event < last && core.start[event] <= time + reach; ++event)
    for (const edge of [core.start[event], core.end(event)])
      if (Math.abs(edge - time) <= least) {
        least = Math.abs(edge - time);
        best = edge;
      }
  return best;
}

class Markers {
  constructor(page) {
    this.page = page;
    this.list = [];
  }
  // At what is pinned, at both ends of what is selected, under the pointer, or
  // in the middle of what is in view.
  set() {
    const {page} = this, {core, pinned, region} = page;
    const times = pinned >= 0 ? [core.start[pinned]]
                              : region ?? [page.views.timeline.pointed ?? (page.from + page.to) / 2];
    for (const time of times) this.list.push({time: Math.round(time), name: freeName(this.list)});
    this.list.sort((a, b) => a.time - b.time);
    this.changed();
    page.say(`${plural(times.length, 'marker')} set`);
  }
  remove(marker) {
    this.list = this.list.filter(other => other !== marker);
    this.changed();
  }
  changed() {
    if (this.page.view === 'timeline')
      this.page.views.timeline.chosen();
    else
      this.page.show('timeline');
    this.page.keepAddress();
  }
  // With names that can be changed, and what lies between two.
  section() {
    if (this.list.length === 0) return [];
    const {page} = this;
    return [
      element('h3', {textContent: 'Markers'}),
      element('ul', {className: 'plain markers'},
              ...this.list.map((marker, i) => this.row(page, marker, this.list[i - 1]))),
      ...(this.list.length > 1 ? [this.stretches()] : [])
    ];
  }
  // The stretches between the first markers, side by side.
  stretches(most = 4) {
    const {core} = this.page, {report} = core,
          queues = [...core.tracks.keys()].filter(track => core.tracks[track].isQueue);
    const sides = this.list.slice(1, most + 1).flatMap(({time: to, name}, i) => {
      const {time: from, name: before} = this.list[i];
      return to > from ? [{name: `${before} to ${name}`, from, to, sum: this.sumOf(core, from, to)}] : [];
    });
    const share = part => side => shareText(part(side), side.to - side.from);
    const rows = [
      ['time', ({from, to}) => timeText(to - from)],
      ...core.tracks.filter(({engine}) => engine >= 0)
          .map(({name,
                 engine}) => [name, share(({from, to, sum}) => Math.max(0, to - from - sum.waited[engine]))]),
      ['queues', share(({from, to}) => timeOfAny(core, queues, from, to))],
      ['moved', ({sum}) => bytesText(sum.bytes)],
      ['critical path', share(({sum}) => sum.critical.reduce((all, time) => all + time, 0))],
    ];
    if (report.hardware_flops > 0)
      rows.push([
        'HFU', ({from, to}) =>
                   shareText(useOfTensor(core, 'hardware_flops', from, to, 1)[0], report.peak_flops_per_ns)
      ]);
    return table(
        'Stretches between markers',
        [['', ([title]) => title], ...sides.map(side => [side.name, ([, text]) => text(side), true])], rows);
  }
  // Kept: a stretch of a long run takes a while to add up.
  sumOf(core, from, to) {
    if (this.summed?.core !== core) this.summed = {core, of: new Map()};
    const {of} = this.summed, key = `${from} ${to}`;
    if (!of.has(key)) of.set(key, core.summary(from, to));
    return of.get(key);
  }
  row(page, marker, before) {
    const name = element('input', {
      value: marker.name,
      'aria-label': `Name of the marker at ${timeText(marker.time)}`,
      oninput: () => {
        marker.name = name.value;
        page.views.timeline.redrawTracks();
        page.keepAddress();
      }
    });
    const length = (page.to - page.from) / 2;
    return element('li', {}, name,
                   button(timeText(marker.time),
                          () => page.setSpan(marker.time - length, marker.time + length),
                          {className: 'link'}),
                   before ? button(`${timeText(marker.time - before.time)} from ${before.name}`,
                                   () => page.select([before.time, marker.time]), {className: 'link'})
                          : element('span'),
                   button('\u00d7', () => this.remove(marker),
                          {className: 'close', 'aria-label': `Remove ${marker.name}`}));
  }
  draw(view, ruler) {
    const {pen} = view;
    pen.fillStyle = styled('--accent');
    ruler.font = fontOf('600 10.5px');
    for (const {time, name} of this.list) {
      const x = Math.round(view.xOf(time));
      if (x < gutter || x > view.width) continue;
      pen.fillRect(x, 0, 1, view.height);
      ruler.fillStyle = styled('--accent');
      ruler.fillRect(x, 0, 1, rulerHeight);
      ruler.fillRect(x, 0, ruler.measureText(name).width + 8, 13);
      ruler.fillStyle = styled('--back');
      ruler.fillText(name, x + 4, 7);
    }
  }
}

// Where cores meet: how each collective was done and what its time went to.
'use strict';

// The parts of a collective's time, in their order.
const meetingParts = [
  ['peer_wait_ns', 'waits for the last member', 'wait producer', ''],
  ['launch_ns', 'launch', '', 'var(--kind-control)'],
  ['links_ns', 'bytes on links', '', 'var(--kind-collective)'],
  ['hops_ns', 'hops', '', 'var(--kind-reduction)'],
  ['move_ns', 'own DMA engines', '', 'var(--kind-dma-local)'],
];

// The time of a collective once all have come, and by collective what that is of
// the median of those that do the same.
const ownTime = one => one.end_ns - one.came_ns - one.peer_wait_ns;
function sharesOfMedian(collectives) {
  const groups = new Map();
  for (const one of collectives) {
    const key = `${one.op} ${one.algorithm} ${one.members} ${one.bytes}`;
    (groups.get(key) ?? groups.set(key, []).get(key)).push(one);
  }
  const shares = new Map();
  for (const group of groups.values()) {
    const times = group.map(ownTime).sort((a, b) => a - b), middle = times.length >> 1,
          median = times.length % 2 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
    for (const one of group) shares.set(one, median > 0 ? ownTime(one) / median : 1);
  }
  return shares;
}

class CollectivesView {
  constructor(page) { this.page = page; }
  title() { return 'Collectives'; }
  draw(root) {
    const {core} = this.page, {collectives} = core.report;
    if (collectives.length === 0)
      return root.replaceChildren(
          section('Collectives', absent(core.report.instruction_counts.core_barrier > 0
                                            ? 'This core meets others at barriers only.'
                                            : 'This core meets no other one.')));
    root.replaceChildren(section('What the time of collectives went to', this.sums(collectives)),
                         section('Each collective', this.table(collectives)),
                         section('The busiest links', this.links(collectives)),
                         section('Size against time', this.chart(collectives)));
  }
  // One bar for each kind: instruction, algorithm and members.
  sums(collectives) {
    const groups = new Map();
    for (const one of collectives) {
      const name = `${one.op}, ${one.algorithm}, ${plural(one.members, 'member')}`;
      const sum = groups.get(name) ?? groups.set(name, {name, count: 0, bytes: 0, time: 0}).get(name);
      ++sum.count;
      sum.bytes += one.bytes;
      sum.time += one.end_ns - one.came_ns;
      for (const [key] of meetingParts) sum[key] = (sum[key] ?? 0) + one[key];
    }
    const most = Math.max(...[...groups.values()].map(sum => sum.time));
    return element('div', {},
                   ...[...groups.values()].map(
                       sum => element('div', {className: 'engine meeting'},
                                      element('span', {textContent: `${sum.count} \u00d7 ${sum.name}`}),
                                      this.bar(sum, most, sum.name), element('span', {
                                        className: 'number',
                                        textContent: `${timeText(1000 * sum.time)}, ${bytesText(sum.bytes)}`
                                      }))),
                   legend('Parts', meetingParts.map(([, ...part]) => part)));
  }
  bar(one, most, name) {
    const texts = meetingParts.map(([key, text]) => `${text}: ${timeText(1000 * one[key])}`);
    return stackedBar(
        meetingParts.map(([key, , className, colour], i) => [texts[i], one[key] / most, className, colour]),
        [name, ...texts].join('; '));
  }
  table(collectives) {
    const shares = sharesOfMedian(collectives), isFar = one => Math.abs(Math.log2(shares.get(one))) > 0.5;
    const time = one => one.end_ns - one.came_ns, most = Math.max(...collectives.map(time)),
          names = this.page.profile.head.names, {core} = this.page;
    return table(
        'Collectives',
        [
          ['at', one => timeText(1000 * one.came_ns), true, one => one.came_ns],
          [
            'collective', one => `${one.op} ${core.sourceOf(core.binary[one.instruction])}`, false,
            one => one.op
          ],
          ['algorithm', one => one.algorithm, false, one => one.algorithm],
          ['members', one => one.members, true, one => one.members],
          ['bytes', one => bytesText(one.bytes), true, one => one.bytes],
          ['', one => element('div', {className: 'wide'}, this.bar(one, most, one.op))],
          ['time', one => timeText(1000 * time(one)), true, time],
          ['B/ns', one => (one.bytes / time(one)).toFixed(1), true, one => one.bytes / time(one)],
          ['wait for peers', one => timeText(1000 * one.peer_wait_ns), true, one => one.peer_wait_ns],
          [
            'of the median', one => element('span', {
                               className: isFar(one) ? 'critical' : '',
                               textContent: `${shares.get(one).toFixed(2)} \u00d7`
                             }),
            true, one => shares.get(one)
          ],
          ['last to come', one => names[one.last_core]?.[0] || 'itself'],
          ['bytes on links', one => timeText(1000 * one.links_ns), true, one => one.links_ns],
          ['if alone', one => timeText(1000 * (one.links[0]?.alone_ns ?? 0)), true],
        ],
        collectives, {
          most: 30,
          pick: one => this.page.showInstruction(one.instruction, 1000 * (one.end_ns - one.move_ns))
        });
  }
  // How long the bytes of this core's collectives take on each link.
  links(collectives) {
    const sums = new Map();
    for (const {links} of collectives)
      for (const {name, alone_ns: ns} of links) sums.set(name, (sums.get(name) ?? 0) + ns);
    if (sums.size === 0) return absent('No bytes were on links.');
    const order = [...sums].sort((a, b) => b[1] - a[1]), whole = this.page.core.report.makespan_ns;
    return table('Links',
                 [
                   ['link', ([name]) => name],
                   [
                     'use', ([name, ns]) => element('div', {className: 'wide'},
                                                    stackedBar([['', ns / whole, 'busy']], `${name} in use`))
                   ],
                   ['time of the bytes', ([, ns]) => timeText(1000 * ns), true, ([, ns]) => ns],
                   ['of the makespan', ([, ns]) => shareText(ns, whole), true]
                 ],
                 order, {most: 12});
  }
  chart(collectives) {
    return scatter(
        collectives.map(one => [one.bytes, ownTime(one),
                                `${one.op}, ${bytesText(one.bytes)}, ${timeText(1000 * ownTime(one))}`,
                                kindColour('collective')]),
        ['bytes', bytesText], ['time without waits for peers', ns => timeText(1000 * ns)],
        'Collectives: size against time');
  }
}

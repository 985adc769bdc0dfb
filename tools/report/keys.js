// What each key does, and the list of them.
'use strict';

// [keys, act, what it does]
function keysOf(page) {
  const tenth = () => (page.to - page.from) / 10, names = Object.keys(page.views);
  return [
    [
      '1 2 3 4 5 6 7 8 9', key => page.show(names[key - 1]),
      'overview, timeline, hierarchy, memory, tensors, roofline, collectives, insights, compiler'
    ],
    ['/', () => byId('query').select(), 'search; Enter goes to the next hit'],
    ['n N', key => page.step(key === 'n' ? 1 : -1), 'next and previous hit'],
    [
      'w s', key => page.zoom(key === 'w' ? 0.6 : 1 / 0.6, page.anchor()),
      'zoom in and out: where the pointer is, or what is pinned'
    ],
    ['+ -', key => page.zoom(key === '+' ? 0.6 : 1 / 0.6, page.anchor()), ''],
    ['a d', key => page.move(key === 'a' ? -tenth() : tenth()), 'move left and right'],
    ['ArrowLeft ArrowRight', key => page.move(key === 'ArrowLeft' ? -tenth() : tenth()), ''],
    ['f 0', () => page.fit(), 'the whole run'],
    ['z', () => page.zoomToChosen(), 'zoom to what is pinned or selected, or to all that stands out'],
    ['r R', key => page.selectView(key === 'R'), 'select what is in view; on the track of what is pinned'],
    [', .', key => page.neighbour(key === ',' ? -1 : 1), 'previous and next event on the track'],
    [
      'ArrowUp ArrowDown', key => page.across(key === 'ArrowUp' ? -1 : 1),
      'on the tracks: the event above, below'
    ],
    [
      '[ ]',
      key => key === '[' ? page.follow(page.pinned < 0 ? [] : page.core.producersOf(page.pinned),
                                       (a, b) => page.core.end(a) > page.core.end(b))
                         : page.follow(page.pinned < 0 ? [] : page.core.consumersOf(page.pinned),
                                       (a, b) => page.core.start[a] < page.core.start[b]),
      'to what it waited for, to what waits for it'
    ],
    ['c', () => page.togglePath(), 'critical path'],
    ['u', () => page.toggleUse(), 'how much of each engine and memory is used over time'],
    ['g', () => page.nextGrouping(), 'rows for tensors, for scopes and loops, for calls, none'],
    ['o', () => page.toggleScopes(), 'colours by scope, or by kind of work'],
    ['b', () => page.toggleSource(), 'the source beside the timeline, or not'],
    ['v', () => page.toggleBare(), 'only the view, or the bars above it, too'],
    ['e', () => openInEditor(page), 'the line of what is pinned or chosen in your editor'],
    ['j', () => page.pinned >= 0 && copyEvent(page), 'copy what is pinned as JSON'],
    ['m', () => page.markers.set(), 'a marker: at what is pinned or selected, or under the pointer'],
    ['Escape', () => page.clear(), 'clear what is pinned, selected and searched'],
    ['t', () => page.nextTheme(), 'light, dark, as the system'],
    ['?', () => showKeys(page), 'this list'],
  ];
}

function showKeys(page) {
  const dialog = byId('keys');
  dialog.replaceChildren(element('h2', { id: 'keys-title', textContent: 'Keys' }), element('dl', { className: 'keys' }, ...keysOf(page).flatMap(([keys, , text]) =>
    text ? [element('dt', {}, ...keys.split(' ').map(key => element('kbd', { textContent: key === 'Space' ? 'space' : key }))), element('dd', { textContent: text })] : [])),
  button('close', () => dialog.close()));
  dialog.showModal();
}

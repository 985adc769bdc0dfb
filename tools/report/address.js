// The address holds what is seen, so that a link leads there.
'use strict';

function addressOf(page) {
  const parts = new URLSearchParams({view: page.view});
  if (page.from > 0 || page.to < page.core.makespan)
    parts.set('span', `${Math.round(page.from)}-${Math.round(page.to)}`);
  if (page.pinned >= 0) parts.set('event', page.pinned);
  for (const marker of page.markers.list) parts.append('mark', markerText(marker));
  if (page.profile.head.names.length > 1) parts.set('core', page.chosen);
  return '#' + parts;
}

// Shows what `hash` says of it; the rest is as on a new page.
function followAddress(page, hash) {
  const parts = new URLSearchParams(hash.slice(1)), {names} = page.profile.head;
  const core = Number(parts.get('core') ?? page.chosen);
  if (core in names) {
    page.chosen = core;
    page.core = page.profile.core(core);
    byId('core').value = core;
  }
  const {count, makespan} = page.core, span = /^(\d+)-(\d+)$/.exec(parts.get('span') ?? '');
  page.setSpan(...span ? [Number(span[1]), Number(span[2])] : [0, makespan]);
  const event = Number(parts.get('event') ?? -1);
  page.pinned = Number.isInteger(event) && event < count ? Math.max(-1, event) : -1;
  page.markers.list = markersOf(parts.getAll('mark'), makespan);
  const view = parts.get('view') ?? '';
  page.show(Object.hasOwn(page.views, view) ? view : 'overview');
}

// How the page of two runs says what changed. Pure.
'use strict';

// A part of the critical path, as the document names it.
const pathPartText = name =>
    name.startsWith('work_') ? `${engineTitles[name.slice(5)] ?? name.slice(5)} works` : stepText(name);
const pathPartStyle = name => name.startsWith('work_') && name.slice(5) in engineTitles
                                  ? ['', `var(--engine-${name.slice(5)})`]
                              : name === 'latency' ? ['', 'var(--kind-other)']
                                                   : ['wait ' + groupOf(name), ''];

// "+1.250 us"; a change of nothing has no sign.
const changeText = (change, text) => `${change > 0 ? '+' : ''}${text(change)}`;
function ratioText(before, after) {
  if (!(before > 0)) return after > 0 ? 'new' : '';
  return after > 0 ? changeText(100 * (after / before - 1), percent => `${percent.toFixed(1)} %`) : 'gone';
}

// The place of a bar for a change, left and right of the middle: [left, width]
// as shares, where `most` fills a half.
function changeBar(change, most) {
  const share = most > 0 ? Math.min(1, Math.abs(change) / most) / 2 : 0;
  return [change < 0 ? 0.5 - share : 0.5, share];
}

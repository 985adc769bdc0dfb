// The panes of the timeline's view: where they are, how wide, and that what is
// chosen in one is seen in the others.
'use strict';

const assert = require('node:assert');

const {pageOf, views} = require('./pages.js');

const boxOf = (tab, selector) => tab.run(
    `(({ left, right, top, bottom, width, height }) => ({ left, right, top, bottom, width, height }))(document.querySelector('${
        selector}').getBoundingClientRect())`);
// What is true after a while.
async function eventually(tab, test, what = test) {
  for (let turn = 0; turn < 60; ++turn) {
    if (await tab.run(test)) return;
    await tab.run('new Promise(done => setTimeout(done, 50))');
  }
  assert.fail(`never true: ${what}`);
}
// Another page in this tab, once it has what the one before remembered: the
// browser may need a moment to store it.
async function goOn(tab, page, test) {
  for (let turn = 0; turn < 100; ++turn) {
    await tab.go('file://' + page);
    if (await tab.run(test)) return;
    await new Promise(done => setTimeout(done, 100));
  }
  assert.fail(`not remembered: ${test}`);
}
// The tracks are as wide as their pane.
const isDrawn =
    `Math.abs(page.views.timeline.tracks.canvas.width - document.querySelector('.timeline').clientWidth) < 4`;
const isNoWider = 'document.scrollingElement.scrollWidth <= innerWidth';

module.exports = (test, browser) => {
  test('panes: the source is beside the timeline, as wide as the reader wants, or hidden', async () => {
    const tab = await browser.open(pageOf('attention'));
    await tab.press('2');
    const [before, source, details] =
        [await boxOf(tab, '.timeline'), await boxOf(tab, '.source'), await boxOf(tab, '.details')];
    assert.ok(before.right <= source.left && source.width > 400 && before.width > 700,
              JSON.stringify(source));
    // All of it is on the screen, and the rest of the screen is its.
    assert.ok(details.bottom <= source.top && source.bottom <= 900 && source.bottom > 860, source.bottom);
    assert.equal(await tab.run('document.scrollingElement.scrollHeight'), 900);
    // By mouse; the canvas follows.
    const bar = await boxOf(tab, '.divider'), x = bar.left + bar.width / 2;
    await tab.drag(x, 400, x - 150, 400);
    await eventually(tab, isDrawn);
    const dragged = await boxOf(tab, '.timeline');
    assert.ok(Math.abs(dragged.width - before.width + 150) < 8, `${dragged.width}`);
    // By keys.
    await tab.run(`document.querySelector('.divider').focus()`);
    const value = () => tab.run(`Number(document.activeElement.getAttribute('aria-valuenow'))`),
          share = await value();
    await tab.press('ArrowRight');
    assert.equal(await value(), share + 2);
    await tab.press('Home');
    assert.equal(await value(), 30);
    const [from, to] = await tab.run('[page.from, page.to]');
    assert.deepEqual([from, to], [0, await tab.run('page.core.makespan')], 'arrows move the bar only');
    await tab.run(`document.querySelectorAll('.divider')[1].focus()`);
    await tab.press('ArrowDown');
    assert.ok((await boxOf(tab, '.details')).height > details.height);
    // The next page is as this one was.
    await goOn(tab, pageOf('softmax'), `remembered('timeline') === '30'`);
    await tab.press('2');
    assert.ok(Math.abs((await boxOf(tab, '.timeline')).width - 0.3 * 1401) < 8);
    await tab.press('b');
    await eventually(tab, isDrawn);
    assert.equal((await boxOf(tab, '.source')).width, 0);
    const alone = await boxOf(tab, '.timeline');
    assert.ok(alone.width > 1380 && (await boxOf(tab, '.details')).top > alone.bottom);
    assert.equal(await tab.run(`remembered('source')`), 'hidden');
    // A link to a line wants the source.
    await tab.run('page.pin(3)');
    await tab.run(`document.querySelector('.facts button').click()`);
    assert.ok((await boxOf(tab, '.source')).width > 300);
    assert.deepEqual(tab.errors, []);
    await tab.close();
  });

  test('panes: what is chosen in one is seen in the others, and the page does not jump', async () => {
    const tab = await browser.open(pageOf('attention'), {height: 620});
    await tab.press('2');
    await tab.run('page.setSpan(page.core.makespan * 0.3, page.core.makespan * 0.32)');
    // A line whose instructions are all elsewhere.
    const line = await tab.run(`(() => {
      const { core, from, to } = page, seen = new Set(), all = new Set();
      for (let e = 0; e < core.count; ++e) {
        const { line } = core.placeOf(core.instructionOf(e));
        all.add(line);
        if (core.start[e] < to && core.end(e) > from) seen.add(line);
      }
      return [...page.views.timeline.source.rows.keys()].find(line => all.has(line) && !seen.has(line));
    })()`);
    const row = `document.querySelector('.line[data-line="${line}"]')`;
    await tab.run(`${row}.focus(), scrollTo(0, 40)`);
    await tab.drawn();
    const {left, top} = await boxOf(tab, `.line[data-line="${line}"] .at`),
                 scrolled = await tab.run('scrollY');
    await tab.click(left + 4, top + 8);
    assert.equal(await tab.run('page.line.line'), line);
    assert.ok(await tab.run(`(() => {
      const { core, from, to, focus } = page;
      for (let e = 0; e < core.count; ++e) if (focus[core.instruction[e]] && core.start[e] < to && core.end(e) > from) return true;
    })()`));
    // And 'z' shows all of them.
    await tab.press('z');
    assert.ok(await tab.run(
        `[...page.core.instruction.keys()].every(e => !page.focus[page.core.instruction[e]] || (page.core.start[e] >= page.from && page.core.end(e) <= page.to))`));
    // An event far from the line: its line is in the pane's middle.
    const event = await tab.run(`(() => {
      const { core } = page, rows = page.views.timeline.source.rows;
      return [...core.instruction.keys()].filter(e => rows.has(core.placeOf(core.instructionOf(e)).line)).reduce((best, e) =>
          core.placeOf(core.instructionOf(e)).line > core.placeOf(core.instructionOf(best)).line ? e : best);
    })()`);
    await tab.run(`page.pin(${event}, true)`);
    await tab.drawn();
    // The other line does not stand out any more; what was searched would.
    assert.equal(await tab.run('page.focus'), null);
    const chosen = await boxOf(tab, '.line.chosen'), pane = await boxOf(tab, '.code');
    assert.ok(chosen.top >= pane.top && chosen.bottom <= pane.bottom);
    assert.equal(await tab.run('scrollY'), scrolled);
    // Another file, while something is chosen: the reader sees it, with the lines that called.
    const files = `[...document.querySelectorAll('.source option')].map(one => one.value)`;
    const [, other] = await tab.run(files);
    await tab.run(`(() => { const choose = document.querySelector('.source select'); choose.value = '${
        other}'; choose.dispatchEvent(new Event('change')); })()`);
    assert.equal(await tab.run('page.views.timeline.source.file'), other);
    assert.ok(await tab.run(`document.querySelectorAll('.line.caller').length`) > 0);
    // A queue moves at a rate; the engine that starts the transfer has none.
    const details = `document.querySelector('.details').innerText`,
          moves = /moves\s+[\d.]+ [KM]iB, [\d.]+ B\/ns/;
    const isTransfer = queue =>
        `page.pin([...page.core.instruction.keys()].find(e => page.core.instructionOf(e).bytes > 0 && page.core.tracks[page.core.trackOf[e]].isQueue === ${
            queue}))`;
    await tab.run(isTransfer(true));
    assert.match(await tab.run(details), moves);
    await tab.run(isTransfer(false));
    assert.doesNotMatch(await tab.run(details), moves);
    // What is selected has a line at both ends, over all tracks.
    await tab.run('page.fit(), page.select([page.core.makespan / 4, page.core.makespan / 2])');
    await tab.drawn();
    const lines = await tab.run(`(() => {
      const { tracks } = page.views.timeline, { canvas } = tracks, found = [];
      const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height), accent = styled('--accent').match(/[0-9]+/g).map(Number);
      for (let x = 0; x < width; ++x) {
        let count = 0;
        for (let y = 0; y < height; ++y) count += accent.every((part, i) => data[4 * (y * width + x) + i] === part);
        if (count === height) found.push(x);
      }
      return [found, [1 / 4, 1 / 2].map(share => Math.round(tracks.xOf(share * page.core.makespan)))];
    })()`);
    assert.deepEqual(lines[0], [lines[1][0], lines[1][1] - 1]);
    await tab.press('Escape');
    // With the keyboard alone: one line is in the order of focus, arrows lead to the next.
    const focusable = `[...document.querySelectorAll('.line.has')].filter(row => row.tabIndex === 0).length`;
    assert.equal(await tab.run(focusable), 1);
    await tab.run(`document.querySelector('.line.has').focus()`);
    const first = await tab.run('document.activeElement.dataset.line');
    await tab.press('ArrowDown');
    const second = await tab.run('document.activeElement.dataset.line');
    assert.ok(Number(second) > Number(first));
    assert.equal(await tab.run(focusable), 1);
    await tab.press('Enter');
    assert.equal(await tab.run('String(page.line.line)'), second);
    assert.deepEqual(tab.errors, []);
    await tab.close();
  });

  test('panes: one below the other on a narrow screen, and nothing is wider than the screen', async () => {
    const tab = await browser.open(pageOf('attention'), {width: 800, height: 600});
    const tooWide =
        await tab.run(`${JSON.stringify(views)}.filter(view => (page.show(view), !(${isNoWider})))`);
    assert.deepEqual(tooWide, []);
    await tab.size(1920, 600);
    await tab.run(`page.show('timeline')`);
    assert.ok((await boxOf(tab, '.timeline')).right <= (await boxOf(tab, '.source')).left);
    // Narrower while it is shown: the same view, the same place.
    await tab.run('page.pin(7), page.setSpan(1e6, 3e6)');
    await tab.size(800, 600);
    await eventually(tab, `innerWidth === 800 && ${isDrawn}`);
    const [timeline, details, source] =
        [await boxOf(tab, '.timeline'), await boxOf(tab, '.details'), await boxOf(tab, '.source')];
    assert.ok(timeline.bottom <= details.top && details.bottom <= source.top, JSON.stringify(source));
    assert.deepEqual(await tab.run('[page.pinned, page.from, page.to]'), [7, 1e6, 3e6]);
    await tab.close();
  });

  test('panes: the tracks with the keyboard alone', async () => {
    const tab = await browser.open(pageOf('attention'));
    await tab.press('2');
    await tab.run('page.setSpan(page.core.makespan / 2, page.core.makespan / 2 + 4e6)');
    await tab.run(`document.querySelector('canvas.tracks').focus()`);
    const pinned = () => tab.run(`(({ core, pinned, from, to }) => ({ pinned, track: core.trackOf[pinned],
      start: core.start[pinned], isSeen: core.start[pinned] < to && core.end(pinned) > from }))(page)`);
    // The first key takes an event that is in view; the others lead along its track and to others.
    await tab.press('.');
    const first = await pinned();
    assert.ok(first.pinned >= 0 && first.isSeen);
    await tab.press('.');
    const second = await pinned();
    assert.deepEqual([second.pinned, second.track], [first.pinned + 1, first.track]);
    await tab.press('ArrowDown');
    const below = await pinned();
    assert.ok(below.track > second.track && below.start <= second.start && below.isSeen,
              JSON.stringify(below));
    await tab.press('ArrowUp');
    assert.equal((await pinned()).track, second.track);
    // Zooming by keys, it stays in view.
    for (let i = 0; i < 12; ++i) await tab.run(`keysOf(page).find(([keys]) => keys === 'w s')[1]('w')`);
    assert.ok((await pinned()).isSeen && await tab.run('page.to - page.from < 1e5'));
    // Above the first track and below the last one is none.
    for (let i = 0; i < 30; ++i) await tab.run('page.across(-1)');
    const top = await pinned();
    assert.equal(top.track, await tab.run('Math.min(...page.core.trackOf)'));
    for (let i = 0; i < 30; ++i) await tab.run('page.across(1)');
    assert.equal((await pinned()).track, await tab.run('Math.max(...page.core.trackOf)'));
    assert.match(await tab.run(`document.getElementById('status').textContent`), /, [0-9.]+ (ns|us)$/);
    assert.deepEqual(tab.errors, []);
    await tab.close();
  });

  test('panes: iterations of what is unrolled, and files of one name', async () => {
    const tab = await browser.open(pageOf('unrolled', ['swiglu', '--no-insights']));
    // No insights: the lines that take longest on the critical path, each once.
    const cards =
        await tab.run(`[...document.querySelectorAll('.card .place')].map(place => place.textContent)`);
    assert.equal(new Set(cards).size, 3, cards.join());
    assert.match(await tab.run(`document.querySelector('main').innerText`), /--no-insights/);
    await tab.run(`document.querySelector('.card').click()`);
    assert.ok(await tab.run(`page.view === 'timeline' && page.focus.filter(Boolean).length > 100`));
    await tab.run(`page.clear(), page.show('hierarchy')`);
    assert.match(await tab.run(`document.querySelector('main').innerText`), /has no loops: .* unrolled/);
    const rows = await tab.run(`(() => {
      const choose = document.querySelector('main select');
      choose.selectedIndex = 1;
      choose.dispatchEvent(new Event('change'));
      return [...document.querySelectorAll('table')].find(one => one.caption?.textContent === 'Iterations of a loop').tBodies[0].rows.length;
    })()`);
    assert.equal(rows, 8);
    await tab.close();
  });
};

// What a reader takes from the timeline: a box of time and tracks, an event as
// JSON, a line in an editor, the lines that depend on each other, the view alone.
'use strict';

const assert = require('node:assert');

const {pageOf} = require('./pages.js');

const ctrl = 2;
// Where a track is, at a part of the width.
const placeOn = (tab, track, part) => tab.run(`(() => {
  const { tracks } = page.views.timeline, box = tracks.canvas.getBoundingClientRect(), row = tracks.rows[${
    track}];
  return [box.left + gutter + ${part} * (tracks.width - gutter), box.top + row.y + row.height / 2];
})()`);
const busiest = `(() => {
  const { core } = page;
  return [...core.start.keys()].filter(event => core.tracks[core.trackOf[event]].engine >= 0).reduce((best, event) =>
      core.producersOf(event).length * core.consumersOf(event).length > core.producersOf(best).length * core.consumersOf(best).length ? event : best, 0);
})()`;

module.exports = (test, browser) => {
  test('a box has the tracks that it touches, and their sums alone', async () => {
    const tab = await browser.open(pageOf('attention'));
    await tab.press('2');
    const [x0, y0] = await placeOn(tab, 2, 0.3), [x1, y1] = await placeOn(tab, 1, 0.6);
    await tab.drag(x0, y0, x1, y1, ctrl);
    const {region, box, names, wanted, sum} = await tab.run(`(() => {
      const { region, box, core } = page, [from, to] = region;
      const inside = track => [...core.start.keys()].filter(event => core.trackOf[event] === track && core.start[event] < to && core.end(event) > from);
      return { region, box, names: core.tracks.slice(0, 3).map(track => track.name),
        wanted: box.map(track => inside(track).reduce((all, event) => all + Math.min(to, core.end(event)) - Math.max(from, core.start[event]), 0)),
        sum: [...page.sumOf(region).occupied] };
    })()`);
    assert.deepEqual(box, [1, 2]);
    assert.ok(region[1] > region[0]);
    sum.forEach((time, track) =>
                    assert.ok(Math.abs(time - (wanted[track - 1] ?? 0)) < 1, `${track}: ${time}`));
    const details = await tab.run(`document.querySelector('.details').innerText`);
    assert.ok(details.startsWith(`Selected on ${names[1]}, ${names[2]}`), details.slice(0, 80));
    assert.ok(!details.includes(names[0] + '\\n') && !details.includes('queues'));
    // The frame is around these tracks, and nowhere else.
    const rows = await tab.run(`(() => {
      const { tracks } = page.views.timeline, { canvas } = tracks, x = Math.round(tracks.xOf(page.region[0]));
      const { data } = canvas.getContext('2d').getImageData(x, 0, 1, canvas.height), accent = styled('--accent').match(/[0-9]+/g).map(Number);
      const isFrame = y => accent.every((part, i) => data[4 * Math.round(y) + i] === part);
      return tracks.rows.slice(0, 4).map(row => isFrame(row.y + row.height / 2));
    })()`);
    assert.deepEqual(rows, [false, true, true, false]);
    // With the keyboard: what is in view, on the track of what is pinned.
    await tab.press('Escape');
    assert.deepEqual(await tab.run('[page.region, page.box]'), [null, null]);
    await tab.run(
        'page.setSpan(page.core.makespan / 4, page.core.makespan / 2), page.pin(page.core.firstOfTrack[2] + 3)');
    await tab.press('R');
    assert.deepEqual(await tab.run('[page.region, page.box]'), [await tab.run('[page.from, page.to]'), [2]]);
    await tab.press('r');
    assert.equal(await tab.run('page.box'), null);
    assert.deepEqual(tab.errors, []);
    await tab.close();
  });

  test('what is pinned as JSON: to the clipboard, or into a file', async () => {
    const tab = await browser.open(pageOf('attention'));
    await tab.press('2');
    await tab.run(`page.pin(${busiest})`);
    const wanted = await tab.run('jsonOfEvent(page.core, page.chosen, page.pinned)');
    assert.ok(wanted.producers.length > 0 && wanted.consumers.length > 0 && wanted.asm.includes(wanted.op));
    const holding = clipboard =>
        `Object.defineProperty(navigator, 'clipboard', { configurable: true, value: ${clipboard} })`;
    await tab.run(holding('{ writeText: text => (globalThis.copied = text, Promise.resolve()) }'));
    await tab.press('j');
    assert.deepEqual(JSON.parse(await tab.run('globalThis.copied')), wanted);
    assert.equal(await tab.run(`document.getElementById('status').textContent`), 'copied');
    for (const clipboard of ['undefined', '{ writeText: () => Promise.reject(new Error("no")) }']) {
      await tab.run(holding(clipboard));
      const [name, text] = await tab.run(`new Promise(done => {
        let blob;
        URL.createObjectURL = made => (blob = made, '#');
        HTMLAnchorElement.prototype.click = function() { blob.text().then(text => done([this.download, text])); };
        [...document.querySelectorAll('.details button')].find(b => b.textContent === 'JSON').click();
      })`);
      assert.equal(name, `${wanted.engine}-${wanted.index}.json`);
      assert.deepEqual(JSON.parse(text), wanted);
    }
    assert.deepEqual(tab.errors, []);
    await tab.close();
  });

  test('the source shows the lines that depend on what is pinned', async () => {
    const tab = await browser.open(pageOf('attention'));
    await tab.press('2');
    // A producer and a consumer are in its own file.
    await tab.run(`(() => {
      const { core } = page, fileOf = event => core.placeOf(core.instructionOf(event)).file;
      page.pin([...core.start.keys()].find(event => fileOf(event) && [core.producersOf(event), core.consumersOf(event)].every(
          events => events.some(other => fileOf(other) === fileOf(event)))));
    })()`);
    const seen = await tab.run(`(() => {
      const { core, pinned, views: { timeline: { source } } } = page;
      const lines = events => [...new Set([...events].map(event => core.placeOf(core.instructionOf(event))).filter(({ file }) => file === source.file).map(({ line }) => line))].sort((a, b) => a - b);
      const marked = name => [...document.querySelectorAll('.line.' + name)].map(row => Number(row.dataset.line));
      return { needed: marked('needed'), needs: marked('needs'), producers: lines(core.producersOf(pinned)), consumers: lines(core.consumersOf(pinned)),
        said: document.querySelector('.line.needed, .line.needs').getAttribute('aria-description') };
    })()`);
    assert.deepEqual([seen.needed, seen.needs], [seen.producers, seen.consumers]);
    assert.ok(seen.needed.length > 0 && seen.needs.length > 0);
    assert.match(seen.said, /what is pinned/);
    const isLegend = `document.querySelector('[aria-label=Lines]').getBoundingClientRect().width > 0`;
    assert.ok(await tab.run(isLegend));
    await tab.press('Escape');
    assert.equal(await tab.run(`document.querySelectorAll('.line.needed, .line.needs').length`), 0);
    assert.ok(!await tab.run(isLegend));
    await tab.close();
  });

  test('the view alone, and back', async () => {
    const tab = await browser.open(pageOf('attention'));
    await tab.press('2');
    const top = () => tab.run(`document.querySelector('.timeline').getBoundingClientRect().top`),
          before = await top();
    await tab.press('v');
    assert.ok(await top() < before - 60);
    assert.equal(await tab.run(`document.querySelector('header').getBoundingClientRect().height`), 0);
    // The panes take the room.
    const source = () => tab.run(`document.querySelector('.source').getBoundingClientRect().bottom`);
    assert.ok(await source() > 860 && await source() <= 900, `${await source()}`);
    await tab.run(`document.getElementById('leave').click()`);
    assert.equal(await top(), before);
    await tab.press('v');
    await tab.press('Escape');
    assert.equal(await top(), before);
    assert.ok(await tab.run(`document.getElementById('leave').hidden`));
    await tab.close();
  });

  test('a line opens in the editor whose address the reader gave', async () => {
    const tab = await browser.open(pageOf('softmax'));
    await tab.press('2');
    await tab.press('e');
    assert.match(await tab.run(`document.getElementById('status').textContent`), /first/);
    await tab.run(
        `HTMLAnchorElement.prototype.click = function() { globalThis.opened = this.getAttribute('href'); }`);
    await tab.run(
        `page.pin([...page.core.instruction.keys()].find(event => page.core.instructionOf(event).op === 'activation'))`);
    await tab.press('e');
    assert.ok(await tab.run(`document.getElementById('editor').open`));
    const give = address => tab.run(`(() => {
      const input = document.getElementById('editor-address');
      input.value = '${address}';
      input.dispatchEvent(new Event('input'));
      input.form.requestSubmit();
    })()`);
    await give('no address');
    assert.ok(await tab.run(`document.getElementById('editor').open && globalThis.opened === undefined`));
    await give('vscode://file/home/me/{file}:{line}');
    const {file, line} = await tab.run('page.core.placeOf(page.core.instructionOf(page.pinned))');
    assert.equal(await tab.run('globalThis.opened'), `vscode://file/home/me/${file}:${line}`);
    // From then on at once, also for a line that was chosen.
    await tab.run(`page.showLine('${file}', ${line + 1}), globalThis.opened = ''`);
    await tab.press('e');
    assert.ok(!await tab.run(`document.getElementById('editor').open`));
    assert.equal(await tab.run('globalThis.opened'), `vscode://file/home/me/${file}:${line + 1}`);
    assert.deepEqual(tab.errors, []);
    await tab.close();
  });

  test('each DMA engine over time works as long, and moves as much, as its transfers ask', async () => {
    const tab = await browser.open(pageOf('attention'));
    await tab.press('2');
    await tab.press('u');
    const [sums, wanted, operations, counted] = await tab.run(`(() => {
      const { core } = page, { used } = page.views.timeline.tracks.lanes, { ns, bytes } = used.get('16 DMA engines'), { runs } = core.whole();
      const all = bins => bins.reduce((sum, one) => sum + one, 0) / bins.length * core.report.makespan_ns;
      const asked = (key, e) => core.binary.reduce((sum, { dma }, i) => sum + (dma ? dma[key][e] * runs[i] : 0), 0);
      return [[0, 7, 15].flatMap(e => [all(ns[e]), all(bytes[e])]), [0, 7, 15].flatMap(e => [asked('ns', e), asked('bytes', e)]),
        all(used.get('VectorE rate')), core.binary.reduce((sum, one, i) => sum + (one.engine === 'vector' ? one.operations * runs[i] : 0), 0)];
    })()`);
    sums.forEach(
        (sum, i) => assert.ok(wanted[i] > 0 && Math.abs(sum / wanted[i] - 1) < 1e-6, `${sum}, ${wanted[i]}`));
    assert.ok(counted > 0 && Math.abs(operations / counted - 1) < 1e-6, `${operations}, ${counted}`);
    const text = await tab.run(`(() => {
      const { tracks } = page.views.timeline, row = tracks.rows.find(row => row.kind === 'engines');
      return tracks.at(gutter + (tracks.width - gutter) / 2, row.y + 5 * dmaHeight + 1).text;
    })()`);
    assert.match(text, /^DMA engine 5: works [\d.]+ % of the time, moves [\d.]+ B\/ns$/);
    assert.deepEqual(tab.errors, []);
    await tab.close();
  });
};

// The report in a real browser: CHROMIUM, and KILN for a page of a real kernel.
// Pictures go to PICTURES.
'use strict';

const assert = require('node:assert');
const {execFileSync} = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');

const {Browser} = require('./browser.js');
const {madeProfile, pageOf} = require('./made_profile.js');

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'kiln-report-'));
const pictures = process.env.PICTURES ?? path.join(work, 'pictures');
const views = ['overview', 'timeline', 'hierarchy', 'memory', 'tensors', 'roofline', 'insights', 'compiler'];
let browser;

test.before(async () => { browser = await Browser.start(process.env.CHROMIUM); });
test.after(async () => {
  await browser.stop();
  fs.rmSync(work, {recursive: true, force: true});
});

function write(name, text) {
  const file = path.join(work, name);
  fs.writeFileSync(file, text);
  return file;
}
const made = () => write('made.html', pageOf(madeProfile(3000)));
function real() {
  const file = path.join(work, 'report.html');
  if (!fs.existsSync(file))
    execFileSync(process.env.KILN,
                 ['profile', 'flash_attention', '--seq-q=512', '--seq-k=512', '--html', 'report.html'],
                 {cwd: work});
  return file;
}
const at = (tab, event) => tab.run(
    `(() => { const { tracks } = page.views.timeline, box = tracks.canvas.getBoundingClientRect(), row = tracks.rows[page.core.trackOf[${
        event}]];
  return [box.left + tracks.xOf(page.core.start[${event}] + page.core.length[${
        event}] / 2), box.top + row.y + row.height / 2]; })()`);

// Of relative luminances, as the guidelines for accessible content define it.
const contrastOf = `((first, second) => {
  const luminance = colour => {
    const [r, g, b] = [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16) / 255).map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [dark, bright] = [luminance(first), luminance(second)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
})`;

// Text against what is behind it, of every element that shows text.
const poorContrast = `(() => {
  const contrastOf = ${contrastOf};
  const parse = text => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return { rgb: [r, g, b], a }; };
  const hex = rgb => '#' + rgb.map(c => Math.round(c).toString(16).padStart(2, '0')).join('');
  const behind = element => { for (let e = element; e; e = e.parentElement) { const colour = getComputedStyle(e).backgroundColor; if (colour.startsWith('rgb') && parse(colour).a === 1) return parse(colour).rgb; } return [255, 255, 255]; };
  const poor = [];
  for (const element of document.querySelectorAll('body *')) {
    if (element.closest('.unseen, .skip, option, script') || !element.offsetParent || ![...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim())) continue;
    const style = getComputedStyle(element), colour = element instanceof SVGElement ? style.fill : style.color;
    const contrast = contrastOf(hex(parse(colour).rgb), hex(behind(element)));
    if (contrast < 4.5) poor.push(element.tagName + '.' + element.className + ' "' + element.textContent.trim().slice(0, 30) + '" ' + contrast.toFixed(2));
  }
  return poor;
})()`;

test('every view draws, from the keyboard, in light and dark, without an error or a request', async () => {
  for (const dark of [false, true]) {
    const tab = await browser.open(made(), {dark});
    for (const [i, view] of views.entries()) {
      await tab.press(String(i + 1));
      assert.equal(await tab.run('page.view'), view);
      assert.ok(await tab.run(`document.querySelector('main').innerText.length`) > 100, view);
      assert.deepEqual(await tab.run(`[...document.querySelectorAll('.absent')].map(e => e.textContent)`), [],
                       view);
      assert.deepEqual(await tab.run(poorContrast), [], `${view}, ${dark ? 'dark' : 'light'}`);
      // Something is drawn on each canvas: it has more than one colour.
      const plain = await tab.run(
          `[...document.querySelectorAll('main canvas')].filter(canvas => { const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height), colours = new Set(new Uint32Array(data.buffer)); return colours.size < 3; }).length`);
      assert.equal(plain, 0, view);
    }
    await tab.press('?');
    assert.ok(await tab.run(`document.getElementById('keys').open`));
    await tab.press('Escape');
    assert.deepEqual(tab.errors, []);
    assert.deepEqual(tab.requests.filter(url => !url.startsWith('file://')), []);
    assert.equal(tab.requests.length, 1);
    await tab.close();
  }
});

test('colours of work and of waits can be told from the page and from text on them', async () => {
  const tab = await browser.open(made());
  assert.ok(await tab.run(`kindColours.concat(groupNames.map(name => waitGroups[name][1])).every(colour => ${
      contrastOf}(colour, '#ffffff') >= 3 && ${contrastOf}(colour, '#131519') >= 3)`));
  assert.ok(await tab.run(`kindColours.every(colour => ${contrastOf}(colour, ink) >= 4.5)`));
  assert.equal(await tab.run('new Set(kindColours).size'), await tab.run('kindNames.length'));
  await tab.close();
});

test('the first screen has the figures, an engine a bar, and the three cards', async () => {
  const tab = await browser.open(made());
  const seen = await tab.run(
      `[...document.querySelectorAll('h1, #figures dt, .engine > span:first-child, .card h3, #command')].filter(e => e.getBoundingClientRect().bottom <= innerHeight).map(e => e.textContent)`);
  for (const text of ['made', 'makespan', 'lower bound', 'roofline', 'MFU', 'TensorE', 'DMA',
                      'x is loaded again in every turn', 'TensorE is cold'])
    assert.ok(seen.includes(text), text);
  assert.equal(seen.filter(text => text.startsWith('kiln profile made')).length, 1);
  assert.equal(await tab.run(`document.querySelectorAll('.card').length`), 3);
  assert.ok(await tab.run(`document.title.includes('kiln profile made')`));
  await tab.run(`document.querySelector('.card').focus()`);
  await tab.press('Enter');
  assert.equal(await tab.run('page.view'), 'insights');
  assert.equal(await tab.run('document.activeElement.id'), 'insight-0');
  await tab.close();
});

test('timeline and source lead to each other', async () => {
  const tab = await browser.open(made());
  await tab.press('2');
  const event =
      await tab.run('page.showInstruction(2, page.core.makespan / 2), page.zoomToChosen(), page.pinned');
  await tab.drawn();
  await tab.press('Escape');
  assert.equal(await tab.run('page.pinned'), -1);
  // Timeline to source.
  const [x, y] = await at(tab, event);
  await tab.click(x, y);
  assert.equal(await tab.run('page.pinned'), event);
  assert.equal(await tab.run(`document.querySelector('.line.chosen').dataset.line`), '8');
  assert.match(await tab.run(`document.querySelector('.details').innerText`), /slack/);
  // To what it needs and back to who needs it.
  await tab.press('[');
  const producer = await tab.run('page.pinned');
  assert.ok(await tab.run(`[...page.core.producersOf(${event})].includes(${producer})`));
  await tab.press(']');
  assert.equal(await tab.run('page.pinned'), event);
  // Source to timeline.
  await tab.press('Escape');
  const [left, top] = await tab.run(
      `(() => { const box = document.querySelector('.line[data-line="6"]').getBoundingClientRect(); return [box.left + 20, box.top + 5]; })()`);
  await tab.click(left, top);
  assert.deepEqual(
      await tab.run(`[...page.focus.keys()].filter(i => page.focus[i]).map(i => page.core.binary[i].op)`),
      ['nc_matmul']);
  // A link in the details leads to the source, too.
  await tab.run('page.pin(0)');
  await tab.run(
      `[...document.querySelectorAll('.facts button')].find(b => b.textContent.includes('made.h')).click()`);
  assert.deepEqual(await tab.run('page.line'), {file: 'kernels/made/made.h', line: 6});
  // The address leads to the same place.
  await tab.run('page.setSpan(1e6, 9e6), page.pin(3)');
  await tab.run('new Promise(done => setTimeout(done, 300))');
  const hash = await tab.run('location.hash');
  const other = await browser.open(made() + hash);
  assert.deepEqual(await other.run('[page.view, page.from, page.to, page.pinned]'),
                   ['timeline', 1e6, 9e6, 3]);
  await other.close();
  await tab.close();
});

test('mouse: zoom, pan, selection; the wheel alone scrolls the page', async () => {
  const tab = await browser.open(made(), {height: 500});
  await tab.press('2');
  const [x, y] = await tab.run(
      `(() => { const box = page.views.timeline.tracks.canvas.getBoundingClientRect(); return [box.left + box.width / 2, box.top + 20]; })()`);
  await tab.wheel(x, y, -400, 2);
  const [from, to] = await tab.run('[page.from, page.to]');
  assert.ok(from > 0 && to < await tab.run('page.core.makespan'));
  await tab.drag(x, y, x + 100, y);
  assert.ok(await tab.run('page.from') < from);
  await tab.drag(x - 100, y, x + 100, y, 8);
  const region = await tab.run('page.region');
  assert.ok(region[1] > region[0]);
  assert.match(await tab.run(`document.querySelector('.details').innerText`), /^Selected/);
  await tab.press('z');
  assert.deepEqual(await tab.run('[page.from, page.to]'), region);
  const before = await tab.run('[page.from, page.to]');
  await tab.wheel(x, y, 200);
  assert.ok(await tab.run('scrollY') > 50);
  assert.deepEqual(await tab.run('[page.from, page.to]'), before);
  await tab.close();
});

test('keys: zoom, move, fit, path, neighbours', async () => {
  const tab = await browser.open(made());
  await tab.press('2');
  await tab.press('w');
  const [from, to] = await tab.run('[page.from, page.to]');
  await tab.press('d');
  assert.ok(await tab.run('page.from') > from);
  await tab.press('a');
  await tab.press('s');
  await tab.press('f');
  assert.deepEqual(await tab.run('[page.from, page.to]'), [0, await tab.run('page.core.makespan')]);
  assert.ok(to - from < await tab.run('page.core.makespan'));
  await tab.press('c');
  assert.equal(await tab.run('page.showsPath'), true);
  await tab.run('page.pin(5)');
  await tab.press('.');
  assert.equal(await tab.run('page.pinned'), 6);
  await tab.press(',');
  assert.equal(await tab.run('page.pinned'), 5);
  await tab.press('t');
  assert.equal(await tab.run('document.documentElement.dataset.theme'), 'light');
  await tab.close();
});

test('search finds and steps', async () => {
  const tab = await browser.open(made());
  await tab.press('/');
  await tab.type('nc_matmul');
  await tab.press('Enter');
  assert.equal(await tab.run(`document.getElementById('hits').textContent`), '1 of 500');
  assert.equal(await tab.run('page.core.instructionOf(page.pinned).op'), 'nc_matmul');
  await tab.press('Enter');
  assert.equal(await tab.run(`document.getElementById('hits').textContent`), '2 of 500');
  await tab.press('Enter', 8);
  assert.equal(await tab.run(`document.getElementById('hits').textContent`), '1 of 500');
  await tab.press('Escape');
  assert.equal(await tab.run('page.hits.length'), 0);
  for (const [query, hits] of [['made.h:8', 500], ['reduction', 500], ['0x400', 500],
                               ['nothing like it', 0]]) {
    await tab.run(`page.search('${query}')`);
    assert.equal(await tab.run('page.hits.length'), hits, query);
  }
  await tab.close();
});

test('who cannot see the page hears it: roles, names and the order of focus', async () => {
  const tab = await browser.open(made());
  for (const view of views) {
    await tab.run(`page.show('${view}')`);
    const {nodes} = await tab.send('Accessibility.getFullAXTree', {});
    const unnamed = nodes.filter(node => !node.ignored && [
      'button', 'tab', 'combobox', 'searchbox', 'img', 'region', 'application', 'link'
    ].includes(node.role?.value) && !node.name?.value);
    assert.deepEqual(unnamed.map(node => node.role.value), [], view);
    const roles = new Set(nodes.map(node => node.role?.value));
    for (const role of ['banner', 'main', 'tablist', 'tab', 'tabpanel', 'search'].filter(role =>
                                                                                             role !== 'main'))
      assert.ok(roles.has(role), `${view}: ${role}`);
  }
  await tab.run(`page.show('timeline'), document.activeElement.blur()`);
  const order = [];
  for (let i = 0; i < 24; ++i) {
    await tab.press('Tab');
    order.push(await tab.run(
        `document.activeElement.id || document.activeElement.className || document.activeElement.textContent`));
  }
  const places =
      ['skip', 'theme', 'help', 'tab-timeline', 'query', 'tracks'].map(name => order.indexOf(name));
  assert.ok(places.every((place, i) => place >= 0 && (i === 0 || place > places[i - 1])), order.join(', '));
  await tab.run(`document.getElementById('tab-timeline').focus()`);
  await tab.press('ArrowRight');
  assert.equal(await tab.run('page.view'), 'hierarchy');
  await tab.run(`document.querySelector('[role=treegrid] tr[tabindex="0"]').focus()`);
  await tab.press('ArrowLeft');
  assert.equal(await tab.run(`document.querySelectorAll('[role=treegrid] tbody tr').length`), 1);
  await tab.press('ArrowRight');
  assert.ok(await tab.run(`document.querySelectorAll('[role=treegrid] tbody tr').length`) > 1);
  await tab.close();
});

test('ten thousand, a hundred thousand, a million events', async () => {
  for (const events of [10_000, 100_000, 1_000_000]) {
    const profile = madeProfile(events), file = write('many.html', pageOf(profile));
    const tab = await browser.open(file);
    await tab.drawn();
    const loaded = await tab.run('performance.now()');
    const draw = await tab.run(`(() => {
      page.show('timeline');
      const start = performance.now();
      page.views.timeline.tracks.draw();
      return performance.now() - start;
    })()`);
    assert.equal(await tab.run('page.core.count'), profile.count);
    const search = await tab.run(`(() => {
      const start = performance.now();
      page.search('nc_matmul');
      return performance.now() - start;
    })()`);
    assert.equal(await tab.run('page.hits.length'), profile.count / 6);
    const size = (fs.statSync(file).size / 2 ** 20).toFixed(1);
    console.log(`${profile.count} events, ${size} MiB: shown after ${Math.round(loaded)} ms, a frame takes ` +
                `${Math.round(draw)} ms, a search ${Math.round(search)} ms`);
    // Three seconds on a computer with nothing else to do.
    assert.ok(loaded < 12_000, `${loaded} ms`);
    assert.ok(draw < 2_000, `${draw} ms`);
    await tab.close();
  }
});

test('a real kernel: every view draws, sums add up, pictures', async () => {
  const tab = await browser.open(real());
  for (const [i, view] of views.entries()) {
    await tab.press(String(i + 1));
    assert.equal(await tab.run('page.view'), view);
  }
  // Busy time and waits of an engine are the makespan, in any stretch.
  const sums = await tab.run(
      `(() => { const { core } = page, from = core.makespan / 7, to = core.makespan / 2, sum = core.summary(from, to);
    return core.tracks.filter(track => track.engine >= 0 && track.name !== 'SyncE').map(track => sum.waited[track.engine] + core.summary(0, core.makespan).waited[track.engine] >= 0 && sum.waited[track.engine] <= to - from + 1); })()`);
  assert.ok(sums.every(Boolean));
  for (const [name, engine] of Object.entries(await tab.run('page.core.report.engines'))) {
    if (name === 'dma') continue;
    const waited = await tab.run(`page.core.whole().waited[engineNames.indexOf('${name}')]`);
    assert.ok(Math.abs(waited / 1000 + engine.busy_ns - await tab.run('page.core.report.makespan_ns')) < 0.01,
              name);
  }
  // The tree's root has the sums of its leaves, and the source is there.
  assert.ok(await tab.run(
      `(() => { const root = treeOf(page.core, page.core.whole()); const leaves = node => node.children.size ? [...node.children.values()].flatMap(leaves) : [node]; return leaves(root).reduce((sum, node) => sum + nodeTime(node), 0) === nodeTime(root); })()`));
  assert.ok(
      await tab.run(`Object.values(page.profile.head.sources).some(text => text.includes('operator()'))`));
  // Nobody waits for what comes later, and the path ends with the kernel.
  assert.ok(await tab.run(
      `(() => { const { core } = page; for (let e = 0; e < core.count; ++e) for (const p of core.producersOf(e)) if (core.start[p] > core.start[e]) return false; return core.path.length > 5; })()`));
  await tab.press('1');
  await tab.picture(path.join(pictures, 'report.png'));
  // Of the critical path, the event with the most links.
  await tab.run(
      `(() => { const { core } = page, links = event => core.producersOf(event).length + core.consumersOf(event).length;
    page.show('timeline'); page.togglePath(); page.pin([...core.path].reduce((best, event) => links(event) > links(best) ? event : best)); })()`);
  await tab.drawn();
  await tab.picture(path.join(pictures, 'report-timeline.png'));
  assert.deepEqual(tab.errors, []);
  await tab.colours(true);
  await tab.drawn();
  await tab.picture(path.join(pictures, 'report-dark.png'));
  await tab.close();
});

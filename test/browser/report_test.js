// The report in a real browser, on pages of real kernels: links, mouse, keys,
// search, and what those who cannot see it get.
'use strict';

const assert = require('node:assert');
const test = require('node:test');

const {pageOf, startBrowser} = require('./pages.js');
const testLinks = require('./links.js');
const testOdd = require('./odd.js');
const testPanes = require('./panes.js');
const testReading = require('./reading.js');
const testSelection = require('./selection.js');
const testStretches = require('./stretches.js');

const browser = startBrowser(test);
testPanes(test, browser);
testLinks(test, browser);
testOdd(test, browser);
testReading(test, browser);
testSelection(test, browser);
testStretches(test, browser);
const at = (tab, event) => tab.run(`(() => {
  const { tracks } = page.views.timeline, box = tracks.canvas.getBoundingClientRect(), row = tracks.rows[page.core.trackOf[${
    event}]];
  return [box.left + tracks.xOf(page.core.start[${event}] + page.core.length[${
    event}] / 2), box.top + row.y + row.height / 2];
})()`);

test('the first screen has the figures, an engine a bar, and the three cards', async () => {
  const tab = await browser.open(pageOf('attention'));
  const seen = await tab.run(
      `[...document.querySelectorAll('h1, #figures dt, .engine > span:first-child, .card h3, #command')].filter(e => e.getBoundingClientRect().bottom <= innerHeight).map(e => e.textContent)`);
  const titles = await tab.run('page.profile.head.insights.slice(0, 3).map(insight => insight.title)');
  for (const text
           of ['flash_attention', 'makespan', 'lower bound', 'roofline', 'MFU', 'TensorE', 'DMA', ...titles])
    assert.ok(seen.includes(text), text);
  assert.equal(seen.filter(text => text.startsWith('kiln profile flash_attention')).length, 1);
  assert.equal(await tab.run(`document.querySelectorAll('.card').length`), 3);
  assert.ok(await tab.run(`document.title.includes('kiln profile flash_attention --seq-q=2048')`));
  const [, parameters] = /^flash_attention (.+) on trn2: /.exec(await tab.run('document.title'));
  assert.equal(parameters, await tab.run(`page.profile.head.parameters.map(one => one.join('=')).join(' ')`));
  assert.ok(parameters.includes('head-dim=128'), 'the command does not have it');
  await tab.run(`document.querySelector('.card').focus()`);
  await tab.press('Enter');
  assert.equal(await tab.run('page.view'), 'insights');
  assert.equal(await tab.run('document.activeElement.id'), 'insight-0');
  await tab.close();
});

test('timeline and source lead to each other', async () => {
  const tab = await browser.open(pageOf('attention'));
  await tab.press('2');
  // In the middle of the run, a product that others need.
  const event = await tab.run(`(() => {
    const { core } = page, track = core.tracks.findIndex(({ name }) => name === 'TensorE');
    for (let e = core.firstAfter(track, core.makespan / 2); e < core.firstOfTrack[track + 1]; ++e)
      if (core.instructionOf(e).op === 'nc_matmul' && core.producersOf(e).length > 0 && core.consumersOf(e).length > 0) return e;
  })()`);
  await tab.run(`page.pin(${event}), page.zoomToChosen()`);
  const line = await tab.run(`page.core.placeOf(page.core.instructionOf(${event})).line`);
  await tab.press('Escape');
  assert.equal(await tab.run('page.pinned'), -1);
  // Timeline to source.
  const [x, y] = await at(tab, event);
  await tab.click(x, y);
  assert.equal(await tab.run('page.pinned'), event);
  assert.equal(await tab.run(`document.querySelector('.line.chosen').dataset.line`), String(line));
  assert.match(await tab.run(`document.querySelector('.details').innerText`), /slack/);
  // To what it needs and back.
  await tab.press('[');
  const producer = await tab.run('page.pinned');
  assert.ok(await tab.run(`[...page.core.producersOf(${event})].includes(${producer})`));
  await tab.press(']');
  assert.ok(await tab.run(`[...page.core.consumersOf(${producer})].includes(page.pinned)`));
  // Source to timeline.
  await tab.press('Escape');
  const [left, top] = await tab.run(`(() => { const row = document.querySelector('.line[data-line="${
      line}"]'); row.scrollIntoView({ block: 'center' }); const box = row.getBoundingClientRect(); return [box.left + 20, box.top + 5]; })()`);
  await tab.click(left, top);
  assert.equal(await tab.run('page.line.line'), line);
  const lines = await tab.run(
      `[...page.focus.keys()].filter(i => page.focus[i]).map(i => page.core.placeOf(page.core.binary[i]).line)`);
  assert.ok(lines.length > 0 && lines.every(other => other === line));
  // A link in the details leads to the source, too.
  await tab.run(`page.pin(${event})`);
  await tab.run(`[...document.querySelectorAll('.facts button')].find(b => b.textContent.endsWith(':${
      line}')).click()`);
  assert.equal(await tab.run('page.line.line'), line);
  // The address leads to the same place.
  await tab.run('page.setSpan(1e6, 9e6), page.pin(3)');
  await tab.run('new Promise(done => setTimeout(done, 300))');
  const hash = await tab.run('location.hash');
  const other = await browser.open(pageOf('attention') + hash);
  assert.deepEqual(await other.run('[page.view, page.from, page.to, page.pinned]'),
                   ['timeline', 1e6, 9e6, 3]);
  await other.close();
  await tab.close();
});

test('an instruction of a helper leads to the lines that called it, and they to it', async () => {
  const tab = await browser.open(pageOf('called', ['called.cpp']));
  await tab.press('2');
  const lineWith = text =>
      tab.run(`Object.values(page.profile.head.sources)[0].split('\\n').findIndex(line => line.endsWith('// ${
          text}')) + 1`);
  const [doubled, fourfold, once, twice] =
      await Promise.all(['doubled', 'fourfold', 'once', 'twice'].map(lineWith));
  const chains = await tab.run(
      `page.core.binary.map(one => [page.core.placeOf(one), ...page.core.callersOf(one)].map(place => place.line))`);
  const inner = chains.findIndex(chain => chain[0] === doubled && chain[1] === fourfold);
  assert.deepEqual(chains[inner], [doubled, fourfold, twice]);
  // The instruction to its callers.
  await tab.run(`page.pin([...page.core.instruction].indexOf(${inner}))`);
  const marked =
      await tab.run(`[...document.querySelectorAll('.line.caller')].map(row => Number(row.dataset.line))`);
  assert.deepEqual(marked, [fourfold, twice]);
  const named = await tab.run(
      `[...document.querySelectorAll('.facts dt')].find(e => e.textContent === 'called from').nextSibling.textContent`);
  assert.equal(named, `called.cpp:${fourfold} \u2039 called.cpp:${twice}`);
  // A caller to the instructions.
  await tab.run(`[...document.querySelectorAll('.facts button')].find(b => b.textContent.endsWith(':${
      twice}')).click()`);
  assert.equal(await tab.run('page.line.line'), twice);
  const shown = await tab.run(`page.core.binary.map((_, i) => i).filter(i => page.focus[i])`);
  assert.deepEqual(shown, chains.flatMap((chain, i) => chain.includes(twice) ? [i] : []));
  // A line that only calls has its helpers' time, for readers of the screen as well.
  const row = `document.querySelector('.line[data-line="${once}"]')`;
  assert.match(await tab.run(`${row}.getAttribute('aria-label')`), /its helpers: [1-9]/);
  assert.ok(await tab.run(`${row}.classList.contains('calls')`));
  await tab.close();
});

test('rows and points lead to the timeline', async () => {
  const tab = await browser.open(pageOf('attention'));
  for (const [view, target] of [['memory', 'tbody tr'], ['tensors', 'tbody tr'], ['roofline', 'circle.dot'],
                                ['insights', '.insights button.link'], ['insights', 'tr.active']]) {
    await tab.run(`page.clear(), page.show('${view}')`);
    await tab.run(
        `document.querySelector('main ${target}').dispatchEvent(new MouseEvent('click', { bubbles: true }))`);
    assert.equal(await tab.run('page.view'), 'timeline', `${view} ${target}`);
    assert.ok(await tab.run('page.pinned >= 0 || page.focus?.some(Boolean)'), `${view} ${target}`);
  }
  // The iterations of a loop add up to the loop, and lead there.
  await tab.run(`page.clear(), page.show('hierarchy')`);
  const iterations = await tab.run(`(() => {
    const choose = document.querySelector('main select'), { all } = treeOf(page.core, page.core.whole());
    const loop = all.filter(({ type }) => type === 'loop').sort((a, b) => b.busy - a.busy)[0];
    choose.selectedIndex = 1 + all.filter(({ type, busy }) => type === 'loop' && busy > 0).indexOf(loop);
    choose.dispatchEvent(new Event('change'));
    const iterations = iterationsOf(page.core, instructionsBelow(loop));
    return { count: iterations.length, busy: iterations.reduce((all, iteration) => all + iteration.busy, 0) / loop.busy, critical: iterations.reduce((all, iteration) => all + iteration.critical, 0) - loop.critical,
      stalls: iterations.reduce((all, iteration) => all + iteration.stalls, 0) - loop.stalls, rows: [...document.querySelectorAll('table')].find(table => table.caption?.textContent === 'Iterations of a loop').tBodies[0].rows.length };
  })()`);
  assert.ok(iterations.count > 3 && iterations.rows === Math.min(30, iterations.count),
            JSON.stringify(iterations));
  assert.ok(Math.abs(iterations.busy - 1) < 1e-6 && Math.abs(iterations.critical) < 1 &&
                Math.abs(iterations.stalls) < 1,
            JSON.stringify(iterations));
  await tab.run(`[...document.querySelectorAll('main table')].at(-1).querySelector('tr.active').click()`);
  assert.ok(await tab.run(
      `page.view === 'timeline' && page.region[1] > page.region[0] && page.focus.some(Boolean)`));
  await tab.close();
  const other = await browser.open(pageOf('reduce'));
  await other.run(`page.show('collectives')`);
  await other.run(`document.querySelector('main tr.active').click()`);
  assert.equal(await other.run('page.core.kindOf[page.core.instruction[page.pinned]]'),
               await other.run(`kindNames.indexOf('collective')`));
  // Another core, from the rows of the first screen.
  await other.run(`page.show('overview')`);
  await other.drawn();
  const [x, y] = await other.run(
      `(() => { const canvas = document.querySelector('canvas.cores'); canvas.scrollIntoView(); const box = canvas.getBoundingClientRect(); return [box.left + 300, box.top + 2.5 * coreRow]; })()`);
  await other.click(x, y);
  assert.equal(await other.run('page.chosen'), 2);
  assert.match(await other.run(`document.getElementById('core').selectedOptions[0].text`), /rank 2/);
  await other.close();
});

test('the critical path and the slack stand out', async () => {
  const tab = await browser.open(pageOf('attention'));
  await tab.press('2');
  const paint = colour => tab.run(`(() => {
    const { canvas } = page.views.timeline.tracks, { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const [r, g, b] = styled('${colour}').match(/[0-9]+/g).map(Number);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b) ++count;
    return count;
  })()`);
  assert.equal(await paint('--path'), 0);
  const matmul = await paint('--kind-matmul');
  await tab.press('c');
  assert.ok(await paint('--path') > 1000);
  // What is not on it is dimmed.
  assert.ok(await paint('--kind-matmul') < matmul / 2);
  await tab.press('c');
  assert.equal(await paint('--path'), 0);
  const event = await tab.run(`(() => {
    const { core } = page; let best = 0;
    for (let e = 0; e < core.count; ++e) if (!core.isCritical[e] && core.consumersOf(e).length > 0 && core.slack[e] > core.slack[best]) best = e;
    return best;
  })()`);
  await tab.run(`page.pin(${event}), page.setSpan(0, page.core.makespan)`);
  await tab.drawn();
  assert.ok(await paint('--towards') > 10);
  assert.match(await tab.run(`document.querySelector('.facts').innerText`),
               /slack\s+[\d.]+ (ns|us) at least/);
  await tab.close();
});

test('lanes, markers and CSV: what the timeline has beside its tracks', async () => {
  const tab = await browser.open(pageOf('attention'));
  await tab.press('2');
  // Where the first insight applies, a band that leads to it.
  const place = (kind, time) => tab.run(`(() => {
    const { tracks } = page.views.timeline, box = tracks.canvas.getBoundingClientRect(), row = tracks.rows.find(row => row.kind === '${
      kind}');
    return [box.left + tracks.xOf(${time}), box.top + row.y + 3];
  })()`);
  const [start, end] = await tab.run(`(() => {
    const { stretches: [[from, to]], number, insight } = page.views.timeline.tracks.lanes.bands[0], { core } = page;
    const runs = [...core.instruction.keys()].filter(event => insight.extent.instructions[0].includes(core.instruction[event]));
    return number === 0 && Math.min(...runs.map(event => core.start[event])) === from ? [from, to] : [];
  })()`);
  await tab.run(`page.setSpan(${start}, ${end})`);
  await tab.drawn();
  await tab.click(...await place('bands', (start + end) / 2));
  assert.equal(await tab.run('page.view'), 'insights');
  assert.equal(await tab.run('document.activeElement.id'), 'insight-0');
  await tab.run(`page.show('timeline'), page.fit()`);
  // A bank of PSUM leads to who wrote what it holds.
  const range = await tab.run(
      `(() => { const { ranges } = page.core, i = ranges.shape.findIndex(shape => ranges.shapes[shape].memory === 'psum' && ranges.shapes[shape].first_byte === 0); return ranges.at(i); })()`);
  await tab.run(`page.setSpan(${range.start}, ${range.end})`);
  await tab.drawn();
  await tab.click(...await place('banks', (range.start + range.end) / 2));
  assert.equal(await tab.run('page.core.instruction[page.pinned]'), range.writer);
  await tab.press('Escape');
  // The use of an engine over the whole run is what it was busy.
  await tab.run(`page.fit()`);
  const height = await tab.run('page.views.timeline.tracks.height');
  await tab.press('u');
  assert.ok(await tab.run('page.views.timeline.tracks.height') > height + 100);
  const [share, occupied] = await tab.run(`(() => {
    const bins = page.views.timeline.tracks.lanes.used.get('TensorE in use');
    return [bins.reduce((all, part) => all + part, 0) / bins.length, page.core.whole().occupied[0] / page.core.makespan];
  })()`);
  assert.ok(share > 0.1 && Math.abs(share - occupied) < 0.001);
  // The rates of HBM add up to the bytes of the document.
  const moved = await tab.run(`(() => ['HBM read', 'HBM written'].map(name => {
    const bins = page.views.timeline.tracks.lanes.used.get(name);
    return bins.reduce((all, rate) => all + rate, 0) * page.core.report.makespan_ns / bins.length;
  }))()`);
  const {hbm_read_bytes: read, hbm_write_bytes: written} = await tab.run(
      '(({ hbm_read_bytes, hbm_write_bytes }) => ({ hbm_read_bytes, hbm_write_bytes }))(page.core.report)');
  assert.ok(read > 0 && Math.abs(moved[0] / read - 1) < 1e-6 && Math.abs(moved[1] / written - 1) < 1e-6,
            `${moved}, ${read}, ${written}`);
  // So do the flops, with transposes, and the time in which TensorE is cold.
  const [flops, wanted, cold, throttled] = await tab.run(`(() => {
    const {used} = page.views.timeline.tracks.lanes, {report} = page.core;
    const sum = name => used.get(name).reduce((all, one) => all + one, 0) / used.get(name).length;
    return [sum('flops (HFU)') / report.peak_flops_per_ns, report.hfu,
            sum('throttled') * report.makespan_ns, report.engines.tensor.stalls.throttle];
  })()`);
  assert.ok(wanted > 0 && Math.abs(flops / wanted - 1) < 1e-6 && Math.abs(cold / throttled - 1) < 1e-6,
            `${flops}, ${wanted}, ${cold}, ${throttled}`);
  await tab.press('u');
  // Rows by tensor, by scope and by call: as long as their transfers and instructions ran; a click lets them
  // stand out.
  for (const [grouping, name] of [['tensors', 'q'], ['scopes', 'kv_head'],
                                  ['calls', await tab.run('callGroups(page.core)[0].name')]]) {
    await tab.press('g');
    await tab.drawn();
    const rows = await tab.run('page.views.timeline.tracks.rows.filter(row => row.kind === "group")');
    const own = rows.find(row => row.name === name);
    assert.ok(
        own && own.time > 0 &&
            own.stretches.every(([from, to], i) => from < to && from >= (own.stretches[i - 1]?.[1] ?? 0)),
        grouping);
    await tab.run(`page.setSpan(${own.stretches[0].join()})`);
    await tab.drawn();
    const [x, y] = await tab.run(`(() => {
      const { tracks } = page.views.timeline, row = tracks.rows.find(row => row.kind === 'group' && row.name === '${
        name}');
      tracks.canvas.scrollIntoView({ block: 'end' });
      const box = tracks.canvas.getBoundingClientRect();
      return [box.left + tracks.width / 2, box.top + row.y + row.height / 2];
    })()`);
    await tab.click(x, y);
    assert.deepEqual(await tab.run('[...page.focus.keys()].filter(number => page.focus[number])'),
                     [...own.numbers].sort((a, b) => a - b));
    await tab.press('Escape');
    await tab.run('page.fit()');
  }
  await tab.press('g');
  assert.equal(await tab.run('page.views.timeline.tracks.height'), height);
  // Colours by scope: the legend has them, and the tracks other colours than before.
  const picture = () => tab.run('page.views.timeline.tracks.canvas.toDataURL()'), byKind = await picture();
  await tab.press('o');
  assert.deepEqual(
      await tab.run(`[...document.querySelectorAll('[aria-label=Scopes] li')].map(item => item.textContent)`),
      await tab.run(`page.core.scopeShades().names.map(name => name || '(none)')`));
  assert.notEqual(await picture(), byKind);
  await tab.press('o');
  assert.equal(await picture(), byKind);
  // Markers: at what is pinned, with a name, in the address, and what is between two.
  await tab.run('page.pin(7)');
  await tab.press('m');
  await tab.run('page.pin(99)');
  await tab.press('m');
  await tab.run(
      `(() => { const [input] = document.querySelectorAll('.markers input'); input.value = 'first & last'; input.dispatchEvent(new Event('input')); })()`);
  await tab.run(`new Promise(done => setTimeout(done, 300))`);
  const other = await browser.open(pageOf('attention') + await tab.run('location.hash'));
  const times = await tab.run('[7, 99].map(event => page.core.start[event]).sort((a, b) => a - b)');
  const firstIsA = await tab.run('page.core.start[7] < page.core.start[99]');
  assert.deepEqual(await other.run('page.markers.list.map(({ time, name }) => [name, time])'),
                   [['first & last', times[0]], [firstIsA ? 'B' : 'A', times[1]]]);
  await other.run(
      `[...document.querySelectorAll('.markers button')].find(b => b.textContent.includes(' from ')).click()`);
  assert.deepEqual(await other.run('page.region'), times);
  // What is selected as CSV, as assembly.
  const [name, csv] = await other.run(`new Promise(done => {
    let blob;
    URL.createObjectURL = made => (blob = made, '#');
    HTMLAnchorElement.prototype.click = function() { blob.text().then(text => done([this.download, text])); };
    [...document.querySelectorAll('.details button')].find(b => b.textContent === 'CSV').click();
  })`);
  const
      lines = csv.trim().split('\n').slice(1),
      within = await other.run(
          '[...page.core.start.keys()].filter(event => page.core.start[event] < page.region[1] && page.core.end(event) > page.region[0]).length');
  assert.equal(name, 'flash_attention.csv');
  assert.ok(lines.length > 10 && lines.length === within);
  await other.run(`document.querySelector('.details summary').click()`);
  await other.drawn();
  const assembly = await other.run(`document.querySelector('.details pre').textContent`);
  assert.ok(lines.some(line => assembly.includes(line.split(',"').at(-1).replace(/"$/, ''))));
  // The IR behind the last pass, of what is pinned: its product and nothing else's lines.
  await other.run(
      `page.pin([...page.core.instruction.keys()].find(event => page.core.instructionOf(event).op === 'nc_matmul'))`);
  await other.run(`[...document.querySelectorAll('.details summary')].at(-1).click()`);
  await other.drawn();
  assert.match(await other.run(`document.querySelector('.details pre').textContent`), /nc\.nc_matmul/);
  await other.run(`document.querySelector('.markers [aria-label="Remove first & last"]').click()`);
  assert.equal(await other.run('page.markers.list.length'), 1);
  assert.deepEqual([...tab.errors, ...other.errors], []);
  await other.close();
  await tab.close();
});

test('mouse: zoom, pan, selection; the wheel alone scrolls the page', async () => {
  const tab = await browser.open(pageOf('attention'), {height: 500});
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
  const tab = await browser.open(pageOf('attention'));
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

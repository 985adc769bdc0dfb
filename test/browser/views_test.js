// Each view of pages of real kernels: it draws what the tool wrote, in light and
// dark, and what it says agrees with what the tool says elsewhere.
'use strict';

const assert = require('node:assert');
const path = require('node:path');
const test = require('node:test');

const {contrastOf, poorContrast} = require('./contrast.js');
const {kernels, pageOf, pageOfBinary, pageOfTwo, pictures, startBrowser, stories, views} =
    require('./pages.js');

const browser = startBrowser(test);

// How much of each sort a view shows.
const shown = `(() => {
  const main = document.querySelector('main'), count = selector => main.querySelectorAll(selector).length;
  const painted = [...main.querySelectorAll('canvas')].map(canvas => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  const rows = Object.fromEntries([...main.querySelectorAll('table')].map(table =>
      [table.caption?.textContent ?? table.getAttribute('aria-label'), table.tBodies[0].rows.length]));
  return { rows, painted, dots: count('circle.dot'), curves: count('.curve'), cards: count('.card'), uses: [...main.querySelectorAll('.uses span')].reduce((all, part) => all + part.getBoundingClientRect().width, 0) / main.querySelector('.uses .stack')?.clientWidth,
    loops: count('.loop:not(.pass)'), passes: count('.pass'), insights: count('.insights > li'),
    engines: count('.engine'), absent: [...main.querySelectorAll('.absent')].map(e => e.textContent), notes: [...main.querySelectorAll('p.note')].map(e => e.textContent), names: [...main.querySelectorAll('circle.dot')].map(e => e.getAttribute('aria-label')?.split(':')[0] + ' ' + e.style.fill), radii: [...main.querySelectorAll('circle.dot')].map(e => e.getAttribute('r')), points: [...main.querySelectorAll('[aria-label="Points"] li')].map(e => e.textContent), bound: main.querySelector('[role="treegrid"]') ? boundOf(page.views.hierarchy.whole, page.profile.head.hbm_bytes_per_ns) : 0, lines: count('.line.has'), energy: main.querySelector('[aria-label^="Energy"]')?.innerText ?? '', text: main.innerText.length };
})()`;

// What the views of a page must have, given what the document says.
const wanted = {
  overview: ({painted, cards, engines, rows, energy}, head, core) => {
    assert.equal(rows.Energy, core.energy.items.length);
    assert.ok(energy.includes('estimate') && energy.includes('Not known: '));
    const {items, static_joules: still, joules: all} = core.energy;
    assert.ok(Math.abs(items.reduce((sum, item) => sum + item.joules, still) / all - 1) < 1e-9);
    assert.ok(painted[0] > 8 && painted.length === (head.names.length > 1 ? 2 : 1));
    assert.equal(engines, 6);
    assert.equal(cards, Math.min(3, head.insights.length || 3));
  },
  timeline: ({painted, lines, rows}, head, core) => {
    assert.ok(painted.every(colours => colours >= 3) && painted.at(-1) > 20, String(painted));
    assert.equal(lines > 0, core.lines.some(line => line.file !== ''));
    assert.ok(rows['Instructions of the stretch by time'] > 3);
  },
  hierarchy: ({rows, bound}, head, core) => {
    assert.ok(rows.Hierarchy > 1 && core.hierarchy.length > rows.Hierarchy);
    // What its engines and its bytes need; the last loop instruction of a stream is in no row.
    const needs = Math.max(
        ...['tensor', 'vector', 'scalar', 'gpsimd', 'sync'].map(engine => core.engines[engine].busy_ns),
        (core.hbm_read_bytes + core.hbm_write_bytes) / head.hbm_bytes_per_ns);
    assert.ok(bound <= 1000 * needs + 1 && bound > 1000 * needs - 9020, `${bound}, ${needs}`);
  },
  memory: ({painted, rows}, head, core) => {
    for (const [i, space] of ['sbuf', 'psum'].entries()) {
      const {peak_bytes: peak, owners} = core.memory[space];
      assert.equal(rows[`Live in ${space.toUpperCase()} at the peak`] ?? 0, Math.min(10, owners.length));
      if (peak > 0) assert.ok(painted[i] > 3 && owners.length > 0, space);
    }
    assert.ok(core.memory.sbuf.peak_bytes > 0 &&
              core.memory.sbuf.peak_bytes <= core.memory.sbuf.capacity_bytes);
  },
  tensors: ({rows, text}, head, core) => {
    assert.equal(rows.Tensors, core.tensors.length);
    // Of the busiest engine, all is told.
    const engines = core.dma_engines.map(
        engine => Object.values(engine).map(parts => Object.values(parts).reduce((all, ns) => all + ns, 0)));
    assert.ok(rows['DMA engines'] === engines.length && engines.length > 0);
    for (const [i, [data, descriptors]] of engines.entries())
      assert.ok(Math.abs(data - (core.dma_engines[i].by_data_ns.other ?? 0) - descriptors) < 0.01);
    const busiest = Math.max(...engines.map(([data]) => data)), told = core.engines.dma.busy_ns;
    assert.ok(Math.abs(busiest - told) < 0.01, `${busiest} ${told}`);
    const {values} = core;
    assert.equal(rows.Values, values && Math.min(50, values.tensors.length + values.lines.length));
    assert.ok(rows.Transfers > 0 && text > 200 && core.tensors.some(tensor => tensor.read_bytes > 0));
  },
  roofline: ({dots, rows, absent, uses, names, radii, points: legend}, head, core) => {
    if (core.matmul_flops > 0) assert.ok(Math.abs(uses - 1) < 0.01, String(uses));
    const points = core.roofline_points.filter(point => point.flops > 0);
    assert.equal(points.length > 0, core.matmul_flops > 0);
    assert.equal(dots, points.length);
    assert.equal(rows['Points of the roofline'] ?? 0, points.length);
    assert.equal(absent.length, points.length > 0 ? 0 : 1);
    // Those of several types are told apart, by name and by colour.
    const types = [...new Set(points.map(point => point.operands))], isMixed = types.length > 1;
    for (const point of points)
      assert.ok(
          names.some(name => name.startsWith(isMixed ? `${point.name}, ${point.operands} ` : point.name)));
    assert.ok(!isMixed || new Set(radii).size === points.length, `a point hides another one: ${radii}`);
    const below = isMixed ? types.map(type => 'scope or loop, ' + type) : ['scope or loop'];
    assert.deepEqual(legend, points.length > 0 ? ['kernel', ...below] : []);
    assert.equal(new Set(names.map(name => name.split(' ').at(-1))).size,
                 Math.min(points.length, 1 + below.length));
  },
  collectives: ({rows, dots, absent}, head, core) => {
    assert.equal(rows.Collectives ?? 0, core.collectives.length);
    assert.equal(dots, core.collectives.length);
    assert.equal(absent.length, core.collectives.length > 0 ? 0 : 1);
    if (core.collectives.length > 0) assert.ok(rows.Links > 0);
  },
  insights: ({rows, insights, curves, notes}, head) => {
    assert.equal(insights, head.insights.length);
    assert.ok(rows['Parts of the critical path'] > 3 && rows.Waits > 3);
    assert.equal(curves, head.sweeps?.length ?? 0);
    assert.ok(head.sweeps?.every(one => rows[`Makespan by ${one.parameter}`] === one.points.length) ?? true);
    assert.equal(rows['What if'] ?? 0, Math.min(12, head.what_if?.length ?? 0));
    assert.equal(notes.some(note => note.includes('gets slower')),
                 head.what_if?.some(one => one.measure.saving_ns < 0) ?? false);
  },
  compiler: ({rows, loops, passes, absent}, head) => {
    const isCompiled = 'schedule' in head;
    assert.equal(loops, isCompiled ? head.schedule.cores.flatMap(core => core.loops).length : 0);
    assert.equal(rows.Remarks ?? 0, Math.min(60, head.remarks?.length ?? 0));
    assert.ok(rows['Instructions executed'] > 3);
    assert.equal(absent.length, (isCompiled ? 0 : 2) + ('passes' in head ? 0 : 1));
    assert.equal(passes > 10, 'passes' in head);
    assert.equal('remarks' in head, isCompiled);
  },
};

async function drawsAllViews(file) {
  for (const dark of [false, true]) {
    const tab = await browser.open(file, {dark});
    const head = await tab.run('page.profile.head'), core = head.cores[head.names[head.busiest][1]];
    for (const [i, view] of views.entries()) {
      await tab.press(String(i + 1));
      assert.equal(await tab.run('page.view'), view);
      const seen = await tab.run(shown);
      try {
        wanted[view](seen, head, core);
      } catch (error) {
        error.message = `${view}: ${error.message}\n${JSON.stringify(seen)}`;
        throw error;
      }
      assert.ok(seen.text > 40, view);
      assert.deepEqual(await tab.run(poorContrast), [], `${view}, ${dark ? 'dark' : 'light'}`);
    }
    await tab.press('?');
    assert.ok(await tab.run(`document.getElementById('keys').open`));
    await tab.press('Escape');
    assert.deepEqual(tab.errors, []);
    assert.equal(tab.requests.length, 1);
    assert.ok(tab.requests[0].startsWith('file://'));
    await tab.close();
  }
}

for (const name of Object.keys(kernels))
  test(`${name}: every view draws what the tool wrote, in light and dark`, () => drawsAllViews(pageOf(name)));
test('a binary: the same, but for what only the compiler knows', () => drawsAllViews(pageOfBinary()));

test('the kernels of these tests have something for every view', async () => {
  const seen = {};
  for (const name of Object.keys(kernels)) {
    const tab = await browser.open(pageOf(name)), head = await tab.run('page.profile.head');
    const core = head.cores[0];
    for (const [what, there] of Object.entries({
           products: core.roofline_points.some(point => point.flops > 0 && point.node > 0),
           collectives: core.collectives.length > 0,
           reloads: core.tensors.length > 1,
           psum: core.memory.psum.peak_bytes > 0,
           loops:
               head.schedule.cores[0].loops.length > 0 && core.hierarchy.some(node => node.type === 'loop'),
           insights: head.insights.length > 2,
           whatIf: head.what_if?.length > 3,
           slower: head.what_if?.some(one => one.measure.saving_ns < 0),
           types: new Set(core.roofline_points.filter(point => point.flops > 0).map(point => point.operands))
                          .size > 1,
           sweep: head.sweeps?.length > 0,
           values: core.values?.masked.part + core.values?.vanished.part > 0,
           cores: head.names.length > 1
         }))
      seen[what] ||= there;
    await tab.close();
  }
  assert.deepEqual(Object.entries(seen).filter(([, there]) => !there), []);
});

test('each core of a rank has the IR of its own lines', async () => {
  const words = ['rmsnorm_cores', '--cores=2', '--rows=512', '--passes', '--no-insights'];
  const tab = await browser.open(pageOf('cores', words) + '#view=timeline'), irOf = async core => {
    await tab.run(`(() => {
      page.chooseCore(${core});
      page.pin([...page.core.instruction.keys()].find(event => page.core.instructionOf(event).kind === 'dma_out'));
      [...document.querySelectorAll('.details summary')].at(-1).click();
    })()`);
    await tab.drawn();
    return tab.run(`document.querySelector('.details pre').textContent`);
  };
  for (const core of [0, 1]) assert.match(await irOf(core), /nc\.dma_copy/);
  // And what each pass changed for it: other rows of the tensor.
  for (const [core, key] of ['passes', 'passes_of_core_1'].entries()) {
    const [shown, told] = await tab.run(`(() => {
      page.chooseCore(${core});
      page.show('compiler');
      const told = page.profile.head.${key}.filter(({added, removed}) => added + removed > 0);
      return [[...document.querySelectorAll('.pass summary')].map(line => line.textContent),
              told.map(({name, ms, lines}) => name + ms.toFixed(1) + ' ms' + plural(lines, 'line'))];
    })()`);
    assert.ok(told.length > 3 && shown.length === told.length);
    shown.forEach((line, i) => assert.ok(line.startsWith(told[i]), `${line}, ${told[i]}`));
  }
  assert.notEqual(...await tab.run(
      '[page.profile.head.passes, page.profile.head.passes_of_core_1].map(passes => passes[0].diff)'));
  assert.deepEqual(tab.errors, []);
  await tab.close();
});

test('two runs: the page draws what the comparison says, in light and dark', async () => {
  const {file, document} = pageOfTwo();
  for (const dark of [false, true]) {
    const tab = await browser.open(file, {dark}), seen = await tab.run(shown);
    for (const [title, rows] of [['Critical path by reason', document.reasons],
                                 ['Critical path by line', document.lines],
                                 ['Critical path by scope', document.scopes], ['Energy', document.energy]])
      assert.equal(seen.rows[title], Math.min(25, rows.length), title);
    assert.equal(seen.engines, 2 + 2 * document.engines.length);
    // The bars of both runs are as long as their makespans.
    const widths = await tab.run(
        `[...document.querySelectorAll('main section:first-child .stack')].map(bar => [...bar.children].reduce((all, part) => all + part.getBoundingClientRect().width, 0) / bar.clientWidth)`);
    const {before_ns: before, after_ns: after} = document.makespan;
    assert.ok(before > after && Math.abs(widths[0] - 1) < 0.02 && Math.abs(widths[1] - after / before) < 0.02,
              widths.join());
    assert.match(await tab.run(`document.getElementById('change').textContent`),
                 /\d ms to .*\d us, -\d+\.\d %/);
    // Lines with their texts.
    const lines = await tab.run(`[...document.querySelectorAll('code.text')].map(text => text.textContent)`);
    assert.ok(lines.some(text => text.includes('exp(t - row_max(t))')) &&
                  lines.some(text => text.includes('store(most.rows(r, n)')),
              lines.join('\n'));
    assert.deepEqual(await tab.run(poorContrast), [], dark ? 'dark' : 'light');
    assert.deepEqual(tab.errors, []);
    assert.equal(tab.requests.length, 1);
    // On a narrow screen nothing is wider than the screen.
    await tab.size(800, 600);
    assert.ok(await tab.run('document.scrollingElement.scrollWidth <= 800'));
    await tab.size(1440, 900);
    await tab.press('t');
    assert.equal(await tab.run('document.documentElement.dataset.theme'), 'light');
    if (!dark) {
      await tab.drawn();
      await tab.picture(path.join(pictures, 'report-comparison.png'));
    }
    await tab.close();
  }
});

test('two runs: timelines one above the other move together and share their lines', async () => {
  const {file, ofJson, document} = pageOfTwo(), tab = await browser.open(file);
  const state = () => tab.run(`(({ timelines: { runs, from, to, line } }) => ({
    spans: runs.map(run => [run.from, run.to]), ends: runs.map(run => run.core.makespan), from, to, line,
    lit: runs.map(run => run.focus ? run.focus.reduce((all, one) => all + one, 0) : -1),
    tops: runs.map(run => run.tracks.box.getBoundingClientRect().top),
    colours: runs.map(({ tracks: { canvas } }) => new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size)
  }))(twoRuns)`);
  const whole = await state(), [slow, fast] = whole.ends;
  assert.deepEqual([slow, fast].map(ps => ps / 1000),
                   [document.makespan.before_ns, document.makespan.after_ns]);
  assert.ok(whole.tops[0] < whole.tops[1] && whole.colours.every(count => count > 8), whole.colours.join());
  assert.deepEqual(whole.spans, [[0, slow], [0, slow]]);
  // The wheel on one moves both, at the same scale; then each has its own whole run.
  const [x, y] = await tab.run(
      `(box => { box.scrollIntoView(); const { left, top, width } = box.getBoundingClientRect(); return [left + width / 2, top + 40]; })(twoRuns.timelines.runs[1].tracks.box)`);
  await tab.wheel(x, y, -300, 2);
  const near = await state();
  assert.ok(near.to - near.from < 0.6 && near.spans[0].join() === near.spans[1].join(), near.spans.join());
  await tab.press('f');
  await tab.run(
      `[...document.querySelectorAll('.tools button')].find(one => one.textContent === 'same scale').click()`);
  await tab.drawn();
  assert.deepEqual((await state()).spans, [[0, slow], [0, fast]]);
  // An instruction chooses its line in both, and the table does; Escape ends it.
  const [run, event] = [1, await tab.run('twoRuns.timelines.runs[1].core.firstOfTrack[1]')];
  const [atX, atY] = await tab.run(
      `(({ core, tracks }) => { const { left, top } = tracks.canvas.getBoundingClientRect(); return [left + tracks.xOf(core.start[${
          event}] + core.length[${event}] / 2), top + tracks.middleOf(${event})]; })(twoRuns.timelines.runs[${
          run}])`);
  await tab.click(atX, atY);
  const chosen = await state();
  assert.match(chosen.line, /^lesson_12_cards\.cpp:\d+$|\/.*:\d+$/);
  assert.ok(chosen.lit[1] > 0, chosen.lit.join());
  const row = document.lines.find(line => line.before_ns > 0 && line.name && line.name !== chosen.line).name;
  await tab.run(
      `[...document.querySelectorAll('main td button')].find(one => one.textContent === '${row}').click()`);
  await tab.drawn();
  const other = await state();
  assert.ok(other.line === row && other.lit[0] > 0 && other.lit[1] >= 0,
            `${row}: ${other.line}, ${other.lit.join()}`);
  await tab.press('Escape');
  assert.deepEqual((await state()).lit, [-1, -1]);
  await tab.press('c');
  assert.ok(await tab.run('twoRuns.timelines.runs.every(run => run.showsPath)'));
  assert.deepEqual(tab.errors, []);
  await tab.close();
  // JSON has no events: the page says so, and draws the other one.
  const half = await browser.open(ofJson);
  assert.equal(await half.run('twoRuns.timelines.runs.map(run => run.when).join()'), 'after');
  assert.match(await half.run(`document.querySelector('[aria-label="Timelines"] .absent').textContent`),
               /no events of the run before/);
  assert.deepEqual(half.errors, []);
  await half.close();
});

test('sums of the page are those of the document', async () => {
  for (const name of Object.keys(kernels)) {
    const tab = await browser.open(pageOf(name));
    const wrong = await tab.run(`(() => {
      const { core } = page, sum = core.whole(), wrong = [];
      const close = (a, b, what) => { if (Math.abs(a - b) > 1) wrong.push(what + ': ' + a + ', ' + b); };
      for (const [name, engine] of Object.entries(core.report.engines)) {
        if (name === 'dma') continue;
        close(sum.waited[engineNames.indexOf(name)] + 1000 * engine.busy_ns, page.core.makespan, name);
      }
      const visit = node => {
        const { sums } = core.report.hierarchy[node.number];
        Object.keys(engineTitles).forEach((name, i) => {
          // Of transfers that overlap in a queue, the page counts the time once.
          const told = 1000 * (sums.busy_ns[name] ?? 0);
          if (name !== 'dma') close(node.engines[i], told, node.name + ' ' + name);
          else if (node.engines[i] > told + 1 || node.engines[i] < 0.5 * told) wrong.push(node.name + ' dma ' + node.engines[i] + ', ' + told);
        });
        close(node.critical, 1000 * sums.critical_ns, node.name + ' critical');
        close(node.bytes, sums.bytes, node.name + ' bytes');
        close(node.runs, sums.runs, node.name + ' runs');
        node.children.forEach(visit);
      };
      visit(treeOf(core, sum));
      close(core.pathParts().reduce((all, part) => all + part.time, 0), core.makespan, 'path');
      for (let e = 0; e < core.count; ++e)
        for (const p of core.producersOf(e)) if (core.start[p] > core.start[e]) wrong.push('waits for what comes later: ' + e);
      for (let i = 0; i < core.ranges.count; ++i) { const { start, end, bytes } = core.ranges.at(i); if (start > end || bytes <= 0) wrong.push('range'); }
      return wrong.slice(0, 20);
    })()`);
    assert.deepEqual(wrong, [], name);
    await tab.close();
  }
});

test('colours of work and of waits can be told from the page and from text on them', async () => {
  for (const dark of [false, true]) {
    const tab = await browser.open(pageOf('softmax'), {dark});
    const colours = await tab.run(
        `(() => { const of = names => names.map(name => [name, styled(name)]); return { work: of(kindNames.map(kindProperty)), waits: of(groupNames.map(name => '--wait-' + name)),
          engines: of(Object.keys(engineTitles).map(name => '--engine-' + name)), back: styled('--back'), ink: styled('--ink'), text: styled('--text') }; })()`);
    const contrast = (a, b) => tab.run(`${contrastOf}(${JSON.stringify(a)}, ${JSON.stringify(b)})`);
    for (const [name, colour] of [...colours.work, ...colours.waits, ...colours.engines]) {
      assert.notEqual(colour, colours.text, `${name} has no colour`);
      assert.ok(await contrast(colour, colours.back) >= 3, name);
    }
    for (const [name, colour] of colours.work) assert.ok(await contrast(colour, colours.ink) >= 4.5, name);
    assert.equal(new Set(colours.work.map(([, colour]) => colour)).size, colours.work.length);
    // A canvas has the colours of its theme, also after a change of it.
    const back = () => tab.run(`page.show('memory'), styled('--track')`);
    const before = await back();
    await tab.press('t');
    await tab.press('t');
    assert.equal(await tab.run('document.documentElement.dataset.theme'), 'dark');
    assert.equal(await back() === before, dark);
    await tab.close();
  }
});

test('pictures for the documents', async () => {
  const take = async (tab, name) => {
    await tab.drawn();
    await tab.picture(path.join(pictures, name + '.png'));
  };
  const tab = await browser.open(pageOf('attention'), {height: 800});
  await take(tab, 'report');
  // Of the critical path, the event with the most links.
  await tab.run(`(() => {
    const { core } = page, links = event => core.producersOf(event).length + core.consumersOf(event).length;
    page.show('timeline'); page.togglePath(); page.setSpan(core.makespan * 0.3, core.makespan * 0.5);
    page.pin([...core.path.event].filter(event => event >= 0 && core.start[event] > page.from && core.end(event) < page.to).reduce((best, event) => links(event) > links(best) ? event : best));
  })()`);
  await take(tab, 'report-timeline');
  for (const view of ['memory', 'roofline']) {
    await tab.run(`page.show('${view}')`);
    await take(tab, 'report-' + view);
  }
  await tab.colours(true);
  await tab.run(`page.show('timeline')`);
  await take(tab, 'report-dark');
  await tab.close();
  const other = await browser.open(pageOf('reduce'), {height: 640});
  await other.run(`page.show('collectives')`);
  await take(other, 'report-collectives');
  await other.close();
});

test('pictures for the stories of the tutorial: the cards are on the first screen', async () => {
  for (const [name, words] of Object.entries(stories)) {
    const tab = await browser.open(pageOf(name, words), {height: 640});
    const cards = await tab.run(`[...document.querySelectorAll('.card')].map(card => card.textContent)`);
    const insights = await tab.run('page.profile.head.insights.slice(0, 3).map(one => one.title)');
    assert.ok(insights.length > 0 && insights.every(title => cards.some(card => card.includes(title))), name);
    await tab.drawn();
    await tab.picture(path.join(pictures, name + '.png'));
    await tab.close();
  }
});

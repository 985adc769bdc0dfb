// A real kernel that runs for long: ten thousand, a hundred thousand, a million
// events on a page. Writes the table of docs/report.md.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const test = require('node:test');

const {pageOf, startBrowser} = require('./pages.js');

const browser = startBrowser(test);

for (const rows of [138_240, 1_382_400, 13_824_000])
  test(`softmax of ${rows} rows`, async () => {
    const start = performance.now(),
          file = pageOf('many-' + rows, ['softmax', `--rows=${rows}`, '--cols=128', '--no-insights']);
    const written = performance.now() - start, tab = await browser.open(file);
    await tab.drawn();
    const loaded = await tab.run('performance.now()');
    const draw = await tab.run(`(() => {
      page.show('timeline');
      const start = performance.now();
      page.views.timeline.tracks.draw();
      return performance.now() - start;
    })()`);
    const {events, hits} =
        await tab.run('({ events: page.core.count, hits: page.core.report.instruction_counts.activation })');
    const search = await tab.run(`(() => {
      const start = performance.now();
      page.search('activation');
      return performance.now() - start;
    })()`);
    assert.equal(await tab.run('page.hits.length'), hits);
    const views = await tab.run(`(() => {
      const times = {};
      for (const name of Object.keys(page.views)) { const start = performance.now(); page.show(name); times[name] = performance.now() - start; }
      return times;
    })()`);
    const size = (fs.statSync(file).size / 2 ** 20).toFixed(1);
    console.log(`| ${events.toLocaleString('en').replace(/,/g, ' ')} | ${(written / 1000).toFixed(1)} s | ${
        size} MiB | ${Math.round(loaded)} ms | ${Math.round(draw)} ms | ${Math.round(search)} ms |`);
    console.log(Object.entries(views).map(([name, time]) => `${name} ${Math.round(time)} ms`).join(', '));
    // Three seconds on a computer with nothing else to do.
    assert.ok(loaded < 12_000, `${loaded} ms`);
    assert.ok(draw < 2_000, `${draw} ms`);
    assert.ok(Math.max(...Object.values(views)) < 8_000, JSON.stringify(views));
    fs.rmSync(file);
    await tab.close();
  });

// What the details have of stretches and of what is pinned: the stretches between
// markers side by side, and the IR.
'use strict';

const assert = require('node:assert');

const {pageOf, pageOfBinary} = require('./pages.js');

module.exports = (test, browser) => {
  test('stretches between markers side by side: each has the sums that it has alone', async () => {
    const tab = await browser.open(pageOf('attention') + '#view=timeline');
    const [titles, cells, alone] = await tab.run(`(() => {
      const {markers, core} = page, end = core.makespan;
      page.show('timeline');
      markers.list.push(...[['A', 0.2], ['B', 0.4], ['C', 0.4], ['D', 0.7], ['E', 0.8], ['F', 0.9], ['G', 1]].map(
          ([name, part]) => ({name, time: Math.round(part * end)})));
      markers.changed();
      const made = [...document.querySelectorAll('table')].find(one => one.caption?.textContent === 'Stretches between markers');
      const texts = row => [...row.cells].map(cell => cell.textContent);
      const alone = [[0.2, 0.4], [0.4, 0.7], [0.7, 0.8]].map(parts => {
        const [from, to] = parts.map(part => Math.round(part * end)), sum = core.summary(from, to);
        return [timeText(to - from), shareText(to - from - sum.waited[0], to - from), bytesText(sum.bytes)];
      });
      return [texts(made.tHead.rows[0]), Object.fromEntries([...made.tBodies[0].rows].map(texts).map(([name, ...more]) => [name, more])), alone];
    })()`);
    // The first four, of which one has no length.
    assert.deepEqual(titles.slice(1), ['A to B', 'C to D', 'D to E']);
    assert.deepEqual(alone, [0, 1, 2].map(i => ['time', 'TensorE', 'moved'].map(row => cells[row][i])));
    assert.ok(cells.HFU.every(text => text.endsWith('%')) && new Set(cells.HFU).size > 1, cells.HFU.join());
    assert.deepEqual(tab.errors, []);
    await tab.close();
  });

  test('the IR of what is pinned needs no option; a binary has none', async () => {
    for (const [file, titles] of [[pageOf('softmax'), ['IR of these lines']], [pageOfBinary(), []]]) {
      const tab = await browser.open(file + '#view=timeline');
      assert.ok(!await tab.run('"passes" in page.profile.head'));
      await tab.run(`(() => {
        page.pin([...page.core.instruction.keys()].find(event => page.core.instructionOf(event).op === 'activation'));
        document.querySelectorAll('.details summary').forEach(summary => summary.click());
      })()`);
      await tab.drawn();
      const folded = await tab.run(`[...document.querySelectorAll('.details details')].map(
          one => [one.querySelector('summary').textContent, one.querySelector('pre').textContent])`);
      assert.deepEqual(folded.map(([title]) => title), titles);
      for (const [, text] of folded) assert.match(text, /activation/);
      await tab.close();
    }
  });
};

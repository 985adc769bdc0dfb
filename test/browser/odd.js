// What no kernel of the library is: no instruction, a single one, names that
// are HTML, a screen that changes all the time.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');

const {pageOf} = require('./pages.js');

// Every view, and in each of them every key but those that open something.
const everyKey = `(() => {
  const odd = [];
  for (const view of Object.keys(page.views)) {
    for (const [keys, act] of keysOf(page))
      for (const key of keys.split(' ')) if (!/[0-9?/t]/.test(key)) act(key);
    page.show(view);
    const text = document.querySelector('main').innerText, found = /.*(NaN|Infinity|undefined|null).*/.exec(text);
    if (found) odd.push(view + ': ' + found[0]);
  }
  return odd;
})()`;

module.exports = (test, browser) => {
  test('odd: a kernel of no instruction, and of one', async () => {
    for (const copies of [0, 1]) {
      const tab = await browser.open(pageOf('odd-' + copies, ['odd.cpp', '--copies=' + copies]));
      assert.equal(await tab.run('page.core.report.instructions'), copies);
      assert.deepEqual(await tab.run(everyKey), []);
      if (copies === 0) {
        await tab.run(`page.show('overview')`);
        assert.match(await tab.run(`document.querySelector('main').innerText`), /executes no instruction/);
      }
      await tab.size(500, 400);
      await tab.drawn();
      assert.deepEqual(tab.errors, []);
      await tab.close();
    }
  });

  test('odd: what looks like HTML is text', async () => {
    const file = pageOf('odd-1', ['odd.cpp', '--copies=1']), text = fs.readFileSync(file, 'utf8'),
          [, before, json, after] = /^([^]*id="head">)([^]*?)(<\/script>[^]*)$/.exec(text),
          head = JSON.parse(json);
    const odd = '</script><img src=x onerror="window.ran = 1"><b>&lt;';
    Object.assign(head, {kernel: odd, target: odd, command: odd, parameters: [[odd, odd]]});
    head.sources =
        Object.fromEntries(Object.entries(head.sources).map(([name, text]) => [odd + name, odd + text]));
    const [core] = head.cores;
    for (const place of core.places)
      for (const key of ['file', 'name', 'scopes', 'operation'])
        if (place[key]?.length > 0)
          place[key] = Array.isArray(place[key]) ? place[key].map(name => odd + name) : odd + place[key];
    for (const one of [...core.tensors, ...core.hierarchy]) one.name = odd + one.name;
    for (const instruction of core.binary) instruction.asm = odd + instruction.asm;
    const other = file.replace('odd-1', 'odd-html');
    // As the tool writes a document into a page.
    fs.writeFileSync(other, before + JSON.stringify(head).replace(/</g, '\\u003c') + after);
    const tab = await browser.open(other);
    assert.equal(await tab.run(`document.getElementById('kernel').textContent`), odd);
    await tab.run(everyKey);
    await tab.run(`page.show('timeline'), page.pin(0)`);
    assert.ok((await tab.run(`document.querySelector('.assembly').textContent`)).startsWith(odd));
    assert.deepEqual(await tab.run(`[window.ran ?? 'no', document.querySelectorAll('img').length]`),
                     ['no', 0]);
    assert.equal(tab.requests.length, 1);
    assert.deepEqual(tab.errors, []);
    await tab.close();
  });

  test('odd: a restless reader', async () => {
    const tab = await browser.open(pageOf('attention'));
    await tab.press('2');
    // In and out, farther than there is anything, while the window changes.
    for (const [key, times] of [['w', 40], ['s', 50], ['w', 20], ['d', 60], ['a', 99]]) {
      await tab.run(`for (let i = 0; i < ${
          times}; ++i) keysOf(page).find(([keys]) => keys.split(' ').includes('${key}'))[1]('${key}')`);
      await tab.size(key === 'w' ? 700 : 1500, key === 'w' ? 400 : 900);
      const [from, to, whole] = await tab.run('[page.from, page.to, page.core.makespan]');
      assert.ok(from >= 0 && to <= whole && to - from >= 99, `${key}: ${from} to ${to}`);
    }
    // Ticks that can be told apart, at any zoom, and none on another.
    for (const length of [100, 1e5]) {
      await tab.run(`page.setSpan(page.core.makespan - ${length}, page.core.makespan)`);
      await tab.drawn();
      const {texts, apart, wide} = await tab.run(`(view => {
        const texts = view.ticks.map(tick => tickText(tick, view.step)), pen = penOf(document.createElement('canvas'), 9, 9);
        return { texts, apart: view.xOf(view.ticks[1]) - view.xOf(view.ticks[0]), wide: Math.max(...texts.map(text => pen.measureText(text).width)) };
      })(page.views.timeline.tracks)`);
      assert.equal(new Set(texts).size, texts.length, texts.join());
      assert.ok(texts.length > 1 && apart > wide + 4, `${texts[0]}: ${wide} of ${apart}`);
    }
    // No pattern, only text: what means something elsewhere finds what has it, or nothing.
    for (const query of ['(', '[', '.*', '\\\\', '$^', '<b>', '\u0130', ' '.repeat(300)]) {
      await tab.run(`page.search(${JSON.stringify(query)})`);
      const found = await tab.run('page.hits.length'), words = query.trim();
      assert.equal(
          found > 0,
          words !== '' &&
              await tab.run(`page.core.binary.some(one => one.asm.includes(${JSON.stringify(words)}))`),
          query);
      await tab.press('n');
    }
    // An address that says nothing sensible.
    for (const hash of ['view=toString&event=1.5&core=-1&span=9-3',
                        'view=timeline&event=-7&mark=x&span=99999999999999-1', '%%%']) {
      await tab.run(`location.hash = ${JSON.stringify(hash)}`);
      await tab.drawn();
      assert.ok(await tab.run('page.view in page.views && page.pinned === -1 && page.from < page.to'), hash);
    }
    assert.deepEqual(tab.errors, []);
    await tab.close();
  });
};

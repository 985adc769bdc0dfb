// From a pinned event to the other views and back.
'use strict';

const assert = require('node:assert');

const {pageOf} = require('./pages.js');

// Pins the first event that has such a link, and follows it.
async function follow(tab, prefix) {
  await tab.run(`page.show('timeline'), page.clear()`);
  const event = await tab.run(`(() => {
    const event = [...page.core.start.keys()].find(one => elsewhereOf(page, one).some(({name}) => name.startsWith('${
      prefix}')));
    if (event !== undefined) page.pin(event);
    return event ?? -1;
  })()`);
  assert.ok(event >= 0, `nothing leads to ${prefix}`);
  await tab.run(`[...document.querySelectorAll('.facts button')].find(b => b.textContent.startsWith('${
      prefix}')).click()`);
  await tab.drawn();
  return tab.run(`({ event: ${event}, number: page.core.instruction[${event}], view: page.view })`);
}

module.exports = (test, browser) => {
  test(
      'a pinned event leads to its row, its value in memory, its tensors and its insights, and they lead back',
      async () => {
        const tab = await browser.open(pageOf('attention'));
        const row = await follow(tab, 'hierarchy');
        assert.equal(row.view, 'hierarchy');
        assert.equal(await tab.run('document.activeElement.node.instruction'), row.number);
        assert.ok(await tab.run(
            '(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.activeElement.getBoundingClientRect())'));
        await tab.press('Enter');
        assert.deepEqual(await tab.run('[page.view, page.focus[' + row.number + ']]'), ['timeline', 1]);

        const value = await follow(tab, 'memory');
        assert.equal(value.view, 'memory');
        const {writer, start, text, frame} = await tab.run(`(() => {
      const { core, views: { memory } } = page, range = core.ranges.at(memory.revealed), { memory: space } = range;
      const canvas = document.querySelectorAll('canvas.memory')[space === 'sbuf' ? 0 : 1], ink = styled('--text').match(/[0-9]+/g).map(Number);
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let frame = 0;
      for (let i = 0; i < data.length; i += 4) frame += ink.every((part, c) => data[i + c] === part);
      return { writer: range.writer, start: range.start, text: memory.pointed.textContent, frame };
    })()`);
        assert.equal(writer, value.number);
        assert.ok(frame > 8, `${frame} pixels of a frame`);
        assert.match(text, /written by/);
        assert.ok(await tab.run(
            `page.core.ranges.count > 1 && [...Array(page.core.ranges.count).keys()].every(i => {
      const one = page.core.ranges.at(i), at = page.core.start[${value.event}];
      return one.writer !== ${writer} || Math.abs(one.start - at) >= Math.abs(${start} - at);
    })`));

        const tensor = await follow(tab, 'tensor q');
        assert.equal(tensor.view, 'tensors');
        assert.match(await tab.run('document.activeElement.innerText'), /^q /);
        await tab.press('Enter');
        assert.deepEqual(await tab.run('[page.view, page.focus[' + tensor.number + ']]'), ['timeline', 1]);

        const title = await tab.run('page.insights()[1].title'), insight = await follow(tab, title);
        assert.equal(insight.view, 'insights');
        assert.equal(await tab.run('document.activeElement.id'), 'insight-1');
        assert.deepEqual(tab.errors, []);
        await tab.close();
      });

  test('a pinned collective leads to its row', async () => {
    const tab = await browser.open(pageOf('reduce'));
    const {view, number} = await follow(tab, 'collective');
    assert.equal(view, 'collectives');
    assert.match(await tab.run('document.activeElement.innerText'),
                 new RegExp(await tab.run(`page.core.binary[${number}].op`)));
    await tab.press('Enter');
    assert.equal(await tab.run('page.core.instruction[page.pinned]'), number);
    assert.deepEqual(tab.errors, []);
    await tab.close();
  });
};

// What a reader looks for, and what one gets who cannot see the page.
'use strict';

const assert = require('node:assert');

const {pageOf, views} = require('./pages.js');

module.exports = (test, browser) => {
  test('search finds and steps', async () => {
    const tab = await browser.open(pageOf('attention'));
    const eventsOf = test =>
        tab.run(`(() => { const { core } = page; let count = 0; for (let e = 0; e < core.count; ++e) if ((${
            test})(core.instructionOf(e), core.placeOf(core.instructionOf(e)))) ++count; return count; })()`);
    const products = (await eventsOf(`({ op }) => op === 'nc_matmul'`)).toLocaleString('en');
    await tab.press('/');
    await tab.type('nc_matmul');
    await tab.press('Enter');
    assert.equal(await tab.run(`document.getElementById('hits').textContent`), `1 of ${products}`);
    assert.equal(await tab.run('page.core.instructionOf(page.pinned).op'), 'nc_matmul');
    await tab.press('Enter');
    assert.equal(await tab.run(`document.getElementById('hits').textContent`), `2 of ${products}`);
    await tab.press('Enter', 8);
    assert.equal(await tab.run(`document.getElementById('hits').textContent`), `1 of ${products}`);
    await tab.press('Escape');
    assert.equal(await tab.run('page.hits.length'), 0);
    const {file, line} =
        await tab.run(`page.core.places[page.core.binary.find(({ op }) => op === 'activation').place]`);
    for (const [query, test] of [[
           `${file}:${line}`,
           `({}, place) => place.file === '${file}' && String(place.line).startsWith('${line}')`
         ],
                                 ['dma_in', `({ kind, asm }) => kind === 'dma_in'`],
                                 ['0x7000', `({ asm }) => asm.includes('0x7000')`],
                                 ['nothing like it', '() => false']]) {
      await tab.run(`page.search('${query}')`);
      assert.equal(await tab.run('page.hits.length'), await eventsOf(test), query);
    }
    await tab.close();
  });

  test('who cannot see the page hears it: roles, names and the order of focus', async () => {
    const tab = await browser.open(pageOf('attention'));
    for (const view of views) {
      await tab.run(`page.show('${view}')`);
      const {nodes} = await tab.send('Accessibility.getFullAXTree', {});
      const unnamed = nodes.filter(node => !node.ignored && [
        'button', 'tab', 'combobox', 'searchbox', 'img', 'region', 'application', 'link'
      ].includes(node.role?.value) && !node.name?.value);
      assert.deepEqual(unnamed.map(node => node.role.value), [], view);
      const roles = new Set(nodes.map(node => node.role?.value));
      for (const role of ['banner', 'tablist', 'tab', 'tabpanel', 'search'])
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
};

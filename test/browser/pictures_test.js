// The pictures of the documents show what the report is like now. PICTURES: those
// that browser.views took.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');

const {blankPage, startBrowser} = require('./pages.js');
const {differenceOf, partDiffers, withWords, wordsOf} = require('./pictures.js');

const browser = startBrowser(test);
const docs = path.join(__dirname, '../../docs');
const shown = ['.', 'tutorial'].flatMap(folder => fs.readdirSync(path.join(docs, folder))
                                                      .filter(name => name.endsWith('.png'))
                                                      .map(name => path.join(docs, folder, name)));

for (const file of shown)
  test(`${path.relative(docs, file)} is up to date`, async () => {
    const taken = path.join(process.env.PICTURES, path.basename(file)), advice = `: cp ${taken} ${file}`;
    assert.ok(fs.existsSync(taken), `no test takes ${path.basename(file)}`);
    const [before, after] = [file, taken].map(name => fs.readFileSync(name)), words = wordsOf(before);
    assert.ok(words, 'the picture has no words' + advice);
    const {gone, come} = differenceOf(words, wordsOf(after));
    assert.ok(gone.length + come.length === 0, `now without ${JSON.stringify(gone.slice(0, 8))}, but with ${
                                                   JSON.stringify(come.slice(0, 8))}${advice}`);
    const tab = await browser.open(blankPage());
    const url = png => 'data:image/png;base64,' + png.toString('base64');
    const part = await tab.run(partDiffers(url(before), url(after)));
    assert.ok(part < 0.02, `${(100 * part).toFixed(1)} % of it looks different${advice}`);
    await tab.close();
  });

test('a picture that is out of date is seen', async () => {
  const tab = await browser.open(blankPage()), draw = async colour => {
    await tab.run(
        `document.body.innerHTML = '<p>12.50 us, 3 banks</p><div style="width: 400px; height: 300px; background: ${
            colour}"></div>'`);
    await tab.drawn();
    return Buffer.from((await tab.send('Page.captureScreenshot', {format: 'png'})).data, 'base64');
  };
  const url = png => 'data:image/png;base64,' + png.toString('base64');
  const [red, same, blue] = [await draw('red'), await draw('#f00'), await draw('blue')];
  assert.equal(await tab.run(partDiffers(url(red), url(same))), 0);
  assert.ok(await tab.run(partDiffers(url(red), url(blue))) > 0.05);
  await tab.close();
  // Words come and go with the picture, which stays one.
  const words = ['12.50 us, 3 banks', 'Überblick'], kept = withWords(red, words);
  assert.deepEqual(wordsOf(kept), words);
  assert.equal(wordsOf(red), null);
  assert.ok(kept.subarray(0, 33).equals(red.subarray(0, 33)) && kept.subarray(-12).equals(red.subarray(-12)));
  assert.deepEqual(differenceOf(words, ['12.60 us, 3 banks', 'Überblick']), {gone: [], come: []});
  for (const other of ['12.90 us, 3 banks', '12.50 us, 4 banks', '12.50 ns, 3 banks'])
    assert.deepEqual(differenceOf(words, ['Überblick', other]), {gone: [words[0]], come: [other]});
});

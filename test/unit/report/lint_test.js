// Rules for the scripts and the styles of the report: one page, no network,
// nothing unused.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const {folder} = require('./load.js');

const pages = ['page.html', 'comparison.html'].map(name => fs.readFileSync(path.join(folder, name), 'utf8')),
      scriptsOf = page => [...page.matchAll(/\{\{(\w+\.js)\}\}/g)].map(match => match[1]);
const scripts = [...new Set(pages.flatMap(scriptsOf))];
const texts = new Map(scripts.map(name => [name, fs.readFileSync(path.join(folder, name), 'utf8')]));
const code = text => text.replace(/^\s*\/\/.*$/gm, '');

test('a page has a script once, and one has it', () => {
  for (const page of pages) assert.strictEqual(new Set(scriptsOf(page)).size, scriptsOf(page).length);
  assert.deepStrictEqual([...scripts].sort(),
                         fs.readdirSync(folder).filter(name => name.endsWith('.js')).sort());
});

test('each begins with what it is for, and is strict', () => {
  for (const [name, text] of texts) assert.match(text, /^(\/\/ .*\n)+'use strict';\n/, name);
});

test('nothing asks the network, runs text or writes HTML', () => {
  for (const [name, text] of texts)
    for (const word
             of ['fetch(', 'XMLHttpRequest', 'WebSocket', 'import(', 'sendBeacon', 'https:', 'eval(',
                 'Function(', 'innerHTML', 'outerHTML', 'document.write', 'sessionStorage', 'indexedDB'])
      assert.ok(!text.includes(word), `${name} has ${word}`);
  // What is kept at the reader's is how pages look, and one script keeps it.
  assert.deepStrictEqual([...texts].filter(([, text]) => text.includes('localStorage')).map(([name]) => name),
                         ['remember.js']);
});

test('no old or doubtful forms', () => {
  for (const [name, text] of texts)
    for (const form of [/\bvar\s/, /[^=!<>]==[^=]/, /!=[^=]/, /\bconsole\./, /\bdebugger\b/, /\balert\(/])
      assert.doesNotMatch(code(text), form, name);
});

test('a name at the top of a script is there once, and used', () => {
  const all = code([...texts.values()].join('\n')), defined = [];
  for (const [, name] of all.matchAll(/^(?:async )?(?:function|class|const|let) (\w+)/gm)) defined.push(name);
  assert.strictEqual(new Set(defined).size, defined.length);
  for (const name of defined.filter(name => name !== 'page'))
    assert.ok(all.match(new RegExp(`\\b${name}\\b`, 'g')).length > 1, `${name} is not used`);
});

test('a method is used', () => {
  const all = code([...texts.values()].join('\n'));
  for (const [, name] of all.matchAll(/^ {2}(\w+)\([^)]*\) \{/gm))
    if (name !== 'constructor') assert.ok(all.match(new RegExp(`[.?]${name}\\(`)), `${name} is not used`);
});

const css = fs.readFileSync(path.join(folder, 'page.css'), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
const rules = [...css.matchAll(/([^{}]+)\{([^{}]*)\}/g)].map(
    ([, selector, body]) => ({
      selector: selector.trim(),
      properties: body.split(';').map(part => part.split(':')[0].trim()).filter(name => name),
    }));

test('styles: what a selector names is on the page', () => {
  const all = pages.join('') + [...texts.values()].join('\n');
  for (const {selector} of rules)
    for (const [, name] of selector.matchAll(/[.#]([a-zA-Z][\w-]*)/g)) {
      const made = new RegExp(`\\b${name}\\b|\\b${name.split('-')[0]}-' \\+ `); // 'node-' + type
      assert.match(all, made, `${name} is in no script`);
    }
});

test('styles: no rule is empty, sets a property twice, or needs force or the network', () => {
  for (const {selector, properties} of rules) {
    assert.ok(properties.length > 0, `${selector} is empty`);
    assert.strictEqual(new Set(properties).size, properties.length, `${selector} sets a property twice`);
  }
  assert.doesNotMatch(css, /!important|url\(|@import/);
});

test('a colour has a name, and is written once for both themes', () => {
  const literal = /#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(/gi;
  const root = /^:root \{\n([^}]*)\}/m.exec(css)[1], named = [...root.matchAll(/^ {2}(--[\w-]+): (.*);$/gm)];
  for (const [name, text] of texts) assert.doesNotMatch(code(text).replace(/'#'/g, ''), literal, name);
  assert.doesNotMatch(css.replace(root, ''), literal);
  // One for both, or one for each; nothing else may tell the themes apart.
  for (const [, name, value] of named)
    if (literal.test(value))
      assert.match(value, /^#[0-9a-f]{6}$|^light-dark\(#[0-9a-f]{6,8}, #[0-9a-f]{6,8}\)$/, name);
  assert.doesNotMatch(css, /prefers-color-scheme/);
  // Each name is there once and used, and each that is used is there.
  const names = named.map(([, name]) => name),
        all = css.replace(root, '') + root + code([...texts.values()].join('\n'));
  assert.strictEqual(new Set(names).size, names.length);
  const made = name => /^--(kind|wait|engine)-/.test(name);
  for (const name of names.filter(name => !made(name)))
    assert.ok(all.split(name).length > 2, `${name} is not used`);
  for (const [, name] of all.matchAll(/(?:var\(|styled\(')(--[\w-]+)/g))
    assert.ok(names.includes(name) || css.includes(`{ ${name}:`) || /-$/.test(name) || name === '--stripe' ||
                  name === '--way',
              name);
});

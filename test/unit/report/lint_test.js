// Rules for the scripts of the report: one page, no network, nothing unused.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const {folder} = require('./load.js');

const page = fs.readFileSync(path.join(folder, 'page.html'), 'utf8');
const scripts = [...page.matchAll(/\{\{(\w+\.js)\}\}/g)].map(match => match[1]);
const texts = new Map(scripts.map(name => [name, fs.readFileSync(path.join(folder, name), 'utf8')]));
const code = text => text.replace(/^\s*\/\/.*$/gm, '');

test('the page has every script, once', () => {
  assert.deepStrictEqual([...scripts].sort(),
                         fs.readdirSync(folder).filter(name => name.endsWith('.js')).sort());
});

test('each begins with what it is for, and is strict', () => {
  for (const [name, text] of texts) assert.match(text, /^(\/\/ .*\n)+'use strict';\n/, name);
});

test('nothing asks the network, runs text or writes HTML', () => {
  for (const [name, text] of texts)
    for (const word of ['fetch(', 'XMLHttpRequest', 'WebSocket', 'import(', 'sendBeacon', 'https:', 'eval(',
                        'Function(', 'innerHTML', 'outerHTML', 'document.write', 'localStorage'])
      assert.ok(!text.includes(word), `${name} has ${word}`);
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

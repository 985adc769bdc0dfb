// Rules for the scripts and the styles of the report: one page, no network,
// nothing unused.
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

const css = fs.readFileSync(path.join(folder, 'page.css'), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
const rules = [...css.matchAll(/([^{}]+)\{([^{}]*)\}/g)].map(
    ([, selector, body]) => ({
      selector: selector.trim(),
      properties: body.split(';').map(part => part.split(':')[0].trim()).filter(name => name),
    }));
const variablesOf = properties => properties.filter(name => name.startsWith('--')).sort();

test('styles: a variable is defined and used', () => {
  const defined = new Set(rules.flatMap(rule => variablesOf(rule.properties)));
  const all = css + code([...texts.values()].join('\n'));
  for (const name of defined)
    assert.match(all, new RegExp(`var\\(${name}\\b|['"]${name}['"]`), `${name} is not used`);
  for (const [, name] of css.matchAll(/var\((--[\w-]+)/g))
    assert.ok(defined.has(name), `${name} is not defined`);
});

test('styles: both ways into the dark colours set the same variables', () => {
  const dark = rules.filter(rule => /not\(\[data-theme="light"|data-theme="dark"/.test(rule.selector))
                   .map(rule => variablesOf(rule.properties))
                   .filter(names => names.length > 0);
  assert.strictEqual(dark.length, 2);
  assert.deepStrictEqual(dark[0], dark[1]);
  const light = new Set(variablesOf(rules[0].properties));
  for (const name of dark[0]) assert.ok(light.has(name), `${name} has no light colour`);
});

test('styles: what a selector names is on the page', () => {
  const all = page + [...texts.values()].join('\n');
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

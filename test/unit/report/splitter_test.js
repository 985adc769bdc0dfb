// The share of a pane, and what is remembered of it.
'use strict';

const assert = require('node:assert');
const test = require('node:test');
const vm = require('node:vm');
const {load} = require('./load.js');

const {shareWithin} = load(['splitter.js'], ['shareWithin']);

test('a share is within its limits, and what is none is as it was', () => {
  assert.strictEqual(shareWithin('61.5', [20, 80], 50), 61.5);
  assert.strictEqual(shareWithin(7, [20, 80], 50), 20);
  assert.strictEqual(shareWithin(1e9, [20, 80], 50), 80);
  for (const none of [undefined, 'wide', NaN, Infinity])
    assert.strictEqual(shareWithin(none, [20, 80], 50), 50, String(none));
});

test('what the browser does not keep, a page remembers for itself', () => {
  // Without a store at all, and with one that refuses.
  for (const store
           of ['',
               'Object.defineProperty(globalThis, "localStorage", { get() { throw new Error("no"); } })']) {
    const world = load(['remember.js']);
    vm.runInContext(store, world);
    assert.strictEqual(world.remembered('theme'), undefined);
    world.remember('theme', 'dark');
    assert.strictEqual(world.remembered('theme'), 'dark');
  }
});

test('with a store, the next page has it', () => {
  const kept = new Map(), store = {
    getItem: key => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, String(value))
  };
  const pages = [load(['remember.js']), load(['remember.js'])];
  for (const world of pages) world.localStorage = store;
  pages[0].remember('timeline', 44);
  assert.strictEqual(pages[1].remembered('timeline'), '44');
  assert.strictEqual(pages[1].remembered('source'), undefined);
});

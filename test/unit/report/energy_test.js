// The estimate of energy (tools/report/energy.js).
'use strict';

const assert = require('node:assert');
const test = require('node:test');
const {load, same} = require('./load.js');

const page = load(['format.js', 'energy.js']);

test('energy, power and rates have a prefix and three digits', () => {
  same(page.siText(0, 'J'), '0 J');
  same(page.siText(3.2e-10, 'J'), '320 pJ');
  same(page.siText(4.21e-5, 'J'), '42.1 uJ');
  same(page.siText(2.4, 'W'), '2.40 W');
  same(page.siText(123.4, 'W'), '123 W');
  same(page.siText(3_210_000, 'tokens/J'), '3.21 Mtokens/J');
});

const energy = {
  joules: 10,
  static_joules: 1,
  average_watts: 2,
  peak_watts: null,
  tokens_per_joule: null,
  items: [
    {part: 'SBUF', joules: 2}, {part: 'HBM', joules: 4}, {part: 'SBUF', joules: 3}, {part: 'links', joules: 0}
  ],
};

test('parts add up, the largest first',
     () => { same(page.energyParts(energy), [['SBUF', 5], ['HBM', 4], ['static', 1]]); });

test('what is not known is not said', () => {
  same(page.energyNote(energy), 'estimate, 2.00 W on average');
  same(page.energyNote({...energy, peak_watts: 3, tokens_per_joule: 5000}),
       'estimate, 2.00 W on average, 3.00 W at most, 5.00 ktokens/J');
  assert.ok(!page.energyNote(energy).includes('null'));
});

test('what it leaves out is said with it', () => {
  const known = {
    peak_window_ns: 1500,
    publications: [{title: 'one', where: 'A. Author, Title, Venue 2020'}],
    unknown: ['leakage', 'links']
  };
  const [sources, unknown] = page.energySources(known);
  assert.ok(sources.includes('A. Author, Title, Venue 2020') && sources.includes('1.500 us'), sources);
  same(unknown, 'Not known: leakage; links.');
  assert.ok(!page.energySources({...known, peak_window_ns: null})[0].includes('peak'));
});

// Scripts of the report, run in a world without a page.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const folder = path.join(__dirname, '../../../tools/report');

// What they define; `names` are of classes and constants, which are no
// properties of their world.
function load(files, names = []) {
  const world = vm.createContext({atob});
  for (const file of files) vm.runInContext(fs.readFileSync(path.join(folder, file), 'utf8'), world, file);
  for (const name of names) world[name] = vm.runInContext(name, world);
  return world;
}
const same = (a, b) => assert.deepStrictEqual(JSON.stringify(a), JSON.stringify(b));

module.exports = {
  folder,
  load,
  same
};

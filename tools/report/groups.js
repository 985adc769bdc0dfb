// Other divisions of what ran than by engine and queue: a row for each tensor,
// for each scope and loop, or for each line that calls a helper. Pure.
'use strict';

const groupings = ['', 'tensors', 'scopes', 'calls'], mostGroups = 24;

// [{name, numbers, stretches}] by `grouping`: numbers of instructions, and when
// one of them runs. Of a tensor, only while a queue moves its data. Those that
// never run are left out, and beyond mostGroups those that run for the shortest
// time.
function groupRows(core, grouping) {
  const groups = {
    tensors: () => core.report.tensors.map(({name, instructions}) => ({name, numbers: instructions})),
    scopes: () => scopeGroups(core),
    calls: () => callGroups(core)
  }[grouping]();
  const timed = groups.map(({name, numbers}) => {
    const stretches = bandsOf(core, numbers, 0, grouping === 'tensors');
    return {name, numbers, stretches, time: stretches.reduce((all, [start, end]) => all + end - start, 0)};
  });
  const longest = new Set([...timed].sort((a, b) => b.time - a.time).slice(0, mostGroups));
  return timed.filter(group => group.time > 0 && longest.has(group));
}

// The scopes and loops of the hierarchy, each with all that is within it.
function scopeGroups(core) {
  const nodes = core.report.hierarchy.map(({parent, type, name}) => ({parent, type, name, numbers: []}));
  core.report.hierarchy.forEach(({parent, instruction}) => {
    for (let above = parent; instruction >= 0 && above >= 0; above = nodes[above].parent)
      nodes[above].numbers.push(instruction);
  });
  return nodes.filter(({type}) => type === 'scope' || type === 'loop')
      .map(({parent, name, numbers}) => ({name: pathOfScope(nodes, parent) + name, numbers}));
}
// Each line that calls a helper, with all that the helper and those that it
// calls became.
function callGroups(core) {
  const groups = new Map();
  core.binary.forEach((instruction, number) => {
    const calls = core.callersOf(instruction).map(({file, line}) => core.shortPlace(file, line));
    for (const name of new Set(calls))
      (groups.get(name) ?? groups.set(name, {name, numbers: []}).get(name)).numbers.push(number);
  });
  return [...groups.values()];
}
// "heads › ": those around it.
function pathOfScope(nodes, number) {
  const {parent, type, name} = nodes[number] ?? {};
  return type === 'scope' || type === 'loop' ? `${pathOfScope(nodes, parent)}${name} \u203a ` : '';
}

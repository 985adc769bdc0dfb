// What instructions do and why engines wait: their names. Their colours are
// those of page.css.
'use strict';

const kinds = {
  matmul: 'matmul',
  transpose: 'transpose',
  move: 'move',
  elementwise: 'elementwise',
  activation: 'activation',
  reduction: 'reduction',
  dma_in: 'DMA in',
  dma_out: 'DMA out',
  dma_local: 'DMA on chip',
  collective: 'collective',
  control: 'control',
  other: 'other',
};
const kindNames = Object.keys(kinds);
const kindNumber = name => Math.max(0, kindNames.indexOf(name in kinds ? name : 'other'));
// The custom property of page.css that has the colour, and the colour for the
// style of an element.
const kindProperty = name => '--kind-' + name.replace('_', '-');
const kindColour = name => `var(${kindProperty(name)})`;

// Reasons of waits in four groups; a group has a pattern.
const waitGroups = {
  producer: 'waits for another engine',
  structure: 'a resource is taken',
  own: 'its own earlier result or state',
  front: 'issue: tokens, control, fetch',
};
const groupNames = Object.keys(waitGroups);
const reasonGroups = {
  wait_tensor: 'producer',
  wait_vector: 'producer',
  wait_scalar: 'producer',
  wait_gpsimd: 'producer',
  wait_sync: 'producer',
  wait_dma: 'producer',
  wait_peer: 'producer',
  queue: 'structure',
  port: 'structure',
  bank: 'structure',
  descriptor: 'structure',
  starting: 'structure',
  dependence: 'own',
  weights: 'own',
  throttle: 'own',
  table: 'own',
  semaphore: 'front',
  control: 'front',
  fetch: 'front',
};
const reasonTexts = {
  wait_tensor: 'waits for TensorE',
  wait_vector: 'waits for VectorE',
  wait_scalar: 'waits for ScalarE',
  wait_gpsimd: 'waits for GpSimdE',
  wait_sync: 'waits for SyncE',
  wait_dma: 'waits for a transfer',
  wait_peer: 'waits for another core',
  semaphore: 'latency of semaphores',
  queue: 'DMA queue full',
  control: 'register and loop instructions',
  fetch: 'instruction fetch',
  dependence: 'its own earlier result',
  port: 'memory port taken',
  bank: 'PSUM bank taken',
  weights: 'load of the stationary operand',
  throttle: 'TensorE is cold',
  table: 'ScalarE loads a function table',
  descriptor: 'DMA descriptors',
  starting: 'transfers start',
  no_transfer: 'no transfer for the busiest engine',
  end: 'the stream has ended',
};
// What a step of the critical path spent its time with.
const stepText = reason =>
    ({work: 'works', latency: 'its result is under way'})[reason] ?? reasonText(reason);
const groupOf = reason => reasonGroups[reason] ?? 'front';
const reasonText = reason => reasonTexts[reason] ?? reason;
const waitKindText = kind =>
    ({data: 'reads its result', buffer: 'reuses its buffer', order: 'keeps an order'})[kind] ?? '';

const engineTitles = {
  tensor: 'TensorE',
  vector: 'VectorE',
  scalar: 'ScalarE',
  gpsimd: 'GpSimdE',
  sync: 'SyncE',
  dma: 'DMA'
};
const engineNames = ['tensor', 'vector', 'scalar', 'gpsimd', 'sync'];

// What instructions do and why engines wait: names and colours. Each colour has
// a contrast of 3 with a white and a dark page, and of 4.5 with `ink` on it.
'use strict';

const ink = '#0d0f13';

const kinds = {
  matmul: ['matmul', '#5388e3'],
  transpose: ['transpose', '#9c75df'],
  move: ['move', '#4d9c9f'],
  elementwise: ['elementwise', '#48a174'],
  activation: ['activation', '#ce811d'],
  reduction: ['reduction', '#ce6dab'],
  dma_in: ['DMA in', '#239cd5'],
  dma_out: ['DMA out', '#e26a4c'],
  dma_local: ['DMA on chip', '#868ea4'],
  collective: ['collective', '#e05c7b'],
  control: ['control', '#8f939b'],
  other: ['other', '#949755'],
};
const kindNames = Object.keys(kinds);
const kindNumber = name => Math.max(0, kindNames.indexOf(name in kinds ? name : 'other'));
const kindColours = kindNames.map(name => kinds[name][1]);

// Reasons of waits in four groups; a group has a colour and a pattern.
const waitGroups = {
  producer: ['waits for another engine', '#ce803c'],
  structure: ['a resource is taken', '#a77fba'],
  own: ['its own earlier result or state', '#c57885'],
  front: ['issue: tokens, control, fetch', '#7a90a7'],
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
  end: 'the stream has ended',
};
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

// The estimate of energy: what takes it, by part of the machine.
'use strict';

const energyColours = {
  TensorE: 'var(--engine-tensor)',
  VectorE: 'var(--engine-vector)',
  ScalarE: 'var(--engine-scalar)',
  GpSimd: 'var(--engine-gpsimd)',
  SBUF: 'var(--kind-move)',
  PSUM: 'var(--kind-reduction)',
  HBM: 'var(--kind-dma-out)',
  DMA: 'var(--engine-dma)',
  links: 'var(--kind-collective)',
  streams: 'var(--kind-control)',
  static: 'var(--kind-other)',
};

// [part, joules], the largest first; they add up to all.
function energyParts({items, static_joules: still}) {
  const parts = new Map([['static', still]]);
  for (const {part, joules} of items) parts.set(part, (parts.get(part) ?? 0) + joules);
  return [...parts].filter(([, joules]) => joules > 0).sort((a, b) => b[1] - a[1]);
}

const energyText = joules => siText(joules, 'J'), wattText = watts => siText(watts, 'W');

// One figure of the first screen.
function energyNote({average_watts: average, peak_watts: peak, tokens_per_joule: tokens}) {
  return [
    'estimate', `${wattText(average)} on average`, ...(peak === null ? [] : [`${wattText(peak)} at most`]),
    ...(tokens === null ? [] : [siText(tokens, 'tokens/J')])
  ].join(', ');
}

// What the values are from, and what is not in them.
function energySources({peak_window_ns: span, publications, unknown}) {
  const stretch = span === null ? '' : ` A peak is the average of ${timeText(1000 * span)}.`;
  return [
    `Arithmetic and memories only, with values that are published about other chips (${
        publications.map(({where}) => where).join('; ')}).${stretch}`,
    `Not known: ${unknown.join('; ')}.`
  ];
}

function energySection(energy) {
  const {joules: all, items} = energy, parts = energyParts(energy);
  const say = ([part, joules]) => `${part}: ${energyText(joules)}, ${shareText(joules, all)}`;
  const note = textContent => element('p', {className: 'note', textContent});
  return section(
      'Energy, an estimate',
      stackedBar(parts.map(part => [say(part), part[1] / all, '', energyColours[part[0]]]),
                 parts.map(say).join('; ')),
      legend('Parts', parts.map(part => [say(part), '', energyColours[part[0]]])), note(energyNote(energy)),
      ...energySources(energy).map(note),
      table('Energy',
            [
              ['part', item => item.part, false, item => item.part], ['what', item => item.name],
              ['count', item => `${countText(item.count)} ${item.unit}`, true, item => item.count],
              ['pJ each', item => item.pj > 0 ? String(item.pj) : 'unknown', true, item => item.pj],
              ['energy', item => item.pj > 0 ? energyText(item.joules) : '-', true, item => item.joules],
              ['share', item => item.pj > 0 ? shareText(item.joules, all) : '-', true],
              ['source', item => item.source], ['parameter', item => item.parameter]
            ],
            items, {most: 24}));
}

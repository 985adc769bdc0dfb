// The rows of the timeline beside its tracks: where insights apply, banks of
// PSUM, collectives, and how much of everything is used over time.
'use strict';

const bandHeight = 13, bankHeight = 5, dmaHeight = 4, mostBands = 3, useWidth = 3;

class Lanes {
  constructor(page) { this.page = page; }
  // What the rows above and below the tracks show; {name, kind, height}.
  above() {
    const {core, showsUse} = this.page;
    if (this.core !== core) {
      this.core = core;
      this.bands = this.findBands();
    }
    this.used = showsUse ? new Map() : null;
    return this.bands.length > 0 ? [{name: 'insights', kind: 'bands', height: bandHeight * this.bands.length}]
                                 : [];
  }
  below() {
    const {core} = this.page, {collectives, memory} = core.report, rows = [];
    if (collectives.length > 0) rows.push({name: 'collectives', kind: 'meetings', height: 18});
    if (memory.psum.peak_bytes > 0)
      rows.push({name: 'PSUM banks', kind: 'banks', height: bankHeight * psumBanks});
    rows.push(...this.groups());
    return this.page.showsUse ? [...rows, ...this.uses(), ...this.dmaEngines()] : rows;
  }
  // By tensor or by scope, as the reader wants; found once.
  groups() {
    const {core, grouping} = this.page;
    if (grouping === '') return [];
    if (this.grouped?.core !== core || this.grouped.grouping !== grouping)
      this.grouped = {
        core,
        grouping,
        rows: groupRows(core, grouping).map(group => ({...group, kind: 'group', height: 12}))
      };
    return this.grouped.rows;
  }
  // [name, colour, whole, numbers of a stretch, text of a number]
  uses() {
    const {core} = this.page, {memory} = core.report,
          row = (name, colour, whole, bins, text) =>
              ({name, kind: 'use', height: 18, colour, whole, bins, text});
    const queues = [...core.tracks.keys()].filter(track => core.tracks[track].isQueue);
    const ofMemory = (name, {capacity_bytes: whole}, colour) => row(
        name.toUpperCase() + ' in use', colour, whole, (...stretch) => useOfMemory(core, name, ...stretch),
        bytes => `${bytesText(bytes)} of ${bytesText(whole)}`);
    const {hbm_bytes_per_ns: most} = this.page.profile.head;
    const ofHbm = (name, key, colour) =>
        row(name, colour, most, (...stretch) => useOfHbm(core, key, ...stretch),
            rate => `${rate.toFixed(1)} of ${most.toFixed(1)} GB/s (${shareText(rate, most)})`);
    return [
      ...core.tracks.flatMap(({engine, name}, track) =>
                                 engine < 0 ? []
                                            : [row(`${name} in use`, `--engine-${engineNames[engine]}`, 1,
                                                   (...stretch) => useOfTracks(core, [track], ...stretch),
                                                   share => shareText(share, 1)),
                                               ...this.operationsOf(row, engine, name)]),
      ...this.usesOfTensor(row),
      row('transfers', '--engine-dma', Math.max(1, queues.length),
          (...stretch) => useOfTracks(core, queues, ...stretch),
          count => `in ${count.toFixed(1)} of ${plural(queues.length, 'queue')}`),
      ofHbm('HBM read', 'hbm_read_bytes', '--kind-dma-in'),
      ofHbm('HBM written', 'hbm_written_bytes', '--kind-dma-out'),
      ofMemory('sbuf', memory.sbuf, '--kind-move'), ofMemory('psum', memory.psum, '--kind-reduction')
    ];
  }
  // What an engine computes on elements, against its fastest instruction here.
  operationsOf(row, engine, name) {
    const {core} = this.page, most = fastestOf(core, engine);
    return most > 0 ? [row(`${name} rate`, `--engine-${engineNames[engine]}`, most,
                           (...stretch) => useOfEngine(core, engine, 'operations', ...stretch),
                           rate => `${siText(1e9 * rate, 'op/s')}, ${
                               shareText(rate, most)} of the fastest instruction`)]
                    : [];
  }
  // A strip for each of them.
  dmaEngines() {
    const {core} = this.page, count = core.report.dma_engines.length;
    return core.binary.some(({dma}) => dma)
               ? [{name: `${count} DMA engines`, kind: 'engines', height: dmaHeight * count}]
               : [];
  }
  // The flops of TensorE against the peak of bf16, and when it runs cold.
  usesOfTensor(row) {
    const {core} = this.page, {report} = core, {peak_flops_per_ns: peak, engines} = report, rows = [];
    if (report.hardware_flops > 0)
      rows.push(row('flops (HFU)', '--kind-matmul', Math.max(peak, report.peak_of_type_flops_per_ns),
                    (...stretch) => useOfTensor(core, 'hardware_flops', ...stretch),
                    rate => `${speedText(rate)}, ${shareText(rate, peak)} of the peak of bf16`));
    if (engines.tensor.stalls.throttle > 0)
      rows.push(row('throttled', '--wait-own', 1, (...stretch) => useOfWaits(core, 0, 'throttle', ...stretch),
                    share => shareText(share, 1)));
    return rows;
  }
  // Of the insights that save most, where their instructions run on this core.
  findBands() {
    const {page} = this, {core} = page;
    return page.insights().slice(0, mostBands).flatMap((insight, number) => {
      const stretches = bandsOf(core, instructionsOf(page, insight), core.makespan / 1000);
      return stretches.length > 0 ? [{number, insight, stretches}] : [];
    });
  }

  draw(row, view) {
    const {pen} = view;
    pen.fillStyle = styled('--track');
    pen.fillRect(gutter, row.y, view.width - gutter, row.height);
    const draws = {
      bands: () => this.drawBands(row, view),
      banks: () => this.drawBanks(row, view),
      meetings: () => this.drawMeetings(row, view),
      use: () => this.drawUse(row, view),
      engines: () => this.drawEngines(row, view),
      group: () => this.drawGroup(row, view)
    };
    draws[row.kind]();
    pen.globalAlpha = 1;
  }
  drawBands(row, view) {
    const {pen} = view, {from, to} = this.page;
    this.bands.forEach(({insight, stretches}, i) => {
      const y = row.y + i * bandHeight;
      let drawn = -1;
      for (let b = firstWhere(0, stretches.length, at => stretches[at][1] > from);
           b < stretches.length && stretches[b][0] < to; ++b) {
        const x0 = Math.max(gutter, view.xOf(stretches[b][0])),
              x1 = Math.min(view.width, view.xOf(stretches[b][1]));
        if (x1 < drawn + 0.7) continue;
        pen.fillStyle = styled('--band');
        pen.fillRect(x0, y, Math.max(1.5, x1 - x0), bandHeight - 2);
        pen.fillStyle = styled('--ink');
        pen.font = fontOf('10px');
        if (x1 - x0 > 60) textInBox(pen, insight.title, x0 + 4, y + bandHeight / 2, x1 - x0 - 6);
        drawn = x1;
      }
    });
  }
  drawBanks(row, view) {
    const {page: {core, from, to, focus, showsPath}} = this, {ranges} = core, {pen} = view;
    const banks = this.banks(), drawn = new Float64Array(ranges.shapes.length).fill(-1);
    for (let i = 0; i < ranges.count && ranges.start[i] < to; ++i) {
      const shape = ranges.shape[i], own = banks[shape], x1 = view.xOf(ranges.end[i]);
      if (!own || ranges.end[i] < from || x1 < drawn[shape] + 0.7) continue;
      const x0 = view.xOf(ranges.start[i]);
      const {writer} = ranges.shapes[shape];
      // As on the tracks; a range may be on the path in part.
      pen.globalAlpha = (focus ? !focus[writer] : showsPath) ? 0.18 : 1;
      pen.fillStyle = kindPaint(core.kindOf[writer]);
      pen.fillRect(x0, row.y + own[0] * bankHeight + 0.5, Math.max(1, x1 - x0),
                   (own[1] - own[0] + 1) * bankHeight - 1);
      drawn[shape] = x1;
    }
  }
  // By shape of a range, its banks; null for one that is not in PSUM.
  banks() {
    const {ranges, report} = this.page.core;
    return ranges.shapes.map(
        shape => shape.memory === 'psum' ? banksOf(shape, report.memory.psum.capacity_bytes) : null);
  }
  drawMeetings(row, view) {
    const {pen} = view;
    for (const one of this.page.core.report.collectives) {
      let at = 1000 * one.came_ns;
      for (const [key, , wait, colour] of meetingParts) {
        const x0 = view.xOf(at), x1 = view.xOf(at += 1000 * one[key]);
        pen.fillStyle = wait ? waitPattern(pen, 'producer') : styled(colour.slice(4, -1));
        if (x1 > x0) pen.fillRect(x0, row.y + 2, Math.max(0.5, x1 - x0), row.height - 4);
      }
    }
  }
  drawUse(row, view) {
    const {pen, width} = view, {from, to} = this.page, count = Math.ceil((width - gutter) / useWidth);
    const bins = row.bins(from, to, count);
    this.used.set(row.name, bins);
    pen.fillStyle = styled(row.colour);
    bins.forEach((value, i) => {
      const height = row.height * Math.min(1, value / row.whole);
      if (height > 0) pen.fillRect(gutter + i * useWidth, row.y + row.height - height, useWidth, height);
    });
  }

  // The more an engine works in a part of the time, the stronger.
  drawEngines(row, view) {
    const {pen, width} = view, {core, from, to} = this.page, count = Math.ceil((width - gutter) / useWidth);
    const use = useOfDmaEngines(core, from, to, count);
    this.used.set(row.name, use);
    pen.fillStyle = styled('--engine-dma');
    use.ns.forEach((bins, engine) => bins.forEach((share, i) => {
      if (share <= 0) return;
      pen.globalAlpha = 0.15 + 0.85 * Math.min(1, share);
      pen.fillRect(gutter + i * useWidth, row.y + engine * dmaHeight, useWidth, dmaHeight - 1);
    }));
  }

  drawGroup({y, height, stretches, numbers}, view) {
    const {pen} = view, {core, from, to, focus} = this.page;
    pen.globalAlpha = focus && !numbers.some(number => focus[number]) ? 0.18 : 1;
    pen.fillStyle = kindPaint(core.kindOf[numbers[0]]);
    let drawn = -1;
    for (let i = firstWhere(0, stretches.length, at => stretches[at][1] > from);
         i < stretches.length && stretches[i][0] < to; ++i) {
      const x0 = view.xOf(stretches[i][0]), x1 = view.xOf(stretches[i][1]);
      if (x1 < drawn + 0.7) continue;
      pen.fillRect(x0, y + 1, Math.max(0.8, x1 - x0), height - 2);
      drawn = x1;
    }
  }

  bandAt(row, time, y) {
    const band = this.bands[Math.floor((y - row.y) / bandHeight)],
          reach = (this.page.to - this.page.from) / 400;
    return band?.stretches.some(([start, end]) => start <= time + reach && time - reach < end) ? band : null;
  }
  rangeAt(row, time, y) {
    const {ranges} = this.page.core, banks = this.banks(), bank = Math.floor((y - row.y) / bankHeight);
    for (let i = 0; i < ranges.count && ranges.start[i] <= time; ++i) {
      const own = banks[ranges.shape[i]];
      if (own && time < ranges.end[i] && own[0] <= bank && bank <= own[1]) return ranges.at(i);
    }
    return null;
  }
  meetingAt(time) {
    return this.page.core.report.collectives.find(one =>
                                                      1000 * one.came_ns <= time && time < 1000 * one.end_ns);
  }
  // What is at a place: its text, and what a click does.
  at(row, time, y) {
    const {page} = this, {core} = page, nothing = {text: ''};
    if (row.kind === 'bands') {
      const band = this.bandAt(row, time, y);
      return band ? {
        text: `${band.insight.title}: ${timeText(1000 * band.insight.saving_ns)} less\n${
            band.insight.condition}`,
        act: () => page.showInsight(band.number)
      }
                  : nothing;
    }
    if (row.kind === 'banks') {
      const range = this.rangeAt(row, time, y);
      if (!range) return nothing;
      const [first, last] = banksOf(range, core.report.memory.psum.capacity_bytes);
      return {
        text: `PSUM bank ${first === last ? first : `${first} to ${last}`}: ${page.views.memory.text(range)}`,
        act: () => page.showInstruction(range.writer, range.start)
      };
    }
    if (row.kind === 'meetings') {
      const one = this.meetingAt(time);
      return one ? {
        text: `${one.op}, ${one.algorithm}, ${bytesText(one.bytes)}\n` +
                  meetingParts.map(([key, text]) => `${text}: ${timeText(1000 * one[key])}`).join('\n'),
        act: () => page.showInstruction(one.instruction, 1000 * (one.end_ns - one.move_ns))
      }
                 : nothing;
    }
    if (row.kind === 'group')
      return {
        text: `${row.name}: ${timeText(row.time)}, ${shareText(row.time, core.makespan)}`,
        act: () => page.focusInstructions(row.numbers, row.name)
      };
    const share = (time - page.from) / (page.to - page.from);
    if (row.kind === 'engines') return {text: this.engineText(row, share, y)};
    const bins = this.used?.get(row.name), i = Math.floor(bins?.length * share);
    return bins?.[i] === undefined ? nothing : {text: `${row.name}: ${row.text(bins[i])}`};
  }
  engineText(row, share, y) {
    const {ns, bytes} = this.used?.get(row.name) ?? {}, engine = Math.floor((y - row.y) / dmaHeight),
               i = Math.floor(ns?.[engine]?.length * share);
    if (ns?.[engine]?.[i] === undefined) return '';
    return `DMA engine ${engine}: works ${shareText(Math.min(1, ns[engine][i]), 1)} of the time, moves ${
        bytes[engine][i].toFixed(1)} B/ns`;
  }
}

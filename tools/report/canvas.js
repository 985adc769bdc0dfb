// What drawings on a canvas share: its size, patterns, text in a box.
'use strict';

// The page's font in a size.
const fontOf = size => `${size} ${getComputedStyle(document.body).fontFamily}`;

// A pen for the canvas at this size in CSS pixels.
function penOf(canvas, width, height) {
  const ratio = globalThis.devicePixelRatio || 1;
  canvas.style.height = height + 'px';
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext('2d');
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.font = fontOf('11px');
  pen.textBaseline = 'middle';
  return pen;
}

// A group of waits as a fill: lines in its colour, in a direction of its own.
const patterns = new Map();
// Another theme has other colours.
function forgetColours() {
  patterns.clear();
  resolvedColours.clear();
}
function waitPattern(pen, group) {
  const found = patterns.get(group);
  if (found) return found;
  const tile = document.createElement('canvas'), size = 6;
  tile.width = tile.height = size;
  const draw = tile.getContext('2d');
  const colour = styled('--wait-' + group);
  draw.globalAlpha = 0.22;
  draw.fillStyle = colour;
  draw.fillRect(0, 0, size, size);
  draw.globalAlpha = 1;
  draw.strokeStyle = draw.fillStyle = colour;
  draw.lineWidth = 1.2;
  const line = (x0, y0, x1, y1) => {
    draw.beginPath();
    draw.moveTo(x0, y0);
    draw.lineTo(x1, y1);
    draw.stroke();
  };
  if (group === 'producer')
    for (const x of [-size, 0, size]) line(x, size, x + size, 0);
  else if (group === 'own')
    for (const x of [-size, 0, size]) line(x, 0, x + size, size);
  else if (group === 'structure')
    line(0, size / 2, size, size / 2);
  else
    line(size / 2, 0, size / 2, size);
  const pattern = pen.createPattern(tile, 'repeat');
  patterns.set(group, pattern);
  return pattern;
}

// `text` from `x` on, cut where the box ends; nothing where too little of it
// would be left.
function textInBox(pen, text, x, y, width) {
  const fits = Math.floor(width / 6.3);
  if (text.length <= fits)
    pen.fillText(text, x, y);
  else if (fits >= 7)
    pen.fillText(text.slice(0, fits - 1) + '\u2026', x, y);
}

const coreRow = 14;
// For each core a row: when any engine works, and where it meets others.
function drawCores(canvas, page) {
  const {names} = page.profile.head, width = canvas.clientWidth || 600,
        pen = penOf(canvas, width, coreRow * names.length);
  const left = 110, scale = (width - left) / page.core.makespan;
  names.forEach(([name], number) => {
    const core = page.profile.core(number), y = number * coreRow;
    if (core === page.core && number === page.chosen) {
      pen.fillStyle = styled('--chosen');
      pen.fillRect(0, y, width, coreRow);
    }
    pen.fillStyle = styled('--text');
    pen.fillText(name, 4, y + coreRow / 2);
    for (let event = 0; event < core.count; ++event) {
      const kind = core.kindOf[core.instruction[event]];
      pen.fillStyle = kindNames[kind] === 'collective' ? kindPaint(kind) : styled('--busy');
      pen.fillRect(left + core.start[event] * scale, y + 2, Math.max(0.5, core.length[event] * scale),
                   coreRow - 4);
    }
  });
}

// The wheel over a timeline: with Ctrl it zooms, zoom(factor, x), sideways it
// moves, move(pixels). Else the page scrolls.
function listenToWheel(canvas, zoom, move) {
  canvas.addEventListener('wheel', event => {
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    if (event.ctrlKey || event.metaKey)
      zoom(Math.exp(event.deltaY * 0.0025), event.offsetX);
    else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY))
      move(sideways);
    else
      return;
    event.preventDefault();
  }, {passive: false});
}

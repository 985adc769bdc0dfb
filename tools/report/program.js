// The program behind what is pinned, selected, searched or seen: its assembly,
// and the compiler's last IR of its lines.
'use strict';

// Instructions as assembly, stream by stream.
function assemblyOf(core, numbers) {
  return numbers
      .map(number => {
        const {engine, index, asm} = core.binary[number];
        return `${engine}:${index}  ${asm}`;
      })
      .join('\n');
}

// Of the lines of the IR, those that the source lines of these instructions
// became; where others lie between two, there is an empty line.
function irOf(core, lines, numbers) {
  const key = ({file, line}) => `${file}:${line}`,
        wanted = new Set(
            numbers.map(number => core.placeOf(core.binary[number])).filter(({file}) => file).map(key));
  let text = '', last = -1;
  lines.forEach((one, i) => {
    if (!one.file || !wanted.has(key(one))) return;
    text += (last >= 0 && i > last + 1 ? '\n' : '') + one.text + '\n';
    last = i;
  });
  return text;
}

// A text that is made when the reader opens it.
function foldedText(title, text) {
  const made = element('details', {}, element('summary', {textContent: title}));
  made.addEventListener('toggle', () => {
    if (made.open && made.children.length === 1)
      made.append(element('pre', {className: 'diff', tabIndex: 0, 'aria-label': title, textContent: text()}));
  });
  return made;
}

// What the compiler kept for the core that is shown, under `key`.
const ofCore = (page, head, key) => head[page.chosen % head.cores_of_rank > 0 ? `${key}_of_core_1` : key];

function irText(page, numbers) {
  const lines = ofCore(page, page.profile.head, 'nc_ir');
  if (!lines) return null; // Of a binary.
  return foldedText('IR of these lines',
                    () => irOf(page.core, lines, numbers) || 'No operation is left of them.');
}
const programText =
    (page, numbers) => [foldedText('Assembly', () => assemblyOf(page.core, numbers)), irText(page, numbers)]
                           .filter(Boolean);

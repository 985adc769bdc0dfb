// The program behind what is selected, searched or seen: its assembly.
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

// A text that is made when the reader opens it.
function foldedText(title, text) {
  const made = element('details', {}, element('summary', {textContent: title}));
  made.addEventListener('toggle', () => {
    if (made.open && made.children.length === 1)
      made.append(element('pre', {className: 'diff', tabIndex: 0, 'aria-label': title, textContent: text()}));
  });
  return made;
}

const programText = (page, numbers) => foldedText('Assembly', () => assemblyOf(page.core, numbers));

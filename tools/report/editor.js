// Opens a line of the source in the reader's editor: how is an address that the
// reader gives once, because the page does not know where the files lie.
'use strict';

const editorStart = 'vscode://file/FOLDER/{file}:{line}';

// The address of a line, or nothing if `template` is none that a browser hands on
// to another program.
function editorAddress(template, file, line) {
  if (!/^[a-z][\w+.-]*:\/\/.*\{file\}/i.test(template ?? '') || /^javascript:/i.test(template)) return null;
  // A path from the root needs no folder.
  const whole = file.startsWith('/') ? template.replace(/^(.*:\/\/[^/]*)\/.*\{file\}/, '$1{file}') : template;
  return whole.replace('{file}', () => encodeURI(file)).replace('{line}', String(line));
}

// The line of what is pinned, or else the one that was chosen.
function openInEditor(page) {
  const {core, pinned, line} = page, place = pinned >= 0 ? core.placeOf(core.instructionOf(pinned)) : line;
  if (!place?.file) return page.say('Pin an instruction or choose a line first');
  const address = editorAddress(remembered('editor'), place.file, place.line);
  if (!address) return askForEditor(page, place);
  element('a', {href: address}).click();
  return page.say(`${place.file}:${place.line} in the editor`);
}

function askForEditor(page, place) {
  const dialog = byId('editor'),
        input = element(
            'input',
            {id: 'editor-address', value: remembered('editor') ?? editorStart, size: 60, spellcheck: false});
  const form = element(
      'form', {
        onsubmit: event => {
          event.preventDefault();
          if (!editorAddress(input.value, place.file, place.line))
            return input.setCustomValidity('an address with {file}'), input.reportValidity();
          remember('editor', input.value);
          input.blur(); // Keys are the page's again.
          dialog.close();
          return openInEditor(page);
        }
      },
      element('h2', {id: 'editor-title', textContent: 'Your editor'}), element('p', {
        className: 'note',
        textContent: `The address that opens a line. {file} is a name such as ${
            place.file}: write the folder that it lies in before it. The browser keeps it for the next page.`
      }),
      element('label',
              {for: 'editor-address'
              },
              'address '),
      input,
      element('div', {className: 'tools'}, element('button', {type: 'submit', textContent: 'open'}),
              button('cancel', () => dialog.close())));
  input.addEventListener('input', () => input.setCustomValidity(''));
  dialog.replaceChildren(form);
  dialog.showModal();
  input.focus();
}

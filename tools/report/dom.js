// Elements, tables and the pictures in them.
'use strict';

const byId = id => document.getElementById(id);

// An element with properties, `aria-..` and `data-..` attributes, and children.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null) continue;
    if (key === 'style')
      Object.assign(made.style, value);
    else if (key.includes('-') || key === 'role' || key === 'scope' || key === 'for')
      made.setAttribute(key, value);
    else
      made[key] = value;
  }
  made.append(...children.filter(child => child !== undefined && child !== null));
  return made;
}

const button = (text, act, attributes = {}) =>
    element('button', {type: 'button', textContent: text, onclick: act, ...attributes});

// A table of `rows`. A column is [title, row => text or node, is a number?, row
// => what it is sorted by]; only the first `most` rows are made at once.
function table(caption, columns, rows, {pick, most = 400, sorted} = {}) {
  const body = element('tbody');
  if (pick) rowsByArrows(body, 'tr.active');
  let order = rows, shown = most, by = sorted ?? -1, downwards = true;
  const made =
      element('table', {}, element('caption', {className: 'unseen', textContent: caption}),
              element('thead', {}, element('tr', {}, ...columns.map(([title, , isNumber, key], i) => {
                        const cell = element('th', {scope: 'col', className: isNumber ? 'number' : ''});
                        if (!key)
                          cell.textContent = title;
                        else
                          cell.append(button(title, () => {
                            downwards = by === i ? !downwards : true;
                            by = i;
                            fill();
                          }, {className: 'sort'}));
                        return cell;
                      }))),
              body);
  const more = button('', () => {
    shown += most;
    fill();
  }, {className: 'more'});
  function fill() {
    const key = columns[by]?.[3];
    order = key ? [...rows].sort((a, b) => (key(a) < key(b)   ? -1
                                            : key(a) > key(b) ? 1
                                                              : 0) *
                                           (downwards ? -1 : 1))
                : rows;
    made.querySelectorAll('thead th').forEach((cell, i) => {
      if (i === by && key)
        cell.setAttribute('aria-sort', downwards ? 'descending' : 'ascending');
      else
        cell.removeAttribute('aria-sort');
    });
    body.replaceChildren(...order.slice(0, shown).map(row => {
      const line = element('tr', {},
                           ...columns.map(([, cell, isNumber]) => element(
                                              'td', {className: isNumber ? 'number' : ''}, cell(row) ?? '')));
      if (pick) activates(line, () => pick(row), -1);
      return line;
    }));
    more.hidden = shown >= rows.length;
    more.textContent = `${(rows.length - shown).toLocaleString('en')} more`;
  }
  fill();
  // Whether it has the row; if so, the row has the focus.
  const reveal = row => {
    const at = order.indexOf(row);
    if (at < 0) return false;
    if (at >= shown) {
      shown = at + 1;
      fill();
    }
    const line = body.rows[at];
    line.tabIndex = 0;
    line.scrollIntoView({block: 'center'});
    line.focus();
    return true;
  };
  return element('div', {className: 'table', reveal}, made, more);
}
// In the first table that has it.
const revealRow = (root, row) => [...root.querySelectorAll('.table')].some(table => table.reveal?.(row));

// A click, Enter or Space on the element.
function activates(target, act, tabIndex = 0) {
  target.tabIndex = tabIndex;
  target.classList.add('active');
  target.addEventListener('click', act);
  target.addEventListener('keydown', event => {
    if (event.target !== target || (event.key !== 'Enter' && event.key !== ' ')) return;
    event.preventDefault();
    act();
  });
}

// One of the rows in `body` is in the order of focus; from there arrows lead to
// the others.
function rowsByArrows(body, selector) {
  const enter = row => {
    for (const other of body.querySelectorAll('[tabindex="0"]'))
      if (other.matches(selector)) other.tabIndex = -1;
    row.tabIndex = 0;
  };
  const fill = () => {
    const rows = [...body.querySelectorAll(selector)];
    if (rows.length > 0 && !rows.some(row => row.tabIndex === 0)) rows[0].tabIndex = 0;
  };
  new MutationObserver(fill).observe(body, {childList: true});
  body.addEventListener('focusin', event => event.target.matches(selector) && enter(event.target));
  body.addEventListener('keydown', event => {
    const rows = [...body.querySelectorAll(selector)], at = rows.indexOf(event.target);
    const next = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1}[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    rows[next]?.focus();
  });
}

// A bar of parts [name, share, class, colour]; each says its text when pointed at.
function stackedBar(parts, label) {
  return element('div', {className: 'stack', role: 'img', 'aria-label': label},
                 ...parts.filter(([, share]) => share > 0)
                     .map(([text, share, className, colour]) => element('span', {
                            title: text,
                            className: className ?? '',
                            style: {width: 100 * share + '%', backgroundColor: colour ?? ''}
                          })));
}

// What a colour or pattern means.
function legend(label, entries) {
  return element(
      'ul', {className: 'legend', 'aria-label': label},
      ...entries.map(([text, className, colour]) => element(
                         'li', {}, element('i', {className, style: {backgroundColor: colour ?? ''}}), text)));
}
const kindLegend = names => legend('Kinds of work', names.map(name => [kinds[name], '', kindColour(name)]));
const waitLegend = () => legend('Kinds of waits', groupNames.map(name => [waitGroups[name], 'wait ' + name]));

const svgNamespace = 'http:' +
                     '//www.w3.org/2000/svg';
function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const absent = text => element('p', {className: 'absent', textContent: text});
const section = (title, ...children) =>
    element('section', {'aria-label': title}, element('h2', {textContent: title}), ...children);

// A colour of page.css for a canvas: what the custom property is in the theme of
// the moment.
const resolvedColours = new Map();
function styled(property) {
  const known = resolvedColours.get(property);
  if (known) return known;
  const probe = document.createElement('i');
  probe.style.color = `var(${property})`;
  document.body.append(probe);
  const {color} = getComputedStyle(probe);
  probe.remove();
  resolvedColours.set(property, color);
  return color;
}
const kindPaint = number => styled(kindProperty(kindNames[number]));

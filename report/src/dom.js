// Elements of the page. Text is always text: nothing here reads HTML, so names may hold anything.

const SVG = 'http://www.w3.org/2000/svg';

/** Sets one attribute, property or listener (`onclick`). */
function set(element, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
  else if (name === 'style') Object.assign(element.style, value);
  else element.setAttribute(name, value === true ? '' : value);
}

/** An element with attributes and children; a string is a text. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** An icon of one path in a square of 24. */
export function icon(path) {
  const svg = document.createElementNS(SVG, 'svg');
  for (const [name, value] of [['viewBox', '0 0 24 24'], ['aria-hidden', 'true']]) {
    svg.setAttribute(name, value);
  }
  const line = document.createElementNS(SVG, 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

/** A section with a heading; `id` names both. */
export function section(id, title, ...children) {
  return h('section', {id, 'aria-labelledby': `${id}-title`},
           h('h2', {id: `${id}-title`}, title), ...children);
}

/** A labelled drop-down list of [value, text]. */
export function choice(label, options, value, changed) {
  const list = h('select', {'aria-label': label, onchange: () => changed(list.value)},
                 options.map(([key, text]) => h('option', {value: key}, text)));
  list.value = value;
  return list;
}

/** A button that stays down; tells `changed` whether it is. */
export function toggle(text, on, changed, attributes = {}) {
  const button = h('button', {type: 'button', 'aria-pressed': String(on), ...attributes}, text);
  button.addEventListener('click', () => {
    const now = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(now));
    changed(now);
  });
  return button;
}

/** A table that scrolls by itself where the screen is narrow. */
export function table(caption, heads, rows) {
  const head = h('tr', {}, heads.map((text, k) => h('th', {scope: 'col', class: k ? 'number' : ''}, text)));
  const body = rows.map((row) => h('tr', {}, row.map((cell, k) => (
    k ? h('td', {class: 'number'}, cell) : h('th', {scope: 'row'}, cell)))));
  return h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption},
           h('table', {}, h('thead', {}, head), h('tbody', {}, body)));
}

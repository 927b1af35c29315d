// The parameters: value, or start and optimum, bounds, and what holds them there.

import {h, section, table} from './dom.js';
import {change, isNumber, number, unit} from './format.js';

/** [lower, upper] of the result, else of the model. */
function boundsOf(data, name) {
  return data.result.bounds?.[name] ?? data.about.parameters.get(name)?.bounds ?? [null, null];
}

const interval = ([low, high]) => (
  isNumber(low) || isNumber(high) ? `${isNumber(low) ? number(low) : '−∞'} … ${isNumber(high) ? number(high) : '∞'}` : '');

/** parameter → 'lower' | 'upper' of the bounds that are active. */
function activeBounds(data) {
  const entries = Array.isArray(data.result.active_bounds) ? data.result.active_bounds : [];
  return new Map(entries.map((entry) => [entry?.parameter ?? entry, entry?.side ?? 'bound']));
}

function nameCell(name, about, side) {
  return [h('span', {class: 'name'}, name),
          unit(about?.unit) ? h('span', {class: 'unit'}, ` ${unit(about.unit)}`) : null,
          side ? h('span', {class: 'tag'}, `at ${side} bound`) : null,
          about?.description ? h('span', {class: 'note'}, about.description) : null].filter(Boolean);
}

function row(data, name, two, active) {
  const about = data.about.parameters.get(name);
  const values = data.points.map((point) => point.parameters[name]);
  const numbers = values.map((x) => number(x, 6));
  if (two) numbers.push(change(values[0], values[values.length - 1]));
  return [h('div', {}, nameCell(name, about, active.get(name))), ...numbers, interval(boundsOf(data, name))];
}

function multipliers(data) {
  const constraints = Object.entries(data.result.multipliers ?? {});
  const bounds = Array.isArray(data.result.active_bounds) ? data.result.active_bounds : [];
  const all = [...constraints, ...bounds.map((entry) => [`${entry?.parameter}, ${entry?.side} bound`, entry?.multiplier])]
    .filter(([, x]) => isNumber(x));
  if (!all.length) return null;
  const rows = all.map(([name, x]) => [name, number(x, 6)]);
  return h('div', {class: 'narrow'}, h('h3', {}, 'Multipliers'), table('Multipliers', ['Bound or constraint', 'Multiplier'], rows));
}

/** Rows that are there at once; a control over time may have hundreds. */
const SHOWN = 30;

export function parameters(data) {
  const names = [...new Set(data.points.flatMap((point) => Object.keys(point.parameters)))];
  if (!names.length) return null;
  const two = data.points.length > 1;
  const active = activeBounds(data);
  const heads = two ? ['Parameter', 'Start', 'Optimum', 'Change', 'Bounds'] : ['Parameter', 'Value', 'Bounds'];
  const rows = (some) => table('Parameters', heads, some.map((name) => row(data, name, two, active)));
  const rest = names.slice(SHOWN);
  const more = rest.length ? h('details', {}, h('summary', {}, `${rest.length} more`), rows(rest)) : null;
  return section('parameters', 'Parameters', rows(names.slice(0, SHOWN)), more, multipliers(data));
}

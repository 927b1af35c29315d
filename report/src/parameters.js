// The parameters: value, or start and optimum, bounds, and what holds them there.

import {h, section, table} from './dom.js';
import {change, isNumber, number, unit} from './format.js';
import {rangePlot, splitRanges} from './ranges.js';
import {list} from './regular.js';

/** [lower, upper] of the result, else of the model. */
function boundsOf(data, name) {
  return list(data.result.bounds?.[name] ?? data.about.parameters.get(name)?.bounds);
}

const interval = ([low, high]) => (
  isNumber(low) || isNumber(high) ? `${isNumber(low) ? number(low) : '−∞'} … ${isNumber(high) ? number(high) : '∞'}` : '');

/** parameter → 'lower' | 'upper' of the bounds that are active. */
function activeBounds(data) {
  const entries = list(data.result.active_bounds);
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

function multipliers(data, inRange) {
  const constraints = Object.entries(data.result.multipliers ?? {});
  const bounds = list(data.result.active_bounds);
  const all = [...constraints, ...bounds.filter((entry) => !inRange.has(entry?.parameter)).map((entry) => [`${entry?.parameter}, ${entry?.side} bound`, entry?.multiplier])]
    .filter(([, x]) => isNumber(x));
  if (!all.length) return null;
  const rows = all.map(([name, x]) => [name, number(x, 6)]);
  return h('div', {class: 'narrow'}, h('h3', {}, 'Multipliers'), table('Multipliers', ['Bound or constraint', 'Multiplier'], rows));
}

/** Rows that are there at once. */
const SHOWN = 30;

/** A whole range as one plot, start and optimum together. */
function rangeFigure(data, {name, members}, active) {
  const about = data.about.parameters.get(members[0]);
  const held = members.filter((member) => active.has(member)).length;
  const bounds = interval(boundsOf(data, members[0]));
  const note = [about?.description, bounds && `bounds ${bounds}`, held && `${held} of ${members.length} at a bound`];
  return rangePlot({
    title: `${name}, ${members.length} values`,
    unit: about?.unit,
    curves: data.points.map((point) => ({label: point.label, values: members.map((member) => point.parameters[member])})),
    note: note.filter(Boolean).join('; '),
  });
}

export function parameters(data) {
  const names = [...new Set(data.points.flatMap((point) => Object.keys(point.parameters)))];
  if (!names.length) return null;
  const two = data.points.length > 1;
  const active = activeBounds(data);
  const heads = two ? ['Parameter', 'Start', 'Optimum', 'Change', 'Bounds'] : ['Parameter', 'Value', 'Bounds'];
  const rows = (some) => (
    some.length ? table('Parameters', heads, some.map((name) => row(data, name, two, active))) : null);
  const {ranges, single} = splitRanges(names);
  const plots = ranges.map((range) => rangeFigure(data, range, active));
  const rest = single.slice(SHOWN);
  const more = rest.length ? h('details', {}, h('summary', {}, `${rest.length} more`), rows(rest)) : null;
  const inRange = new Set(ranges.flatMap(({members}) => members));
  const element = section('parameters', 'Parameters', rows(single.slice(0, SHOWN)), more,
                          plots.map((plot) => plot.element), multipliers(data, inRange));
  return {element, start: () => plots.forEach((plot) => plot.start())};
}

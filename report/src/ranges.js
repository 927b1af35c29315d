// Ranges of parameters, u[0], u[1], …: the values of a control over time, say. They are one curve, not hundreds of rows.

import {h} from './dom.js';
import {unit as unitText} from './format.js';
import {makePlot} from './plot.js';
import {ordinate} from './regular.js';
import {seriesColor} from './theme.js';

const FEWEST = 6;  // fewer numbers are read faster in a table

/** {ranges: [{name, members}], single: names}; members in the order of their numbers. */
export function splitRanges(names) {
  const found = new Map();
  for (const name of names) {
    const [, base, at] = name.match(/^(.+)\[(\d+)\]$/) ?? [];
    if (base === undefined) continue;
    if (!found.has(base)) found.set(base, []);
    found.get(base).push([Number(at), name]);
  }
  const ranges = [...found].filter(([, members]) => members.length >= FEWEST).map(([name, members]) => (
    {name, members: members.sort(([a], [b]) => a - b).map(([, member]) => member)}));
  const inside = new Set(ranges.flatMap(({members}) => members));
  return {ranges, single: names.filter((name) => !inside.has(name))};
}

/** A figure of curves [{label, values}] over the numbers of a range; the start of an optimisation is dashed. */
export function rangePlot({title, unit, curves, note}) {
  const place = h('div', {class: 'plot'});
  const key = curves.length < 2 ? null : h('p', {class: 'note'}, curves.map(({label}) => [
    h('span', {class: label === 'start' ? 'dash start' : 'dash'}), label]).flat());
  const element = h('figure', {class: 'range-plot'},
                    h('div', {class: 'plot-head'},
                      h('span', {class: 'plot-unit'}, unitText(unit) ? `${title} in ${unitText(unit)}` : title),
                      h('span', {'aria-hidden': 'true'}, 'number')),
                    place, key, note ? h('p', {class: 'note'}, note) : null);
  const start = () => makePlot(place, {
    data: [curves[0].values.map((_, k) => k), ...curves.map(({values}) => values.map(ordinate))],
    series: curves.map(({label}) => ({
      label, stroke: () => seriesColor(0), width: label === 'start' ? 1.2 : 1.7, dash: label === 'start' ? [5, 4] : undefined,
      points: {show: curves[0].values.length < 60, size: 4},
    })),
    label: `${title} over its numbers`,
  });
  return {element, start};
}

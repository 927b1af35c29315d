// The objectives: value, or start and optimum.

import {h, section} from './dom.js';
import {change, isNumber, quantity} from './format.js';

const value = (x, unit, digits) => (isNumber(x) ? quantity(x, unit, digits) : 'no finite value');

function card(name, about, points) {
  const values = points.map((point) => point.objectives[name]);
  const last = values[values.length - 1];
  const before = values.length > 1 ? values[0] : null;
  return h('li', {class: 'card'},
           h('span', {class: 'card-name'}, name),
           h('strong', {}, value(last, about?.unit, 6)),
           before === null ? null : h('span', {class: 'before'}, `from ${value(before, about?.unit, 5)}  `,
                                      h('b', {}, change(before, last))),
           about?.description ? h('span', {class: 'note'}, about.description) : null);
}

export function objectives(data) {
  const names = [...new Set(data.points.flatMap((point) => Object.keys(point.objectives)))];
  if (!names.length) return null;
  return section('objectives', names.length > 1 ? 'Objectives' : 'Objective', h('ul', {class: 'cards'}, names.map(
    (name) => card(name, data.about.objectives.get(name), data.points))));
}

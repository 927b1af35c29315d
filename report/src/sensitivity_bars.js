// What a relative change of each parameter does to an objective: ρ ∂ψ/∂ρ, as bars about zero.

import {choice, h, section} from './dom.js';
import {isNumber, number, quantity, unit} from './format.js';
import {rangePlot, splitRanges} from './ranges.js';

const LIMIT = 40;  // bars; parameters beyond matter less than all of these

/** [{name, effect, slope}], largest effect first. */
function effects(point, objective) {
  const gradient = point.gradients[objective] ?? {};
  return Object.entries(gradient)
    .filter(([, slope]) => isNumber(slope))
    .map(([name, slope]) => ({name, slope, effect: slope * (point.parameters[name] ?? NaN)}))
    // a parameter at 0 has no effect by its relative change, and is not insensitive for that
    .sort((a, b) => ((Math.abs(b.effect) || 0) - (Math.abs(a.effect) || 0)) || Math.abs(b.slope) - Math.abs(a.slope));
}

function bar({name, effect, slope}, largest, unitText) {
  const part = largest > 0 && isNumber(effect) ? 50 * Math.abs(effect) / largest : 0;
  const style = {width: `${part}%`, [effect < 0 ? 'right' : 'left']: '50%'};
  return h('li', {},
           h('span', {class: 'bar-name'}, name),
           h('span', {class: 'bar-track', 'aria-hidden': 'true'}, h('span', {class: effect < 0 ? 'bar minus' : 'bar', style})),
           h('span', {class: 'bar-value'}, quantity(effect, unitText, 4),
             h('span', {class: 'bar-slope', title: 'derivative'}, number(slope, 8))));
}

/** The derivatives with respect to whole ranges, a plot each. */
function rangeCharts(point, objective, ranges) {
  const gradient = point.gradients[objective] ?? {};
  return ranges.map(({name, members}) => rangePlot({
    title: `∂ ${objective} / ∂ ${name}`,
    curves: [{label: point.label, values: members.map((member) => gradient[member])}],
  }));
}

function chart(point, objective, about, single) {
  const all = effects(point, objective).filter(({name}) => single.has(name));
  if (!all.length) return [];
  const shown = all.slice(0, LIMIT);
  const largest = Math.max(0, ...shown.map((one) => Math.abs(one.effect)).filter(isNumber));
  const rest = all.length - shown.length;
  return [h('ul', {class: 'bars', 'aria-label': `Effect of the parameters on ${objective}`},
            shown.map((one) => bar(one, largest, about?.unit))),
          rest ? h('p', {class: 'note'}, `and ${rest} parameters with smaller effects`) : null].filter(Boolean);
}

export function sensitivityBars(data) {
  const points = data.points.filter((point) => Object.keys(point.gradients).length);
  if (!points.length) return null;
  const names = [...new Set(points.flatMap((point) => Object.keys(point.gradients)))];
  const state = {objective: names[0], point: points[points.length - 1]};
  const place = h('div', {'aria-live': 'polite'});
  const show = () => {
    const {ranges, single} = splitRanges(Object.keys(state.point.gradients[state.objective] ?? {}));
    const plots = rangeCharts(state.point, state.objective, ranges);
    place.replaceChildren(
      ...chart(state.point, state.objective, data.about.objectives.get(state.objective), new Set(single)),
      ...plots.map((plot) => plot.element));
    plots.forEach((plot) => plot.start());
  };
  const objective = choice('Objective', names.map((name) => [name, name]), state.objective,
                           (name) => { state.objective = name; show(); });
  const at = points.length < 2 ? null : choice('At', points.map((point) => [point.label, point.label]), state.point.label,
    (label) => { state.point = points.find((point) => point.label === label); show(); });
  const element = section('sensitivities', 'Sensitivities',
                 h('p', {class: 'note'}, 'Parameter × derivative: what the objective gains per relative change of the parameter; below it the derivative itself.'),
                 h('div', {class: 'fields'}, h('label', {class: 'field'}, 'Objective ', objective),
                   at && h('label', {class: 'field'}, 'At ', at)), place);
  return {element, start: show};
}

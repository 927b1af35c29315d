// The way of an optimiser: objectives, cost and projected gradient per evaluation.

import {h, section} from './dom.js';
import {makePlot, wantsLog} from './plot.js';
import {ascends, ordinate, record, text} from './regular.js';
import {seriesColor} from './theme.js';

/** [{name, y}] of what the entries have numbers of. */
function curves(history, read) {
  const names = [...new Set(history.flatMap((entry) => Object.keys(record(read(entry)))))];
  return names.map((name) => ({name, y: history.map((entry) => ordinate(record(read(entry))[name]))}))
    .filter(({y}) => y.some((x) => x !== null));
}

/** Objectives, and the cost unless it is one of them. */
function costCurves(history) {
  const all = curves(history, (entry) => ({cost: entry.cost, ...record(entry.objectives)}));
  const [cost, ...rest] = all;
  if (cost?.name !== 'cost') return all;
  const twin = rest.some(({y}) => y.every((x, k) => x === cost.y[k]));
  return twin ? rest : all;
}

function legend(shown) {
  return h('div', {class: 'legend'}, shown.map(({name}, k) => (
    h('span', {class: 'entry plain'}, h('span', {class: `swatch series-${k % 8}`}), name))));
}

/** Consecutive points are joined over evaluations that failed. */
function figure(title, x, shown) {
  if (!shown.length) return null;
  const log = wantsLog(shown.map(({y}) => y));
  const place = h('div', {class: 'plot'});
  const element = h('figure', {}, h('div', {class: 'plot-head'}, h('span', {class: 'plot-unit'}, title + (log ? ' (logarithmic)' : ''))),
                    place, legend(shown));
  const start = () => makePlot(place, {
    data: [x, ...shown.map(({y}) => y)],
    series: shown.map(({name}, k) => ({
      label: name, stroke: () => seriesColor(k), width: 1.6, spanGaps: true, points: {show: x.length < 120, size: 5},
    })),
    log,
    label: `${title} per evaluation`,
  });
  return {element, start};
}

function failures(history, x) {
  const failed = history.map((entry, k) => [x[k], entry.failed]).filter(([, message]) => message);
  if (!failed.length) return null;
  return h('details', {}, h('summary', {}, `${failed.length} ${failed.length > 1 ? 'evaluations' : 'evaluation'} failed`),
           h('ul', {}, failed.map(([n, message]) => h('li', {}, `${n}: ${text(message) || 'no result'}`))));
}

/** More curves than that are a tangle. */
const MOST_PATHS = 8;

export function history(data) {
  if (!data.history.length) return null;
  const counted = data.history.map((entry) => entry.evaluation);
  const x = ascends(counted) ? counted : counted.map((_, k) => k + 1);
  const slopes = curves(data.history, (entry) => ({'projected gradient': entry.projected_gradient}));
  const all = curves(data.history, (entry) => entry.parameters);
  const paths = all.slice(0, MOST_PATHS);
  const title = all.length > paths.length ? `Parameters, the first ${paths.length} of ${all.length}` : 'Parameters';
  const figures = [
    figure('Objectives', x, costCurves(data.history)),
    figure('Projected gradient', x, slopes),
    figure(title, x, paths),
  ].filter(Boolean);
  const element = section('history', 'History per evaluation',
                          h('div', {class: 'figures'}, figures.map((one) => one.element)), failures(data.history, x));
  return {element, start: () => figures.forEach((one) => one.start())};
}

// The curves of a report over time: signals, one plot per unit; sensitivities, one plot per signal.

import {choice, h, section} from './dom.js';
import {timePlot} from './time_plot.js';

const PLOT_LIMIT = 8;   // curves in one plot, as many as there are colours
const MAGNIFY = 0.5;

/** Lists of curves by key, in order of appearance. */
function groups(curves, keyOf) {
  const out = new Map();
  for (const curve of curves) {
    const key = keyOf(curve);
    if (!out.has(key)) out.set(key, []);
    out.get(key).push(curve);
  }
  return out;
}

/** Cuts a list of curves so that no plot holds more names than there are colours. */
function pieces(curves) {
  const names = [...new Set(curves.map((curve) => curve.name))];
  const out = [];
  for (let k = 0; k < names.length; k += PLOT_LIMIT) {
    const some = new Set(names.slice(k, k + PLOT_LIMIT));
    out.push(curves.filter((curve) => some.has(curve.name)));
  }
  return out;
}

function zoomBar(clock, window) {
  const button = (text, label, act) => h('button', {type: 'button', 'aria-label': label, title: label, onclick: act}, text);
  return h('div', {class: 'zoom', role: 'group', 'aria-label': 'Zoom of the time plots'},
           button('−', 'Zoom out in time', () => window.zoom(1 / MAGNIFY, clock.time)),
           button('+', 'Zoom in on the time shown', () => window.zoom(MAGNIFY, clock.time)),
           button('All', 'Show the whole time', () => window.reset()));
}

function runKey(runs) {
  if (runs.length < 2) return null;
  return h('p', {class: 'note'}, h('span', {class: 'dash start'}), 'start', h('span', {class: 'dash'}), 'optimum');
}

export function signalPlots(data, clock, window) {
  const runs = data.runs.filter((run) => run.signals.length);
  if (!runs.length) return null;
  const curves = runs.flatMap((run) => run.signals.map((signal) => ({...signal, run: run.label})));
  const unitOf = (curve) => data.about.signals.get(curve.name)?.unit ?? '';
  const plots = [];
  for (const [unit, group] of groups(curves, unitOf)) {
    for (const some of pieces(group)) {
      plots.push(timePlot({curves: some, unit, about: data.about.signals, clock, window}));
    }
  }
  const element = section('signals', 'Signals over time', zoomBar(clock, window), runKey(runs),
                          plots.map((plot) => plot.element));
  return {element, start: () => plots.forEach((plot) => plot.start())};
}

/** "SIGNAL/PARAMETER" → the signal. */
const signalOf = (name) => name.slice(0, Math.max(0, name.indexOf('/')) || name.length);
const parameterOf = (name) => name.slice(name.indexOf('/') + 1);

/** ∂signal/∂parameter over time, one signal at a time. */
export function sensitivityPlots(data, clock, window) {
  if (!data.sensitivities.length) return null;
  const bySignal = groups(data.sensitivities, (curve) => signalOf(curve.name));
  const signals = [...bySignal.keys()];
  const place = h('div', {class: 'plots'});
  const show = (signal) => {
    place.replaceChildren();
    const curves = bySignal.get(signal).map((curve) => ({...curve, name: parameterOf(curve.name)}));
    for (const some of pieces(curves)) {
      const title = `∂ ${signal} / ∂ parameter`;
      const plot = timePlot({curves: some, title, about: data.about.parameters, clock, window});
      place.append(plot.element);
      plot.start();
    }
  };
  const list = choice('Signal', signals.map((name) => [name, name]), signals[0], show);
  const element = section('time-sensitivities', 'Sensitivities over time',
                          h('label', {class: 'field'}, 'Signal ', list), place);
  return {element, start: () => show(signals[0])};
}

// What the run measured about itself over time: energies and their balance, constraints, the least pivot.

import {h, section} from './dom.js';
import {number} from './format.js';
import {ascends, list, ordinate} from './regular.js';
import {timePlot} from './time_plot.js';

/** The plots: a title, a unit, and the columns with the names they have in the plot. */
const PLOTS = [
  ['Energies in J', 'J', {kinetic_energy: 'kinetic', potential_energy: 'potential, from its start', work: 'work of what is not conservative'}],
  ['Energy balance in J', 'J', {balance: 'E − E(0) − work'}],
  ['Constraints', '', {position: '|Φ|', velocity: '|Φ̇|', acceleration: '|Φ̈|'}],
  ['Least pivot of the constraint Jacobian', '', {least_pivot: 'over the largest'}],
  ['Divided steps', '', {divided_steps: 'so far'}],
];

/** A column as a curve; null if it has nothing to show. */
function curve(samples, key, name) {
  const t = list(samples.t);
  const y = list(samples[key]);
  if (t.length < 2 || y.length !== t.length || !ascends(t)) return null;
  const numbers = y.map(ordinate);
  if (!numbers.some((x) => x)) return null;
  const start = key === 'potential_energy' ? numbers.find((x) => x !== null) : 0;  // its zero is arbitrary
  return {name, run: 'run', t, y: numbers.map((x) => (x === null ? null : x - start))};
}

export function monitorPlots(data, clock, window) {
  const {monitors} = data.result;
  const samples = monitors?.samples;
  if (!samples || typeof samples !== 'object') return null;
  const plots = [];
  for (const [title, unit, columns] of PLOTS) {
    const curves = Object.entries(columns).map(([key, name]) => curve(samples, key, name)).filter(Boolean);
    if (curves.length) plots.push(timePlot({curves, title, unit, about: new Map(), clock, window}));
  }
  if (!plots.length) return null;
  const kind = monitors.conservative ? 'a conservative motion' : 'with the work of forces and drives';
  const note = h('p', {class: 'note'},
                 `Largest energy balance ${number(monitors.energy_balance, 3)} J of ${number(monitors.energy_scale, 3)} J, ${kind}.`);
  const element = section('monitors', 'Monitors', note, plots.map((plot) => plot.element));
  return {element, start: () => plots.forEach((plot) => plot.start())};
}

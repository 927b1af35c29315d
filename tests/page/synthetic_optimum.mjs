// A result of `optimize` made of two simulations, with numbers that are made up: what the page shows of
// an optimisation can be tested without running one.
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

/** Text that would break a careless page. */
export const NASTY = '</script><script>window.broken = true</script><!-- <b>bold</b> & "quoted"';

const EVALUATIONS = 24;

/** Objectives and gradients of a point, from a result of `gradient`. */
function point(result, motion) {
  const objectives = {};
  const gradient = {};
  for (const [name, entry] of Object.entries(result.objectives)) {
    objectives[name] = entry.value;
    gradient[name] = entry.gradient;
  }
  return {parameters: result.parameters, objectives, gradient, motion, model: result.model};
}

function historyEntry(k, start, optimum) {
  const part = 1 - Math.exp(-k / 4);
  const mix = (a, b) => a + (b - a) * part;
  const between = (a, b) => Object.fromEntries(Object.keys(a).map((name) => [name, mix(a[name], b[name])]));
  const entry = {
    evaluation: k + 1,
    iteration: Math.floor(k / 2),
    parameters: between(start.parameters, optimum.parameters),
    objectives: between(start.objectives, optimum.objectives),
    cost: mix(10, 0.01),
    projected_gradient: 10 ** (1 - k / 3),
    seconds: 0.1 * (k + 1),
  };
  return k === 5 ? {evaluation: 6, iteration: 2, failed: `the run failed at t = 0.3: ${NASTY}`} : entry;
}

/** Derivatives of each signal with respect to two parameters, over time. */
function sensitivities(result, end) {
  const parameters = Object.keys(result.parameters).slice(0, 2);
  const names = result.model.signals.flatMap((signal) => parameters.map((p) => `${signal.name}/${p}`));
  const lines = [`t,${names.join(',')}`];
  for (let k = 0; k <= 200; ++k) {
    const t = end * k / 200;
    lines.push([t, ...names.map((_, i) => t * Math.sin((i + 1) * t))].join(','));
  }
  return `${lines.join('\n')}\n`;
}

/** Writes FOLDER/NAME.json and its sensitivities. `start` and `optimum` are files of `gradient --out`. */
export function writeSyntheticOptimum(folder, name, start, optimum) {
  const read = (file) => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const [first, last] = [read(start), read(optimum)];
  const points = [point(first, first.motion), point(last, last.motion)];
  const [bounded, ...others] = Object.keys(first.parameters);
  last.model.description = `An optimum that is made up. ${NASTY}`;
  writeFileSync(join(folder, `${name}.csv`), sensitivities(last, last.t));
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({
    model: last.model,
    settings: {...last.settings, optimizer: 'l-bfgs-b'},
    start: points[0],
    optimum: {...points[1], model: undefined, motion: undefined},
    motion: last.motion,
    bounds: {[bounded]: [0.5 * first.parameters[bounded], last.parameters[bounded]], [others[0]]: [null, 100]},
    active_bounds: [{parameter: bounded, side: 'upper'}],
    multipliers: {[bounded]: -0.125},
    history: Array.from({length: EVALUATIONS}, (_, k) => historyEntry(k, ...points)),
    evaluations: EVALUATIONS,
    stopped: 'the projected gradient is small enough',
    seconds: {total: 2.4},
    sensitivities: `${name}.csv`,
  }));
}

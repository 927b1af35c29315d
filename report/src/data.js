// What the command has put into the page, made regular: any part may be missing.

import {ascends, curve, frames, list, record, scene, text} from './regular.js';

/** {name: x} or {name: {value: x}} → {name: x}. */
function values(objectives) {
  const out = {};
  for (const [name, entry] of Object.entries(record(objectives))) {
    out[name] = typeof entry === 'object' && entry ? entry.value : entry;
  }
  return out;
}

/** {objective: {parameter: x}} of a point, wherever its format keeps it. */
function gradients(point) {
  const out = {};
  for (const [name, entry] of Object.entries(record(point.gradient))) out[name] = entry;
  for (const [name, entry] of Object.entries(record(point.objectives))) {
    if (entry && typeof entry === 'object' && entry.gradient) out[name] = entry.gradient;
  }
  for (const name of Object.keys(out)) {
    if (!Object.keys(record(out[name])).length) delete out[name];
  }
  return out;
}

/** The numbers of a result at one set of parameters. */
function point(label, source) {
  return {
    label,
    parameters: record(source.parameters),
    objectives: values(source.objectives),
    gradients: gradients(source),
  };
}

function points(result) {
  if (!result.start && !result.optimum) return [point('run', result)];
  const out = [];
  if (result.start) out.push(point('start', record(result.start)));
  if (result.optimum) out.push(point('optimum', record(result.optimum)));
  return out;
}

const run = (source) => ({
  label: text(record(source).label),
  scene: scene(record(source).scene),
  frames: frames(record(source).frames),
  signals: list(record(source).signals).map(curve).filter(Boolean),
});

/** name → {unit, description, …} of a list of named things. */
const byName = (entries) => new Map(entries.map((entry) => [entry.name, entry]));

/** What kind of result it is. */
function kindOf(result) {
  if (result.optimum || result.history) return 'optimize';
  return record(result.settings).method ? 'gradient' : 'simulate';
}

export function readData(source) {
  const raw = record(JSON.parse(source));
  const result = record(raw.result);
  const runs = list(raw.runs).map(run);
  const last = runs[runs.length - 1]?.scene ?? scene(null);
  return {
    file: text(raw.file),
    kind: kindOf(result),
    result,
    runs,
    scene: last,
    points: points(result),
    history: list(result.history).map(record),
    sensitivities: list(raw.sensitivities).map(curve).filter(Boolean),
    about: {
      parameters: byName(last.parameters),
      signals: byName(last.signals),
      objectives: byName(last.objectives),
    },
  };
}

/** The times that the animation and the plots share; null without any motion. */
export function timeSpan(data) {
  const ends = [];
  for (const {frames: f} of data.runs) if (f) ends.push(f.t[0], f.t[f.t.length - 1]);
  const measured = list(data.result.monitors?.samples?.t);
  const others = [...data.runs.flatMap((one) => one.signals), ...data.sensitivities];
  if (ascends(measured)) others.push({t: measured});
  for (const {t} of others) ends.push(t[0], t[t.length - 1]);
  if (!ends.length) return null;
  const [begin, end] = [Math.min(...ends), Math.max(...ends)];
  // what rounding has left of a duration is an instant
  return end - begin > 1e-12 * Math.max(Math.abs(begin), Math.abs(end)) ? [begin, end] : [begin, begin];
}

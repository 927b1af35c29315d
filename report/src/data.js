// What the command has put into the page, made regular: any part may be missing.

const list = (x) => (Array.isArray(x) ? x : []);
const record = (x) => (x && typeof x === 'object' && !Array.isArray(x) ? x : {});

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
  const out = {...record(point.gradient)};
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

/** Frames as arrays of numbers. */
function frames(source) {
  const t = Float64Array.from(list(source?.t));
  if (!t.length) return null;
  const poses = {};
  for (const [body, flat] of Object.entries(record(source.poses))) {
    if (list(flat).length === 7 * t.length) poses[body] = Float64Array.from(flat);
  }
  return {t, poses};
}

function scene(source) {
  const given = record(source);
  return {
    ...given,
    ground: record(given.ground),
    bodies: list(given.bodies),
    joints: list(given.joints),
    links: list(given.links),
    parameters: list(given.parameters),
    signals: list(given.signals),
    objectives: list(given.objectives),
  };
}

const run = (source) => ({
  label: source.label,
  scene: scene(source.scene),
  frames: frames(source.frames),
  signals: list(source.signals),
});

/** name → {unit, description, …} of a list of named things. */
const byName = (entries) => new Map(entries.map((entry) => [entry.name, entry]));

/** What kind of result it is. */
function kindOf(result) {
  if (result.optimum || result.history) return 'optimize';
  return result.settings?.method ? 'gradient' : 'simulate';
}

export function readData(text) {
  const raw = JSON.parse(text);
  const result = record(raw.result);
  const runs = list(raw.runs).map(run);
  const last = runs[runs.length - 1]?.scene ?? scene(null);
  return {
    file: raw.file,
    kind: kindOf(result),
    result,
    runs,
    scene: last,
    points: points(result),
    history: list(result.history).map(record),
    sensitivities: list(raw.sensitivities),
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
  for (const {t} of [...data.sensitivities, {t: measured}]) if (t.length) ends.push(t[0], t[t.length - 1]);
  return ends.length ? [Math.min(...ends), Math.max(...ends)] : null;
}

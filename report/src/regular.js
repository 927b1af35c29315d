// Values as they should be, from values as they are: what is not of its kind, not finite or beyond all mechanisms is
// left out, so that nobody behind the door needs to ask. One function for each kind of thing in a result.

const FAR = 1e12;     // m; beyond it single precision, which is what is drawn with, has nothing left to show
const LARGE = 1e150;  // of plots, whose scales take differences and squares
const SMALL = 1e-150;

export const list = (x) => (Array.isArray(x) ? x : []);
export const record = (x) => (x && typeof x === 'object' && !Array.isArray(x) ? x : {});
export const text = (x) => (typeof x === 'string' ? x : '');

const isFinite = (x) => typeof x === 'number' && Number.isFinite(x);
const isNear = (x) => isFinite(x) && Math.abs(x) < FAR;
const isLength = (x) => isNear(x) && x > 0;

/** Three coordinates, or null. */
export const vector3 = (x) => (list(x).length === 3 && x.every(isNear) ? x : null);

const direction = (x) => {
  const v = vector3(x);
  return v && v.some((c) => Math.abs(c) > 1e-9) ? v : null;
};

/** A number for a plot; null is a gap. */
export function ordinate(x) {
  if (!isFinite(x) || Math.abs(x) > LARGE) return null;
  return Math.abs(x) < SMALL ? 0 : x;
}

/** Whether x never falls and is finite: what plots and frames are over. */
export const ascends = (x) => x.length > 0 && x.every((at, k) => (
  isFinite(at) && Math.abs(at) < LARGE && (k === 0 || at >= x[k - 1])));

/** {name: x} of what `regular` makes something of. */
function entries(source, regular) {
  return Object.fromEntries(Object.entries(record(source)).map(([name, x]) => [name, regular(x)]).filter(([, x]) => x));
}

const NEEDS = {
  box: ({size}) => vector3(size)?.every(isLength),
  cylinder: ({from, to, radius}) => vector3(from) && vector3(to) && isLength(radius),
  capsule: ({from, to, radius}) => vector3(from) && vector3(to) && isLength(radius),
  sphere: ({radius}) => isLength(radius),
  mesh: ({triangles}) => list(triangles).length > 0 && triangles.length % 9 === 0 && triangles.every(isNear),
};

/** A shape that can be drawn, or one that says why it cannot. */
function shape(source) {
  const given = record(source);
  const missing = text(given.missing);
  const drawn = Object.hasOwn(NEEDS, given.type) && NEEDS[given.type](given);
  if (!drawn && !missing) return null;
  const {rotation} = given;
  return {
    ...given,
    type: drawn ? given.type : '',
    missing,
    color: text(given.color),
    center: vector3(given.center) ?? [0, 0, 0],
    position: vector3(given.position) ?? [0, 0, 0],
    rotation: list(rotation).length === 9 && rotation.every(isNear) ? rotation : [1, 0, 0, 0, 1, 0, 0, 0, 1],
    scale: isLength(given.scale) ? given.scale : 1,
  };
}

function body(source) {
  const given = record(source);
  return {
    name: text(given.name),
    com: vector3(given.com),
    points: entries(given.points, vector3),
    shapes: list(given.shapes).map(shape).filter(Boolean),
  };
}

/** Two bodies and where on each of them. */
function joint(source) {
  const given = record(source);
  const bodies = list(given.bodies).map(text);
  const at = list(given.at).map(vector3);
  if (bodies.length !== 2 || at.length !== 2 || !at.every(Boolean)) return null;
  return {...given, bodies, at, axes: [0, 1].map((k) => direction(list(given.axes)[k]))};
}

function link(source) {
  const ends = list(record(source).ends).map((end) => ({body: text(record(end).body), at: vector3(record(end).at)}));
  return ends.length === 2 && ends.every((end) => end.at) ? {ends} : null;
}

/** A parameter, a signal, an objective: what is said about it. */
function named(source) {
  const given = record(source);
  return {...given, name: text(given.name), unit: text(given.unit), description: text(given.description),
          bounds: list(given.bounds)};
}

const all = (source, regular) => list(source).map(regular).filter(Boolean);

export function scene(source) {
  const given = record(source);
  return {
    file: text(given.file),
    name: text(given.name),
    description: text(given.description),
    up: direction(given.up) ?? [0, 0, 1],
    ground: body(given.ground),
    bodies: all(given.bodies, body).filter(({name}) => name),
    joints: all(given.joints, joint),
    links: all(given.links, link),
    parameters: all(given.parameters, named),
    signals: all(given.signals, named),
    objectives: all(given.objectives, named),
  };
}

/** Frames as arrays of numbers, null without any. */
export function frames(source) {
  const {t, poses, contacts, grounds} = record(source);
  if (!ascends(list(t))) return null;
  const whole = (flat) => (list(flat).length === 7 * t.length && flat.every(isNear) ? Float64Array.from(flat) : null);
  const marks = (n) => (flat) => (list(flat).length === n * t.length && flat.every(isNear) ? Float64Array.from(flat) : null);
  return {t: Float64Array.from(t), poses: entries(poses, whole), contacts: entries(contacts, marks(6)),
          grounds: entries(grounds, marks(3))};
}

/** A curve over time that can be drawn, or null. */
export function curve(source) {
  const {name, t, y} = record(source);
  if (!text(name) || !ascends(list(t)) || list(y).length !== t.length) return null;
  return {name, t, y: y.map(ordinate)};
}

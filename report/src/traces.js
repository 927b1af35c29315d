// The paths of points through the world.

import {BufferGeometry, Float32BufferAttribute, Line, LineBasicMaterial} from 'three';

const TRACES = 4;  // shown before anybody asks

/** Largest extent of a path along an axis. */
function spread(path) {
  let most = 0;
  for (let axis = 0; axis < 3; ++axis) {
    const along = path.filter((_, k) => k % 3 === axis);
    most = Math.max(most, along.reduce((a, b) => Math.max(a, b), -Infinity) - along.reduce((a, b) => Math.min(a, b), Infinity));
  }
  return most;
}

/** Names of the points whose traces are shown first: those that go farthest, named ones if there are any. */
function farthest(points) {
  const named = points.filter((point) => point.named);
  const sorted = (named.length ? named : points).slice().sort((a, b) => b.spread - a.spread);
  return new Set(sorted.slice(0, TRACES).map((point) => point.name));
}

/** Named points of moving bodies, then their centres of mass. */
function candidates(scene, poses) {
  const bodies = scene.bodies.filter((body) => poses.knows(body.name));
  const all = bodies.flatMap((body) => Object.keys(body.points ?? {}));
  const label = (body, name) => (all.filter((other) => other === name).length > 1 ? `${body}.${name}` : name);
  const named = bodies.flatMap((body) => Object.entries(body.points ?? {})
    .map(([name, at]) => ({body: body.name, name: label(body.name, name), at, named: true})));
  const centres = bodies.filter((body) => body.com)
    .map((body) => ({body: body.name, name: `${body.name}, centre of mass`, at: body.com}));
  return [...named, ...centres];
}

function line(path, opacity) {
  const geometry = new BufferGeometry().setAttribute('position', new Float32BufferAttribute(path, 3));
  return new Line(geometry, new LineBasicMaterial({transparent: true, opacity}));
}

/** [{name, line}] of the points that move. */
export function makeTraces(scene, poses, size, opacity) {
  const points = candidates(scene, poses)
    .map((point) => ({...point, path: poses.path(point.body, point.at)}))
    .map((point) => ({...point, spread: spread(point.path)}))
    .filter((point) => point.spread > 1e-3 * size);
  const shown = farthest(points);
  return points.map(({name, path}) => {
    const trace = {name, line: line(path, opacity)};
    trace.line.visible = shown.has(name);
    return trace;
  });
}

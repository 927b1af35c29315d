// A body without shapes: rods between its joints and points, and its centre of mass.

import {CylinderGeometry, Group, Mesh, SphereGeometry} from 'three';

import {between} from './shapes.js';

/** The shortest tree that joins the points, as pairs of indices. */
export function shortestTree(points) {
  const pairs = [];
  const inside = [0];
  const outside = new Set(points.keys());
  outside.delete(0);
  while (outside.size) {
    let best = {length: Infinity};
    for (const from of inside) {
      for (const to of outside) {
        const length = points[from].distanceTo(points[to]);
        if (length < best.length) best = {from, to, length};
      }
    }
    pairs.push([best.from, best.to]);
    inside.push(best.to);
    outside.delete(best.to);
  }
  return pairs;
}

/** Points without those that stand where another does. */
function distinct(points, size) {
  const out = [];
  for (const point of points) {
    if (!out.some((other) => other.distanceTo(point) < 1e-6 * size)) out.push(point);
  }
  return out;
}

function ball(at, radius, material) {
  const mesh = new Mesh(new SphereGeometry(radius, 20, 14), material);
  mesh.position.copy(at);
  return mesh;
}

/** `anchors` in body axes, `com` too; `size` is that of the mechanism. */
export function stickFigure(anchors, com, size, material) {
  const group = new Group();
  const radius = 0.008 * size;
  let points = distinct(anchors, size);
  if (points.length < 2) points = distinct([...points, com], size);
  for (const [i, j] of points.length > 1 ? shortestTree(points) : []) {
    const length = points[i].distanceTo(points[j]);
    group.add(new Mesh(between(new CylinderGeometry(radius, radius, length, 16), points[i], points[j]), material));
  }
  for (const point of points) group.add(ball(point, 1.25 * radius, material));
  group.add(ball(com, 2.6 * radius, material));
  return group;
}

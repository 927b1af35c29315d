// How large a mechanism and its parts are, and where its bodies can be taken hold of.

import {Box3, Group} from 'three';

import {vector} from './shapes.js';

/** Joints and points of a body, in its axes. */
export function anchorsOf(scene, body) {
  const out = [];
  for (const joint of scene.joints) {
    if (joint.automatic) continue;
    joint.bodies.forEach((name, k) => { if (name === body.name) out.push(vector(joint.at[k])); });
  }
  return [...out, ...Object.values(body.points ?? {}).map(vector)];
}

/** Corners of what is drawn of a body, or its joints, points and centre of mass; in its axes. */
function landmarks(scene, body, figure) {
  if (!figure) return [...anchorsOf(scene, body), vector(body.com)];
  const {min, max} = new Box3().setFromObject(figure);
  return [min, max];
}

/** Length of the space diagonal of the mechanism where the run begins. */
export function sizeOf(scene, poses, figures) {
  const box = new Box3();
  const holder = new Group();
  for (const body of scene.bodies) {
    if (!poses.knows(body.name)) continue;
    poses.placeAtFrame(body.name, 0, holder);
    for (const point of landmarks(scene, body, figures.get(body.name))) {
      box.expandByPoint(point.applyQuaternion(holder.quaternion).add(holder.position));
    }
  }
  const size = box.isEmpty() ? 0 : box.min.distanceTo(box.max);
  return Number.isFinite(size) && size > 0 ? size : 1;
}

/** What joints and springs are drawn in proportion to: the mechanism, or its bodies where there are many. */
export function detailOf(scene, figures, size) {
  const lengths = scene.bodies.map((body) => {
    const box = new Box3().setFromPoints(landmarks(scene, body, figures.get(body.name)));
    return box.min.distanceTo(box.max);
  }).sort((a, b) => a - b);
  const middle = lengths[Math.floor(lengths.length / 2)];
  return middle > 0 ? Math.max(0.25 * size, Math.min(size, 3.5 * middle)) : size;
}

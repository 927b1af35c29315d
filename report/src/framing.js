// What the camera should see: the room that all runs need, and from where a mechanism is seen best.

import {Box3, Vector3} from 'three';

const SAMPLES = 40;   // frames that are looked at
const FLAT = 0.12;    // thinner than this part of its size, a mechanism counts as planar

/** The box of a mechanism over its whole motion. */
function roomOf(mechanism) {
  const box = new Box3();
  const {t} = mechanism.poses.frames;
  for (let k = 0; k < SAMPLES; ++k) {
    mechanism.place(t[Math.round(k * (t.length - 1) / (SAMPLES - 1))]);
    mechanism.group.updateMatrixWorld(true);
    for (const figure of mechanism.bodies.values()) box.expandByObject(figure);
  }
  for (const at of Object.values(mechanism.scene.ground.points ?? {})) box.expandByPoint(new Vector3(...at));
  return box;
}

export function room(mechanisms) {
  const box = new Box3();
  for (const mechanism of mechanisms) box.union(roomOf(mechanism));
  const size = box.isEmpty() ? 0 : box.getSize(new Vector3()).length();
  if (size > 0 && Number.isFinite(size)) return box;
  const center = size === 0 && !box.isEmpty() ? box.getCenter(new Vector3()) : new Vector3();
  return box.setFromCenterAndSize(center, new Vector3(1, 1, 1));
}

/** The direction in which the room is thin, or null. */
function thinDirection(box) {
  const size = box.getSize(new Vector3());
  const sizes = size.toArray();
  const k = sizes.indexOf(Math.min(...sizes));
  return sizes[k] < FLAT * size.length() ? new Vector3().setComponent(k, 1) : null;
}

/** Two horizontal directions: to the front and to the right of somebody who looks at the mechanism. */
export function horizontal(up) {
  const seed = Math.abs(up.z) > 0.9 ? new Vector3(0, -1, 0) : new Vector3(0, 0, 1);
  const front = seed.addScaledVector(up, -seed.dot(up)).normalize();
  const right = new Vector3().crossVectors(up, front).normalize();
  return {front, right};
}

/** Unit vectors from the mechanism towards the camera. */
export function viewpoints(box, up) {
  const {front, right} = horizontal(up);
  const thin = thinDirection(box);
  const mix = (a, b, c) => new Vector3()
    .addScaledVector(front, a).addScaledVector(right, b).addScaledVector(up, c).normalize();
  let best = mix(1, 0.75, 0.6);
  if (thin && Math.abs(thin.dot(up)) < 0.5) {
    // a vertical plane: straight at it
    best = (thin.dot(front) < 0 || thin.dot(right) < 0 ? thin.clone().negate() : thin).normalize();
  } else if (thin) {
    best = mix(0.0001, 0, 1);  // a plane that lies: from above
  }
  return {best, front: mix(1, 0, 0.0001), side: mix(0, 1, 0.0001), top: mix(0.0001, 0, 1)};
}

/** How far a camera must be to see a box from a direction. */
export function distanceFor(box, toward, up, camera) {
  const center = box.getCenter(new Vector3());
  const right = new Vector3().crossVectors(up, toward).normalize();
  const above = new Vector3().crossVectors(toward, right).normalize();
  const tanY = Math.tan(camera.fov * Math.PI / 360);
  const tanX = tanY * camera.aspect;
  let distance = 0;
  for (let k = 0; k < 8; ++k) {
    const corner = new Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y,
                               k & 4 ? box.max.z : box.min.z).sub(center);
    const near = corner.dot(toward);
    distance = Math.max(distance, near + Math.abs(corner.dot(right)) / tanX,
                        near + Math.abs(corner.dot(above)) / tanY);
  }
  return 1.12 * distance + 1e-9;
}

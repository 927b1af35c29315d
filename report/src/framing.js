// What the camera should see: the room that all runs need, and from where a mechanism is seen best.

import {Box3, Vector3} from 'three';

const SAMPLES = 40;   // frames that are looked at
const FLAT = 0.12;    // thinner than this part of its size, a mechanism counts as planar
const MARGIN = 1.08;  // around what the picture shows

/** Corners of a box. */
function cornersOf({min, max}) {
  return Array.from({length: 8}, (_, k) => (
    new Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z)));
}

/** Corners of everything that is drawn of the bodies, frame by frame. */
function landmarksOf(mechanism) {
  const {t} = mechanism.poses.frames;
  return Array.from({length: SAMPLES}, (_, k) => {
    mechanism.place(t[Math.round(k * (t.length - 1) / (SAMPLES - 1))]);
    mechanism.group.updateMatrixWorld(true);
    const boxes = [...mechanism.bodies.values()].map((figure) => new Box3().setFromObject(figure));
    return boxes.filter((box) => !box.isEmpty()).flatMap(cornersOf);
  });
}

const groundOf = ({scene}) => Object.values(scene.ground.points ?? {}).map((at) => new Vector3(...at));

const diagonal = (box) => (box.isEmpty() ? 0 : box.getSize(new Vector3()).length());

/** {box, points, extent}: what all runs need room for, and the largest that a mechanism is at one time. */
export function room(mechanisms) {
  const frames = mechanisms.flatMap(landmarksOf);
  const points = [...mechanisms.flatMap(groundOf), ...frames.flat()];
  const box = new Box3().setFromPoints(points);
  const size = diagonal(box);
  const extent = frames.reduce((most, frame) => Math.max(most, diagonal(new Box3().setFromPoints(frame))), 0);
  if (size > 0 && Number.isFinite(size)) return {box, points, extent};
  const center = size === 0 && !box.isEmpty() ? box.getCenter(new Vector3()) : new Vector3();
  box.setFromCenterAndSize(center, new Vector3(1, 1, 1));
  return {box, points: cornersOf(box), extent: 1};
}

/**
 * The direction in which the room is thin, or null. Upright things that go over a floor need a flat room too: a plane
 * that lies has to be thin beside the mechanism itself.
 */
function thinDirection(box, size, up) {
  const sizes = box.getSize(new Vector3()).toArray();
  const k = sizes.indexOf(Math.min(...sizes));
  const thin = new Vector3().setComponent(k, 1);
  const lies = Math.abs(thin.dot(up)) > 0.5;
  return sizes[k] < FLAT * (lies ? size : diagonal(box)) ? thin : null;
}

/** Two horizontal directions: to the front and to the right of somebody who looks at the mechanism. */
export function horizontal(up) {
  const seed = Math.abs(up.z) > 0.9 ? new Vector3(0, -1, 0) : new Vector3(0, 0, 1);
  const front = seed.addScaledVector(up, -seed.dot(up)).normalize();
  const right = new Vector3().crossVectors(up, front).normalize();
  return {front, right};
}

/** Unit vectors from the mechanism, of some size, towards the camera. */
export function viewpoints(box, size, up) {
  const {front, right} = horizontal(up);
  const thin = thinDirection(box, size, up);
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

/**
 * {target, distance} of a camera that sees all points from a direction, from as near as can be. With (x, y, z) along
 * right, above and toward, a point is inside two opposite sides of the pyramid of view with its top at (c, d) if
 *   x − c ≤ (d − z) tan φ  and  c − x ≤ (d − z) tan φ,
 * that is, with a = max(x + z tan φ), b = max(−x + z tan φ):  c = (a − b)/2,  d = (a + b)/(2 tan φ).
 */
export function fit(points, toward, up, camera) {
  const right = new Vector3().crossVectors(up, toward).normalize();
  const above = new Vector3().crossVectors(toward, right).normalize();
  const most = (read) => points.reduce((sum, point) => Math.max(sum, read(point)), -Infinity);
  const between = (axis, tan) => {
    const a = most((point) => point.dot(axis) + tan * point.dot(toward));
    const b = most((point) => -point.dot(axis) + tan * point.dot(toward));
    return {center: (a - b) / 2, top: (a + b) / (2 * tan)};
  };
  const tanY = Math.tan(camera.fov * Math.PI / 360);
  const x = between(right, tanY * camera.aspect);
  const y = between(above, tanY);
  const depth = (most((point) => point.dot(toward)) - most((point) => -point.dot(toward))) / 2;
  const target = new Vector3().addScaledVector(right, x.center).addScaledVector(above, y.center)
    .addScaledVector(toward, depth);
  return {target, distance: MARGIN * (Math.max(x.top, y.top) - depth) + 1e-9};
}

// A spring between two points: a helix that is laid and stretched from one to the other.

import {BufferGeometry, Float32BufferAttribute, Line, LineBasicMaterial, Vector3} from 'three';

const COILS = 8;
const COIL_POINTS = 192;
const Z = new Vector3(0, 0, 1);

/** A helix of unit length along z. */
function coil() {
  const points = [0, 0, 0];
  for (let k = 0; k <= COIL_POINTS; ++k) {
    const part = k / COIL_POINTS;
    const angle = 2 * Math.PI * COILS * part;
    points.push(Math.cos(angle), Math.sin(angle), 0.12 + 0.76 * part);
  }
  points.push(0, 0, 1);
  return new BufferGeometry().setAttribute('position', new Float32BufferAttribute(points, 3));
}

export const makeSpring = (opacity) => new Line(coil(), new LineBasicMaterial({transparent: true, opacity}));

export function stretch(spring, from, to, radius) {
  const along = to.clone().sub(from);
  const length = along.length();
  spring.visible = length > 0;
  if (!spring.visible) return;
  spring.position.copy(from);
  spring.quaternion.setFromUnitVectors(Z, along.divideScalar(length));
  spring.scale.set(radius, radius, length);
}

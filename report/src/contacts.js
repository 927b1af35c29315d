// Contacts: the force on the body as an arrow at the place where it acts, and the ground along the way of its foot.

import {
  ArrowHelper, BufferGeometry, DoubleSide, Float32BufferAttribute, Mesh, MeshStandardMaterial, Vector3,
} from 'three';

import {fraction, interval} from './search.js';

const LONGEST = 0.35;  // of an arrow, in sizes of the mechanism
const HALF = 0.12;     // of the width of a ground
const LEAST = 1e-6;    // of the largest force: nothing to draw
const at = (flat, k, n, from = 0) => new Vector3(flat[n * k + from], flat[n * k + from + 1], flat[n * k + from + 2]);

/** The largest force in all frames. */
function largest(contacts, count) {
  let most = 0;
  for (const flat of Object.values(contacts)) {
    for (let k = 0; k < count; ++k) most = Math.max(most, at(flat, k, 6, 3).length());
  }
  return most;
}

/** A ribbon along the places that a foot goes over, across the way and level with `up`; null where it stays. */
function ribbon(flat, count, up, size, material) {
  const places = [];
  for (let k = 0; k < count; ++k) {
    const place = at(flat, k, 3);
    if (!places.length || place.distanceTo(places[places.length - 1]) > 2e-3 * size) places.push(place);
  }
  if (places.length < 2) return null;
  const corners = [];
  places.forEach((place, k) => {
    const way = places[Math.min(k + 1, places.length - 1)].clone().sub(places[Math.max(k - 1, 0)]);
    const across = way.cross(up);
    if (across.length() < 1e-9 * size) across.set(0, 0, 0);
    else across.setLength(HALF * size);
    corners.push(...place.clone().sub(across).toArray(), ...place.clone().add(across).toArray());
  });
  const faces = [];
  for (let k = 0; k + 1 < places.length; ++k) faces.push(2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 1, 2 * k + 3, 2 * k + 2);
  const geometry = new BufferGeometry().setAttribute('position', new Float32BufferAttribute(corners, 3));
  geometry.setIndex(faces);
  geometry.computeVertexNormals();
  return new Mesh(geometry, material);
}

export class Contacts {
  constructor(frames, up, size, ghost) {
    this.frames = frames;
    this.size = size;
    this.parts = [];
    this.most = largest(frames.contacts, frames.t.length);
    this.arrows = Object.entries(frames.contacts).map(([name, flat]) => {
      const arrow = new ArrowHelper(new Vector3(0, 0, 1), new Vector3(), 1, '#d1495b');
      arrow.name = `contact ${name}`;
      arrow.visible = false;
      for (const part of [arrow.line, arrow.cone]) {  // seen through the body that it pushes
        part.material.depthTest = false;
        part.renderOrder = 1;
      }
      this.parts.push(arrow);
      return {arrow, flat};
    });
    const material = new MeshStandardMaterial({  // grounds of several feet lie on each other, and on the grid
      color: '#8a9099', roughness: 0.9, side: DoubleSide, transparent: true, opacity: ghost ? 0.15 : 0.6,
      depthWrite: false, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
    });
    for (const [name, flat] of Object.entries(frames.grounds)) {
      const mesh = ribbon(flat, frames.t.length, up, size, material);
      if (!mesh) continue;
      mesh.name = `ground ${name}`;
      mesh.receiveShadow = true;
      this.parts.push(mesh);
    }
  }

  place(time) {
    const {t} = this.frames;
    const k = interval(t, time);
    const next = Math.min(k + 1, t.length - 1);
    const part = fraction(t, k, time);
    for (const {arrow, flat} of this.arrows) {
      const force = at(flat, k, 6, 3).lerp(at(flat, next, 6, 3), part);
      const size = force.length();
      arrow.visible = size > LEAST * this.most;
      if (!arrow.visible) continue;
      const length = LONGEST * this.size * size / this.most;
      arrow.position.copy(at(flat, k, 6).lerp(at(flat, next, 6), part));
      arrow.setDirection(force.divideScalar(size));
      arrow.setLength(length, 0.25 * length, 0.12 * length);
    }
  }
}

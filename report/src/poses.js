// Where bodies are at a time, between the frames too.

import {Quaternion, Vector3} from 'three';

import {fraction, interval} from './search.js';

const GROUND = 'ground';
const a = new Quaternion();
const b = new Quaternion();

/** Flat poses hold x, y, z and the Euler parameters e0, e1, e2, e3. */
function read(flat, k, position, rotation) {
  const at = 7 * k;
  position.set(flat[at], flat[at + 1], flat[at + 2]);
  rotation.set(flat[at + 4], flat[at + 5], flat[at + 6], flat[at + 3]);
}

export class Poses {
  constructor(frames) {
    this.frames = frames;
  }

  get count() {
    return this.frames.t.length;
  }

  knows(body) {
    return body === GROUND || body in this.frames.poses;
  }

  /** Puts an object where the body is in frame k. */
  placeAtFrame(body, k, object) {
    const flat = this.frames.poses[body];
    if (flat) read(flat, k, object.position, object.quaternion);
  }

  /** The same at a time. */
  place(body, time, object) {
    const flat = this.frames.poses[body];
    if (!flat) return;
    const {t} = this.frames;
    const k = interval(t, time);
    const next = Math.min(k + 1, t.length - 1);
    const part = fraction(t, k, time);
    const end = new Vector3();
    read(flat, k, object.position, a);
    read(flat, next, end, b);
    object.position.lerp(end, part);
    object.quaternion.slerpQuaternions(a, b, part);
  }

  /** World position of a point of a body in every frame, flat. */
  path(body, point) {
    const out = new Float32Array(3 * this.count);
    const holder = {position: new Vector3(), quaternion: new Quaternion()};
    for (let k = 0; k < this.count; ++k) {
      this.placeAtFrame(body, k, holder);
      const [x, y, z] = point;
      new Vector3(x, y, z).applyQuaternion(holder.quaternion).add(holder.position).toArray(out, 3 * k);
    }
    return out;
  }
}

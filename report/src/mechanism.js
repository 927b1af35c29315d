// One run in the scene: its bodies, joints, springs and traces, placed at a time.

import {
  Box3, BufferGeometry, Color, CylinderGeometry, Float32BufferAttribute, Group, Line, LineBasicMaterial, Mesh,
  MeshStandardMaterial, SphereGeometry, Vector3,
} from 'three';

import {Poses} from './poses.js';
import {shapeMeshes, vector} from './shapes.js';
import {stickFigure} from './sticks.js';
import {color, seriesColor} from './theme.js';

const COILS = 8;
const COIL_POINTS = 192;
const TRACES = 6;  // shown before anybody asks
const PINS = new Set(['revolute', 'cylindrical', 'universal']);
const Z = new Vector3(0, 0, 1);

/** A colour as models may give it; three takes CSS names and hexadecimal ones. */
function safeColor(text, otherwise) {
  return CSS.supports('color', text ?? '') ? new Color(text) : new Color(otherwise);
}

/** Joints and points of a body, in its axes. */
function anchorsOf(scene, body) {
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
function sizeOf(scene, poses, figures) {
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

/** Largest extent of a path along an axis. */
function spread(path) {
  let most = 0;
  for (let axis = 0; axis < 3; ++axis) {
    const along = path.filter((_, k) => k % 3 === axis);
    most = Math.max(most, along.reduce((a, b) => Math.max(a, b), -Infinity) - along.reduce((a, b) => Math.min(a, b), Infinity));
  }
  return most;
}

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

export class Mechanism {
  constructor(run, {ghost = false} = {}) {
    this.group = new Group();
    this.ghost = ghost;
    this.scene = run.scene;
    this.poses = new Poses(run.frames);
    this.bodies = this.#shapes();
    this.size = sizeOf(this.scene, this.poses, this.bodies);
    this.#addSticks();
    this.#addJoints();
    this.links = this.scene.links.map((link) => this.#addLink(link)).filter(Boolean);
    this.traces = this.#addTraces();
  }

  #material(colorText, fallback) {
    const material = new MeshStandardMaterial({
      color: safeColor(colorText, fallback), roughness: 0.55, metalness: 0.05,
    });
    if (this.ghost) Object.assign(material, {transparent: true, opacity: 0.26, depthWrite: false});
    return material;
  }

  /** Figures of the bodies that have shapes. */
  #shapes() {
    const out = new Map();
    const ground = shapeMeshes(this.scene.ground.shapes, (c) => this.#material(c, '#8a9099'));
    if (ground) this.group.add(ground);
    this.#bodyList().forEach((body, k) => {
      const figure = shapeMeshes(body.shapes, (c) => this.#material(c, seriesColor(k)));
      if (figure) out.set(body.name, figure);
    });
    return out;
  }

  /** Figures of the others; then all of them into the scene. */
  #addSticks() {
    this.#bodyList().forEach((body, k) => {
      if (this.bodies.has(body.name)) return;
      const material = this.#material(null, seriesColor(k));
      this.bodies.set(body.name, stickFigure(anchorsOf(this.scene, body), vector(body.com), this.size, material));
    });
    for (const figure of this.bodies.values()) {
      figure.traverse((part) => { part.castShadow = !this.ghost; });
      this.group.add(figure);
    }
  }

  /** Bodies that have a motion; those of the motion alone where there is no scene. */
  #bodyList() {
    if (this.scene.bodies.length) return this.scene.bodies.filter((body) => this.poses.knows(body.name));
    return Object.keys(this.poses.frames.poses).map((name) => ({name}));
  }

  /** A ball, or a pin along the axis, on the first moving body of every joint. */
  #addJoints() {
    const material = this.#material(null, '#5b636e');
    for (const joint of this.scene.joints) {
      if (joint.automatic) continue;
      const k = this.bodies.has(joint.bodies[1]) ? 1 : 0;
      const mark = this.#jointMark(joint, k, material);
      mark.position.copy(vector(joint.at[k]));
      this.bodies.get(joint.bodies[k])?.add(mark);
    }
  }

  #jointMark(joint, k, material) {
    const radius = 0.015 * this.size;
    if (!PINS.has(joint.type) || !joint.axes?.[k]) return new Mesh(new SphereGeometry(radius, 20, 14), material);
    const pin = new Mesh(new CylinderGeometry(radius, radius, 4.4 * radius, 20).rotateX(Math.PI / 2), material);
    pin.quaternion.setFromUnitVectors(Z, vector(joint.axes[k]).normalize());
    return pin;
  }

  #addLink(link) {
    if (!link.ends?.every((end) => this.poses.knows(end.body))) return null;
    const material = new LineBasicMaterial({transparent: true, opacity: this.ghost ? 0.3 : 0.85});
    const line = new Line(coil(), material);
    this.group.add(line);
    return {line, ends: link.ends};
  }

  /** Named points of moving bodies, then their centres of mass. */
  #tracedPoints() {
    const bodies = this.scene.bodies.filter((body) => this.poses.knows(body.name));
    const all = bodies.flatMap((body) => Object.keys(body.points ?? {}));
    const label = (body, name) => (all.filter((other) => other === name).length > 1 ? `${body}.${name}` : name);
    const named = bodies.flatMap((body) => Object.entries(body.points ?? {})
      .map(([name, at]) => ({body: body.name, name: label(body.name, name), at, named: true})));
    const centres = bodies.filter((body) => body.com)
      .map((body) => ({body: body.name, name: `${body.name}, centre of mass`, at: body.com}));
    return [...named, ...centres];
  }

  #addTraces() {
    const points = this.#tracedPoints()
      .map((point) => ({...point, path: this.poses.path(point.body, point.at)}))
      .filter(({path}) => spread(path) > 1e-3 * this.size);
    const anyNamed = points.some((point) => point.named);
    return points.map(({path, ...point}, k) => {
      const geometry = new BufferGeometry().setAttribute('position', new Float32BufferAttribute(path, 3));
      const line = new Line(geometry, new LineBasicMaterial({transparent: true, opacity: this.ghost ? 0.35 : 0.8}));
      line.visible = k < TRACES && (point.named || !anyNamed);
      this.group.add(line);
      return {...point, line};
    });
  }

  /** Colours that follow the page's. */
  paint() {
    for (const {line} of this.links) line.material.color = new Color(color('--muted'));
    this.traces.forEach(({line}, k) => {
      line.material.color = new Color(this.ghost ? color('--muted') : seriesColor(k));
    });
  }

  place(time) {
    for (const [name, figure] of this.bodies) this.poses.place(name, time, figure);
    for (const link of this.links) this.#stretch(link);
  }

  #stretch({line, ends}) {
    const [from, to] = ends.map((end) => this.#worldPoint(end));
    const along = to.clone().sub(from);
    const length = along.length();
    line.visible = length > 0;
    if (!line.visible) return;
    line.position.copy(from);
    line.quaternion.setFromUnitVectors(Z, along.divideScalar(length));
    line.scale.set(0.022 * this.size, 0.022 * this.size, length);
  }

  #worldPoint({body, at}) {
    const figure = this.bodies.get(body);
    const point = vector(at);
    return figure ? point.applyQuaternion(figure.quaternion).add(figure.position) : point;
  }

  /** Middle of the bodies. */
  center() {
    const sum = new Vector3();
    for (const figure of this.bodies.values()) sum.add(figure.position);
    return sum.divideScalar(Math.max(1, this.bodies.size));
  }
}

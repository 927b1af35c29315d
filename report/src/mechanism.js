// One run in the scene: its bodies, joints, springs and traces, placed at a time.

import {
  Color, CylinderGeometry, Group, Mesh, MeshStandardMaterial, SphereGeometry, Vector3,
} from 'three';

import {Contacts} from './contacts.js';
import {anchorsOf, detailOf, sizeOf} from './measures.js';
import {Poses} from './poses.js';
import {shapeMeshes, vector} from './shapes.js';
import {makeSpring, stretch} from './springs.js';
import {stickFigure} from './sticks.js';
import {color, seriesColor} from './theme.js';
import {makeTraces} from './traces.js';

const PINS = new Set(['revolute', 'cylindrical', 'universal']);
const Z = new Vector3(0, 0, 1);

/** A colour as models may give it; three takes CSS names and hexadecimal ones. */
function safeColor(text, otherwise) {
  return CSS.supports('color', text ?? '') ? new Color(text) : new Color(otherwise);
}

export class Mechanism {
  constructor(run, {ghost = false} = {}) {
    this.group = new Group();
    this.ghost = ghost;
    this.scene = run.scene;
    this.poses = new Poses(run.frames);
    this.bodies = this.#shapes();
    this.size = sizeOf(this.scene, this.poses, this.bodies);
    this.detail = detailOf(this.scene, this.bodies, this.size);
    this.#addSticks();
    this.#addJoints();
    this.links = this.scene.links.map((link) => this.#addLink(link)).filter(Boolean);
    this.traces = makeTraces(this.scene, this.poses, this.size, ghost ? 0.35 : 0.8);
    for (const {line} of this.traces) this.group.add(line);
    this.contacts = new Contacts(run.frames, vector(this.scene.up), this.size, ghost);
    for (const part of this.contacts.parts) this.group.add(part);
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
      this.bodies.set(body.name, stickFigure(anchorsOf(this.scene, body), vector(body.com), this.detail, material));
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
    const radius = 0.015 * this.detail;
    if (!PINS.has(joint.type) || !joint.axes?.[k]) return new Mesh(new SphereGeometry(radius, 20, 14), material);
    const pin = new Mesh(new CylinderGeometry(radius, radius, 4.4 * radius, 20).rotateX(Math.PI / 2), material);
    pin.quaternion.setFromUnitVectors(Z, vector(joint.axes[k]).normalize());
    return pin;
  }

  #addLink(link) {
    if (!link.ends?.every((end) => this.poses.knows(end.body))) return null;
    const line = makeSpring(this.ghost ? 0.3 : 0.85);
    this.group.add(line);
    return {line, ends: link.ends};
  }

  /** Colours that follow the page's. */
  paint() {
    for (const {line} of this.links) line.material.color = new Color(color('--muted'));
    this.traces.forEach(({line}, k) => {
      line.material.color = new Color(this.ghost ? color('--muted') : seriesColor(k));
    });
  }

  place(time) {
    this.contacts.place(time);
    for (const [name, figure] of this.bodies) this.poses.place(name, time, figure);
    for (const {line, ends} of this.links) {
      stretch(line, this.#worldPoint(ends[0]), this.#worldPoint(ends[1]), 0.022 * this.detail);
    }
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

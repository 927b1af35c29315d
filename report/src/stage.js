// What a mechanism stands in: light, and a grid on the floor that its shadow falls on.

import {
  BufferGeometry, Color, DirectionalLight, Float32BufferAttribute, Group, HemisphereLight, LineBasicMaterial,
  LineSegments, Mesh, PlaneGeometry, Quaternion, ShadowMaterial, Vector3,
} from 'three';

import {color, isDark} from './theme.js';

const LINES = 24;       // of the grid, about
const MOST_LINES = 90;  // where a small mechanism goes far

/** 1, 2 or 5 times a power of ten. */
function niceSpacing(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= length);
}

/** Lines in the plane xy, cut at every crossing, that fade towards the rim. */
function gridGeometry(radius, spacing) {
  const positions = [];
  const colors = [];
  const count = Math.ceil(radius / spacing);
  const add = (x, y) => {
    positions.push(x, y, 0);
    colors.push(1, 1, 1, Math.max(0, 1 - (x * x + y * y) / (radius * radius)));
  };
  for (let k = -count; k <= count; ++k) {
    for (let m = -count; m < count; ++m) {
      const [at, from, to] = [k * spacing, m * spacing, (m + 1) * spacing];
      if (Math.hypot(at, Math.min(Math.abs(from), Math.abs(to))) > radius) continue;
      add(at, from);
      add(at, to);
      add(from, at);
      add(to, at);
    }
  }
  return new BufferGeometry()
    .setAttribute('position', new Float32BufferAttribute(positions, 3))
    .setAttribute('color', new Float32BufferAttribute(colors, 4));
}

export class Stage {
  /** `bodies` is the size of the mechanism, which may go through a larger room. */
  constructor(box, up, bodies) {
    this.group = new Group();
    this.up = up;
    this.bodies = bodies;
    const size = box.getSize(new Vector3()).length();
    const center = box.getCenter(new Vector3());
    this.#addFloor(box, center, size);
    this.#addLights(center, size);
  }

  #addFloor(box, center, size) {
    const floor = new Group();
    const spacing = niceSpacing(Math.max(1.6 * size / MOST_LINES, Math.min(1.6 * size / LINES, this.bodies / 2)));
    this.grid = new LineSegments(gridGeometry(1.2 * size, spacing),
                                 new LineBasicMaterial({transparent: true, vertexColors: true, depthWrite: false}));
    this.shadow = new Mesh(new PlaneGeometry(4 * size, 4 * size), new ShadowMaterial({depthWrite: false}));
    this.shadow.receiveShadow = true;
    floor.add(this.grid, this.shadow);
    floor.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), this.up));
    const corners = [box.min, box.max].map((corner) => corner.dot(this.up));
    const lowest = Math.min(...corners) - 0.002 * size;
    floor.position.copy(center).addScaledVector(this.up, lowest - center.dot(this.up));
    this.group.add(floor);
  }

  #addLights(center, size) {
    this.sky = new HemisphereLight(0xffffff, 0xb4bcc8, 2.0);
    this.sky.position.copy(this.up);
    this.sun = new DirectionalLight(0xffffff, 1.3);
    this.sun.target.position.copy(center);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 4;
    Object.assign(this.sun.shadow.camera, {
      left: -size, right: size, top: size, bottom: -size, near: 0.1 * size, far: 6 * size,
    });
    this.sunSide = new Vector3(0.35, 0.3, 0.25);
    this.sun.position.copy(center).addScaledVector(this.up, 2.2 * size).addScaledVector(this.sunSide, size);
    this.group.add(this.sky, this.sun, this.sun.target);
  }

  paint() {
    this.grid.material.color = new Color(color('--grid'));
    this.grid.material.opacity = 0.75;
    this.shadow.material.opacity = isDark() ? 0.35 : 0.13;
  }
}

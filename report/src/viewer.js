// The animation: one or two mechanisms, a stage and a camera that a mouse or fingers turn.

import {DirectionalLight, Group, PerspectiveCamera, Scene, Vector3, WebGLRenderer} from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';

import {fit, room, viewpoints} from './framing.js';
import {Mechanism} from './mechanism.js';
import {Stage} from './stage.js';
import {onThemeChange} from './theme.js';

const FIELD = 32;           // degrees
const PIXEL_RATIO = 2;      // more costs and does not show
const ZOOM = 1.2;
const RESHAPED = 0.3;       // change of the picture's shape after which everything is fitted anew
const NEAR = 3;             // sizes of the mechanism that a camera which follows keeps off
const TRAVELLER = 3;        // sizes of itself that a mechanism goes before the camera follows it

/** Null where the browser has no WebGL. */
function makeRenderer() {
  try {
    const renderer = new WebGLRenderer({antialias: true, alpha: true});
    renderer.setPixelRatio(Math.min(PIXEL_RATIO, devicePixelRatio));
    renderer.shadowMap.enabled = true;
    return renderer;
  } catch {
    return null;
  }
}

export class Viewer {
  /** @returns null where nothing can be drawn. */
  static make(runs, clock) {
    const renderer = makeRenderer();
    return renderer && new Viewer(renderer, runs, clock);
  }

  constructor(renderer, runs, clock) {
    this.renderer = renderer;
    this.clock = clock;
    this.canvas = renderer.domElement;
    this.scene = new Scene();
    this.mechanisms = runs.map((run) => new Mechanism(run));
    this.ghost = runs.length > 1 ? new Mechanism(runs[0], {ghost: true}) : null;
    this.mode = runs.length > 1 ? 'overlay' : 'last';
    this.#setTheScene(runs);
    this.#paint();
    onThemeChange(() => this.#paint());
    clock.watch(() => this.draw());
  }

  #all() {
    return this.ghost ? [...this.mechanisms, this.ghost] : this.mechanisms;
  }

  #setTheScene(runs) {
    const up = new Vector3(...(runs[runs.length - 1].scene.up ?? [0, 0, 1])).normalize();
    Object.assign(this, room(this.mechanisms));  // box, points, extent
    this.bodySize = Math.max(...this.mechanisms.map((mechanism) => mechanism.size));
    this.stage = new Stage(this.box, up, this.bodySize);
    this.holder = new Group();
    this.holder.add(...this.#all().map((mechanism) => mechanism.group));
    this.scene.add(this.stage.group, this.holder);
    this.camera = new PerspectiveCamera(FIELD, 1, 0.01, 100);
    this.camera.up.copy(up);
    this.camera.add(new DirectionalLight(0xffffff, 1.5));  // shines where one looks
    this.scene.add(this.camera);
    this.views = viewpoints(this.box, this.bodySize, up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener('change', () => this.draw());
    const size = this.box.getSize(new Vector3()).length();
    this.following = size > TRAVELLER * this.extent;
  }

  #paint() {
    this.stage.paint();
    for (const mechanism of this.#all()) mechanism.paint();
    this.draw();
  }

  resize(width, height) {
    this.renderer.setSize(width, height);
    this.width = width;
    this.height = height;
    const aspect = this.#aspect();
    if (!this.fitted) this.look('best');
    else if (Math.abs(Math.log(aspect / this.fitted)) > RESHAPED) this.#refit();
    this.draw();
  }

  /** From the same side, as far away as the shape of the picture wants. */
  #refit() {
    if (!this.following) this.#lookFrom(this.camera.position.clone().sub(this.controls.target).normalize());
  }

  #aspect() {
    return (this.mode === 'side' ? this.width / 2 : this.width) / this.height;
  }

  /** Sees everything from one of the viewpoints. */
  look(view) {
    this.#lookFrom(this.views[view]);
  }

  #lookFrom(toward) {
    this.fitted = this.#aspect();
    this.camera.aspect = this.fitted;
    const {target, distance} = fit(this.points, toward, this.camera.up, this.camera);
    this.camera.near = distance / 200;
    this.camera.far = distance * 20;
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(toward, distance);
    this.#lastCenter = null;
    this.controls.update();
    this.draw();
  }

  /** Nearer (true) or farther. */
  zoom(nearer) {
    const offset = this.camera.position.clone().sub(this.controls.target);
    offset.multiplyScalar(nearer ? 1 / ZOOM : ZOOM);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.draw();
  }

  /** 'overlay', 'side', 'first' or 'last' where there are two runs. */
  setMode(mode) {
    this.mode = mode;
    if (Math.abs(Math.log(this.#aspect() / this.fitted)) > RESHAPED) this.#refit();
    this.draw();
  }

  follow(on) {
    this.following = on;
    this.#lastCenter = null;
    if (!on) this.look('best');
    this.draw();
  }

  showTrace(k, on) {
    for (const mechanism of this.#all()) if (mechanism.traces[k]) mechanism.traces[k].line.visible = on;
    this.draw();
  }

  #lastCenter = null;

  /** Moves the camera as the mechanism has moved. */
  #keepUp() {
    const center = this.mechanisms[this.mechanisms.length - 1].center();
    if (this.#lastCenter) {
      const moved = center.clone().sub(this.#lastCenter);
      this.controls.target.add(moved);
      this.camera.position.add(moved);
    } else {
      this.#approach(center);
    }
    this.#lastCenter = center;
    this.camera.lookAt(this.controls.target);
  }

  /** Looks at a place from where the bodies fill the picture. */
  #approach(center) {
    const away = this.camera.position.clone().sub(this.controls.target).setLength(NEAR * this.extent);
    this.controls.target.copy(center);
    this.camera.position.copy(center).add(away);
    this.camera.near = this.extent / 50;
  }

  #showOnly(shown) {
    for (const mechanism of this.#all()) mechanism.group.visible = shown.includes(mechanism);
  }

  /** What one picture shows: [mechanisms, part of the width from, to]. */
  #pictures() {
    const first = this.mechanisms[0];
    const last = this.mechanisms[this.mechanisms.length - 1];
    if (this.mode === 'side') return [[[first], 0, 0.5], [[last], 0.5, 1]];
    if (this.mode === 'overlay') return [[[this.ghost, last], 0, 1]];
    return [[[this.mode === 'first' ? first : last], 0, 1]];
  }

  /** Draws in the next frame, once however often it is asked. */
  draw() {
    if (this.pending || !this.width) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.#render();
    });
  }

  #render() {
    for (const mechanism of this.#all()) mechanism.place(this.clock.time);
    if (this.following) this.#keepUp();
    this.camera.aspect = this.#aspect();
    this.camera.updateProjectionMatrix();
    this.renderer.setScissorTest(true);
    for (const [shown, from, to] of this.#pictures()) {
      const place = [from * this.width, 0, (to - from) * this.width, this.height];
      this.#showOnly(shown);
      this.renderer.setViewport(...place);
      this.renderer.setScissor(...place);
      this.renderer.render(this.scene, this.camera);
    }
    this.drawn = (this.drawn ?? 0) + 1;
  }
}

// The animation and its controls; without WebGL a word about it, and the controls of the time.

import {choice, h, section, toggle} from './dom.js';
import {player} from './player.js';
import {Viewer} from './viewer.js';

const MODES = [['overlay', 'Overlaid'], ['side', 'Side by side'], ['first', 'Start'], ['last', 'Optimum']];
const VIEWS = [['best', '3D'], ['front', 'Front'], ['side', 'Side'], ['top', 'Top']];

function traceMenu(viewer) {
  const {traces} = viewer.mechanisms[viewer.mechanisms.length - 1];
  if (!traces.length) return null;
  const boxes = traces.map((trace, k) => {
    const box = h('input', {type: 'checkbox', onchange: () => viewer.showTrace(k, box.checked)});
    box.checked = trace.line.visible;
    return h('label', {}, box, ` ${trace.name}`);
  });
  return h('details', {class: 'menu'}, h('summary', {}, 'Traces'), h('div', {class: 'menu-list'}, boxes));
}

function modeChoice(viewer, stage) {
  if (viewer.mechanisms.length < 2) return null;
  return choice('Runs', MODES, viewer.mode, (mode) => {
    stage.classList.toggle('split', mode === 'side');
    viewer.setMode(mode);
  });
}

function toolbar(viewer, stage) {
  const view = choice('Viewpoint', VIEWS, 'best', (name) => viewer.look(name));
  const fit = h('button', {type: 'button', title: 'See everything', onclick: () => viewer.look(view.value)}, 'Fit');
  const follow = toggle('Follow', viewer.following, (on) => viewer.follow(on), {title: 'The camera goes with the bodies'});
  return h('div', {class: 'toolbar', role: 'group', 'aria-label': 'View'},
           modeChoice(viewer, stage), view, fit, follow, traceMenu(viewer));
}

function listen(stage, viewer) {
  new ResizeObserver(() => viewer.resize(stage.clientWidth, stage.clientHeight)).observe(stage);
  viewer.canvas.addEventListener('keydown', (event) => {
    if (event.key === '+' || event.key === '=') viewer.zoom(true);
    if (event.key === '-') viewer.zoom(false);
  });
}

function canvasStage(viewer, name) {
  const label = `3D animation of ${name}: drag turns, wheel or two fingers zoom, plus and minus zoom too`;
  for (const [key, value] of [['tabindex', '0'], ['role', 'img'], ['aria-label', label]]) {
    viewer.canvas.setAttribute(key, value);
  }
  return h('div', {class: 'stage'}, viewer.canvas);
}

/** Nothing to play where time stands. */
const bar = (clock) => (clock.stands ? null : player(clock));

/** Meshes that are not in the page, and why. */
function missingMeshes(scene) {
  const shapes = [scene.ground, ...scene.bodies].flatMap((body) => body.shapes ?? []);
  const reasons = shapes.map((shape) => shape.missing).filter(Boolean);
  return reasons.length ? h('p', {class: 'note'}, `Not drawn: ${reasons.join('; ')}.`) : null;
}

export function motionView(data, clock) {
  const runs = data.runs.filter((run) => run.frames);
  if (!runs.length) return null;
  const viewer = Viewer.make(runs, clock);
  if (!viewer) {
    const word = 'This browser offers no WebGL, so the animation cannot be drawn. Plots and tables are complete.';
    return {element: section('motion', 'Motion', h('p', {class: 'notice'}, word), bar(clock)), start() {}};
  }
  const stage = canvasStage(viewer, data.scene.name ?? data.file);
  const element = section('motion', 'Motion', toolbar(viewer, stage), stage, bar(clock), missingMeshes(data.scene));
  element.viewer = viewer;
  return {element, start: () => listen(stage, viewer)};
}

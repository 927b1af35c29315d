// Play, pause, scrub, speed: the bar under the animation, and the keys that do the same.

import {choice, h, icon, toggle} from './dom.js';

const PLAY = 'M7 4.5v15l12-7.5z';
const PAUSE = 'M7 5h3.5v14H7zM13.5 5H17v14h-3.5z';
const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20];
const SHORT = 3;     // seconds a playback should last at least
const LONG = 40;     // and at most
const STEPS = 1000;  // of the slider

/** A speed at which the run can be watched. */
export function watchableSpeed(length) {
  if (length < SHORT) return SPEEDS.find((speed) => length / speed <= SHORT * 2) ?? 1;
  return SPEEDS.find((speed) => speed >= 1 && length / speed <= LONG) ?? SPEEDS[SPEEDS.length - 1];
}

/** Digits after the point that tell frames apart. */
const decimals = (length) => Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(length || 1))));

function playButton(clock) {
  const button = h('button', {type: 'button', class: 'play', id: 'play', onclick: () => clock.toggle()});
  let shown = null;
  clock.watch(({playing}) => {
    if (shown === playing) return;
    shown = playing;
    button.replaceChildren(icon(playing ? PAUSE : PLAY));
    button.setAttribute('aria-label', playing ? 'Pause' : 'Play');
    button.title = playing ? 'Pause (space)' : 'Play (space)';
  });
  return button;
}

function slider(clock) {
  const length = clock.end - clock.begin || 1;
  const digits = decimals(length);
  const input = h('input', {type: 'range', id: 'time', min: 0, max: STEPS, step: 'any', value: 0, 'aria-label': 'Time'});
  const readout = h('output', {class: 'time', for: 'time'});
  input.addEventListener('input', () => clock.seek(clock.begin + length * Number(input.value) / STEPS));
  clock.watch(({time}) => {
    input.value = String(STEPS * (time - clock.begin) / length);
    input.style.setProperty('--part', `${100 * (time - clock.begin) / length}%`);
    readout.textContent = `${time.toFixed(digits)} s`;
    input.setAttribute('aria-valuetext', readout.textContent);
  });
  return [input, readout];
}

/** Whether a key means something else where it is pressed. */
function isTaken(event) {
  const tag = event.target.tagName;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  if (event.key === ' ') return ['BUTTON', 'SELECT', 'SUMMARY', 'A'].includes(tag);
  return tag === 'SELECT' || event.target.classList?.contains('scroll');
}

export function listenToKeys(clock) {
  const step = (clock.end - clock.begin) / 200;
  const actions = {
    ' ': () => clock.toggle(),
    ArrowLeft: (event) => clock.seek(clock.time - step * (event.shiftKey ? 10 : 1)),
    ArrowRight: (event) => clock.seek(clock.time + step * (event.shiftKey ? 10 : 1)),
  };
  document.addEventListener('keydown', (event) => {
    const action = actions[event.key];
    if (!action || isTaken(event)) return;
    event.preventDefault();
    action(event);
  });
}

export function player(clock) {
  clock.speed = watchableSpeed(clock.end - clock.begin);
  const speeds = SPEEDS.map((speed) => [String(speed), `${speed}×`]);
  const speed = choice('Speed', speeds, String(clock.speed), (value) => { clock.speed = Number(value); });
  const loop = toggle('Loop', clock.loop, (on) => { clock.loop = on; });
  return h('div', {class: 'player', role: 'group', 'aria-label': 'Playback'},
           playButton(clock), slider(clock), speed, loop);
}

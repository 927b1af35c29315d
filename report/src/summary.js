// The head of the page: what was computed, how it ended, and how it was done.

import {h, section} from './dom.js';
import {isNumber, number} from './format.js';

const KINDS = {simulate: 'Simulation', gradient: 'Gradient', optimize: 'Optimisation'};

/** Rows [term, text]; those without a text are left out. */
function facts(rows) {
  const shown = rows.filter(([, text]) => text !== null && text !== undefined && text !== '');
  return h('dl', {class: 'facts'}, shown.map(([term, text]) => h('div', {}, h('dt', {}, term), h('dd', {}, text))));
}

function seconds(result) {
  const spent = Object.values(result.seconds ?? {}).filter(isNumber);
  return spent.length ? `${number(spent.reduce((a, b) => a + b, 0), 3)} s` : null;
}

/** done, failed, stopped, or why an optimiser ended. */
function ending({result}) {
  const text = result.stopped ?? result.status;
  if (!text) return null;
  const good = ['done', 'converged', 'settled'].includes(result.status);
  const tone = good ? 'state good' : result.status ? 'state bad' : 'state';
  return h('span', {class: tone}, String(text));
}

const largest = (norms) => {
  const all = Object.values(norms ?? {}).filter(isNumber);
  return all.length ? number(Math.max(...all), 2) : null;
};

/** One line on how it was computed. */
function manner(result) {
  const s = result.settings ?? {};
  const end = isNumber(result.t) ? result.t : s.end;
  return [
    [s.coordinates, s.formulation, s.integrator].filter(Boolean).join(' × '),
    s.optimizer,
    s.method,
    isNumber(result.evaluations) ? `${result.evaluations} evaluations` : null,
    isNumber(result.steps) ? `${result.steps} steps` : null,
    isNumber(end) ? `${number(end)} s` : null,
    seconds(result) ? `computed in ${seconds(result)}` : null,
  ].filter(Boolean).join('  ·  ');
}

/** A long text is shown in two lines until somebody wants all of it. */
function description(text) {
  if (text.length < 220) return h('p', {class: 'description'}, text);
  const words = h('p', {class: 'description short', id: 'description'}, text);
  const more = h('button', {type: 'button', class: 'link', 'aria-expanded': 'false', 'aria-controls': 'description'}, 'more');
  more.addEventListener('click', () => {
    const short = words.classList.toggle('short');
    more.textContent = short ? 'more' : 'less';
    more.setAttribute('aria-expanded', String(!short));
  });
  return h('div', {}, words, more);
}

/** What the result says of itself where a number may be less certain than it looks. */
function warnings(result) {
  const given = Array.isArray(result.warnings) ? result.warnings : [];
  return given.filter((warning) => warning && typeof warning.text === 'string').map((warning) => {
    const when = isNumber(warning.t) ? `at t = ${number(warning.t, 6)} s: ` : '';
    return h('p', {class: 'notice warning'}, `${when}${warning.text}`);
  });
}

export function header(data) {
  const {result, scene} = data;
  return h('header', {},
           h('p', {class: 'eyebrow'}, `Kinegrad · ${KINDS[data.kind]}`, ending(data)),
           h('h1', {}, scene.name || data.file),
           scene.description ? description(scene.description) : null,
           h('p', {class: 'manner'}, manner(result)),
           result.message ? h('p', {class: 'notice'}, result.message) : null,
           warnings(result));
}

/** A setting as text: lists by commas, numbers short. */
function text(x) {
  if (Array.isArray(x)) return x.map(text).join(', ');
  return isNumber(x) ? number(x, 8) : String(x);
}

/** [name, text] of every setting; groups of settings are taken apart, what is not set is left out. */
function toldIn(settings) {
  return Object.entries(settings).filter(([, value]) => value !== null).flatMap(([key, value]) => {
    const group = typeof value === 'object' && !Array.isArray(value);
    if (group) return toldIn(value).map(([inner, told]) => [`${key}: ${inner}`, told]);
    return [[key.replace(/_/g, ' '), text(value)]];
  });
}

/** What an optimisation minimised: weights of objectives, or the largest of some. */
function minimizedIn(minimize) {
  if (!minimize) return [];
  const sum = (weights) => Object.entries(weights).map(([name, weight]) => (weight === 1 ? name : `${number(weight, 6)} ${name}`));
  return [['minimised', minimize.minimax ? `largest of ${sum(minimize.minimax).join(', ')}` : sum(minimize).join(' + ')]];
}

/** Everything the run was told and what it took, for the record. */
export function settings(data) {
  const {result} = data;
  const told = toldIn(result.settings ?? {});
  const took = ['steps', 'rejected_steps', 'newton_iterations', 'evaluations'].filter((key) => isNumber(result[key]))
    .map((key) => [key.replace(/_/g, ' '), String(result[key])]);
  const minimized = minimizedIn(result.minimize);
  const rows = [['model', data.scene.file], ['result', data.file], ...minimized, ...told, ...took,
                ['largest constraint error', largest(result.constraint_norm)]];
  return section('settings', 'Settings and figures of the run', facts(rows));
}

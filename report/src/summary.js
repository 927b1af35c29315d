// The head of the page: what was computed, how it ended, and how it was done.

import {h, section} from './dom.js';
import {isNumber, number} from './format.js';
import {record, text} from './regular.js';

const KINDS = {simulate: 'Simulation', gradient: 'Gradient', optimize: 'Optimisation'};

/** Rows [term, fact]; those without a fact are left out. */
function facts(rows) {
  const shown = rows.filter(([, fact]) => fact !== null && fact !== undefined && fact !== '');
  return h('dl', {class: 'facts'}, shown.map(([term, fact]) => h('div', {}, h('dt', {}, term), h('dd', {}, fact))));
}

function seconds(result) {
  const spent = [result.seconds, ...Object.values(record(result.seconds))].filter(isNumber);  // one number, or parts
  return spent.length ? `${number(spent.reduce((a, b) => a + b, 0), 3)} s` : null;
}

/** The objectives of the last point that are no finite numbers. Integrals of an equilibrium have no duration and no value. */
function notFinite({points, result}) {
  if (record(result.settings).statics) return [];
  const last = points[points.length - 1]?.objectives ?? {};
  return Object.keys(last).filter((name) => !isNumber(last[name]));
}

/** done, failed, stopped, or why an optimiser ended. A run with an objective that is not finite has not done it. */
function ending(data) {
  const {result} = data;
  const how = text(result.stopped) || text(result.status);
  if (!how) return null;
  const good = ['done', 'converged', 'settled'].includes(result.status);
  const infinite = notFinite(data);
  if (good && infinite.length) return h('span', {class: 'state bad'}, `${infinite.join(', ')} not finite`);
  const tone = good ? 'state good' : result.status ? 'state bad' : 'state';
  return h('span', {class: tone}, how);
}

const largest = (norms) => {
  const all = Object.values(record(norms)).filter(isNumber);
  return all.length ? number(Math.max(...all), 2) : null;
};

/** One line on how it was computed. */
function manner(result) {
  const s = record(result.settings);
  const end = isNumber(result.t) ? result.t : s.end;
  return [
    [s.coordinates, s.formulation, s.integrator].map(text).filter(Boolean).join(' × '),
    text(s.optimizer),
    text(s.method),
    isNumber(result.evaluations) ? `${result.evaluations} evaluations` : null,
    isNumber(result.steps) ? `${result.steps} steps` : null,
    s.statics ? 'static equilibrium' : isNumber(end) ? `${number(end)} s` : null,
    seconds(result) ? `computed in ${seconds(result)}` : null,
  ].filter(Boolean).join('  ·  ');
}

/** A long text is shown in two lines until somebody wants all of it. */
function description(all) {
  if (all.length < 220) return h('p', {class: 'description'}, all);
  const words = h('p', {class: 'description short', id: 'description'}, all);
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
  const told = given.filter((warning) => warning && typeof warning.text === 'string').map((warning) => {
    const when = isNumber(warning.t) ? `at t = ${number(warning.t, 6)} s: ` : '';
    return h('p', {class: 'notice warning'}, `${when}${warning.text}`);
  });
  const shown = 3;  // the page is to begin with its picture
  if (told.length <= shown) return told;
  const more = h('summary', {}, `${told.length - shown} more warning${told.length - shown > 1 ? 's' : ''}`);
  return [...told.slice(0, shown), h('details', {class: 'more-warnings'}, more, told.slice(shown))];
}

export function header(data) {
  const {result, scene} = data;
  return h('header', {},
           h('p', {class: 'eyebrow'}, `Kinegrad · ${KINDS[data.kind]}`, ending(data)),
           h('h1', {}, scene.name || data.file),
           scene.description ? description(scene.description) : null,
           h('p', {class: 'manner'}, manner(result)),
           text(result.message) ? h('p', {class: 'notice'}, result.message) : null,
           warnings(result));
}

/** A setting in words: lists by commas, numbers with the digits that they were given, flags by yes and no. */
function words(x) {
  if (Array.isArray(x)) return x.map(words).join(', ');
  if (typeof x === 'boolean') return x ? 'yes' : 'no';
  return isNumber(x) ? number(x, 15) : text(x);
}

/** [name, words] of every setting; groups of settings are taken apart, what is not set is left out. */
function toldIn(settings) {
  return Object.entries(settings).filter(([, value]) => value !== null).flatMap(([key, value]) => {
    const group = typeof value === 'object' && !Array.isArray(value);
    if (group) return toldIn(value).map(([inner, told]) => [`${key}: ${inner}`, told]);
    return [[key.replace(/_/g, ' '), words(value)]];
  });
}

/** What an optimisation minimised: weights of objectives, or the largest of some. */
function minimizedIn(minimize) {
  const given = record(minimize);
  if (!Object.keys(given).length) return [];
  const sum = (weights) => Object.entries(record(weights)).map(([name, weight]) => (weight === 1 ? name : `${number(weight, 6)} ${name}`));
  return [['minimised', given.minimax ? `largest of ${sum(given.minimax).join(', ')}` : sum(given).join(' + ')]];
}

/** Everything the run was told and what it took, for the record. */
export function settings(data) {
  const {result} = data;
  const told = toldIn(record(result.settings));
  const took = ['steps', 'rejected_steps', 'newton_iterations', 'evaluations'].filter((key) => isNumber(result[key]))
    .map((key) => [key.replace(/_/g, ' '), String(result[key])]);
  const minimized = minimizedIn(result.minimize);
  const rows = [['model', data.scene.file], ['result', data.file], ...minimized, ...told, ...took,
                ['largest constraint error', largest(result.constraint_norm)]];
  return section('settings', 'Settings and figures of the run', facts(rows));
}

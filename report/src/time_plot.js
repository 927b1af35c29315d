// A plot over time: curves of one unit, of one or two runs, with a cursor in step with the animation.
// Dragging zooms all plots over time, a click sets the time, a finger scrubs.

import uPlot from 'uplot';

import {h} from './dom.js';
import {number, unit as unitText} from './format.js';
import {makePlot} from './plot.js';
import {valueAt} from './search.js';
import {seriesColor} from './theme.js';

const DASHED = [5, 4];

/** What uPlot draws a curve with; the start of an optimisation is dashed and pale. */
function style(curve, colorIndex) {
  const pale = curve.run === 'start';
  return {
    label: curve.name,
    stroke: () => seriesColor(colorIndex),
    width: pale ? 1.2 : 1.7,
    alpha: pale ? 0.75 : 1,
    dash: pale ? DASHED : undefined,
    points: {show: false},
  };
}

/** A vertical line that follows the clock without redrawing the plot. */
function followClock(plot, clock) {
  const line = h('div', {class: 'now'});
  plot.over.append(line);
  const place = () => {
    const at = plot.valToPos(clock.time, 'x');
    line.style.transform = `translateX(${at}px)`;
    line.hidden = !(at >= 0 && at <= plot.over.clientWidth);
  };
  plot.hooks.draw = [...(plot.hooks.draw ?? []), place];
  clock.watch(place);
}

function letDragZoom(plot, window) {
  plot.hooks.setSelect = [() => {
    const {left, width} = plot.select;
    if (width > 4) window.show(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
    plot.setSelect({left: 0, width: 0, top: 0, height: 0}, false);
  }];
  plot.over.addEventListener('dblclick', () => window.reset());
}

function letPointSeek(plot, clock) {
  const seek = (x) => clock.seek(plot.posToVal(x - plot.over.getBoundingClientRect().left, 'x'));
  let pressed = null;
  plot.over.addEventListener('pointerdown', (event) => { pressed = event.clientX; });
  plot.over.addEventListener('pointermove', (event) => {
    if (event.pointerType === 'touch' && pressed !== null) seek(event.clientX);
  });
  plot.over.addEventListener('pointerup', (event) => {
    if (pressed !== null && Math.abs(event.clientX - pressed) < 4) seek(event.clientX);
    pressed = null;
  });
}

/** Curves of the same name are one entry of the legend. */
function namesOf(curves) {
  return [...new Set(curves.map((curve) => curve.name))];
}

/** An entry that shows the value now and hides the curve when it is pressed. */
function legendEntry(name, description, k, hide) {
  const value = h('output', {class: 'value'});
  const button = h('button', {type: 'button', class: 'entry', 'aria-pressed': 'true', title: description || undefined},
                   h('span', {class: `swatch series-${k % 8}`}), h('span', {}, name), value);
  button.addEventListener('click', () => {
    const on = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(on));
    hide(!on);
  });
  return {button, value};
}

function legend(plot, curves, clock, about) {
  const entries = namesOf(curves).map((name, k) => {
    const own = curves.map((curve, i) => (curve.name === name ? i + 1 : 0)).filter(Boolean);
    const hide = (hidden) => own.forEach((i) => plot.setSeries(i, {show: !hidden}));
    const entry = legendEntry(name, about.get(name)?.description, k, hide);
    return {...entry, curves: own.map((i) => curves[i - 1])};
  });
  clock.watch(({time}) => {
    for (const {value, curves: own} of entries) {
      value.textContent = own.map((curve) => number(valueAt(curve, time), 4)).join(' → ');
    }
  });
  return h('div', {class: 'legend', role: 'group', 'aria-label': 'Curves'}, entries.map((entry) => entry.button));
}

/** A figure of curves [{name, run, t, y}] that share a unit. */
export function timePlot({curves, unit, about, clock, window, title}) {
  const names = namesOf(curves);
  const place = h('div', {class: 'plot'});
  const heading = h('div', {class: 'plot-head'},
                    h('span', {class: 'plot-unit'}, title ?? (unitText(unit) || 'no unit')),
                    h('span', {'aria-hidden': 'true'}, 't in s'));
  const figure = h('figure', {class: 'time-plot'}, heading, place);
  const start = () => {
    const data = uPlot.join(curves.map((curve) => [curve.t, curve.y]));
    const plot = makePlot(place, {
      data,
      series: curves.map((curve) => style(curve, names.indexOf(curve.name))),
      drag: true,
      label: `${names.join(', ')} over time`,
    });
    figure.append(legend(plot, curves, clock, about));
    letDragZoom(plot, window);
    letPointSeek(plot, clock);
    window.watch(([min, max]) => plot.setScale('x', {min, max}));
    followClock(plot, clock);
  };
  return {element: figure, start};
}

// One plot: uPlot in the colours of the page, as wide as its place.

import uPlot from 'uplot';

import {number} from './format.js';
import {color, onThemeChange} from './theme.js';

const FONT = '12px system-ui, sans-serif';

function axis(extra) {
  return {
    stroke: () => color('--muted'),
    font: FONT,
    grid: {stroke: () => color('--line'), width: 1},
    ticks: {stroke: () => color('--line'), width: 1, size: 4},
    ...extra,
  };
}

/** Powers of ten, and not too many of them; the rest of the lines is left out. */
function decades(_, splits) {
  const powers = splits.map((x) => Math.round(1e9 * Math.log10(x)) / 1e9);
  const whole = powers.filter(Number.isInteger);
  const every = Math.ceil(whole.length / 6);
  return splits.map((x, k) => (Number.isInteger(powers[k]) && powers[k] % every === 0 ? x : null));
}

const WIDEST = 7;   // px of a digit
const BESIDE = 16;  // px for the tick and its distance

/** As wide as the longest number beside it. */
const axisSize = (_, texts) => Math.max(58, BESIDE + WIDEST * Math.max(0, ...(texts ?? []).map((one) => one.length)));

function verticalAxis(log) {
  const labels = {size: axisSize, values: (_, splits) => splits.map((x) => (x === null ? '' : number(x, 4)))};
  if (!log) return axis(labels);
  const plain = axis({});
  return {...plain, ...labels, filter: decades, grid: {...plain.grid, filter: decades}, ticks: {...plain.ticks, filter: decades}};
}

function options({width, height, series, log, drag}) {
  return {
    width,
    height,
    padding: [8, 24, 0, 0],  // half of the last number beside the axis
    legend: {show: false},
    cursor: {
      drag: {x: drag, y: false, setScale: false},
      points: {size: 7},
      x: drag,
      y: false,
    },
    select: {show: drag},
    scales: {x: {time: false}, y: log ? {distr: 3} : {}},
    axes: [axis({size: 30, values: (_, splits) => splits.map((x) => number(x, 6))}), verticalAxis(log)],
    series: [{}, ...series],
  };
}

/** A plot inside `place`, which has a height; `data` is uPlot's: x, then one array per series. */
export function makePlot(place, {data, series, log = false, drag = false, label}) {
  const size = () => ({width: Math.max(120, place.clientWidth), height: place.clientHeight || 190});
  const plot = new uPlot(options({...size(), series, log, drag}), data, place);
  plot.root.setAttribute('role', 'img');
  plot.root.setAttribute('aria-label', label);
  new ResizeObserver(() => plot.setSize(size())).observe(place);
  onThemeChange(() => plot.redraw(false, true));
  return plot;
}

/** Whether a logarithmic axis shows these numbers better: all positive, over more than two decades. */
export function wantsLog(arrays) {
  const all = arrays.flat().filter((x) => x !== null && Number.isFinite(x));
  if (!all.length || all.some((x) => x <= 0)) return false;
  return Math.max(...all) / Math.min(...all) > 100;
}

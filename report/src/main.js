// The page: reads the data, puts together the sections that have something to show.

import {Clock} from './clock.js';
import {readData, timeSpan} from './data.js';
import {h} from './dom.js';
import {history} from './history.js';
import {motionView} from './motion_view.js';
import {monitorPlots} from './monitors.js';
import {objectives} from './objectives.js';
import {parameters} from './parameters.js';
import {listenToKeys} from './player.js';
import {sensitivityBars} from './sensitivity_bars.js';
import {header, settings} from './summary.js';
import {TimeWindow} from './time_window.js';
import {finalSignals} from './final_signals.js';
import {sensitivityPlots, signalPlots} from './time_plots.js';

/** A section that cannot be drawn must not take the others with it. */
function attempt(make) {
  try {
    return make();
  } catch (error) {
    console.error(error);
    return null;
  }
}

/** Parts that need the time: {element, start}, started once they are in the page. */
function timedParts(data) {
  const span = timeSpan(data);
  if (!span) return {};
  const clock = new Clock(span);
  if (clock.stands) return {clock, motion: attempt(() => motionView(data, clock)), signals: finalSignals(data)};
  const window = new TimeWindow(span);
  listenToKeys(clock);
  return {
    clock,
    motion: attempt(() => motionView(data, clock)),
    signals: attempt(() => signalPlots(data, clock, window)),
    sensitivities: attempt(() => sensitivityPlots(data, clock, window)),
    monitors: attempt(() => monitorPlots(data, clock, window)),
  };
}

/** Two columns where both have something in them. */
function columns(...parts) {
  const shown = parts.filter(Boolean);
  return shown.length ? h('div', {class: shown.length > 1 ? 'columns' : 'column'}, shown) : null;
}

function show(data) {
  const {clock, motion, signals, sensitivities, monitors} = timedParts(data);
  const steps = attempt(() => history(data));
  const values = attempt(() => parameters(data));
  const effects = attempt(() => sensitivityBars(data));
  const main = document.getElementById('report');
  main.replaceChildren(...[
    attempt(() => header(data)),
    attempt(() => objectives(data)),
    columns(motion?.element, signals?.element),
    steps?.element,
    columns(values?.element, effects?.element),
    sensitivities?.element,
    monitors?.element,
    attempt(() => settings(data)),
  ].filter(Boolean));
  for (const part of [motion, signals, sensitivities, monitors, steps, values, effects]) attempt(() => part?.start?.());
  main.dataset.ready = 'true';
  main.report = {clock, data};
}

show(readData(document.getElementById('data').textContent));

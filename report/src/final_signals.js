// The signals of a run that is one instant: a table in place of plots.

import {section, table} from './dom.js';
import {isNumber, quantity} from './format.js';

export function finalSignals(data) {
  const all = Object.entries(data.result.final ?? {}).filter(([, x]) => isNumber(x));
  if (!all.length) return null;
  const rows = all.map(([name, x]) => [name, quantity(x, data.about.signals.get(name)?.unit, 7)]);
  return {element: section('signals', 'Signals', table('Signals', ['Signal', 'Value'], rows))};
}

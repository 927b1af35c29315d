// Numbers and units for people.

const SUPERSCRIPTS = {'-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹'};

const raise = (digits) => [...digits].map((c) => SUPERSCRIPTS[c] ?? c).join('');

export const isNumber = (x) => typeof x === 'number' && Number.isFinite(x);

/** So many significant digits, powers of ten where a number is very large or small. */
export function number(x, digits = 5) {
  if (!isNumber(x)) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size < 1e-4 || size >= 1e6) {
    const [mantissa, power] = x.toExponential(digits - 1).split('e');
    const ten = `10${raise(String(Number(power)))}`;
    return Number(mantissa) === 1 ? ten : `${minus(Number(mantissa).toString())} · ${ten}`;
  }
  return minus(String(Number(x.toPrecision(digits))));
}

const minus = (text) => text.replace('-', '−');

/** "m^2/s" → "m²/s"; "" for numbers without a unit. */
export function unit(text) {
  if (!text || text === '1') return '';
  return String(text).replace(/\^(-?\d+)/g, (_, digits) => raise(digits)).replace(/ /g, ' ');
}

/** "1.25 kg". */
export function quantity(x, unitText, digits) {
  const u = unit(unitText);
  return isNumber(x) && u ? `${number(x, digits)} ${u}` : number(x, digits);
}

/** Change from a to b in per cent. */
export function change(a, b) {
  if (!isNumber(a) || !isNumber(b) || a === 0) return '';
  const part = 100 * (b - a) / Math.abs(a);
  if (Math.abs(part) < 0.05) return '±0 %';
  if (part >= 1000) return `×${Number((b / a).toPrecision(3))}`;
  if (part <= -1000) return 'sign changed';
  return `${part > 0 ? '+' : '−'}${Number(Math.abs(part).toPrecision(3))} %`;
}

// Values between samples.

/** Index k with t[k] ≤ time < t[k + 1], kept inside. */
export function interval(t, time) {
  let low = 0;
  let high = t.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle] <= time) low = middle;
    else high = middle;
  }
  return low;
}

/** How far `time` is from t[k] to t[k + 1], 0 to 1. */
export function fraction(t, k, time) {
  const length = (t[k + 1] ?? t[k]) - t[k];
  return length > 0 ? Math.min(1, Math.max(0, (time - t[k]) / length)) : 0;
}

/** The curve's value at a time; null outside of it and in its gaps. */
export function valueAt({t, y}, time) {
  if (!t.length || time < t[0] - 1e-12 || time > t[t.length - 1] + 1e-12) return null;
  const k = interval(t, time);
  const a = y[k];
  const b = y[Math.min(k + 1, y.length - 1)];
  if (a === null || b === null) return null;
  return a + (b - a) * fraction(t, k, time);
}

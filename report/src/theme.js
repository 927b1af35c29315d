// Colours of the page, light or dark, for what is drawn on canvases.

const dark = matchMedia('(prefers-color-scheme: dark)');

/** A colour of style.css, e.g. color('--ink'). */
export function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Colour of the k-th curve or body. */
export const seriesColor = (k) => color(`--series-${k % 8}`);

export const isDark = () => dark.matches;

export function onThemeChange(listener) {
  dark.addEventListener('change', listener);
}

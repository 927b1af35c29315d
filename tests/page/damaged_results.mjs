// Results as they should not be: the data of a page with one to three of their values exchanged for others, or gone.
// Same seed, same damage.

/** Numbers in [0, 1) (mulberry32). */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 15), x | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
}

const ODD = [null, 0, -1, 1e308, -1e308, 1e-320, 3, 1e9, 'text', '', true, [], {}, [[]], [null], {x: {}}, ['a', 2], [1e308, -1e308]];

/** Every place in the tree as [holder, key]. */
function places(tree, found = []) {
  for (const key of Object.keys(tree)) {
    found.push([tree, key]);
    if (tree[key] && typeof tree[key] === 'object') places(tree[key], found);
  }
  return found;
}

/** Long lists would get all of the damage: a place is chosen level by level. */
function somewhere(tree, random) {
  let holder = tree;
  for (;;) {
    const keys = Object.keys(holder);
    if (!keys.length) return null;
    const key = keys[Math.floor(random() * keys.length)];
    const inside = holder[key];
    const deeper = inside && typeof inside === 'object' && Object.keys(inside).length;
    if (!deeper || random() < 0.2) return [holder, key];
    holder = inside;
  }
}

export function damaged(data, seed) {
  const random = generator(seed);
  const tree = structuredClone(data);
  const count = 1 + Math.floor(3 * random());
  for (let k = 0; k < count; ++k) {
    const any = random() < 0.5 ? somewhere(tree, random) : places(tree)[Math.floor(random() * places(tree).length)];
    if (!any) continue;
    const [holder, key] = any;
    if (random() < 0.2) delete holder[key];
    else holder[key] = structuredClone(ODD[Math.floor(random() * ODD.length)]);
  }
  return tree;
}

const DATA = /(<script[^>]*id="data"[^>]*>)([\s\S]*?)(<\/script>)/;

/** The data in a page of the command. */
export function dataOf(page) {
  return JSON.parse(page.match(DATA)[2]);
}

/** The page with other data. */
export function withData(page, data) {
  const text = JSON.stringify(data).replaceAll('<', '\\u003c');
  return page.replace(DATA, (_, begin, __, end) => begin + text + end);
}

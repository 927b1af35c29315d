// What a page must be able to do, one check per function.
import assert from 'node:assert/strict';

const time = (page) => page.evaluate(() => document.getElementById('report').report.clock.time);
const drawn = (page) => page.evaluate(() => document.getElementById('motion').viewer?.drawn ?? 0);

/** Waits until the page has drawn what it was asked to. */
async function settle(page) {
  const before = await drawn(page);
  await page.evaluate(() => document.getElementById('motion').viewer?.draw());
  await page.waitForFunction((n) => (document.getElementById('motion').viewer?.drawn ?? n + 1) > n, before);
}

const picture = async (page) => {
  await settle(page);
  return (await page.locator('.stage').screenshot()).toString('base64');
};

/** Playing moves time and changes the picture; space pauses. */
export async function animates(page) {
  await page.waitForFunction(() => document.getElementById('motion').viewer.drawn > 0);
  const first = await picture(page);
  await page.locator('#play').click();
  await page.waitForFunction(() => {
    const {clock} = document.getElementById('report').report;
    return clock.time > clock.begin + 0.08 * (clock.end - clock.begin);
  });
  await page.locator('h1').click();  // away from the button, so that space is the page's
  await page.keyboard.press('Space');
  assert.equal(await page.locator('#play').getAttribute('aria-label'), 'Play', 'space pauses');
  const there = await time(page);
  assert.notEqual(await picture(page), first, 'two frames differ');
  assert.equal(await time(page), there, 'the time stands');
}

/** The slider and the arrows set the time, and the cursors of the plots go along. */
export async function scrubs(page) {
  await page.locator('#time').fill('500');
  const [begin, end] = await page.evaluate(() => {
    const {clock} = document.getElementById('report').report;
    return [clock.begin, clock.end];
  });
  assert.ok(Math.abs(await time(page) - (begin + end) / 2) < 1e-6 * (end - begin), 'the slider sets the time');
  const cursor = page.locator('.now').first();
  const before = (await cursor.boundingBox()).x;
  await page.locator('h1').click();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  assert.ok(Math.abs(await time(page) - ((begin + end) / 2 + 11 * (end - begin) / 200)) < 1e-6 * (end - begin), 'arrows scrub');
  assert.ok((await cursor.boundingBox()).x > before, 'the cursor follows');
}

/** A point of a body is drawn where the signals say it is, at any time. */
export async function drawsTheTruth(page, body, point, signals) {
  const errors = await page.evaluate(({body: name, point: at, signals: names}) => {
    const {clock, data} = document.getElementById('report').report;
    const {viewer} = document.getElementById('motion');
    const mechanism = viewer.mechanisms[0];
    const curves = names.map((one) => data.runs[0].signals.find((signal) => signal.name === one));
    return [0, 0.31, 0.77, 1].map((part) => {
      const time = clock.begin + part * (clock.end - clock.begin);
      mechanism.place(time);
      mechanism.group.updateMatrixWorld(true);
      const place = viewer.camera.position.clone().set(...at).applyMatrix4(mechanism.bodies.get(name).matrixWorld);
      return curves.map(({t, y}, k) => {
        const nearest = t.reduce((best, x, i) => (Math.abs(x - time) < Math.abs(t[best] - time) ? i : best), 0);
        return Math.abs(y[nearest] - place.getComponent(k));
      });
    }).flat();
  }, {body, point, signals});
  assert.ok(Math.max(...errors) < 0.02, `drawn off by ${errors.join(', ')}`);
}

/** Every plot has drawn something of every curve. */
export async function plotsHaveData(page, atLeast = 1) {
  const plots = await page.locator('.plot canvas').count();
  assert.ok(plots >= atLeast, `${plots} plots`);
  const empty = await page.evaluate(() => [...document.querySelectorAll('.plot canvas')].filter((canvas) => {
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let colourful = 0;  // curves are, axes are grey
    for (let k = 0; k < data.length; k += 4) {
      const low = Math.min(data[k], data[k + 1], data[k + 2]);
      const high = Math.max(data[k], data[k + 1], data[k + 2]);
      if (data[k + 3] > 100 && high - low > 40) ++colourful;
    }
    return colourful < 30;
  }).length);
  assert.equal(empty, 0, 'plots without a curve');
}

/** A press on the legend hides a curve; the zoom buttons change the span. */
export async function plotsListen(page) {
  const entry = page.locator('#signals .entry').first();
  await entry.click();
  assert.equal(await entry.getAttribute('aria-pressed'), 'false');
  await entry.click();
  assert.equal(await entry.getAttribute('aria-pressed'), 'true');
  await page.getByRole('button', {name: 'Zoom in on the time shown'}).click();
  await page.getByRole('button', {name: 'Show the whole time'}).click();
}

/** Nothing is wider than the screen. */
export async function fits(page) {
  const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.ok(wide <= screen, `${wide} px on a screen of ${screen} px`);
}

/** Tab reaches the controls, and each has a name and shows that it has the focus. */
export async function tabs(page) {
  await page.evaluate(() => document.activeElement?.blur());
  const reached = new Set();
  for (let k = 0; k < 14; ++k) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => {
      const it = document.activeElement;
      const name = it.getAttribute('aria-label') || it.textContent.trim();
      const ring = getComputedStyle(it).outlineStyle !== 'none';
      return `${it.id || it.tagName}${name ? '' : ' without a name'}${ring ? '' : ' without a ring'}`;
    }));
  }
  assert.ok(reached.has('play') && reached.has('time'), `reached ${[...reached].join(', ')}`);
  assert.ok(![...reached].some((one) => one.includes('without')), [...reached].join(', '));
}

/** The arrow of a contact is where the frames say, along its force; its ground is there. */
export async function contactsAreDrawn(page, name) {
  const found = await page.evaluate((contact) => {
    const {clock, data} = document.getElementById('report').report;
    const {viewer} = document.getElementById('motion');
    const mechanism = viewer.mechanisms[0];
    const {t, contacts} = data.runs[0].frames;
    const k = Math.floor(t.length / 2);
    mechanism.place(t[k]);
    const arrow = mechanism.group.getObjectByName(`contact ${contact}`);
    const at = arrow.position.toArray();
    mechanism.place(clock.time);
    return {
      visible: arrow.visible,
      away: Math.hypot(...at.map((x, i) => x - contacts[contact][6 * k + i])),
      up: contacts[contact][6 * k + 5],
      ground: Boolean(mechanism.group.getObjectByName(`ground ${contact}`)),
    };
  }, name);
  assert.ok(found.visible && found.ground);
  assert.ok(found.away < 1e-6, 'the arrow begins at the contact');
  assert.ok(found.up > 0, 'and the road pushes up');
}

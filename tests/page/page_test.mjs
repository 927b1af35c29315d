// The page of kinegrad report in a real browser: every example, and an optimisation.
//
//   node page_test.mjs KINEGRAD SOURCE MODULES      run by ctest; exit 77: no browser, skipped
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {
  accessSync, constants, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';

import {openBrowser, openPage} from './browser.mjs';
import * as check from './checks.mjs';
import {damaged, dataOf, withData} from './damaged_results.mjs';
import {NASTY, writeSyntheticOptimum} from './synthetic_optimum.mjs';

const [command, source, modules] = process.argv.slice(2);
const SKIPPED = 77;

function findBrowser() {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const paths = (process.env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(SKIPPED);
}

const browserPath = findBrowser();
if (!browserPath) skip('there is no chromium (tools/setup.sh page installs it)');
if (!existsSync(join(modules, 'page.stamp'))) skip('the page was not built, because npm could not fetch its packages');

const folder = mkdtempSync(join(tmpdir(), 'kinegrad-page-'));
const kinegrad = (...args) => execFileSync(command, [...args, '--quiet'], {cwd: folder, stdio: 'pipe'});
const example = (name) => join(source, 'examples', `${name}.yaml`);

/** NAME.json of a short run, and its page. */
function report(name, ...run) {
  kinegrad(...run, '--out', `${name}.json`);
  return page(name);
}

function page(name) {
  kinegrad('report', `${name}.json`, '-o', `${name}.html`);
  return join(folder, `${name}.html`);
}

const cases = [];
const test = (name, body) => cases.push({name, body});

for (const file of readdirSync(join(source, 'examples')).filter((one) => one.endsWith('.yaml'))) {
  const name = file.replace('.yaml', '');
  test(`example ${name}`, async (context) => {
    const {page: view, complaints} = await openPage(context, report(name, 'simulate', example(name), '--end', '0.5'));
    await check.animates(view);
    await check.scrubs(view);
    await check.plotsHaveData(view);
    assert.deepEqual(complaints, []);
    await view.close();
  });
}

test('contacts have arrows and grounds', async (context) => {
  const file = report('car', 'simulate', join(source, 'examples', 'quarter_car', 'quarter_car.yaml'), '--end', '1');
  const {page: view, complaints} = await openPage(context, file);
  await check.contactsAreDrawn(view, 'tyre');
  assert.deepEqual(complaints, []);
  await view.close();
});

test('gradient on a phone, in the dark', async (context) => {
  const file = report('gradient', 'gradient', example('five_bar'), '--end', '0.3');
  const {page: view, complaints} = await openPage(context, file, {width: 360, height: 740, colorScheme: 'dark'});
  await check.fits(view);
  await check.plotsHaveData(view);
  await check.plotsListen(view);
  assert.equal(await view.locator('#monitors .time-plot').count(), 4);  // no step of it is divided
  assert.equal(await view.locator('#sensitivities .bars li').count(), 5);
  assert.equal(await view.locator('#sensitivities .bar-slope').count(), 5);
  const before = await view.locator('#sensitivities .bars').innerText();
  await view.getByRole('combobox', {name: 'Objective'}).selectOption('psi3');
  assert.notEqual(await view.locator('#sensitivities .bars').innerText(), before);
  assert.deepEqual(complaints, []);
  await view.close();
});

function optimum() {
  kinegrad('gradient', example('five_bar'), '--end', '0.5', '--out', 'first.json');
  kinegrad('gradient', example('five_bar'), '--end', '0.5', '--set', 'L_A1=1.6', '--set', 'L_s1=2.4', '--out', 'last.json');
  writeSyntheticOptimum(folder, 'optimum', 'first.json', 'last.json');
  return page('optimum');
}

test('optimisation', async (context) => {
  const {page: view, complaints} = await openPage(context, optimum());
  await check.plotsHaveData(view, 5);
  await check.animates(view);
  await check.tabs(view);
  assert.equal(await view.evaluate(() => window.broken), undefined, 'no text becomes code');
  assert.ok((await view.locator('header').innerText()).includes(NASTY), 'any text is shown as it is');
  assert.match(await view.locator('header').innerText(), /projected gradient is small enough/);
  assert.match(await view.locator('#parameters').innerText(), /at upper bound/);
  assert.match(await view.locator('#parameters').innerText(), /−0.125/);
  assert.match(await view.locator('#history').innerText(), /1 evaluation failed/);
  const pictures = new Set();
  for (const mode of ['overlay', 'side', 'first', 'last']) {
    await view.getByRole('combobox', {name: 'Runs'}).selectOption(mode);
    await view.waitForTimeout(100);
    pictures.add((await view.locator('.stage canvas').screenshot()).toString('base64'));
  }
  assert.equal(pictures.size, 4, 'four ways to see two runs');
  assert.deepEqual(complaints, []);
  await view.close();
});

test('optimisation on a phone', async (context) => {
  const {page: view, complaints} = await openPage(context, join(folder, 'optimum.html'), {width: 360, height: 740});
  await check.fits(view);
  await check.plotsHaveData(view, 5);
  assert.deepEqual(complaints, []);
  await view.close();
});

test('long run', async (context) => {
  const file = report('long', 'simulate', example('five_bar'), '--step', '1e-3', '--end', '10');
  assert.ok(statSync(file).size < 5e6, `${statSync(file).size} bytes`);
  const {page: view, complaints} = await openPage(context, file);
  await check.plotsHaveData(view);
  await check.drawsTheTruth(view, 'B12', [Math.sqrt(13) / 2, 0, 0], ['x2', 'y2']);
  assert.deepEqual(complaints, []);
  await view.close();
});

test('static equilibrium', async (context) => {
  const file = report('statics', 'simulate', example('pendulum'), '--statics');
  const {page: view, complaints} = await openPage(context, file);
  await view.waitForFunction(() => document.getElementById('motion').viewer.drawn > 0);
  assert.match(await view.locator('#signals').innerText(), /angle/);
  assert.equal(await view.locator('#play').count(), 0, 'nothing to play');
  assert.deepEqual(complaints, []);
  await view.close();
});

const SHAPES = `name: every shape
bodies:
  A:
    mass: 1
    inertia: [1, 1, 1]
    shapes:
      - {type: box, size: [0.4, 0.2, 0.1], center: [0, 1, 0]}
      - {type: cylinder, from: [0, 0, 0], to: [1, 0, 0], radius: 0.1, color: "#cc6677"}
      - {type: capsule, from: [0, 0, 0], to: [0, 0, 1], radius: 0.1, color: no such colour}
      - {type: sphere, center: [1, 1, 1], radius: 0.2}
      - {type: mesh, file: part.obj, scale: 0.5}
forces: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}
analysis: {step: 0.01, end: 0.3}
`;

test('every shape', async (context) => {
  writeFileSync(join(folder, 'part.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n');
  writeFileSync(join(folder, 'shapes.yaml'), SHAPES);
  const {page: view, complaints} = await openPage(context, report('shapes', 'simulate', join(folder, 'shapes.yaml')));
  await check.animates(view);
  const triangles = await view.evaluate(() => (
    document.getElementById('motion').viewer.mechanisms[0].bodies.get('A').children
      .filter((child) => child.isMesh).map((child) => child.geometry.attributes.position.count)));
  assert.equal(triangles.length, 5);
  assert.equal(triangles[4], 12, 'four triangles of the mesh');
  rmSync(join(folder, 'part.obj'));
  const {page: without} = await openPage(context, page('shapes'));
  assert.match(await without.locator('#motion').innerText(), /Not drawn: .*part\.obj/);
  assert.deepEqual(complaints, []);
  await view.close();
  await without.close();
});

/** A control over time is one plot of its values and one of the derivatives, not a row for each. */
test('ranges of parameters', async (context) => {
  const {page: view, complaints} = await openPage(context, report('range', 'gradient', example('cart_pole_swing_up'), '--end', '0.3'));
  assert.equal(await view.locator('#parameters .range-plot').count(), 1);
  assert.equal(await view.locator('#sensitivities .range-plot').count(), 1);
  assert.equal(await view.locator('#parameters td').count(), 0, 'no rows for its members');
  assert.match(await view.locator('#parameters').innerText(), /u, 40 values/);
  await check.plotsHaveData(view, 5);
  assert.deepEqual(complaints, []);
  await view.close();
});

/** A planar mechanism is looked at along the normal of its plane and fills the picture; numbers at the axes are whole. */
test('planar mechanism', async (context) => {
  const {page: view} = await openPage(context, report('planar', 'simulate', example('five_bar'), '--end', '0.1'));
  await view.waitForFunction(() => document.getElementById('motion').viewer.drawn > 0);
  const {toward, part} = await view.evaluate(() => {
    const {viewer} = document.getElementById('motion');
    const away = viewer.camera.position.clone().sub(viewer.controls.target).normalize();
    const corners = [viewer.box.min, viewer.box.max].map((corner) => corner.clone().project(viewer.camera));
    const [low, high] = corners;
    return {toward: away.toArray(), part: Math.max(Math.abs(high.x - low.x), Math.abs(high.y - low.y)) / 2};
  });
  assert.ok(toward[2] > 0.999, `looked at from ${toward}`);
  assert.ok(part > 0.8 && part <= 1, `${part} of the picture`);
  const room = await view.evaluate(() => {
    const plot = document.querySelector('#signals .uplot');
    return plot.getBoundingClientRect().right - plot.querySelector('.u-over').getBoundingClientRect().right;
  });
  assert.ok(room >= 20, `${room} px beside the last number`);
  await view.close();
});

/** So many in the suite; more on demand. */
const DAMAGED = Number(process.env.KINEGRAD_DAMAGED_PAGES ?? 24);

/** Whatever stands in a result: the page comes up, without a script error. */
test('damaged results', async (context) => {
  const pages = ['gradient', 'optimum', 'range'].map((name) => readFileSync(join(folder, `${name}.html`), 'utf8'));
  const file = join(folder, 'damaged.html');
  for (let seed = 1; seed <= DAMAGED; ++seed) {
    const whole = pages[seed % pages.length];
    writeFileSync(file, withData(whole, damaged(dataOf(whole), seed)));
    const {page: view, complaints} = await openPage(context, file);
    await view.waitForTimeout(50);
    assert.deepEqual(complaints, [], `seed ${seed}`);
    await view.close();
  }
});

/** Settings are what the user has asked for, whatever a gradient chooses for itself. */
test('settings as given', async (context) => {
  const choices = ['--integrator', 'generalized-alpha', '--spectral-radius', '0.65', '--tolerance', '1e-7'];
  const file = report('settings', 'gradient', example('five_bar'), '--end', '0.05', ...choices);
  const {page: view, complaints} = await openPage(context, file);
  const facts = await view.evaluate(() => Object.fromEntries([...document.querySelectorAll('#settings .facts > div')]
    .map((fact) => [fact.querySelector('dt').textContent, fact.querySelector('dd').textContent])));
  assert.equal(facts.tolerance, '10⁻⁷');
  assert.equal(facts['tolerance of differentiated steps'], '10⁻¹³');
  assert.equal(facts['spectral radius'], '0.65');
  assert.equal(facts.step, '0.001');
  assert.equal(facts.beta, undefined, 'what the integrator does not read');
  assert.deepEqual(complaints, []);
  await view.close();
});

/** Page of a made-up result. */
function madeUp(name, result) {
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({settings: {}, motion: null, ...result}));
  return page(name);
}

/** Whatever the status says: without a finite objective nothing is done. */
test('objective that is not finite', async (context) => {
  const file = madeUp('infinite', {status: 'done', objectives: {effort: {value: null}}, parameters: {L: 1}});
  const {page: view, complaints} = await openPage(context, file);
  assert.match(await view.locator('header .state.bad').innerText(), /effort not finite/);
  assert.equal(await view.locator('header .state.good').count(), 0);
  assert.match(await view.locator('#objectives').innerText(), /no finite value/);
  assert.deepEqual(complaints, []);
  await view.close();
});

/** Value × derivative is 0 for a parameter at 0; its derivative stands beside it. */
test('parameter at zero', async (context) => {
  const gradient = {offset: 12.5, length: -2};
  const file = madeUp('zero', {
    settings: {method: 'adjoint'}, status: 'done', parameters: {offset: 0, length: 3}, objectives: {psi: {value: 1, gradient}},
  });
  const {page: view, complaints} = await openPage(context, file);
  const rows = await view.locator('#sensitivities .bars li').allInnerTexts();
  assert.match(rows.find((row) => row.startsWith('offset')), /12\.5/);
  assert.match(rows.find((row) => row.startsWith('length')), /−6[^]*−2/);
  assert.deepEqual(complaints, []);
  await view.close();
});

/** A failed run: what it left, and why. */
test('run that failed', async (context) => {
  const text = {settings: {}, status: 'failed', message: 'at t = 0: no luck', parameters: {L: 1}, motion: null};
  writeFileSync(join(folder, 'failed.json'), JSON.stringify(text));
  const {page: view, complaints} = await openPage(context, page('failed'));
  assert.match(await view.locator('header').innerText(), /no luck/);
  assert.equal(await view.locator('#motion, #signals, #history, #sensitivities').count(), 0, 'empty sections are left out');
  assert.deepEqual(complaints, []);
  await view.close();
});

/** Runs the cases one after another and counts those that fail. */
async function runAll(options, chosen) {
  const {context, close} = await openBrowser(modules, browserPath, options);
  let failed = 0;
  for (const {name, body} of chosen) {
    const begin = Date.now();
    try {
      await body(context);
      console.log(`ok      ${name} (${Date.now() - begin} ms)`);
    } catch (error) {
      ++failed;
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
  }
  await close();
  return failed;
}

const withoutWebgl = {
  name: 'without WebGL the rest is there',
  async body(context) {
    const {page: view} = await openPage(context, join(folder, 'gradient.html'));
    assert.match(await view.locator('#motion').innerText(), /no WebGL/);
    await check.plotsHaveData(view);
    await check.scrubs(view);
    await view.close();
  },
};

let failures = 0;
try {
  failures += await runAll({webgl: true}, cases);
  failures += await runAll({webgl: false}, [withoutWebgl]);
} finally {
  rmSync(folder, {recursive: true, force: true});
}
console.log(failures ? `${failures} of ${cases.length + 1} failed` : `all ${cases.length + 1} passed`);
process.exit(failures ? 1 : 0);

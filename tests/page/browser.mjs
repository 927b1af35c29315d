// A headless Chromium of the system, driven by playwright-core, which never fetches one itself.
import {mkdtempSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const ARGUMENTS = [
  '--no-sandbox', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--disable-quic', '--disable-dev-shm-usage',
];
const WEBGL = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
const NO_WEBGL = ['--disable-gpu', '--disable-3d-apis'];

/** `modules` holds node_modules; `executablePath` is the browser. */
export async function openBrowser(modules, executablePath, {webgl = true} = {}) {
  const {chromium} = createRequire(join(modules, 'package.json'))('playwright-core');
  const profile = mkdtempSync(join(tmpdir(), 'kinegrad-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: [...ARGUMENTS, ...(webgl ? WEBGL : NO_WEBGL)],
  });
  const close = async () => {
    await context.close();
    rmSync(profile, {recursive: true, force: true});
  };
  return {context, close};
}

/** A page that remembers what went wrong: messages of the console, errors, requests. */
export async function openPage(context, file, {width = 1280, height = 800, colorScheme = 'light'} = {}) {
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error.stack ?? error)));
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) complaints.push(`request of ${request.url()}`);
  });
  await page.setViewportSize({width, height});
  await page.emulateMedia({colorScheme});
  await page.goto(`file://${file}`);
  await page.waitForSelector('main[data-ready]', {timeout: 20000});
  return {page, complaints};
}

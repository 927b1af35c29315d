// Bundles the page into one template, and that into a C++ source for the command.
//
//   node build.mjs MODULES OUT     MODULES: the folder that holds node_modules; OUT: where
//                                  report.html and report_page.cpp go
import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [modules, out] = process.argv.slice(2).map((path) => resolve(path));
const esbuild = createRequire(join(modules, 'package.json'))('esbuild');

/** Text of one bundled output. */
async function bundle(entry) {
  const result = await esbuild.build({
    entryPoints: [join(here, 'src', entry)],
    nodePaths: [join(modules, 'node_modules')],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['es2020'],
    legalComments: 'none',  // the licences stand in the page, whole
    logLevel: 'warning',
  });
  return result.outputFiles[0].text.trim();
}

/** Licences of what is bundled, as the text of one HTML comment. */
function licences() {
  return ['three', 'uplot'].map((name) => {
    const folder = join(modules, 'node_modules', name);
    const {version} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const text = readFileSync(join(folder, 'LICENSE'), 'utf8').replaceAll('--', '- -').trim();
    return `\nThis page contains ${name} ${version}:\n\n${text}\n`;
  }).join('');
}

/** The template is filled by functions: `$` in a bundle means nothing. */
function fill(template, parts) {
  return template.replace(/\{\{(\w+)\}\}/g, (place, name) => parts[name] ?? place);
}

/** A string literal of C++ that holds any text but its own end. */
function literal(text) {
  if (text.includes(')page"')) throw new Error('the page holds the end of its own literal');
  return `R"page(${text})page"`;
}

const script = (await bundle('main.js')).replaceAll('</script', '<\\/script');
const page = fill(readFileSync(join(here, 'page.html'), 'utf8'),
                  {style: await bundle('style.css'), script, licences: licences()});
writeFileSync(join(out, 'report.html'), page);
writeFileSync(join(out, 'report_page.cpp'), `// Made by report/build.mjs.
#include "report_page.hpp"

namespace kinegrad::app {

const std::string_view kReportPage = ${literal(page)};

}  // namespace kinegrad::app
`);

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { type BuildOptions, build, type OutputFile } from 'esbuild';
import { functionFolders, handlerFile } from './handlers.ts';

/**
 * `npm run build`: bundles every function into dist/<folder>/index.cjs, one esbuild pass for all.
 * What the choices below are worth is measured in docs/decisions/ and bench/.
 */

const outdir = 'dist';

/** Source maps are decoded offline: inside the zip they would only slow the start down. */
const mapsDir = join(outdir, 'maps');

const options = {
  outdir,
  bundle: true,
  write: false,
  platform: 'node',
  target: 'node24',
  // CommonJS starts 30-50 ms sooner than ESM. The extension says so to Lambda and to whatever loads
  // the file below this package, whose type is module.
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  // The ES module builds of the SDK can be tree-shaken, its CommonJS builds cannot.
  mainFields: ['module', 'main'],
  minify: true,
  keepNames: false,
  sourcemap: 'external',
  legalComments: 'none',
  alias: { '@aws-sdk/credential-provider-node': resolve('scripts/lambda-credentials.ts') },
  logLevel: 'warning',
} satisfies BuildOptions;

/** Moves an output beside the assets when it is a map. */
function destination(file: OutputFile): string {
  const path = relative(resolve(outdir), file.path);
  return path.endsWith('.map') ? join(mapsDir, path) : join(outdir, path);
}

async function save(file: OutputFile): Promise<void> {
  const path = destination(file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, file.contents);
}

const started = performance.now();
const folders = functionFolders();
const entryPoints = folders.map((folder) => ({ in: handlerFile(folder), out: join(folder, 'index') }));
const { outputFiles } = await build({ ...options, entryPoints });

await rm(outdir, { recursive: true, force: true });
await Promise.all(outputFiles.map(save));

const bundles = outputFiles.filter((file) => file.path.endsWith('.cjs'));
const largest = Math.max(...bundles.map((file) => file.contents.byteLength));
const elapsedMs = Math.round(performance.now() - started);
console.log(`built ${bundles.length} functions in ${elapsedMs} ms, the largest ${Math.round(largest / 1024)} KB`);

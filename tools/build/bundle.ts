import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { type FunctionFolder, handlerFile } from './handlers.ts';

/** How a function becomes one file. */
export const bundleOptions = {
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
  alias: { '@aws-sdk/credential-provider-node': resolve('tools/build/lambda-credentials.ts') },
  logLevel: 'warning',
} satisfies BuildOptions;

/** One function's code: what its Lambda's zip is made of. */
export interface Bundle {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Bundles functions, all in one pass, to `<outdir>/<folder>/index.cjs`; whatever was in outdir before is gone.
 * Source maps go to `<outdir>/maps`, to be decoded offline: inside the zip they would slow the start down.
 */
export async function bundle(folders: readonly FunctionFolder[], outdir: string): Promise<Bundle[]> {
  const entryPoints = folders.map((folder) => ({ in: handlerFile(folder), out: join(folder, 'index') }));
  const { outputFiles } = await build({ ...bundleOptions, entryPoints, outdir });
  const outputs = outputFiles.map(({ path, contents }) => ({ path: destination(path, outdir), contents }));

  await rm(outdir, { recursive: true, force: true });
  await Promise.all(outputs.map(({ path, contents }) => save(path, contents)));

  return outputs
    .filter(({ path }) => path.endsWith('.cjs'))
    .map(({ path, contents }) => ({ path, bytes: contents.byteLength }));
}

function destination(path: string, outdir: string): string {
  const within = relative(resolve(outdir), path);
  return within.endsWith('.map') ? join(outdir, 'maps', within) : join(outdir, within);
}

async function save(path: string, contents: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
}

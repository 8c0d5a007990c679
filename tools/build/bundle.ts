import { existsSync, globSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { consumers } from '../../functions/consumers.ts';
import { codeHostOf, contracts } from '../../functions/contracts.ts';
import { managementResources } from '../../functions/management/contracts.ts';
import { triggers } from '../../functions/triggers.ts';
import { managementHost } from '../../shared/contracts/contract.ts';
import { withoutDescriptions, withoutForms } from './descriptions.ts';

/** A function's folder in functions/ and dist/: `base/get-user`, `consumers/relay-outbox`. */
export type FunctionFolder = string;

/** Returns the folders that must have a handler, from the lists of contracts, consumers and triggers. */
function readListedFolders(): FunctionFolder[] {
  return [
    ...contracts.map(({ host, name }) => `${host}/${name}`),
    ...Object.keys(managementResources).map((resource) => `${managementHost}/${resource}`),
    ...consumers.map(({ name }) => `consumers/${name}`),
    ...triggers.map(({ name }) => `identity/${name}`),
  ];
}

/** Returns the path of a folder's handler. */
export function handlerFileOf(folder: FunctionFolder): string {
  const [host = '', name = ''] = folder.split('/');
  if (host === managementHost) return `functions/${folder}/index.ts`;
  return `functions/${codeHostOf({ host, name })}/${name}/handler.ts`;
}

/**
 * Returns the folder of every function.
 * @throws Error when a listed folder has no handler (a Lambda without code), or a handler's folder is not listed (code
 *   without a Lambda)
 */
export function listFunctionFolders(): FunctionFolder[] {
  const listed = readListedFolders();
  const withoutHandler = listed.filter((folder) => !existsSync(handlerFileOf(folder)));
  if (withoutHandler.length > 0) throw new Error(`listed folders without a handler: ${withoutHandler.join(', ')}`);

  const known = new Set(listed.map(handlerFileOf));
  const unlisted = globSync(['functions/*/*/handler.ts', 'functions/management/*/index.ts']).filter(
    (file) => !known.has(file),
  );
  if (unlisted.length > 0)
    throw new Error(`handlers that none of contracts.ts, consumers.ts and triggers.ts lists: ${unlisted.join(', ')}`);

  return listed;
}

/** The esbuild options that turn a function into one file. */
export const bundleOptions = {
  bundle: true,
  write: false,
  platform: 'node',
  target: 'node24',
  // CommonJS starts 30-50 ms faster than ESM. The extension is needed because the type of this package is module.
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  // Only the ES module builds of the SDK can be tree-shaken.
  mainFields: ['module', 'main'],
  minify: true,
  keepNames: false,
  sourcemap: 'external',
  legalComments: 'none',
  alias: {
    '@aws-sdk/credential-provider-node': resolve('tools/build/lambda-credentials.ts'),
  },
  // The SDK imports this module for operations with event streams, which no function calls.
  external: ['@smithy/core/event-streams'],
  logLevel: 'warning',
} satisfies BuildOptions;

/** Lets the modules with these paths build a schema when they first use it (tools/build/deferred-schemas.ts). */
const deferredSchemas = (paths: RegExp): Plugin => ({
  name: 'deferred-schemas',
  setup({ onResolve }) {
    const path = resolve('tools/build/deferred-schemas.ts');
    onResolve({ filter: /^zod\/mini$/ }, ({ importer }) => (paths.test(importer) ? { path } : undefined));
  },
});

/** Plugins of the functions that show no descriptions. */
const usualPlugins = [withoutForms, withoutDescriptions, deferredSchemas(/./)];

/** Plugins of the others. A description belongs to zod's own schema, so only schemas of no document are deferred. */
const documentPlugins = [withoutForms, deferredSchemas(/\/shared\/(runtime|store)\//)];

/** The bundled code of one function. */
export interface Bundle {
  readonly path: string;
  readonly bytes: number;
}

/** One pass of esbuild for all functions would take two gigabytes of memory: about 30 MB for each function. */
const functionsPerPass = 8;

/**
 * Bundles functions to `<outdir>/<folder>/index.cjs`. Deletes the earlier content of outdir.
 * Source maps go to `<outdir>/maps`, for offline use: in the zip, they would slow down the start.
 */
export async function bundle(
  folders: readonly FunctionFolder[],
  outdir: string,
  { hasMaps = true }: { readonly hasMaps?: boolean } = {},
): Promise<Bundle[]> {
  const sourcemap = hasMaps && bundleOptions.sourcemap;
  const bundles: Bundle[] = [];
  await rm(outdir, { recursive: true, force: true });
  for (const { pass, plugins } of [...passesOf(folders, false), ...passesOf(folders, true)]) {
    const entryPoints = pass.map((folder) => ({ in: handlerFileOf(folder), out: join(folder, 'index') }));
    const { outputFiles } = await build({ ...bundleOptions, plugins, sourcemap, entryPoints, outdir });
    const outputs = outputFiles.map(({ path, contents }) => ({ path: resolveDestination(path, outdir), contents }));
    await Promise.all(outputs.map(({ path, contents }) => save(path, contents)));
    const code = outputs.filter(({ path }) => path.endsWith('.cjs'));
    bundles.push(...code.map(({ path, contents }) => ({ path, bytes: contents.byteLength })));
  }
  return bundles;
}

/** The passes for the functions that show the descriptions of fields, or for those that do not. */
function passesOf(folders: readonly FunctionFolder[], showsDescriptions: boolean) {
  const chosen = folders.filter((folder) => folder.endsWith('/get-openapi') === showsDescriptions);
  const starts = chosen.flatMap((_, index) => (index % functionsPerPass === 0 ? [index] : []));
  return starts.map((first) => ({
    pass: chosen.slice(first, first + functionsPerPass),
    plugins: showsDescriptions ? documentPlugins : usualPlugins,
  }));
}

function resolveDestination(path: string, outdir: string): string {
  const within = relative(resolve(outdir), path);
  return within.endsWith('.map') ? join(outdir, 'maps', within) : join(outdir, within);
}

async function save(path: string, contents: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
}

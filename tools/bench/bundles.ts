import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { contracts } from '../../functions/contracts.ts';
import { managementResources } from '../../functions/management/contracts.ts';
import { type AnyContract, managementHost } from '../../shared/contracts/contract.ts';
import type { FunctionFolder } from '../build/bundle.ts';
import { bundle, bundleOptions } from '../build/bundle.ts';

/** The folders of the functions behind an API: one for each endpoint of the six hosts, one for each resource of the dashboard. */
export const apiFolders = (): FunctionFolder[] => [
  ...contracts.map(folderOf),
  ...Object.keys(managementResources).map((resource) => `${managementHost}/${resource}`),
];

/** The folder of an endpoint's function. */
export const folderOf = ({ host, name }: AnyContract): FunctionFolder => `${host}/${name}`;

/** The built file of each function, as it runs on Lambda. The key is the function's folder. */
export type Bundles = ReadonlyMap<FunctionFolder, string>;

/** Builds functions from the current sources into a separate folder, because a running platform may use dist/. */
export async function buildBundles(folders: readonly FunctionFolder[], outdir: string): Promise<Bundles> {
  await bundle(folders, outdir);
  return bundlesIn(outdir, folders);
}

/** The functions in a folder that the build wrote. */
export function bundlesIn(outdir: string, folders: readonly FunctionFolder[]): Bundles {
  return new Map(folders.map((folder) => [folder, resolve(join(outdir, folder, 'index.cjs'))]));
}

/** Builds the handler that bundles are compared with. It is built like a function, but with the whole SDK. */
export async function buildBareHandler(outdir: string): Promise<string> {
  const outfile = resolve(join(outdir, 'bare.cjs'));
  const { alias: _, external: __, outExtension: ___, ...options } = bundleOptions;
  await build({ ...options, write: true, entryPoints: ['tools/bench/bare-handler.ts'], outfile });
  return outfile;
}

const require = createRequire(import.meta.url);

/** Loads a bundle as a new instance of the function does: without a client or a cached credential. */
export function freshHandler(bundles: Bundles, folder: FunctionFolder): unknown {
  const file = bundles.get(folder);
  if (file === undefined) throw new Error(`${folder} was not built`);
  delete require.cache[file];
  return (require(file) as { readonly handler: unknown }).handler;
}

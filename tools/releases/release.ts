import { readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { build } from 'esbuild';
import type { awsCallMs } from '../../shared/contracts/limits.ts';
import type { Platform } from '../../shared/runtime/platform.ts';
import type { makeDemoWorld } from '../admin/demo/world.ts';
import { bundleOptions, type FunctionFolder, handlerFileOf, listFunctionFolders } from '../build/bundle.ts';
import { recordings } from './notes.ts';

/*
 * The code of a release in one compressed file: every function, and the demonstration's world. A test runs the code of the
 * previous release and of this one on one table, as a deployment does.
 */

/** The code of a release, loaded. */
export interface Release {
  readonly handlers: Readonly<Record<FunctionFolder, unknown>>;
  /** The time limits of this copy of the code. */
  readonly awsCallMs: typeof awsCallMs;
  /** Opens the platform that the environment variables describe, and makes the demonstration's world on it. */
  readonly openWorld: () => Promise<{
    readonly platform: Platform;
    readonly demo: Awaited<ReturnType<typeof makeDemoWorld>>;
  }>;
}

/** A release in its stored form: its code, and the documents that the code reads. */
export interface KeptRelease {
  readonly code: string;
  readonly documents: Readonly<Record<string, string>>;
}

const suffix = '.json.br';
const documentFolder = 'tools/admin/demo';

/** Bundles the sources of the working directory. */
export async function bundleRelease(): Promise<KeptRelease> {
  const folders = listFunctionFolders();
  const handlers = folders.map(
    (folder, position) => `import { handler as h${position} } from './${handlerFileOf(folder)}';`,
  );
  const listed = folders.map((folder, position) => `'${folder}': h${position}`);
  const contents = `${handlers.join('\n')}
    import { makeDemoWorld } from './${documentFolder}/world.ts';
    import { composePlatform } from './shared/runtime/platform.ts';
    import { readConfig } from './shared/runtime/runtime.ts';
    export { awsCallMs } from './shared/contracts/limits.ts';
    export const handlers = { ${listed.join(', ')} };
    export async function openWorld() {
      const platform = composePlatform(readConfig(process.env));
      return { platform, demo: await makeDemoWorld(platform) };
    }`;
  const { outputFiles } = await build({
    ...bundleOptions,
    sourcemap: false,
    stdin: { contents, resolveDir: process.cwd(), loader: 'ts' },
    banner: { js: "const ownUrl=require('node:url').pathToFileURL(__filename).href;" },
    define: { 'import.meta.url': 'ownUrl' },
  });
  const names = readdirSync(documentFolder).filter((name) => name.endsWith('.json'));
  const documents = await Promise.all(
    names.map(async (name) => [name, await readFile(join(documentFolder, name), 'utf8')] as const),
  );
  return { code: outputFiles[0]?.text ?? '', documents: Object.fromEntries(documents) };
}

/** Records the code of the working directory as a release. Returns the file. */
export async function recordRelease(version: string): Promise<string> {
  const file = join(recordings, `${version}${suffix}`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, brotliCompressSync(JSON.stringify(await bundleRelease())));
  return file;
}

/** The versions that are recorded. */
export const recordedVersions = (): string[] =>
  readdirSync(recordings).flatMap((name) => (name.endsWith(suffix) ? [name.slice(0, -suffix.length)] : []));

/** Reads the recording of a version. */
export async function readRecording(version: string): Promise<KeptRelease> {
  return JSON.parse(brotliDecompressSync(await readFile(join(recordings, `${version}${suffix}`))).toString());
}

const require = createRequire(import.meta.url);

/**
 * Unpacks a release to a folder and loads a new copy of it, without the state in memory of earlier copies. The code
 * reads the environment at its first call.
 */
export async function loadRelease({ code, documents }: KeptRelease, folder: string): Promise<Release> {
  const files = { ...documents, 'release.cjs': code };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  const file = resolve(folder, 'release.cjs');
  delete require.cache[file];
  return require(file);
}

import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

/** An entry of Vite's manifest: a file, and what it imports. */
interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
}
type Manifest = Readonly<Record<string, Chunk>>;

/** The sizes of what a browser loads, in bytes of gzipped JavaScript. */
export interface LoadSizes {
  /** The scripts without which no screen of an organisation is shown. */
  readonly first: number;
  /** What each further screen adds, by the source of its route. */
  readonly routes: ReadonlyMap<string, number>;
}

/** Which scripts are loaded when, by their sources. */
export interface LoadOrder {
  /** The routes that are shown first. */
  readonly first: readonly string[];
  /** What is loaded after the first screen, before it is needed. */
  readonly spare: readonly string[];
}

/** Measures a build by its manifest. */
export async function measureLoads(dist: URL, { first, spare }: LoadOrder): Promise<LoadSizes> {
  const manifest: Manifest = JSON.parse(await readFile(new URL('.vite/manifest.json', dist), 'utf8'));
  const entries = Object.keys(manifest).filter((key) => manifest[key]?.isEntry);
  const shown = filesOf([...entries, ...first], manifest);
  const loaded = filesOf([...entries, ...first, ...spare], manifest);
  const routes = Object.keys(manifest).filter((key) => key.includes('?tsr-split=') && !first.includes(key));
  const sizes = new Map<string, number>();
  for (const route of routes) {
    const more = [...filesOf([route], manifest)].filter((file) => !loaded.has(file));
    sizes.set(route, await gzippedBytes(more, dist));
  }
  return { first: await gzippedBytes([...shown], dist), routes: sizes };
}

/** The scripts that chunks need, with everything that they import at once. */
function filesOf(keys: readonly string[], manifest: Manifest, seen = new Set<string>()): Set<string> {
  const files = new Set<string>();
  for (const key of keys) {
    const chunk = manifest[key];
    if (!chunk || seen.has(key)) continue;
    seen.add(key);
    files.add(chunk.file);
    for (const file of filesOf(chunk.imports ?? [], manifest, seen)) files.add(file);
  }
  return files;
}

async function gzippedBytes(files: readonly string[], dist: URL): Promise<number> {
  const scripts = files.filter((file) => file.endsWith('.js'));
  const contents = await Promise.all(scripts.map((file) => readFile(new URL(file, dist))));
  return contents.reduce((sum, content) => sum + gzipSync(content, { level: 9 }).byteLength, 0);
}

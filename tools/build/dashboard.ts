import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The files that the built application is made from. Its libraries are those of the lock file. */
const sources = [
  'dashboard/{index.html,package.json,tsconfig.json,vite.config.ts}',
  'dashboard/{src,public}/**/*',
  'shared/{domain,contracts}/**/*.ts',
  'package-lock.json',
];

/**
 * Builds the dashboard into a folder, unless the folder has the build of the same sources.
 *
 * @returns whether it was built
 * @throws Error with the output of Vite when the build fails
 */
export async function buildDashboard(folder: string): Promise<boolean> {
  const digest = digestOfSources();
  const digestFile = join(folder, '.vite', 'sources');
  if (existsSync(digestFile) && readFileSync(digestFile, 'utf8') === digest) return false;
  await runVite(['build', 'dashboard', '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn']);
  writeFileSync(digestFile, digest);
  return true;
}

function digestOfSources(): string {
  const hash = createHash('sha256');
  const files = sources.flatMap((pattern) => globSync(pattern, { withFileTypes: true }));
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  for (const path of paths.toSorted()) hash.update(`${path}\n`).update(readFileSync(path));
  return hash.digest('hex');
}

const vite = fileURLToPath(new URL('../../node_modules/vite/bin/vite.js', import.meta.url));

/** Runs Vite in a process of its own, which ends with this process. */
async function runVite(args: readonly string[]): Promise<void> {
  // A test has another value, with which the libraries would be larger.
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(process.execPath, [vite, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
  const end = () => child.kill();
  process.once('exit', end);
  const [printed, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  process.off('exit', end);
  if (code !== 0) throw new Error(`the build of the dashboard failed:\n${printed}${errors}`);
}

import { fileURLToPath } from 'node:url';
import { preview } from 'vite';
import { buildDashboard } from '../../../tools/build/dashboard.ts';

const folderOf = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The application, built and served as files. It has no API: a test answers its calls. */
export interface ServedApplication {
  readonly url: string;
  stop(): Promise<void>;
}

/** Builds the application, and serves it on a free port. */
export async function serveApplication(): Promise<ServedApplication> {
  const outDir = folderOf('.local/dashboard');
  await buildDashboard(outDir);
  const configFile = folderOf('dashboard/vite.config.ts');
  const server = await preview({ configFile, logLevel: 'error', build: { outDir }, preview: { port: 0 } });
  const url = server.resolvedUrls?.local[0];
  if (!url) throw new Error('the preview of the application has no address');
  return { url: url.replace(/\/$/, ''), stop: () => server.close() };
}

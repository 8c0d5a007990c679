import { fileURLToPath } from 'node:url';
import { build, preview } from 'vite';

const configFile = fileURLToPath(new URL('../../../dashboard/vite.config.ts', import.meta.url));

/** The application, built and served as files. It has no API: a test answers its calls. */
export interface ServedApplication {
  readonly url: string;
  stop(): Promise<void>;
}

/** Builds the application, and serves it on a free port. */
export async function serveApplication(): Promise<ServedApplication> {
  await build({ configFile, logLevel: 'error' });
  const server = await preview({ configFile, logLevel: 'error', preview: { port: 0, strictPort: false } });
  const url = server.resolvedUrls?.local[0];
  if (!url) throw new Error('the preview of the application has no address');
  return { url: url.replace(/\/$/, ''), stop: () => server.close() };
}

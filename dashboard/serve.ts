import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createServer, type ProxyOptions } from 'vite';

/** `npm run dashboard`: serves the application from its sources, with hot reload, against the platform of `npm start`. */

const usage = `npm run dashboard [-- options]

Serves the dashboard from its sources: a change is seen at once. Its API is that of the platform that npm start runs.
Sign in at the dashboard of npm start first: both have the same session.

  --port N         port of the page (default: 5173)
  --state-dir DIR  state folder of the platform (default: .local)
  --help           prints this help`;

const options = {
  port: { type: 'string', default: '5173' },
  'state-dir': { type: 'string', default: '.local' },
  help: { type: 'boolean', default: false },
} as const;

/** @throws Error with what to do when no platform runs, or one without a dashboard */
function findDashboard(stateDirectory: string): string {
  const file = join(stateDirectory, 'platform.json');
  try {
    const { sites }: { sites: { dashboard?: string } } = JSON.parse(readFileSync(file, 'utf8'));
    if (sites.dashboard) return sites.dashboard;
  } catch {
    throw new Error(`no platform runs (there is no ${file}): run npm start in another terminal first`);
  }
  throw new Error('the platform was started with --no-dashboard: start it without');
}

async function serve({ port, stateDirectory }: { readonly port: number; readonly stateDirectory: string }) {
  const dashboard = findDashboard(stateDirectory);
  const api: ProxyOptions = {
    target: dashboard,
    changeOrigin: true,
    // The API takes changes from the dashboard's own origin only. This page has another port, and stands for it; the
    // requests of other pages keep their origin, and are refused.
    configure: (proxy) => {
      proxy.on('proxyReq', (onward, { headers }) => {
        if (headers.origin === `http://127.0.0.1:${port}`) onward.setHeader('origin', dashboard);
      });
    },
  };
  const server = await createServer({
    configFile: fileURLToPath(new URL('vite.config.ts', import.meta.url)),
    server: { host: '127.0.0.1', port, strictPort: true, proxy: { '/api': api } },
  });
  await server.listen();
  server.printUrls();
  console.log(`  The API is that of ${dashboard}/, where you sign in.`);
}

try {
  const { values } = parseArgs({ options });
  if (values.help) console.log(usage);
  else await serve({ port: Number(values.port), stateDirectory: values['state-dir'] });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

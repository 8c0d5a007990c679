import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { exampleReply } from '../../../test/browser/support/fixture-api.ts';
import { buildDashboard } from '../../build/dashboard.ts';
import { folder } from '../report.ts';

/** The application as a browser gets it from the delivery network: compressed files, and an API with example data. */
export interface Site {
  readonly url: string;
  close(): Promise<void>;
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** Builds the application and serves it on a free port. */
export async function openSite(): Promise<Site> {
  const directory = resolve(folder, 'dashboard-site');
  await buildDashboard(directory);
  const server = createServer((request, response) => answer(request, response, directory));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, directory: string): void {
  const { pathname } = new URL(request.url ?? '/', 'http://site');
  if (pathname.startsWith('/api/')) {
    const { status, body } = replyTo(pathname);
    send(response, { status, type: 'application/json', content: Buffer.from(JSON.stringify(body)) });
    return;
  }
  const found = join(directory, pathname);
  const file = pathname !== '/' && existsSync(found) ? found : join(directory, 'index.html');
  const type = mediaTypes[extname(file)] ?? 'application/octet-stream';
  send(response, { status: 200, type, content: readFileSync(file) });
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly content: Buffer;
}

function send(response: ServerResponse, { status, type, content }: Reply): void {
  const compressed = gzipSync(content);
  response.writeHead(status, {
    'content-type': type,
    'content-encoding': 'gzip',
    'content-length': compressed.byteLength,
    'cache-control': type === 'text/html' ? 'no-cache' : 'max-age=31536000, immutable',
  });
  response.end(compressed);
}

/** The draft of the bench, whose flows are the first flow of the example, repeated. */
export const largeCampaign = { id: 12, flows: 16 } as const;

function replyTo(pathname: string) {
  const { status, body } = exampleReply(pathname, 'filled');
  const isLarge = pathname.endsWith(`/campaigns/${largeCampaign.id}`);
  return { status, body: isLarge ? withManyFlows(structuredClone(body)) : body };
}

interface Flow {
  readonly id: number;
}

/** Repeats the first flow of the draft. A saved draft is this draft again. */
function withManyFlows(body: unknown): unknown {
  const { data } = body as { data: { draft: { document: { flows: Flow[] } } } };
  const { document } = data.draft;
  const [first] = document.flows;
  document.flows = Array.from({ length: largeCampaign.flows }, (_, position) => renumber(first, position * 100));
  return body;
}

/** A copy whose parts have other ids. */
function renumber(value: unknown, by: number): Flow {
  const text = JSON.stringify(value, (name, inner) => (name === 'id' ? inner + by : inner));
  return JSON.parse(text);
}

import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type LocalPlatform, type StartedPlatform, startLocalPlatform } from './local-platform.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address at which the browser tests ask for their platform. */
    platformDesk: string;
  }
}

/**
 * Vitest's global setup of the browser tests. All files share one platform. It is started when the first of them asks for
 * it, because other tests of the same run may have a platform before. With HOSTS (the platform.json of
 * a platform that runs) nothing is started.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'browser-'));
  let started: Promise<StartedPlatform> | undefined;
  const { HOSTS } = process.env;
  const find = (): LocalPlatform | Promise<LocalPlatform> => {
    if (HOSTS) return { ...JSON.parse(readFileSync(HOSTS, 'utf8')), stateDirectory: dirname(HOSTS) };
    started ??= startLocalPlatform(directory);
    return started;
  };
  const desk = createServer((_, response) => void answer(response, find));
  await once(desk.listen(0, '127.0.0.1'), 'listening');
  project.provide('platformDesk', `http://127.0.0.1:${(desk.address() as AddressInfo).port}`);
  return async () => {
    desk.close();
    await started?.then(
      (platform) => platform.stop(),
      () => undefined,
    );
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
}

async function answer(response: ServerResponse, find: () => LocalPlatform | Promise<LocalPlatform>): Promise<void> {
  try {
    response.end(JSON.stringify(await find()));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type PlatformAddresses, startLocalPlatform } from './local-platform.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    localPlatform: PlatformAddresses;
  }
}

/** Vitest's global setup of the browser tests: they share one platform with the data of the demonstration. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'browser-'));
  const { stop, ...addresses } = await startLocalPlatform(directory);
  project.provide('localPlatform', addresses);
  return async () => {
    await stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The fields of .local/platform.json that the demonstration reads. */
export interface LocalPlatform {
  readonly hosts: Readonly<Record<'base' | 'reward' | 'campaign' | 'user' | 'order' | 'notification', string>>;
  readonly demo: {
    readonly merchant: Organisation;
    readonly partner: Organisation;
    readonly partnership: { readonly uuid: string };
    readonly campaigns: Readonly<Record<'earn' | 'redeem' | 'welcome' | 'signup', number>>;
    readonly members: readonly Member[];
    /** Absent when the platform hosts the partner's program. */
    readonly program?: { readonly url: string };
  };
}
interface Organisation {
  readonly id: number;
  readonly apiKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
}
export interface Member {
  readonly id: number;
  readonly uuid: string;
  readonly accessToken: string;
  /** The merchant's own id of the member. */
  readonly externalId: string;
}

/** npm runs scripts in the folder of the project, and passes the folder of the caller in INIT_CWD. */
const callersFolder = process.env.INIT_CWD ?? process.cwd();
const defaultState = fileURLToPath(new URL('../../.local', import.meta.url));
const startLimitMs = 60_000;

interface UsedPlatform {
  readonly platform: LocalPlatform;
  /** The state folder. */
  readonly state: string;
  readonly release: () => Promise<void>;
}

/**
 * Returns the platform that runs on a state folder, or starts one that runs until `release` is called.
 *
 * @throws Error when the platform was started without the demonstration
 */
export async function usePlatform(stateDir: string | undefined): Promise<UsedPlatform> {
  const state = stateDir === undefined ? defaultState : resolve(callersFolder, stateDir);
  const running = await findRunning(state);
  // Without the demonstration, `demo` is empty.
  if (running && !('members' in running.demo)) {
    throw new Error(
      `the platform of ${state} has no demonstration, because it was started with --no-seed. Stop it and run npm start; ` +
        'or give --state-dir with a new folder, for which the demonstration starts a platform of its own',
    );
  }
  if (running) return { platform: running, state, release: async () => {} };

  console.log('No platform is running: the demonstration starts one. (`npm start` starts one that keeps running.)\n');
  const child = spawn(process.execPath, ['tools/local/main.ts', '--state-dir', state], {
    cwd: new URL('../..', import.meta.url),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    return { platform: await waitUntilReady(child, state), state, release: () => stop(child) };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

async function waitUntilReady(child: ChildProcess, state: string): Promise<LocalPlatform> {
  const deadline = performance.now() + startLimitMs;
  while (performance.now() < deadline) {
    const platform = await findRunning(state);
    if (platform) return platform;
    if (child.exitCode !== null) {
      throw new Error(`the platform ended with status ${child.exitCode} before it was ready`);
    }
    await sleep(200);
  }
  throw new Error('the platform is not ready after a minute');
}

/** A killed platform leaves platform.json behind. So the platform counts as running only if its base host replies. */
async function findRunning(state: string): Promise<LocalPlatform | undefined> {
  const stateFile = join(state, 'platform.json');
  if (!existsSync(stateFile)) return undefined;
  try {
    const platform: LocalPlatform = JSON.parse(await readFile(stateFile, 'utf8'));
    await fetch(platform.hosts.base);
    return platform;
  } catch {
    return undefined;
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await ended;
}

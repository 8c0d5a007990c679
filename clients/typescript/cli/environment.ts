import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HostName } from '../src/index.ts';

/** The platform that a command calls, and the organisation that the command acts as. */
export interface Environment {
  readonly hosts: Readonly<Record<HostName, string>>;
  readonly partnerKey: string;
  /** The file of the running listener. The listener writes its address there, and `trigger` reads it. */
  readonly listenerFile: string;
}

/** What `trigger` needs to know about a running listener. */
export interface RunningListener {
  readonly url: string;
  readonly salt: string;
}

/** A mistake of the developer who runs a command. The command prints only its message. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The part of platform.json that the commands read. */
interface PlatformFile {
  readonly hosts: Environment['hosts'];
  readonly demo: Readonly<Record<string, { readonly apiKey: string } | undefined>>;
}

/**
 * Reads the file that `npm start` writes, and the API key of one organisation of the demonstration. `REWARDS_API_KEY`
 * replaces the key.
 *
 * @param organisation `merchant` or `partner`
 * @throws UsageError when no platform runs, or the organisation is unknown
 */
export function readEnvironment(file: string, organisation: string): Environment {
  if (!existsSync(file)) {
    throw new UsageError(`there is no ${file}: start the platform with npm start, or name its file with --platform`);
  }
  const { hosts, demo }: PlatformFile = JSON.parse(readFileSync(file, 'utf8'));
  const partnerKey = process.env.REWARDS_API_KEY ?? demo[organisation]?.apiKey;
  if (partnerKey === undefined) {
    throw new UsageError(
      `the demonstration has no ${organisation}: use --as merchant, --as partner or REWARDS_API_KEY`,
    );
  }
  return { hosts, partnerKey, listenerFile: join(dirname(file), 'listener.json') };
}

/** Returns the running listener, or undefined when none runs. */
export function findListener(file: string): RunningListener | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

export function announceListener(file: string, listener: RunningListener): void {
  writeFileSync(file, JSON.stringify(listener), { mode: 0o600 });
}

export function removeListener(file: string): void {
  rmSync(file, { force: true });
}

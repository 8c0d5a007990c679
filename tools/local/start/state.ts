import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Platform } from '../platform-options.ts';

/** What tools and tests find in platform.json. */
export interface PlatformFile {
  readonly hosts: Platform['hosts'];
  readonly aws: Platform['aws'];
  /** What the seed printed: organisations, credentials, members. Empty when nothing was seeded. */
  readonly demo: Readonly<Record<string, unknown>>;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is a running one, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The state folder of one start. Only one platform may have it. */
export class State {
  readonly directory: string;
  readonly #lock: string;
  readonly file: string;

  constructor(directory: string) {
    this.directory = directory;
    this.#lock = join(directory, 'pid');
    this.file = join(directory, 'platform.json');
  }

  /** @throws Error when a platform that still runs has the folder */
  take(): void {
    mkdirSync(this.directory, { recursive: true });
    try {
      writeFileSync(this.#lock, String(process.pid), { flag: 'wx' });
    } catch {
      const owner = Number(readFileSync(this.#lock, 'utf8'));
      if (owner !== process.pid && isRunning(owner)) throw this.#taken(owner);
      // Left behind by one that was killed.
      writeFileSync(this.#lock, String(process.pid));
    }
    rmSync(this.file, { force: true });
  }

  #taken(owner: number): Error {
    return new Error(
      `a platform runs here already (process ${owner}), its addresses are in ${this.file}; ` +
        'stop it, or start another one beside it with --state-dir DIR',
    );
  }

  /** Whole or not at all: whoever waits for the file may read it as soon as it is there. */
  publish(content: PlatformFile): void {
    const draft = `${this.file}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`);
    renameSync(draft, this.file);
  }

  release(): void {
    rmSync(this.file, { force: true });
    rmSync(this.#lock, { force: true });
  }
}

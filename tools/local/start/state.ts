import { cpSync, existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Platform } from '../platform-options.ts';

/** The content of platform.json. */
export interface PlatformFile {
  readonly hosts: Platform['hosts'];
  /** The addresses for people; empty with `--no-dashboard`. */
  readonly sites: Platform['sites'];
  readonly aws: Platform['aws'];
  /** The API reference: a page to read and try the API in. */
  readonly reference: string;
  /**
   * How to send events of payment platforms by hand. The accounts are absent when the platform was started without
   * seed.
   */
  readonly payments: Payments;
  /** Empty when the platform was started without seed. */
  readonly demo: Demo;
}

/** The queue of payments. For each source, its bus and the names that an event has to contain. */
export interface Payments {
  readonly queueUrl: string;
  readonly stripe: PaymentSource & Partial<SeededPayments['stripe']>;
  readonly shopify: PaymentSource & Partial<SeededPayments['shopify']>;
  readonly canonical: PaymentSource & Partial<SeededPayments['canonical']>;
}

interface PaymentSource {
  readonly source: string;
  readonly bus: string;
}

/** The payment accounts that the seed connected. */
export interface SeededPayments {
  readonly stripe: { readonly account: string; readonly customer: string };
  readonly shopify: { readonly shop: string };
  readonly canonical: { readonly merchantId: number };
}

/** Joins the addresses of the platform with the accounts of the seed. */
export function toPayments(
  { aws, payments: { queueUrl, partnerSources } }: Pick<Platform, 'aws' | 'payments'>,
  seeded: SeededPayments | undefined,
): Payments {
  const partner = (prefix: string): PaymentSource => {
    const source = partnerSources.find((one) => one.startsWith(prefix)) ?? '';
    return { source, bus: source };
  };
  return {
    queueUrl,
    stripe: { ...partner('aws.partner/stripe.com/'), ...seeded?.stripe },
    shopify: { ...partner('aws.partner/shopify.com/'), ...seeded?.shopify },
    canonical: { source: 'rewards.payments', bus: aws.bus, ...seeded?.canonical },
  };
}

/** The result of the seed. Only the fields that the start uses are declared here; the file contains all. */
export interface Demo {
  readonly merchant?: Organisation;
  readonly partner?: Organisation;
  readonly members?: readonly Member[];
  /** The people who can sign in to the dashboard. */
  readonly people?: readonly Person[];
  readonly partnership?: { readonly uuid: string };
  readonly campaigns?: { readonly earn: number };
  readonly trigger?: { readonly name: string };
  /** The loyalty program of the partner. */
  readonly program?: { readonly url: string };
}

/** Everything that the seed printed. */
export type Seeded = Demo & { readonly payments?: SeededPayments };

interface Organisation {
  readonly id: number;
  readonly name: string;
  readonly apiKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface Person {
  readonly name: string;
  readonly email: string;
  readonly organisation: string;
  readonly roles: readonly string[];
}

interface Member {
  readonly id: number;
  readonly name: string;
  readonly uuid: string;
  readonly accessToken: string;
  readonly points: number;
}

/** The state folder of a platform. Two running platforms cannot use the same folder. */
export class StateFolder {
  readonly directory: string;
  readonly platformFile: string;
  readonly #lockFile: string;

  constructor(directory: string) {
    this.directory = directory;
    this.platformFile = join(directory, 'platform.json');
    this.#lockFile = join(directory, 'pid');
  }

  /**
   * Takes the folder for this process. If several starts compete, exactly one gets the folder, even if a killed
   * platform left its lock behind.
   *
   * @throws Error when a running platform uses the folder
   */
  lock(): void {
    mkdirSync(this.directory, { recursive: true });
    while (!this.#claim()) {
      const owner = this.#readOwner();
      if (owner !== process.pid && isRunning(owner)) throw this.#inUseError(owner);
      this.#removeLockOf(owner);
    }
    rmSync(this.platformFile, { force: true });
  }

  /** Creates the lock with its content in one step. Returns false when there is a lock. */
  #claim(): boolean {
    const draft = `${this.#lockFile}.${process.pid}`;
    writeFileSync(draft, String(process.pid));
    try {
      linkSync(draft, this.#lockFile);
      return true;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      return false;
    } finally {
      rmSync(draft, { force: true });
    }
  }

  /** Returns the id of the process that has the lock, or 0 when the lock is gone or empty. */
  #readOwner(): number {
    return existsSync(this.#lockFile) ? Number(readFileSync(this.#lockFile, 'utf8')) || 0 : 0;
  }

  /** Removes the lock of a process that has ended. */
  #removeLockOf(owner: number): void {
    const aside = `${this.#lockFile}.${process.pid}.old`;
    try {
      renameSync(this.#lockFile, aside);
    } catch (error) {
      // Another start was faster.
      if (hasCode(error, 'ENOENT')) return;
      throw error;
    }
    // If another start has replaced the lock meanwhile, that start gets its lock back.
    if ((Number(readFileSync(aside, 'utf8')) || 0) !== owner) linkSync(aside, this.#lockFile);
    rmSync(aside);
  }

  #inUseError(owner: number): Error {
    return new Error(
      `a platform runs here already (process ${owner}), its addresses are in ${this.platformFile}; ` +
        'stop it, or start another one beside it with npm start -- --state-dir DIR ' +
        `(if process ${owner} is no platform, delete ${this.#lockFile})`,
    );
  }

  /** Writes platform.json. */
  publish(content: PlatformFile): void {
    writeInOneStep(this.platformFile, `${JSON.stringify(content, null, 2)}\n`);
  }

  /** Releases the folder, if this process has it. */
  unlock(): void {
    if (this.#readOwner() !== process.pid) return;
    rmSync(this.platformFile, { force: true });
    rmSync(this.#lockFile, { force: true });
  }
}

/**
 * The tables and queues that `--persist` keeps, and the result of their seed. The seed is done completely or not at
 * all: a copy of the earlier data is kept until the seed is complete. After a kill, the next start begins with that
 * copy.
 */
export class DataFolder {
  readonly directory: string;
  readonly #before: string;
  readonly #demoFile: string;

  constructor(stateDirectory: string) {
    this.directory = join(stateDirectory, 'data');
    this.#before = join(stateDirectory, 'data.before-seed');
    this.#demoFile = join(this.directory, 'demo.json');
  }

  /** Prepares the folder for a start, before any service opens it. */
  prepare({ isSeeded }: { readonly isSeeded: boolean }): void {
    if (this.demo === undefined && existsSync(this.#before)) {
      // The seed was interrupted. The copy stays until the folder is restored, so this step can be interrupted too.
      rmSync(this.directory, { recursive: true, force: true });
      renameSync(this.#before, this.directory);
    }
    const draft = `${this.#before}.draft`;
    for (const rest of [this.#before, draft]) rmSync(rest, { recursive: true, force: true });
    mkdirSync(this.directory, { recursive: true });
    if (!isSeeded || this.demo) return;
    cpSync(this.directory, draft, { recursive: true });
    renameSync(draft, this.#before);
  }

  /** The result of the seed; undefined while there is none. */
  get demo(): Seeded | undefined {
    return existsSync(this.#demoFile) ? JSON.parse(readFileSync(this.#demoFile, 'utf8')) : undefined;
  }

  /** Stores the result of the seed: from now on the data is kept. */
  keep(demo: Seeded): void {
    writeInOneStep(this.#demoFile, JSON.stringify(demo));
    rmSync(this.#before, { recursive: true, force: true });
  }
}

/** Writes a file. A reader finds the complete new content or the file as it was before. */
function writeInOneStep(file: string, content: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content);
  renameSync(draft, file);
}

function isRunning(pid: number): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs, but belongs to another user.
    return hasCode(error, 'EPERM');
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCompanion } from '../companion.ts';
import { toUrl } from '../ports.ts';

/** The loyalty program of the demonstration's partner. It runs in its own process and has its own books. */
export interface DemoProgram {
  readonly url: string;
  /** The secret that the program shares with the platform. */
  readonly secret: string;
  /** Tells the program where to report changes. */
  reportTo(url: string): Promise<void>;
  stop(): Promise<void>;
}

export interface DemoProgramOptions {
  readonly port: number;
  /** Keeps the books and the secret for the next start. */
  readonly dataDirectory?: string | undefined;
}

const script = 'tools/program-server/main.ts';
const startLimitMs = 30_000;
const pauseMs = 50;

/**
 * Starts the program.
 * @throws Error with its output when it does not answer
 */
export async function startDemoProgram({ port, dataDirectory }: DemoProgramOptions): Promise<DemoProgram> {
  const secret = dataDirectory === undefined ? newSecret() : keptSecret(dataDirectory);
  const books = dataDirectory === undefined ? [] : ['--file', join(dataDirectory, 'program.json')];
  const companion = await startCompanion(process.execPath, [script, '--port', String(port), ...books], {
    PROGRAM_SECRET: secret,
  });
  const url = toUrl(port);
  const isEnded = companion.ended.then(() => true);
  const deadline = performance.now() + startLimitMs;
  while (!(await answers(url))) {
    const hasEnded = await Promise.race([isEnded, sleep(pauseMs, false)]);
    if (hasEnded || performance.now() > deadline) {
      await companion.stop();
      throw new Error(`node ${script} does not answer at ${url}: ${companion.errorOutput()}`);
    }
  }
  return {
    url,
    secret,
    reportTo: (reportUrl) => control(url, 'settings', { report_url: reportUrl }),
    stop: () => companion.stop(),
  };
}

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

function keptSecret(dataDirectory: string): string {
  const file = join(dataDirectory, 'program-secret');
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const secret = newSecret();
  mkdirSync(dataDirectory, { recursive: true });
  writeFileSync(file, secret, { mode: 0o600 });
  return secret;
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/control/books`).then(
    ({ ok }) => ok,
    () => false,
  );

async function control(url: string, name: string, body: object): Promise<void> {
  const response = await fetch(`${url}/control/${name}`, { method: 'PUT', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}/control/${name} returned ${response.status}: ${await response.text()}`);
}

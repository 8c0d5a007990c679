import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { AwsAddresses } from '../platform-options.ts';
import type { DemoProgram } from './demo-program.ts';
import type { Seeded } from './state.ts';

interface SynthesizeOptions {
  readonly stateDirectory: string;
  /** Whether the dashboard is built. */
  readonly dashboard: boolean;
  readonly signal: AbortSignal;
}

/**
 * Builds the functions and the dashboard, and synthesizes the stage `local`. Returns the folder of the cloud assembly.
 * @throws Error with the script's output when it fails
 */
export async function synthesize({ stateDirectory, dashboard, signal }: SynthesizeOptions): Promise<string> {
  const args = [stateDirectory, ...(dashboard ? [] : ['--no-dashboard'])];
  return runScript('tools/build/assemble.ts', { args, signal });
}

export interface SeedOptions {
  readonly aws: AwsAddresses;
  /** The server that becomes the program of the demonstration's partner. */
  readonly program: Pick<DemoProgram, 'url' | 'secret'>;
  readonly signal: AbortSignal;
}

/**
 * Creates the demonstration's organisations, members and campaigns with `tools/admin/seed.ts`. Returns what the script
 * printed.
 * @throws Error with the script's output when it fails
 */
export async function seed({ aws, program, signal }: SeedOptions): Promise<Seeded> {
  const environment = {
    ...operatorEnvironment(aws),
    WEBHOOK_HTTP_HOSTS: new URL(program.url).hostname,
    PROGRAM_URL: program.url,
    PROGRAM_SECRET: program.secret,
  };
  return JSON.parse(await runScript('tools/admin/seed.ts', { environment, signal }));
}

/** A program whose address has changed since the kept data was written. */
interface MovedProgram extends Pick<SeedOptions, 'program' | 'signal'> {
  readonly partnerId: number;
  /** The first port of the platform. */
  readonly portBase: string;
}

/** Connects the partner of the demonstration to its program again. */
export async function reconnect({ program: { url, secret }, partnerId, portBase, signal }: MovedProgram) {
  const args = ['program', 'connect', String(partnerId), '--url', url, '--secret', secret, '--port-base', portBase];
  await runScript('tools/admin/main.ts', { args, signal });
}

/** The environment variables that connect an operator's command to the platform. */
export function operatorEnvironment(aws: AwsAddresses): Record<string, string> {
  return {
    STAGE: 'local',
    TABLE_NAME: aws.table,
    BUS_NAME: aws.bus,
    AWS_REGION: aws.region,
    AWS_ACCESS_KEY_ID: 'operator',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: aws.dynamodb,
    AWS_ENDPOINT_URL_SQS: aws.sqs,
    AWS_ENDPOINT_URL_EVENTBRIDGE: aws.events,
    AWS_ENDPOINT_URL_SCHEDULER: aws.scheduler,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.secrets,
  };
}

interface ScriptOptions {
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Ends the script. */
  readonly signal: AbortSignal;
}

const textOf = (stream: Readable | null) => (stream ? text(stream) : '');

/** Runs a script of the project and returns the last line that it printed. */
async function runScript(script: string, { args = [], environment, signal }: ScriptOptions): Promise<string> {
  const child = spawn(process.execPath, [script, ...args], {
    // `ipc`: when this process is killed, the channel to the script closes. So the script notices it.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...environment },
    signal,
  });
  const [stdout, stderr, [code]] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    once(child, 'close'),
  ]);
  if (code !== 0) throw new Error(`node ${script} failed:\n${stdout}${stderr}`);
  return stdout.trim().split('\n').at(-1) ?? '';
}

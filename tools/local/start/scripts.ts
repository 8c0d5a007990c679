import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { AwsAddresses } from '../platform-options.ts';
import type { Seeded } from './state.ts';

/**
 * Builds the functions and synthesizes the stage `local`. Returns the folder of the cloud assembly.
 * @throws Error with the script's output when it fails
 */
export async function synthesize(stateDirectory: string, signal: AbortSignal): Promise<string> {
  return runScript('tools/build/assemble.ts', { args: [stateDirectory], signal });
}

export interface SeedOptions {
  readonly aws: AwsAddresses;
  readonly stateDirectory: string;
  /** Kept tables contain the data of an earlier seed. Its result was kept with them and is used again. */
  readonly persist: boolean;
  readonly signal: AbortSignal;
}

/**
 * Creates the demonstration's organisations, members and campaigns with `tools/admin/seed.ts`. Returns what the script
 * printed.
 * @throws Error with the script's output when it fails
 */
export async function seed({ aws, stateDirectory, persist, signal }: SeedOptions): Promise<Seeded> {
  const keptFile = join(stateDirectory, 'data', 'demo.json');
  if (persist && existsSync(keptFile)) return JSON.parse(readFileSync(keptFile, 'utf8'));

  const printed = await runScript('tools/admin/seed.ts', { environment: operatorEnvironment(aws), signal });
  const demo: Seeded = JSON.parse(printed || '{}');
  if (persist) {
    mkdirSync(dirname(keptFile), { recursive: true });
    writeFileSync(keptFile, JSON.stringify(demo));
  }
  return demo;
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

/** Runs a script of the project and returns the last line that it printed. */
async function runScript(script: string, { args = [], environment, signal }: ScriptOptions): Promise<string> {
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
    signal,
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`node ${script} failed:\n${stdout}${stderr}`);
  return stdout.trim().split('\n').at(-1) ?? '';
}

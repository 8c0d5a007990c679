import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { codeHostOf, contracts } from '../../../functions/contracts.ts';
import type { AnyContract } from '../../../shared/contracts/contract.ts';
import type { Reply } from '../../../shared/http/reply.ts';
import { eventOf } from '../../support/call.ts';
import { fc } from '../../support/fast-check.ts';
import { makeWorld } from '../../support/world.ts';
import { lootOf } from './loot.ts';
import { type Loot, materialFor } from './material.ts';
import { brokenPromise } from './promise.ts';
import { type FuzzedRequest, requestsTo } from './requests.ts';

/**
 * Sends tens of thousands of fuzzed requests to the handlers: no reply is a failure or a timeout,
 * every reply has the promised shape. `FC_SEED=<seed>` repeats an earlier run.
 */

const requestsInAll = 20_000;
/** Requests sent in parallel. */
const batch = 8;
const batches = Math.ceil(requestsInAll / contracts.length / batch);
const limitMs = 10_000;
const seed = fc.readConfigureGlobal().seed ?? Date.now() % 2 ** 31;

let loot: Loot;
let sent = 0;
beforeAll(async () => {
  process.stdout.write(`fuzz: FC_SEED=${seed}\n`);
  loot = await lootOf(await makeWorld());
});

type Handler = (event: unknown, context: unknown) => Promise<Reply>;

async function fault(contract: AnyContract, handler: Handler, request: FuzzedRequest): Promise<string | undefined> {
  const { params, query, headers, body, isBase64Encoded } = request;
  const event = eventOf(contract, { params, query });
  const reply = await Promise.race([
    handler({ ...event, headers, multiValueHeaders: {}, body, isBase64Encoded }, { awsRequestId: 'fuzz' }),
    sleep(limitMs, undefined, { ref: false }),
  ]);
  sent += 1;
  if (!reply) return `no reply within ${limitMs} ms`;
  const lowered = Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value]));
  if (lowered['x-request-id'] !== event.requestContext.requestId) return 'the id of another request';
  return brokenPromise(contract, { status: reply.statusCode, headers: lowered, text: reply.body });
}

describe('fuzzed requests', () => {
  it.each(contracts.map((contract) => [`${contract.host}/${contract.name}`, contract] as const))(
    'get only documented replies from %s',
    async (_, contract) => {
      const { handler } = await import(`../../../functions/${codeHostOf(contract)}/${contract.name}/handler.ts`);
      const requests = fc.array(requestsTo(contract, materialFor(contract, loot)), {
        minLength: batch,
        maxLength: batch,
      });
      await fc.assert(
        fc.asyncProperty(requests, async (all) => {
          const faults = await Promise.all(all.map((request) => fault(contract, handler, request)));
          expect(faults.filter(Boolean)).toEqual([]);
        }),
        { seed, numRuns: batches },
      );
    },
    120_000,
  );

  it(`are at least ${requestsInAll} in total`, () => {
    expect(sent).toBeGreaterThanOrEqual(requestsInAll);
  });
});

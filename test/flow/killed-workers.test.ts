import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { partitions } from '../../shared/contracts/table.ts';
import { exists } from '../../shared/store/table/table-client.ts';
import type { FaultRule } from '../../tools/local/dynamodb/faults.ts';
import { cannot, useFlow } from './support/flow.ts';
import { newMember } from './support/members.ts';
import { account, authenticate, buy, completed, create, ledger } from './support/purchase.ts';
import { quiet } from './support/queues.ts';
import { untilItWorks } from './support/retry.ts';
import { expectGenuine, heard, subscribe } from './support/webhooks.ts';

/** Kills a worker before or after one of its DynamoDB calls. */

const flow = useFlow();
afterEach(() => flow.inside?.clearFaults());

const dying = (fault: 'killBefore' | 'killAfter', operation: string, nth = 1) => ({ fault, operation, nth }) as const;
type Death = ReturnType<typeof dying>;
const named = ({ fault, operation, nth }: Death) =>
  `${fault === 'killBefore' ? 'before' : 'after'} ${operation} ${nth}`;
const cases = (...deaths: Death[]) => deaths.map((death) => [named(death), death] as const);

const hasHappened = async () => expect(await flow.inside.faultHits()).toEqual([1]);

describe.skipIf(cannot.lookInside)('endpoint 1, when its worker is killed,', () => {
  it.each(
    cases(
      dying('killBefore', 'GetItem'),
      dying('killAfter', 'GetItem'),
      dying('killBefore', 'Query', 2),
      dying('killAfter', 'Query', 2),
      dying('killBefore', 'TransactWriteItems'),
      dying('killAfter', 'TransactWriteItems'),
    ),
  )('reserves the points once when the request is repeated (%s)', async (_, death) => {
    const member = await newMember(flow, 1000);
    const ask = { what: 'redeem', amount: 4, order: randomUUID(), member } as const;
    await flow.inside.injectFaults({ ...death, function: 'reward/authenticate-transaction' });
    const asked = await untilItWorks(() => authenticate(flow, ask));
    await hasHappened();

    expect(asked).toMatchObject({ status: 200, body: { data: { authentication_status: 1 } } });
    const { memberships } = (await flow.platform.members.find(member.id)) ?? {};
    expect(memberships).toMatchObject([{ availablePoints: 600, heldPoints: 400 }]);
    const created = await create(flow, asked.body.data.authentication_id, { member });
    await completed(flow, created.body.data.reward_transactions[0].id);
    expect((await ledger(flow, member)).map(({ points }) => points)).toEqual([1000, -400]);
  });
});

describe.skipIf(cannot.lookInside)('endpoint 2, when its worker is killed,', () => {
  const creating = 'reward/create-transaction';

  it.each(
    cases(
      dying('killBefore', 'GetItem', 1),
      dying('killAfter', 'GetItem', 2),
      dying('killBefore', 'TransactWriteItems'),
      dying('killAfter', 'TransactWriteItems'),
    ),
  )('creates one transaction when the request is repeated (%s)', async (_, death) => {
    const member = await newMember(flow, 1000);
    const asked = await authenticate(flow, { what: 'redeem', amount: 4, member });
    const token = asked.body.data.authentication_id;
    const { rewards } = (await flow.platform.claims.findByToken(token)) ?? {};
    await flow.inside.injectFaults({ ...death, function: creating });
    const created = await untilItWorks(() => create(flow, token, { member }));
    await hasHappened();

    const wasWritten = named(death) === 'after TransactWriteItems 1';
    expect(created.status).toBe(wasWritten ? 409 : 200);
    await completed(flow, rewards?.[0]?.id ?? 0);
    expect((await ledger(flow, member)).map(({ points }) => points)).toEqual([1000, -400]);
    expect(await account(flow, member)).toMatchObject({ total_rewards: 600, total_rewards_redeemed: 400 });
  });

  it.each(
    cases(
      dying('killAfter', 'PutItem'),
      dying('killBefore', 'TransactWriteItems'),
      dying('killAfter', 'TransactWriteItems'),
    ),
  )('accepts a repetition with the same idempotency key after its lock has expired (%s)', async (_, death) => {
    const member = await newMember(flow, 1000);
    const asked = await authenticate(flow, { what: 'redeem', amount: 4, member });
    const headers = { 'Idempotency-Key': randomUUID() };
    const again = () => create(flow, asked.body.data.authentication_id, { member, headers });
    await flow.inside.injectFaults({ ...death, function: creating });
    expect((await again()).status).toBe(500);
    await hasHappened();

    const early = await again();
    if (early.status !== 200) expect(early).toMatchObject({ status: 409, body: { error: 'request_in_progress' } });
    await giveUpClaims();
    const created = await again();
    expect(created.status).toBe(200);
    const [view] = created.body.data.reward_transactions;
    expect(view).toMatchObject({ reward_amount: 400, status: 1 });
    await completed(flow, view.id);
    expect((await ledger(flow, member)).map(({ points }) => points)).toEqual([1000, -400]);
  });
});

describe.skipIf(cannot.lookInside)('consumers, when their workers are killed,', () => {
  it('move points once and deliver every event', async () => {
    const deaths: FaultRule[] = [
      { ...dying('killBefore', 'TransactWriteItems'), function: 'consumers/sync-with-program' },
      { ...dying('killAfter', 'TransactWriteItems'), function: 'consumers/sync-with-program' },
      { ...dying('killBefore', 'Query'), function: 'consumers/fan-out-event' },
      { ...dying('killBefore', 'BatchWriteItem'), function: 'consumers/deliver-slow-webhook' },
    ];
    const subscriber = await subscribe(flow, flow.demo.merchant);
    const members = await Promise.all(deaths.map(() => newMember(flow, 1000)));
    await flow.inside.injectFaults(...deaths);
    const bought = await Promise.all(members.map((member) => buy(flow, { what: 'redeem', amount: 4, member })));
    for (const { uuid_id } of bought) await heard(subscriber, uuid_id);
    await quiet(flow);
    expect(await flow.inside.faultHits()).toEqual([1, 1, 1, 1]);

    for (const member of members) {
      expect((await ledger(flow, member)).map(({ points }) => points)).toEqual([1000, -400]);
    }
    for (const delivery of subscriber.received) expectGenuine(delivery, subscriber);
    // Delivery is at least once: an event in flight when its worker died may arrive twice.
    expect(new Set(subscriber.received.map(({ headers }) => headers['webhook-id'])).size).toBe(3 * members.length);
    await subscriber.close();
  });
});

/** Expires the locks of the idempotency keys whose requests died. */
async function giveUpClaims(): Promise<void> {
  const calls = await flow.inside.calls();
  const claims = new Set(calls.flatMap(({ keys }) => keys).filter((key) => key.startsWith(partitions.idempotency)));
  for (const [pk = '', sk = ''] of [...claims].map((key) => key.split(' / '))) {
    const changes = { set: { lockedUntil: new Date().toISOString() } };
    await flow.platform.table.write({ kind: 'update', key: { pk, sk }, changes, when: exists });
  }
}

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { contract } from '../../../functions/base/send-trigger/contract.ts';
import { handler as sendTrigger } from '../../../functions/base/send-trigger/handler.ts';
import { listRecords } from '../../../shared/operations/ledger/list-records.ts';
import { call } from '../../support/call.ts';
import { fc } from '../../support/fast-check.ts';
import { anOrderBody, orderOf, postOrder } from '../../support/order-story.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { admin, useWorld, world } from './admin-world.ts';

let shopper: Shopper;
const number = randomUUID();

useWorld(async () => {
  shopper = await newShopper(world, 5_000);
  const { earn, redeem } = world.demo.campaigns;
  await createBy(shopper, await ask(shopper, { campaignId: earn, amount: 10, order: number }));
  for (const amount of [1, 2]) await ask(shopper, { campaignId: redeem, amount });
});

const listed = (...more: string[]) => admin.script(`transaction list --member ${shopper.id}`, ...more);
const idsOf = ({ json }: Awaited<ReturnType<typeof listed>>): number[] =>
  json.transactions.map(({ id }: { id: number }) => id);

describe('the command transaction list', () => {
  it('lists the transactions of a member, newest first', async () => {
    const { status, json } = await listed();

    expect(status).toBe(0);
    expect(json.hasMore).toBe(false);
    expect(json.transactions).toMatchObject([
      { type: 'REDEEM', state: 'INITIATED', user_id: shopper.id, amount_cents: 200 },
      { type: 'REDEEM', state: 'INITIATED', amount_cents: 100 },
      { type: 'EARN', state: 'PENDING', order: number },
    ]);
  });

  it('shows every transaction exactly once over all pages', async () => {
    const all = idsOf(await listed());
    const paged: number[] = [];
    for (let after: string[] = []; ; ) {
      const page = await listed('--limit', '1', ...after);
      paged.push(...idsOf(page));
      if (!page.json.hasMore) break;
      after = ['--after', page.json.transactions[0].uuid];
    }

    expect(paged).toEqual(all);
    expect((await admin.read('transaction list --limit 1')).out).toContain('There are more: --after');
  });

  it.each<[string, () => string[], number]>([
    ['a state', () => ['--state', 'PENDING'], 1],
    ['a campaign', () => ['--campaign', String(world.demo.campaigns.redeem)], 2],
    ['a partnership', () => ['--partnership', world.demo.partnership.uuid], 3],
    ['a merchant', () => ['--merchant', 'Corner Coffee'], 3],
    ['a period that has not begun', () => ['--since', '2999-01-01T00:00:00Z'], 0],
    ['a period that is over', () => ['--until', '2020-01-01T00:00:00Z'], 0],
  ])('filters by %s', async (_, filter, found) => {
    expect(idsOf(await listed(...filter()))).toHaveLength(found);
  });

  it('prints CSV with one line for each transaction', async () => {
    const { out } = await admin.read(`transaction list --member ${shopper.id} --csv`);

    const [columns, first] = out.split('\n');
    expect(columns).toBe(
      'uuid,id,created_at,type,state,points,cashback_cents,amount_cents,user_id,merchant_id,partner_id,campaign_id,order,reverses',
    );
    expect(first?.split(',')[3]).toBe('REDEEM');
  });
});

describe('the command trigger events', () => {
  it('lists the events that callers sent, also those without a member', async () => {
    const { demo } = world;
    const send = (user: object) =>
      call(sendTrigger, contract, {
        headers: { 'x-api-key': demo.merchant.apiKey },
        params: { id: demo.partnership.uuid },
        body: { trigger_name: demo.trigger.name, transaction_context: demo.trigger.context, ...user },
      });
    const known = await send({ external_user_id: shopper.externalId });
    await send({ external_user_id: 'a stranger' });
    const all = await admin.script(`trigger events --partnership ${demo.partnership.uuid}`);
    const unmatched = await admin.script('trigger events --state UNMATCHED');

    expect(all.json.events).toMatchObject([
      { state: 'UNMATCHED', external_user_id: 'a stranger', user_id: null },
      { uuid: known.body.data.trigger_event_id, state: 'RECEIVED', user_id: shopper.id },
    ]);
    expect(unmatched.json.events).toHaveLength(1);
  });
});

describe('the commands order', () => {
  it('`find` finds the transactions of a token by the merchant’s order number', async () => {
    const { status, json } = await admin.script(`order find ${number}`);

    expect(status).toBe(0);
    expect(json.orders).toMatchObject([
      {
        merchant: { name: 'Corner Coffee' },
        order: null,
        transactions: [{ type: 'EARN', externalTransactionId: number }],
      },
    ]);
  });

  it('`find` and `list` show an external order', async () => {
    const id = `order-${randomUUID()}`;
    const body = anOrderBody({ user: { merchant_external_id: shopper.externalId }, order_external_id: id });
    const { uuid } = await orderOf(world, await postOrder(world, body));
    const found = await admin.script(`order find ${id} --of "Corner Coffee"`);
    const { json } = await admin.script(`order list --member ${shopper.id} --state PENDING`);

    expect(found.json.orders).toMatchObject([{ order: { uuid, state: 'PENDING', total_cents: 10_800 } }]);
    expect(json.orders).toMatchObject([{ uuid, order: id }]);
  });
});

describe('listRecords()', () => {
  it('shows every record on exactly one page', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat({ max: 500 })), fc.integer({ min: 1, max: 9 }), async (numbers, limit) => {
        const records = numbers.map((one) => ({
          ...{ uuid: String(one).padStart(4, '0'), userId: 1, merchantId: 1, state: 'OPEN' },
          createdAt: '2026-03-08T12:00:00.000Z',
        }));
        const read = async function* () {
          yield* records;
        };
        const found: string[] = [];
        for (let after: string | undefined; ; ) {
          const page = await listRecords(read(), { limit, after });
          found.push(...page.records.map(({ uuid }) => uuid));
          if (!page.hasMore) break;
          after = page.records.at(-1)?.uuid;
        }
        expect(found).toEqual(
          records
            .map(({ uuid }) => uuid)
            .toSorted()
            .toReversed(),
        );
      }),
    );
  });
});

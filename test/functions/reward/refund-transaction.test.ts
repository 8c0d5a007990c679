import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contract } from '../../../functions/reward/refund-transaction/contract.ts';
import { handler } from '../../../functions/reward/refund-transaction/handler.ts';
import { type Answer, call } from '../../support/call.ts';
import { aFlowOf, runCampaign } from '../../support/campaigns.ts';
import { announcementsOf, confirmAll, processedOrder } from '../../support/order-story.ts';
import { readBooks, reconcile } from '../../support/reconcile.ts';
import { aSecondProgram, linkTo } from '../../support/second-program.ts';
import { settleRefund } from '../../support/settle.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let shopper: Shopper;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  shopper = await newShopper(world, 5_000);
});
afterEach(async () => expect(await reconcile(world.table)).toEqual([]));

/** A transaction of endpoint 2 as its reply shows it, with its UUID. */
interface Created {
  readonly id: number;
  readonly uuid: string;
}

/** Calls endpoints 1 and 2. Each dollar earns two points, or costs a hundred points. */
async function bought(campaignId: number, amount: number, order: string = randomUUID()): Promise<Created[]> {
  const { body } = await createBy(shopper, await ask(shopper, { campaignId, amount, order }));
  const ids: number[] = body.data.reward_transactions.map(({ id }: Created) => id);
  const found = await Promise.all(ids.map((id) => world.platform.transactions.find(id)));
  return found.flatMap((one) => (one ? [{ id: one.id, uuid: one.uuid }] : []));
}

async function paid(amount = 20): Promise<Created> {
  const [payment] = await bought(world.demo.campaigns.redeem, amount);
  if (!payment) throw new Error('nothing was paid');
  return payment;
}

/** Reports a refund, as the merchant unless `headers` name another caller. */
function report(id: string | number, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return call(handler, contract, {
    params: { reward_transaction_id: String(id) },
    headers: { 'x-api-key': world.demo.merchant.apiKey, ...headers },
    body: { refund_external_id: randomUUID(), ...body },
  });
}

/** Applies refunds that were announced for a transaction. The program confirms. */
async function apply({ uuid }: Created): Promise<void> {
  const event = (await announcementsOf(world, uuid, 'refund_received')).at(-1);
  if (!event) throw new Error('no refund was announced');
  await settleRefund(event, world.platform);
  await confirmAll(world);
}

async function available(): Promise<number | undefined> {
  return (await world.platform.members.find(shopper.id))?.memberships[0]?.availablePoints;
}

describe('endpoint refund-transaction, reply 200', () => {
  it('returns the refund, and gives paid points back in proportion', async () => {
    const payment = await paid(20);
    await confirmAll(world);
    expect(await available()).toBe(3_000);

    const answer = await report(payment.id, { refund_external_id: 'part', amount: 500 });
    expect(answer).toMatchObject({ status: 200, body: { code: 'ok' } });
    expect(answer.body.data).toEqual({
      refund_external_id: 'part',
      transaction_id: payment.uuid,
      amount: 500,
      status: 'pending',
      created_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    await apply(payment);
    expect(await available()).toBe(3_500);

    await report(payment.id, { amount: 1_500 });
    await apply(payment);
    expect(await available()).toBe(5_000);
    expect(await world.platform.transactions.find(payment.id)).toMatchObject({ state: 'REVERSED' });
  });

  it('accepts the UUID of the transaction, in upper case too', async () => {
    const payment = await paid();
    for (const id of [payment.uuid, payment.uuid.toUpperCase()]) {
      expect(await report(id, { amount: 1 })).toMatchObject({
        status: 200,
        body: { data: { transaction_id: payment.uuid } },
      });
    }
  });

  it('reverses both legs of a transfer when the request names one leg', async () => {
    const hotels = await aSecondProgram(world);
    await linkTo(world, shopper, hotels.id, 0);
    const action = {
      ...{ id: 11, ownerId: world.demo.partner.id, kind: 'TRANSFER_POINTS' as const },
      ...{ fromPartnerId: world.demo.partner.id, toPartnerId: hotels.id, conversionRateBp: 5_000, increment: 1_000 },
    };
    const { id } = await runCampaign(world, { type: 'TRANSFER', flows: [aFlowOf({ actions: [action] })] });
    const [first, second] = await bought(id, 2_000);
    await confirmAll(world);
    expect(await available()).toBe(3_000);

    expect((await report(second?.id ?? 0, { amount: 200_000 })).status).toBe(200);
    await apply(first as Created);
    expect(await available()).toBe(5_000);
    const { transactions } = await readBooks(world.table);
    const legs = transactions.filter(({ userId, reverses }) => userId === shopper.id && !reverses);
    expect(legs.map(({ state }) => state)).toEqual(['REVERSED', 'REVERSED']);
  });

  it('shows the refund as pending until the program confirms', async () => {
    const payment = await paid();
    await report(payment.id, { refund_external_id: 'early', amount: 2_000 });
    const [event] = await announcementsOf(world, payment.uuid, 'refund_received');
    if (event) await settleRefund(event, world.platform);
    expect((await report(payment.id, { refund_external_id: 'early', amount: 2_000 })).body.data.status).toBe('pending');

    await confirmAll(world);
    await apply(payment);

    expect(await available()).toBe(5_000);
    expect((await report(payment.id, { refund_external_id: 'early', amount: 2_000 })).body.data.status).toBe('applied');
  });

  it('returns the same reply for the same Idempotency-Key', async () => {
    const payment = await paid();
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = { refund_external_id: 'keyed', amount: 1 };
    const first = await report(payment.id, body, headers);
    const second = await report(payment.id, body, headers);
    expect([second.status, second.body, second.headers['Idempotent-Replayed']]).toEqual([200, first.body, 'true']);
  });
});

describe('endpoint refund-transaction, reply 404 transaction_does_not_exist', () => {
  it('is the same for unknown ids and other callers', async () => {
    const payment = await paid();
    const { outsider, partner } = world.demo;
    const answers = [
      await report('nonsense', { amount: 1 }),
      await report(1, { amount: 1 }),
      await report(world.platform.nextUuid(), { amount: 1 }),
      await report(payment.id, { amount: 1 }, { 'x-api-key': outsider.apiKey }),
      await report(payment.id, { amount: 1 }, { 'x-api-key': partner.apiKey }),
    ];
    for (const { status, body } of answers) {
      const { request_id: _request, ...rest } = body;
      expect({ status, ...rest }).toEqual({
        status: 404,
        error: 'transaction_does_not_exist',
        message: 'The transaction does not exist',
      });
    }
  });
});

describe('endpoint refund-transaction, reply 409', () => {
  it('is refund_already_exists for a used refund id with another amount', async () => {
    const payment = await paid();
    await report(payment.id, { refund_external_id: 'used', amount: 100 });
    const answer = await report(payment.id, { refund_external_id: 'used', amount: 101 });
    expect(answer).toMatchObject({ status: 409, body: { error: 'refund_already_exists' } });
  });

  it('is refund_exceeds_transaction when the refunds exceed the amount of the transaction', async () => {
    const payment = await paid(20);
    expect((await report(payment.id, { amount: 2_000 })).status).toBe(200);
    expect(await report(payment.id, { amount: 1 })).toMatchObject({
      status: 409,
      body: { error: 'refund_exceeds_transaction' },
    });
  });

  it('is transaction_not_refundable for a transaction of an order', async () => {
    const name = randomUUID();
    const [payment] = await bought(world.demo.campaigns.redeem, 20, name);
    const order = await processedOrder(world, await newShopper(world), name);
    expect(await report(payment?.id ?? 0, { amount: 1 })).toMatchObject({
      status: 409,
      body: { error: 'transaction_not_refundable', message: expect.stringContaining(order.uuid) },
    });
  });

  it('is transaction_not_refundable for an unspent token and a reversal', async () => {
    await ask(shopper, { campaignId: world.demo.campaigns.redeem, amount: 20 });
    const payment = await paid(10);
    await confirmAll(world);
    await report(payment.id, { amount: 1_000 });
    await apply(payment);
    const { transactions } = await readBooks(world.table);
    const own = transactions.filter(({ userId }) => userId === shopper.id);
    const others = own.filter(({ state, reverses }) => state === 'INITIATED' || reverses);
    expect(others).toHaveLength(2);
    for (const { id } of others) {
      expect(await report(id, { amount: 1 })).toMatchObject({
        status: 409,
        body: { error: 'transaction_not_refundable' },
      });
    }
  });
});

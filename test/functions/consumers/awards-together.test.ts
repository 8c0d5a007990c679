import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { handler as processTriggersHandler } from '../../../functions/consumers/process-trigger/handler.ts';
import { handler as settlePurchaseHandler } from '../../../functions/consumers/settle-purchase/handler.ts';
import type { InternalEvent } from '../../../shared/contracts/events.ts';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import { sendTrigger } from '../../../shared/operations/award/send-trigger.ts';
import { unlinkAccount } from '../../../shared/operations/connect/unlink-account.ts';
import { createOrder } from '../../../shared/operations/order/create-order.ts';
import { refundOrder } from '../../../shared/operations/order/refund-order.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { campaignWrites } from '../../../shared/store/campaign/campaigns.ts';
import type { DynamoDbCall } from '../../../tools/local/dynamodb/call.ts';
import { type DynamoDbProxy, startDynamoDbProxy } from '../../../tools/local/dynamodb/proxy.ts';
import { TransactionLocks } from '../../../tools/local/dynamodb/transaction-locks.ts';
import { aUserLimit, earning } from '../../domain/fixtures.ts';
import { aFlowOf, awarding, forLife, runCampaign } from '../../support/campaigns.ts';
import { announcementsOf, confirmAll } from '../../support/order-story.ts';
import { readBooks, reconcile } from '../../support/reconcile.ts';
import { aSecondProgram, linkTo } from '../../support/second-program.ts';
import { ask, newShopper, type Shopper } from '../../support/shoppers.ts';
import { sqsEvent } from '../../support/test-queue.ts';
import { makeWorld, type World, withSources } from '../../support/world.ts';

/** Orders and trigger events that arrive together, on a table with transaction conflicts like those on AWS. */

let world: World;
let platform: Platform;
let proxy: DynamoDbProxy;
let calls: DynamoDbCall[] = [];
beforeAll(async () => {
  world = await makeWorld({ isServed: true });
  ({ platform } = world);
  const onCall = (call: DynamoDbCall) => void calls.push(call);
  proxy = await startDynamoDbProxy({ target: world.table.endpoint, locks: new TransactionLocks(5), onCall });
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.endpoint;
  // The campaigns of the demonstration would reward the orders too.
  const found = await platform.campaigns.partnership(world.demo.partnership.uuid);
  for (const { campaign } of found?.campaigns ?? []) await stop(campaign);
});
beforeEach(() => {
  calls = [];
});
// After all tests: balances, ledger, limits, states, claims and events are consistent.
afterAll(async () => {
  expect(await reconcile(world.table)).toEqual([]);
  await proxy.stop();
});

const stop = (campaign: Campaign) => platform.table.transact(campaignWrites({ ...campaign, status: 'PAUSED' }));

let orderCount = 0;
const start = Date.now() - 60_000;

/** Registers recent orders of a shopper, $10 each, a tenth of a second apart. Recent orders wait for live tokens. */
async function ordersOf({ externalId }: Shopper, count: number): Promise<Order[]> {
  const user = { merchantExternalId: externalId, id: undefined, linkId: undefined };
  const details = { paymentId: null, lineItems: [] };
  const amounts = { totalCents: 1_000, subtotalCents: 1_000, discountCents: 0 };
  return Promise.all(
    Array.from({ length: count }, () => {
      orderCount += 1;
      const at = new Date(start + orderCount * 100);
      const externalOrderId = `together-${orderCount}`;
      const request = { merchantId: world.demo.merchant.id, externalOrderId, user, ...amounts, ...details };
      return createOrder(request, withSources(world, { now: () => at }));
    }),
  );
}

const received = ({ uuid, createdAt }: Pick<Order, 'uuid' | 'createdAt'>): InternalEvent => ({
  id: platform.nextUuid(),
  name: 'order_received',
  entityId: uuid,
  occurredAt: createdAt,
});

type Handler = (event: SQSEvent) => Promise<{ batchItemFailures: { itemIdentifier: string }[] }>;

/** Delivers events in one batch. Returns the entities whose messages failed. */
async function deliver(events: readonly InternalEvent[], handler: Handler = settlePurchaseHandler): Promise<string[]> {
  const batch = sqsEvent(...events.map((detail) => ({ detail })));
  const { batchItemFailures } = await handler(batch);
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  return events
    .filter((_, position) => failed.has(batch.Records[position]?.messageId ?? ''))
    .map((one) => one.entityId);
}

const asTheyAre = (orders: readonly Order[]) => Promise.all(orders.map(({ uuid }) => platform.orders.find(uuid)));
const statesOf = async (orders: readonly Order[]) => (await asTheyAre(orders)).map((order) => order?.state);

/** The points that a campaign gave for each of the orders. */
async function pointsOf({ id }: Campaign, orders: readonly Order[]): Promise<number[]> {
  const { transactions } = await readBooks(world.table);
  const own = transactions.filter(({ campaignId }) => campaignId === id);
  return orders.map(({ externalOrderId }) => {
    const found = own.filter(({ externalTransactionId }) => externalTransactionId === externalOrderId);
    return found.reduce((sum, { points }) => sum + points, 0);
  });
}

const transactions = () => calls.filter(({ operation }) => operation === 'TransactWriteItems');
const ofKey = (part: string) => transactions().filter(({ keys }) => keys.some((key) => key.includes(part)));

/** Runs a campaign of one point per dollar for one test. */
async function during<Result>(
  limit: Parameters<typeof aUserLimit>[0] | null,
  work: (campaign: Campaign) => Promise<Result>,
): Promise<Result> {
  const campaign = await runCampaign(world, { flows: [aFlowOf(limit ? { limits: [aUserLimit(limit)] } : {})] });
  try {
    return await work(campaign);
  } finally {
    await stop(campaign);
  }
}

describe('a refund of a pending order', () => {
  const refund = ({ uuid: orderUuid }: Order) =>
    refundOrder({ merchantId: world.demo.merchant.id, orderUuid, externalRefundId: 'r-1', amountCents: 100 }, platform);
  const announced = ({ uuid }: Order) => announcementsOf(world, uuid, 'refund_received');

  /** The points of the orders' awards that no refund has reversed. */
  async function left({ id }: Campaign, orders: readonly Order[]): Promise<number[]> {
    const all = await readBooks(world.table);
    return orders.map(({ externalOrderId }) => {
      const own = all.transactions.find(
        (one) => one.campaignId === id && one.externalTransactionId === externalOrderId && !one.reverses,
      );
      return (own?.points ?? 0) - (own?.refunds?.points ?? 0);
    });
  }

  it('counts when it arrives in the batch of the order', () =>
    during(null, async (campaign) => {
      const orders = await ordersOf(await newShopper(world), 2);
      const [refunded] = orders as [Order, Order];
      await refund(refunded);
      expect(await deliver([...orders.map(received), ...(await announced(refunded))])).toEqual([]);
      await confirmAll(world);
      expect(await left(campaign, orders)).toEqual([9, 10]);
    }));
});

describe("a member's batch of orders", () => {
  it('is rewarded oldest first, up to the limit', () =>
    during({ unit: 'POINTS', amount: 34 }, async (campaign) => {
      const orders = await ordersOf(await newShopper(world), 6);
      expect(await deliver(orders.map(received).toReversed())).toEqual([]);

      expect(await pointsOf(campaign, orders)).toEqual([10, 10, 10, 4, 0, 0]);
      expect(await statesOf(orders)).toEqual([...Array(4).fill('PROCESSED'), 'REJECTED', 'REJECTED']);
      expect(transactions()).toHaveLength(1);
    }));

  it('is rewarded only for orders that arrived before an unlink', () =>
    during(null, async (campaign) => {
      const shopper = await newShopper(world);
      await linkTo(world, shopper, (await aSecondProgram(world)).id);
      const [before] = await ordersOf(shopper, 1);
      orderCount += 1;
      const at = new Date(start + orderCount * 100);
      const { partner, merchant } = world.demo;
      const request = { userId: shopper.id, partnerId: partner.id, merchantId: merchant.id };
      await unlinkAccount(request, withSources(world, { now: () => at }));
      const [after] = await ordersOf(shopper, 1);
      const orders = [before as Order, after as Order];
      expect(await deliver(orders.map(received))).toEqual([]);

      expect(await pointsOf(campaign, orders)).toEqual([10, 0]);
      expect(await statesOf(orders)).toEqual(['PROCESSED', 'REJECTED']);
    }));

  it(
    'is rewarded in one write while five other batches are processed',
    () =>
      during({ amount: 1_000 }, async (campaign) => {
        const shopper = await newShopper(world);
        const orders = await ordersOf(shopper, 60);
        const batches = Array.from({ length: 6 }, (_, batch) => orders.slice(batch * 10, batch * 10 + 10));
        expect((await Promise.all(batches.map((batch) => deliver(batch.map(received))))).flat()).toEqual([]);

        expect(transactions().filter(({ status }) => status === 200)).toHaveLength(6);
        expect(await pointsOf(campaign, orders)).toEqual(Array(60).fill(10));
        const { usage = [] } = (await platform.members.find(shopper.id)) ?? {};
        expect(usage.map(({ used }) => used)).toEqual([60]);
      }),
    60_000,
  );

  it(
    'may contain another member’s order, which is rewarded in one write',
    () =>
      during({ amount: 1_000 }, async (campaign) => {
        const [busy, neighbour] = [await newShopper(world), await newShopper(world)];
        const [theirs, [own]] = [await ordersOf(busy, 39), await ordersOf(neighbour, 1)];
        if (!own) throw new Error('there is no order');
        const batches = [[...theirs.slice(0, 9), own], ...[9, 19, 29].map((from) => theirs.slice(from, from + 10))];
        await Promise.all(batches.map((batch) => deliver(batch.map(received))));

        expect(await pointsOf(campaign, [own])).toEqual([10]);
        expect(ofKey(`USER#${neighbour.id} `)).toHaveLength(1);
      }),
    60_000,
  );

  it('is rewarded in two writes when the rewards do not fit into one', () =>
    during(null, async () => {
      const actions = Array.from({ length: 16 }, (_, position) => earning(10_000, position + 1));
      const campaign = await runCampaign(world, { flows: [aFlowOf({ actions })] });
      const orders = await ordersOf(await newShopper(world), 6);
      expect(await deliver(orders.map(received))).toEqual([]);
      await stop(campaign);

      expect(await pointsOf(campaign, orders)).toEqual(orders.map(() => 160));
      expect(transactions()).toHaveLength(2);
    }));

  it('reports only unknown orders as failed', () =>
    during(null, async () => {
      const orders = await ordersOf(await newShopper(world), 2);
      const unknown = { ...received(orders[0] as Order), entityId: platform.nextUuid() };
      expect(await deliver([...orders.map(received), unknown])).toEqual([unknown.entityId]);
      expect(await statesOf(orders)).toEqual(['PROCESSED', 'PROCESSED']);
    }));
});

describe('batches of one member at the same time', () => {
  it(
    'reward each order once when they have orders in common',
    () =>
      during({ amount: 8 }, async (campaign) => {
        const orders = await ordersOf(await newShopper(world), 12);
        const batches = [orders.slice(0, 8), orders.slice(4), orders.filter((_, position) => position % 2 === 0)];
        await Promise.all(batches.map((batch) => deliver(batch.map(received))));
        // A message fails when its write conflicts with another batch. The queue delivers it again.
        expect(await deliver(orders.map(received))).toEqual([]);

        const points = await pointsOf(campaign, orders);
        expect(points.toSorted((one, other) => other - one)).toEqual([...Array(8).fill(10), 0, 0, 0, 0]);
        expect(await statesOf(orders)).toEqual(points.map((own) => (own === 10 ? 'PROCESSED' : 'REJECTED')));
      }),
    60_000,
  );

  it(
    'share a limit with tokens of endpoint 1, and never exceed it',
    () =>
      during({ amount: 9 }, async (campaign) => {
        const shopper = await newShopper(world);
        const orders = await ordersOf(shopper, 10);
        const tokens = Array.from({ length: 10 }, () => ask(shopper, { campaignId: campaign.id, amount: 10 }));
        const [answers] = await Promise.all([Promise.all(tokens), deliver(orders.map(received))]);

        const rewarded = (await pointsOf(campaign, orders)).filter((points) => points > 0).length;
        const granted = answers.filter(({ body }) => body.data?.authentication_status === 1).length;
        expect(rewarded + granted).toBe(9);
        expect((await platform.members.find(shopper.id))?.usage.map(({ used }) => used)).toEqual([9]);
      }),
    60_000,
  );
});

describe("a member's batch of trigger events", () => {
  it('is rewarded in one write, until the campaign’s limit is used up', async () => {
    const { partnership, trigger, merchant } = world.demo;
    const { customTriggerId = 0 } = (await platform.triggers.find(partnership.uuid, trigger.name)) ?? {};
    const limits = [forLife('EVENTS', 3)];
    const flows = [awarding({ type: 'CUSTOM', customTriggerId }, 5, { limits })] as unknown as Campaign['flows'];
    await runCampaign(world, { flows });
    const { id, externalId: externalUserId } = await newShopper(world);
    const request = { callerId: merchant.id, partnershipUuid: partnership.uuid, triggerName: trigger.name };
    const sent = await Promise.all(
      Array.from({ length: 5 }, () =>
        sendTrigger({ ...request, userUuid: null, externalUserId, transactionContext: {} }, platform),
      ),
    );
    const events = sent.map(({ uuid, receivedAt }) => received({ uuid, createdAt: receivedAt }));
    expect(await deliver(events, processTriggersHandler)).toEqual([]);

    const after = await Promise.all(sent.map((event) => platform.triggerEvents.find(event.id)));
    expect(after.filter((event) => event?.state === 'PROCESSED')).toHaveLength(3);
    expect(after.filter((event) => event?.state === 'REJECTED')).toHaveLength(2);
    expect((await platform.members.find(id))?.usage.map(({ used }) => used)).toEqual([3]);
    expect(transactions()).toHaveLength(1);
  });
});

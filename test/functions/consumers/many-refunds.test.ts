import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { handler } from '../../../functions/consumers/settle-purchase/handler.ts';
import type { InternalEvent } from '../../../shared/contracts/events.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import { receiveRefund } from '../../../shared/domain/order/refund.ts';
import { Reversals } from '../../../shared/store/ledger/reversals.ts';
import type { DynamoDbCall } from '../../../tools/local/dynamodb/call.ts';
import { type DynamoDbProxy, startDynamoDbProxy } from '../../../tools/local/dynamodb/proxy.ts';
import { TransactionLocks } from '../../../tools/local/dynamodb/transaction-locks.ts';
import { announcementsOf, confirmAll, processedOrder } from '../../support/order-story.ts';
import { readBooks, reconcile } from '../../support/reconcile.ts';
import { settleRefund } from '../../support/settle.ts';
import { newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** Many refunds of one order, on a table with transaction conflicts like those on AWS. */

const many = 200;
/** How many functions receive messages at the same time, and how many messages each receives at once. */
const [functions, batchSize] = [5, 10];
const locks = new TransactionLocks(5);

let world: World;
let proxy: DynamoDbProxy;
let calls: DynamoDbCall[] = [];
beforeAll(async () => {
  world = await makeWorld({ isServed: true });
  proxy = await startDynamoDbProxy({ target: world.table.endpoint, locks, onCall: (call) => void calls.push(call) });
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.endpoint;
});
afterAll(() => proxy.stop());

let shopper: Shopper;
let order: Order;
beforeEach(async () => {
  shopper = await newShopper(world, 0);
  order = await processedOrder(world, shopper);
  await confirmAll(world);
  calls = [];
});

/** Records a refund of the order. */
async function report(amountCents: number): Promise<void> {
  const { now, nextUuid, refunds } = world.platform;
  const reported = { uuid: nextUuid(), externalRefundId: randomUUID(), amountCents };
  await refunds.add(order, receiveRefund(order.uuid, reported, now()), { now: now(), nextUuid });
}

/** Records equal refunds that together refund the whole order of $108. */
async function refundInParts(parts: number): Promise<InternalEvent[]> {
  for (let part = 0; part < parts; part += 1) await report(10_800 / parts);
  return announcementsOf(world, order.uuid, 'refund_received');
}

/** Delivers messages as the queue does, and delivers failed ones again. Returns the number of deliveries. */
async function deliver(events: readonly InternalEvent[]): Promise<number> {
  const left = events.map((detail) => ({ messageId: detail.id, body: JSON.stringify({ detail }) }));
  let deliveries = 0;
  const receive = async () => {
    for (let batch = left.splice(0, batchSize); batch.length > 0; batch = left.splice(0, batchSize)) {
      deliveries += batch.length;
      const { batchItemFailures } = await handler({ Records: batch } as Parameters<typeof handler>[0]);
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      left.push(...batch.filter(({ messageId }) => failed.has(messageId)));
    }
  };
  await Promise.all(Array.from({ length: functions }, receive));
  return deliveries;
}

const callsOf = (operation: string) => calls.filter((call) => call.operation === operation).length;

describe('refunds of one order', () => {
  it('are applied together in few DynamoDB calls', async () => {
    const events = await refundInParts(many);

    expect(await deliver(events)).toBe(many);
    await confirmAll(world);

    // The first run applies what has arrived. The other runs find that nothing is left to do, and write nothing.
    expect(callsOf('TransactWriteItems')).toBeLessThanOrEqual(many / 10);
    const { transactions } = await readBooks(world.table);
    const reversals = transactions.filter(({ reverses, userId }) => reverses && userId === shopper.id);
    expect(reversals).toMatchObject([{ points: 200, state: 'COMPLETED' }]);
    expect(await world.platform.orders.find(order.uuid)).toMatchObject({ state: 'REFUNDED' });
    expect(await reconcile(world.table)).toEqual([]);
  }, 120_000);

  it('end a run as soon as others have settled its report', async () => {
    await report(100);
    const [message] = await announcementsOf(world, order.uuid, 'refund_received');
    let attempts = 0;
    class Slow extends Reversals {
      override async settle(...all: Parameters<Reversals['settle']>) {
        attempts += 1;
        if (message) await settleRefund(message, world.platform);
        await report(100);
        await super.settle(...all);
      }
    }
    const reversals = new Slow(world.platform.table);
    if (message) await settleRefund(message, { ...world.platform, reversals });
    expect(attempts).toBe(2);
    if (message) await settleRefund(message, world.platform);
    await confirmAll(world);

    const found = await world.platform.refunds.findWith(order);
    expect(found?.refunds.map(({ state }) => state)).toEqual(['APPLIED', 'APPLIED', 'APPLIED']);
    expect(await reconcile(world.table)).toEqual([]);
  });
});

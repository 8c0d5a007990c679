import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InternalEvent } from '../../../shared/contracts/events.ts';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import { composePlatform, type Platform } from '../../../shared/runtime/platform.ts';
import { readConfig } from '../../../shared/runtime/runtime.ts';
import { campaignWrites } from '../../../shared/store/campaign/campaigns.ts';
import { type DynamoDbProxy, startDynamoDbProxy } from '../../../tools/local/dynamodb/proxy.ts';
import { TransactionLocks } from '../../../tools/local/dynamodb/transaction-locks.ts';
import { aUserLimit } from '../../domain/fixtures.ts';
import { aFlowOf, runCampaign } from '../../support/campaigns.ts';
import { anOrderBody, orderOf, postOrder } from '../../support/order-story.ts';
import { readBooks, reconcile } from '../../support/reconcile.ts';
import { settleBatch } from '../../support/settle.ts';
import { newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** The number of parallel orders of one member. On their table, transactions conflict as on AWS. */
const many = 200;
/** The queue delivers a message at most this many times. */
const deliveries = 10;
const locks = new TransactionLocks(5);

let world: World;
let proxy: DynamoDbProxy;
let deps: Platform;
beforeAll(async () => {
  world = await makeWorld({ onDynamoDb: true });
  proxy = await startDynamoDbProxy({ target: world.table.endpoint, locks });
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.endpoint;
  deps = composePlatform(readConfig(process.env));
  // The earn campaign of the demonstration would reward the orders too.
  const found = await world.platform.campaigns.partnership(world.demo.partnership.uuid);
  const earn = found?.campaigns.find(({ campaign }) => campaign.id === world.demo.campaigns.earn)?.campaign;
  if (!earn) throw new Error('the world has no campaign');
  await world.platform.table.transact(campaignWrites({ ...earn, status: 'PAUSED' }));
});
afterAll(async () => {
  expect(locks.conflicts).toBeGreaterThan(many);
  expect(await reconcile(world.table)).toEqual([]);
  await proxy.stop();
});

/** Creates pending orders of a shopper, $10 each. */
async function ordersOf({ externalId }: Shopper, count: number): Promise<Order[]> {
  const amounts = { transaction_total: 1_000, transaction_subtotal: 1_000 };
  const body = () => anOrderBody({ user: { merchant_external_id: externalId }, ...amounts });
  const answers = await Promise.all(Array.from({ length: count }, () => postOrder(world, body())));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  return Promise.all(answers.map((answer) => orderOf(world, answer)));
}

/** The event that announces an order. To read it from the table would keep the orders from being parallel. */
const received = ({ uuid: entityId, createdAt: occurredAt }: Order): InternalEvent =>
  InternalEvent.parse({ id: randomUUID(), name: 'order_received', entityId, occurredAt });

/** Settles an order as the consumer does, and retries as the queue does. */
async function reward(order: Order): Promise<void> {
  const event = received(order);
  for (let delivery = 1; ; delivery += 1) {
    const [error] = await settleBatch([event], deps);
    if (error === undefined) return;
    if (delivery === deliveries) throw error;
  }
}

async function rewarded({ id }: Campaign): Promise<number[]> {
  const { transactions } = await readBooks(world.table);
  return transactions.filter(({ campaignId }) => campaignId === id).map(({ points }) => points);
}

describe('two hundred parallel orders of one member', () => {
  it('are rewarded exactly up to the limits', async () => {
    const events = await runCampaign(world, { flows: [aFlowOf({ limits: [aUserLimit({ amount: 9 })] })] });
    const points = await runCampaign(world, {
      flows: [aFlowOf({ limits: [aUserLimit({ unit: 'POINTS', amount: 74 })] })],
    });
    const shopper = await newShopper(world);
    const orders = await ordersOf(shopper, many);
    await Promise.all(orders.map(reward));

    expect(await rewarded(events)).toEqual(Array(9).fill(10));
    expect((await rewarded(points)).toSorted((a, b) => b - a)).toEqual([10, 10, 10, 10, 10, 10, 10, 4]);
    const after = await Promise.all(orders.map(({ uuid }) => world.platform.orders.find(uuid)));
    const states = Object.groupBy(after, (order) => order?.state ?? 'none');
    expect(states.PENDING).toBeUndefined();
    expect((states.PROCESSED ?? []).flatMap((order) => order?.transactionIds ?? [])).toHaveLength(9 + 8);
    expect(states.REJECTED?.every((order) => order?.rejection === 'limit_reached')).toBe(true);
  }, 180_000);
});

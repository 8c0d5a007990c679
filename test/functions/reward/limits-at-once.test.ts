import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Faults } from '../../../tools/local/dynamodb/faults.ts';
import { type DynamoDbProxy, startDynamoDbProxy } from '../../../tools/local/dynamodb/proxy.ts';
import { TransactionLocks } from '../../../tools/local/dynamodb/transaction-locks.ts';
import { aUserLimit } from '../../domain/fixtures.ts';
import type { Answer } from '../../support/call.ts';
import { aFlowOf, runCampaign } from '../../support/campaigns.ts';
import { reconcile } from '../../support/reconcile.ts';
import { type Asked, ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

/**
 * Two hundred parallel requests of one member, on a table with transaction conflicts like those
 * on AWS. In addition, one DynamoDB transaction in ten is refused at random.
 */
const many = 200;
const locks = new TransactionLocks(5);

let world: World;
let proxy: DynamoDbProxy;
beforeAll(async () => {
  world = await makeWorld({ onDynamoDb: true });
  const faults = new Faults(1);
  faults.add({ fault: 'TransactionConflict', operation: 'TransactWriteItems', probability: 0.1 });
  proxy = await startDynamoDbProxy({ target: world.table.endpoint, locks, faults });
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.endpoint;
});
afterAll(async () => {
  expect(locks.conflicts).toBeGreaterThan(many);
  expect(await reconcile(world.table)).toEqual([]);
  await proxy.stop();
});

const times = <Value>(count: number, work: (index: number) => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

const limited = (limit: Parameters<typeof aUserLimit>[0]) =>
  runCampaign(world, { flows: [aFlowOf({ limits: [aUserLimit(limit)] })] });

const statusesOf = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))];
const isGranted = ({ body }: Answer) => body.data?.authentication_status === 1;

/** Requests a token and retries after 429 with `Retry-After`. */
async function askUntilServed(shopper: Shopper, asked: Asked): Promise<Answer> {
  const answer = await ask(shopper, asked);
  if (answer.status !== 429) return answer;
  expect(answer.headers['Retry-After']).toBe('1');
  return askUntilServed(shopper, asked);
}

/** Returns the member's usage of limits. */
async function used({ id }: Shopper): Promise<number[]> {
  return (await world.platform.members.find(id))?.usage.map((one) => one.used) ?? [];
}

/** Spends the tokens and returns the points of each transaction. */
async function pointsOf(shopper: Shopper, answers: readonly Answer[]): Promise<number[]> {
  const created = await Promise.all(answers.filter(isGranted).map((answer) => createBy(shopper, answer)));
  return created.flatMap(({ body }) => body.data.reward_transactions).map((one) => one.reward_amount);
}

describe('two hundred parallel purchases', () => {
  it('get exactly seven rewards under a limit of seven events', async () => {
    const { id: campaignId } = await limited({ amount: 7 });
    const shopper = await newShopper(world);
    const answers = await times(many, () => ask(shopper, { campaignId, amount: 10 }));

    expect(statusesOf(answers)).toEqual([200]);
    expect(answers.filter(isGranted)).toHaveLength(7);
    expect(answers.filter(({ body }) => body.data.authentication_status === 4)).toHaveLength(many - 7);
    expect(await used(shopper)).toEqual([7]);
    expect(await pointsOf(shopper, answers)).toEqual(Array(7).fill(10));
  }, 120_000);

  it('get exactly 500 points under a limit of 500 points', async () => {
    const { id: campaignId } = await limited({ unit: 'POINTS', amount: 500 });
    const shopper = await newShopper(world);
    const answers = await times(many, (index) => ask(shopper, { campaignId, amount: 17 + (index % 5) }));

    expect(statusesOf(answers)).toEqual([200]);
    const points = await pointsOf(shopper, answers);
    expect(points.reduce((sum, next) => sum + next, 0)).toBe(500);
    expect(await used(shopper)).toEqual([500]);
  }, 120_000);

  it('are all rewarded under a limit of 1,000 events', async () => {
    const { id: campaignId } = await limited({ amount: 1_000 });
    const shopper = await newShopper(world);
    const answers = await times(many, () => askUntilServed(shopper, { campaignId, amount: 10 }));

    expect(answers.filter(isGranted)).toHaveLength(many);
    expect(await used(shopper)).toEqual([many]);
  }, 120_000);
});

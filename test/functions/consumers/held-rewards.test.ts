import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { handler } from '../../../functions/consumers/sync-with-program/handler.ts';
import type { PlatformEvent } from '../../../shared/contracts/events.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { endReview } from '../../../shared/operations/ledger/review-held.ts';
import { removeRule, setRule } from '../../../shared/operations/organisation/velocity-rules.ts';
import { syncWithProgram } from '../../../shared/operations/posting/sync-with-program.ts';
import type { LoyaltyProgram } from '../../../shared/programs/program.ts';
import { organisationWrite } from '../../../shared/store/organisation/organisations.ts';
import { noon } from '../../domain/fixtures.ts';
import { Account, type CampaignName } from '../../store/account.ts';
import { aContext } from '../../support/call.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { reconcile } from '../../support/reconcile.ts';
import { sqsEvent } from '../../support/test-queue.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** The rules of the program hold a member's third reward of a day, and each reward beyond 1,000 points in an hour. */

let world: World;
let account: Account;
let orders = 0;
beforeAll(async () => {
  world = await makeWorld();
  const { demo, platform, table } = world;
  // The second partner, whose program receives the transfers of these tests.
  const partner = await platform.organisations.find(demo.partner.id);
  if (partner) await table.client.write(organisationWrite({ ...partner, id: 3, name: 'Harbour Hotels' }));
  await setRule('Skyline Miles', { unit: 'REWARDS', window: 'DAY', most: 2 }, world.platform);
  await setRule('Skyline Miles', { unit: 'POINTS', window: 'HOUR', most: 1_000 }, world.platform);
});
beforeEach(async () => {
  account = await Account.open(world.table, 1_000);
});
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

async function aPending(campaign: CampaignName = 'earn', points = 100): Promise<RewardTransaction> {
  orders += 1;
  const [transaction] = await account.pending({ campaign, externalTransactionId: `velocity-${orders}`, points });
  return transaction as RewardTransaction;
}

function created({ uuid, merchantId, partnerId }: RewardTransaction): PlatformEvent {
  const occurredAt = '2026-03-08T12:00:00.000Z';
  return { id: `event-of-${uuid}`, name: 'transaction_created', entityId: uuid, occurredAt, merchantId, partnerId };
}

const sync = (transaction: RewardTransaction, deps = world.platform) => syncWithProgram(created(transaction), deps);
const now = async ({ id }: RewardTransaction) => (await world.platform.transactions.find(id)) as RewardTransaction;
const stateOf = async (transaction: RewardTransaction) => (await now(transaction)).state;

/** A reward that is held, because two others of the account were posted. */
async function aHeld(): Promise<RewardTransaction> {
  const [first, second, third] = [await aPending(), await aPending(), await aPending()];
  for (const one of [first, second, third]) await sync(one);
  expect(await stateOf(third)).toBe('HELD');
  return third;
}

/** Delivers the events `posting_due` of a transaction. */
async function deliverDue({ uuid }: RewardTransaction): Promise<number> {
  const due = (await outboxEvents(world)).filter((one) => one.name === 'posting_due' && one.entityId === uuid);
  await handler(sqsEvent(...due.map((detail) => ({ detail }))), aContext);
  return due.length;
}

const end = (transaction: RewardTransaction, outcome: 'RELEASED' | 'REFUSED') =>
  endReview(
    { id: String(transaction.id), outcome, reason: 'looked at it' },
    // The review ends at the time of the reward, because a charge is returned only within some weeks of its reward.
    { ...world.platform, now: () => noon },
  );

describe('a reward beyond a velocity rule', () => {
  it('is held and moves no points', async () => {
    const held = await aHeld();
    expect(await account.balance()).toEqual({ availablePoints: 1_200, heldPoints: 0 });
    expect((await now(held)).review).toMatchObject({
      breaches: [{ rule: 'REWARDS_PER_DAY', window: held.createdAt.slice(0, 10), most: 2, used: 2, amount: 1 }],
    });
    expect(await world.platform.postings.heldOf(held.partnerId)).toContain(held.id);
    const events = (await outboxEvents(world)).filter(({ entityId }) => entityId === held.uuid);
    expect(events.map(({ name }) => name)).not.toContain('transaction_status_updated');
  });

  it('is not counted when it alone exceeds the rule', async () => {
    const [large, small] = [await aPending('earn', 1_001), await aPending('earn', 1_000)];
    await sync(large);
    await sync(small);
    expect([await stateOf(large), await stateOf(small)]).toEqual(['HELD', 'COMPLETED']);
  });

  it('is never sent to the partner’s own program', async () => {
    const [held] = [await aPending('earn', 1_001)];
    const own = await world.platform.programs.find(held.partnerId);
    const find = async (): Promise<LoyaltyProgram> => ({ ...own, isHosted: false });
    const noQueue = () => {
      throw new Error('the reward was queued');
    };
    await syncWithProgram(created(held), { ...world.platform, programs: { find } }, noQueue);
    expect(await stateOf(held)).toBe('HELD');
  });

  it('is held, unlike a payment or transfer', async () => {
    await aHeld();
    const paid = await aPending('redeem', 50);
    const [leg] = await account.pending({
      campaign: 'transfer',
      externalTransactionId: 'velocity-transfer',
      points: 20,
    });
    await sync(paid);
    await sync(leg as RewardTransaction);
    expect([await stateOf(paid), await stateOf(leg as RewardTransaction)]).toEqual(['COMPLETED', 'COMPLETED']);
  });
});

describe('a held reward', () => {
  it('is posted once when an operator releases it', async () => {
    const held = await aHeld();
    await end(held, 'RELEASED');
    await expect(end(held, 'RELEASED')).rejects.toThrow('only one in HELD');
    expect(await deliverDue(held)).toBe(1);
    await deliverDue(held);
    expect(await now(held)).toMatchObject({ state: 'COMPLETED', review: { end: { outcome: 'RELEASED' } } });
    expect((await now(held)).counted).toBeUndefined();
    expect(await account.balance()).toMatchObject({ availablePoints: 1_300 });
    expect(await world.platform.postings.heldOf(held.partnerId)).not.toContain(held.id);
  });

  it('becomes FAILED and returns its charges when an operator refuses it', async () => {
    const [first, second] = [await aPending('limitedEarn'), await aPending('limitedEarn')];
    await sync(await aPending());
    await sync(first);
    await sync(second);
    expect(await stateOf(second)).toBe('HELD');
    await end(second, 'REFUSED');
    expect(await now(second)).toMatchObject({ state: 'FAILED', failureReason: 'looked at it' });
    // The daily limit of two events has room again.
    expect(await stateOf(await aPending('limitedEarn'))).toBe('PENDING');
    const events = (await outboxEvents(world)).filter(({ entityId }) => entityId === second.uuid);
    expect(events.filter(({ name }) => name === 'transaction_status_updated')).toHaveLength(1);
  });

  it('is released or refused, not both, when two operators decide at once', async () => {
    for (let round = 0; round < 3; round += 1) {
      account = await Account.open(world.table, 0);
      const held = await aHeld();
      const results = await Promise.allSettled([end(held, 'RELEASED'), end(held, 'REFUSED'), end(held, 'RELEASED')]);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const { state, review } = await now(held);
      expect([state, review?.end?.outcome]).toEqual(
        state === 'FAILED' ? ['FAILED', 'REFUSED'] : ['PENDING', 'RELEASED'],
      );
      await deliverDue(held);
    }
  });
});

describe('a velocity rule', () => {
  it('holds nothing after it was removed', async () => {
    await removeRule('Skyline Miles', { unit: 'POINTS', window: 'HOUR' }, world.platform);
    const large = await aPending('earn', 5_000);
    await sync(large);
    expect(await stateOf(large)).toBe('COMPLETED');
    await setRule('Skyline Miles', { unit: 'POINTS', window: 'HOUR', most: 1_000 }, world.platform);
  });

  it('keeps its count when its maximum changes', async () => {
    const held = await aHeld();
    await setRule('Skyline Miles', { unit: 'REWARDS', window: 'DAY', most: 3 }, world.platform);
    const [third, fourth] = [await aPending(), await aPending()];
    await sync(third);
    await sync(fourth);
    expect(await Promise.all([held, third, fourth].map(stateOf))).toEqual(['HELD', 'COMPLETED', 'HELD']);
    await setRule('Skyline Miles', { unit: 'REWARDS', window: 'DAY', most: 2 }, world.platform);
  });
});

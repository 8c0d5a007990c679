import { beforeAll, describe, expect, it } from 'vitest';
import { validityMs } from '../../shared/contracts/limits.ts';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { Ledger } from '../../shared/store/ledger/ledger.ts';
import { ClaimConflictError, InsufficientPointsError } from '../../shared/store/ledger/transactions.ts';
import { noon } from '../domain/fixtures.ts';
import { reconcile } from '../support/reconcile.ts';
import { makeTestTable, type TestTable } from '../support/test-table.ts';
import { Account, holding, type Order, wins } from './account.ts';

let table: TestTable;
beforeAll(async () => {
  table = await makeTestTable({ onDynamoDb: true });
});

let orders = 0;
const anOrder = (more: Partial<Order> = {}): Order => ({
  campaign: 'redeem',
  externalTransactionId: `order-${++orders}`,
  points: 100,
  ...more,
});
const expired = new Date(noon.getTime() + validityMs.transactionToken);

describe('a reservation for a payment', () => {
  it('moves the points from available to held', async () => {
    const account = await Account.open(table, 1_000);

    const claim = await account.reserve(anOrder({ points: 400 }));

    expect(await account.balance()).toEqual({ availablePoints: 600, heldPoints: 400 });
    const [reward] = claim.rewards;
    expect(await account.transactions.find(reward?.id ?? 0)).toMatchObject({ state: 'INITIATED', points: 400 });
    expect(await account.transactions.findSnapshot(reward?.id ?? 0)).toMatchObject({ campaignId: 6, refused: null });
  });

  it('is written as a whole or not at all', async () => {
    const account = await Account.open(table, 99);
    const order = anOrder({ campaign: 'both', points: 100 });

    await expect(account.reserve(order)).rejects.toBeInstanceOf(InsufficientPointsError);

    expect(await account.find(order)).toBeUndefined();
    expect(await account.balance()).toEqual({ availablePoints: 99, heldPoints: 0 });
  });

  it('is refused with ClaimConflictError and the existing claim of the order', async () => {
    const account = await Account.open(table, 1_000);
    const order = anOrder();
    const claim = await account.reserve(order);

    await expect(account.reserve(order)).rejects.toMatchObject({ name: 'ClaimConflictError', claim });
  });

  it('is refused with ClaimConflictError even when the balance is too low', async () => {
    const account = await Account.open(table, 100);
    const order = anOrder({ points: 100 });
    await account.reserve(order);

    await expect(account.reserve(order)).rejects.toBeInstanceOf(ClaimConflictError);
  });

  it('uses the points of the earlier token that it replaces', async () => {
    const account = await Account.open(table, 1_000);
    const order = anOrder({ points: 900 });
    const earlier = await account.reserve(order);

    await account.transactions.replace(
      holding(earlier),
      account.reservation({ ...order, points: 1_000 }),
      account.context(),
    );

    expect(await account.balance()).toEqual({ availablePoints: 0, heldPoints: 1_000 });
    expect(await account.transactions.find(earlier.rewards[0]?.id ?? 0)).toMatchObject({ state: 'CANCELLED' });
  });

  it('does not replace the earlier token when points are insufficient', async () => {
    const account = await Account.open(table, 1_000);
    const order = anOrder({ points: 900 });
    const earlier = await account.reserve(order);
    const larger = account.reservation({ ...order, points: 1_001 });

    await expect(account.transactions.replace(holding(earlier), larger, account.context())).rejects.toBeInstanceOf(
      InsufficientPointsError,
    );

    expect(await account.find(order)).toEqual(earlier);
    expect(await account.balance()).toEqual({ availablePoints: 100, heldPoints: 900 });
  });

  it('takes over the claim of another member’s expired token', async () => {
    const [one, other] = [await Account.open(table, 500), await Account.open(table, 500)];
    const order = anOrder({ points: 300 });
    const earlier = await one.reserve(order);

    await other.transactions.replace(holding(earlier), other.reservation(order, expired), other.context(expired));

    expect(await one.balance()).toEqual({ availablePoints: 500, heldPoints: 0 });
    expect(await other.balance()).toEqual({ availablePoints: 200, heldPoints: 300 });
  });
});

describe('a transaction token in the table', () => {
  it('cannot be spent after its expiry', async () => {
    const account = await Account.open(table, 1_000);
    const claim = await account.reserve(anOrder());

    expect(await wins(account.transactions.create(claim, account.context(expired)))).toBe(false);
  });

  it('returns all held points when it is cancelled after its expiry', async () => {
    const account = await Account.open(table, 1_000);
    const order = anOrder({ campaign: 'both' });
    const claim = await account.reserve(order);

    await account.transactions.cancel(holding(claim), account.context(expired));

    expect(await account.find(order)).toBeUndefined();
    expect(await account.balance()).toEqual({ availablePoints: 1_000, heldPoints: 0 });
    await account.reserve(order, expired);
  });

  it('keeps the time at which it was spent', async () => {
    const account = await Account.open(table, 1_000);
    const order = anOrder();
    const claim = await account.reserve(order);

    await account.transactions.create(claim, account.context());

    const refusal = await account.transactions.create(claim, account.context()).catch((error) => error);
    expect(refusal.claim).toMatchObject({ state: 'SPENT', spentAt: noon.toISOString() });
  });
});

describe('finalizeTransactions()', () => {
  it.each<[string, Partial<Order>, object, number[]]>([
    [
      'adds earned points when the program confirms',
      { campaign: 'earn' },
      { availablePoints: 1_100, heldPoints: 0 },
      [1_000, 100],
    ],
    [
      'removes paid points when the program confirms',
      { campaign: 'redeem' },
      { availablePoints: 900, heldPoints: 0 },
      [1_000, -100],
    ],
  ])('%s', async (_case, more, balance, points) => {
    const account = await Account.open(table, 1_000);
    const [transaction] = (await account.pending(anOrder(more))) as [RewardTransaction];

    expect(await account.complete(transaction, 'REF-1')).toBe(true);

    expect(await account.balance()).toEqual(balance);
    expect(
      (await new Ledger(table.client).entriesOf(account.member.user.id, 2)).map((entry) => entry.points).sort(),
    ).toEqual(points.sort());
    expect(await account.transactions.find(transaction.id)).toMatchObject({
      state: 'COMPLETED',
      programReference: 'REF-1',
    });
  });

  it.each<[string, Partial<Order>]>([
    ['adds nothing when the program rejects an award', { campaign: 'earn' }],
    ['releases the points when the program rejects a payment', { campaign: 'redeem' }],
  ])('%s', async (_case, more) => {
    const account = await Account.open(table, 1_000);
    const [transaction] = (await account.pending(anOrder(more))) as [RewardTransaction];

    expect(await account.fail(transaction, 'closed account')).toBe(true);

    expect(await account.balance()).toEqual({ availablePoints: 1_000, heldPoints: 0 });
    expect(await account.transactions.find(transaction.id)).toMatchObject({
      state: 'FAILED',
      failureReason: 'closed account',
    });
  });

  it('stores the first answer of the program and ignores later answers', async () => {
    const account = await Account.open(table, 1_000);
    const [transaction] = (await account.pending(anOrder())) as [RewardTransaction];
    await account.complete(transaction);

    expect(await account.complete(transaction)).toBe(false);
    expect(await account.fail(transaction, 'late')).toBe(false);
    expect(await account.balance()).toEqual({ availablePoints: 900, heldPoints: 0 });
  });

  it('stores no answer of the program before the token is spent', async () => {
    const account = await Account.open(table, 1_000);
    const { rewards } = await account.reserve(anOrder());
    const found = (await account.transactions.find(rewards[0]?.id ?? 0)) as RewardTransaction;
    // The caller treats the transaction as pending, although its token is not spent. The write must refuse this.
    const transaction: RewardTransaction = { ...found, state: 'PENDING' };

    expect(await account.complete(transaction)).toBe(false);
    expect(await account.fail(transaction, 'early')).toBe(false);
  });
});

describe('the table after all tests', () => {
  it('violates no invariant', async () => expect(await reconcile(table)).toEqual([]));
});

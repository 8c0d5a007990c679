import { beforeAll, describe, expect, it } from 'vitest';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { InsufficientPointsError } from '../../shared/store/ledger/transactions.ts';
import { noon } from '../domain/fixtures.ts';
import { outboxEvents } from '../support/outbox.ts';
import { readBooks, reconcile } from '../support/reconcile.ts';
import { makeTestTable, type TestTable } from '../support/test-table.ts';
import { Account } from './account.ts';
import { type AccountRefund, aRefund, Refunding } from './refunding.ts';

let table: TestTable;
beforeAll(async () => {
  table = await makeTestTable({ onDynamoDb: true });
});

const rounds = Array.from({ length: 20 }, (_, round) => round);
const order = (externalTransactionId: string, points = 100) => ({
  campaign: 'earn' as const,
  externalTransactionId,
  points,
});

async function pending(account: Account, name: string, points = 100): Promise<RewardTransaction> {
  const [transaction] = await account.pending(order(name, points));
  if (!transaction) throw new Error('nothing was earned');
  return transaction;
}

async function earned(account: Account, name: string, points = 100): Promise<RewardTransaction> {
  const transaction = await pending(account, name, points);
  await account.complete(transaction);
  return transaction;
}

const asItIs = (account: Account, { id }: RewardTransaction) => account.transactions.find(id);

describe('parallel refunds of one transaction', () => {
  it('reverse as many points as one refund of their sum', async () => {
    const account = await Account.open(table, 0);
    const refunding = new Refunding(table, account);
    const original = await earned(account, 'ten at once', 1_005);

    const refunds = rounds.slice(0, 10).map((number) => aRefund(number, 100, 1_005));
    await Promise.all(refunds.map((refund) => refunding.refund(original, refund)));

    expect(await asItIs(account, original)).toMatchObject({
      state: 'COMPLETED',
      refunds: { refundedCents: 1_000, points: 1_000, pendingReversals: 1 },
    });
    expect(await account.balance()).toEqual({ availablePoints: 5, heldPoints: 1_000 });
  });

  it('are counted once when they are the same refund', async () => {
    const account = await Account.open(table, 0);
    const refunding = new Refunding(table, account);
    const original = await earned(account, 'same refund');
    const refund = aRefund(1, 40, 100);

    await Promise.all(rounds.map(() => refunding.refund(original, refund)));

    const { transactions } = await readBooks(table);
    expect(transactions.filter(({ reverses }) => reverses?.id === original.id)).toMatchObject([{ points: 40 }]);
    expect(await account.balance()).toEqual({ availablePoints: 60, heldPoints: 40 });
  });
});

describe('a refund of a pending transaction', () => {
  it('is applied, or announced again, when the completion runs in parallel', async () => {
    const account = await Account.open(table, 0);
    const refunding = new Refunding(table, account);
    for (const round of rounds) {
      const original = await pending(account, `complete-refund-${round}`);
      const refund = aRefund(round, 100, 100);
      const calls = [() => account.complete(original), () => refunding.refund(original, refund)];
      await Promise.all((round % 2 === 0 ? calls : calls.toReversed()).map((begin) => begin()));

      const reversal = await refunding.reversalOf(original, refund);
      const announced = await announcementsOf(original);
      expect([reversal === undefined, announced]).toEqual(reversal ? [false, 0] : [true, 1]);
      await refunding.refund(original, refund);
      expect(await refunding.reversalOf(original, refund)).toMatchObject({ points: 100 });
    }
  });

  it('is applied if the program confirms between the read and the write', async () => {
    const account = await Account.open(table, 0);
    const original = await pending(account, 'answered meanwhile');
    const refunding = new Refunding(table, account, 'within_balance', async () => {
      await account.complete(original);
    });
    expect(await refunding.refund(original, aRefund(1, 100, 100))).toBe(true);
    expect(await refunding.reversalOf(original, aRefund(1, 100, 100))).toMatchObject({ points: 100 });
  });

  it('is applied after the completion under only_pending if it arrived before', async () => {
    const account = await Account.open(table, 0);
    const refunding = new Refunding(table, account, 'only_pending');
    const original = await pending(account, 'waits');
    const [early, other, late] = [aRefund(1, 40, 100), aRefund(2, 20, 100), aRefund(3, 40, 100)].map(
      (refund, number) => ({
        ...refund,
        refundedUuid: 'order that waits',
        receivedAt: new Date(noon.getTime() + number).toISOString(),
      }),
    ) as [AccountRefund, AccountRefund, AccountRefund];
    for (const refund of [early, other]) expect(await refunding.refund(original, refund)).toBe(false);

    await account.complete(original);

    expect(await announcementsOf(original)).toBe(1);
    for (const refund of [early, other, late]) expect(await refunding.refund(original, refund)).toBe(true);
    expect(await refunding.reversalOf(original, other)).toMatchObject({ points: 60 });
    expect(await refunding.reversalOf(original, late)).toBeUndefined();
  });

  it('reverses nothing when the program rejects the transaction', async () => {
    const account = await Account.open(table, 0);
    const refunding = new Refunding(table, account);
    const original = await pending(account, 'rejected');
    const refund = aRefund(1, 100, 100);
    expect(await refunding.refund(original, refund)).toBe(false);
    expect(await refunding.refund(original, refund)).toBe(false);

    await account.fail(original, 'unknown account');

    expect(await announcementsOf(original)).toBe(1);
    expect(await refunding.refund(original, refund)).toBe(true);
    expect(await refunding.reversalOf(original, refund)).toBeUndefined();
  });
});

/** How often the purchase of a transaction was announced again. */
async function announcementsOf({ uuid }: RewardTransaction): Promise<number> {
  const events = await outboxEvents({ table });
  return events.filter(({ name, entityId }) => name === 'purchase_changed' && entityId === uuid).length;
}

describe('a refund during a redemption', () => {
  it('never makes the balance negative under the policy within_balance', async () => {
    for (const round of rounds) {
      const account = await Account.open(table, 0);
      const refunding = new Refunding(table, account);
      const original = await earned(account, `spent-${round}`);
      const refund = aRefund(1, 100, 100);
      const redeem = account
        .reserve({ campaign: 'redeem', externalTransactionId: `redeem-${round}`, points: 70 })
        .then(() => true)
        .catch((error) => {
          if (error instanceof InsufficientPointsError) return false;
          throw error;
        });
      const [isRedeemed] = await Promise.all([redeem, refunding.refund(original, refund)]);

      const reversal = await refunding.reversalOf(original, refund);
      expect(reversal?.shortfallPoints).toBe(isRedeemed ? 70 : undefined);
      await account.complete(reversal as RewardTransaction);
      expect(await account.balance()).toEqual({ availablePoints: 0, heldPoints: isRedeemed ? 70 : 0 });
      expect(await account.owed()).toBe(isRedeemed ? 70 : 0);
    }
  });

  it.each([
    ['spends some of the points', [{ campaign: 'redeem', points: 70 }], 70],
    ['earns more points', [{ campaign: 'earn', points: 25 }], undefined],
  ] as const)(
    'uses the new balance when the member %s between the read and the write',
    async (_case, meanwhile, shortfallPoints) => {
      const account = await Account.open(table, 0);
      const original = await earned(account, `look-${shortfallPoints}`);
      // In this case, a token already holds some of the points.
      if (!shortfallPoints) await account.reserve({ campaign: 'redeem', externalTransactionId: 'look', points: 20 });
      const left = [...meanwhile];
      const refunding = new Refunding(table, account, 'within_balance', async (at) => {
        const next = at === 'balance' ? left.pop() : undefined;
        if (!next) return;
        const [transaction] = await account.pending({ ...next, externalTransactionId: `look-${next.campaign}-next` });
        if (transaction?.type === 'EARN') await account.complete(transaction);
      });
      const refund = aRefund(1, 100, 100);

      await refunding.refund(original, refund);

      expect((await refunding.reversalOf(original, refund))?.shortfallPoints).toBe(shortfallPoints);
      expect((await account.balance()).availablePoints).toBe(shortfallPoints ? 0 : 5);
    },
  );

  it('makes the balance negative under the policy unlimited', async () => {
    const account = await Account.open(table, 0);
    const refunding = new Refunding(table, account, 'unlimited');
    const original = await earned(account, 'owed');
    await account.reserve({ campaign: 'redeem', externalTransactionId: 'owed', points: 70 });
    const refund = aRefund(1, 100, 100);
    await refunding.refund(original, refund);
    const reversal = await refunding.reversalOf(original, refund);
    await account.complete(reversal as RewardTransaction);

    expect(await account.balance()).toEqual({ availablePoints: -70, heldPoints: 70 });
    await expect(account.reserve({ campaign: 'redeem', externalTransactionId: 'more', points: 1 })).rejects.toThrow(
      InsufficientPointsError,
    );
    await earned(account, 'pays it back', 100);
    expect(await account.balance()).toEqual({ availablePoints: 30, heldPoints: 70 });
  });
});

describe('finalizeTransactions(), for reversals,', () => {
  it('sets the original to REVERSED with the last of ten reversals', async () => {
    const account = await Account.open(table, 0);
    const refunding = new Refunding(table, account);
    const original = await earned(account, 'ends at once');
    for (const refund of rounds.slice(0, 10).map((number) => aRefund(number, 10, 100))) {
      expect(await asItIs(account, original)).toMatchObject({ state: 'COMPLETED' });
      await refunding.refund(original, refund);
      const reversal = (await refunding.reversalOf(original, refund)) as RewardTransaction;
      const done = await Promise.all([reversal, reversal].map((one) => account.complete(one, 'ref')));
      expect(done.filter(Boolean)).toHaveLength(1);
    }

    expect(await asItIs(account, original)).toMatchObject({ state: 'REVERSED', refunds: { pendingReversals: 0 } });
    expect(await account.balance()).toEqual({ availablePoints: 0, heldPoints: 0 });
  });

  it('announces the purchase when a refund waited for the reversal of another', async () => {
    const account = await Account.open(table, 0);
    const refunding = new Refunding(table, account);
    const original = await earned(account, 'one after the other');
    const [first, second] = [aRefund(1, 40, 100), aRefund(2, 60, 100)];
    await refunding.refund(original, first);
    expect(await refunding.refund(original, second)).toBe(false);
    expect(await announcementsOf(original)).toBe(0);

    await account.complete((await refunding.reversalOf(original, first)) as RewardTransaction);
    expect(await announcementsOf(original)).toBe(1);
    expect(await refunding.settle(original)).toBe(true);
    expect(await refunding.reversalOf(original, second)).toMatchObject({ points: 60 });
  });

  it('lets the next refund also reverse the points of a rejected reversal', async () => {
    const account = await Account.open(table, 0);
    const refunding = new Refunding(table, account);
    const original = await earned(account, 'refused');
    const [first, second] = [aRefund(1, 40, 100), aRefund(2, 60, 100)];
    await refunding.refund(original, first);
    const reversal = (await refunding.reversalOf(original, first)) as RewardTransaction;

    const answers = await Promise.all([account.fail(reversal, 'not now'), account.fail(reversal, 'not now')]);

    expect(answers.toSorted()).toEqual([false, true]);
    expect(await account.balance()).toEqual({ availablePoints: 100, heldPoints: 0 });
    await refunding.refund(original, second);
    const last = (await refunding.reversalOf(original, second)) as RewardTransaction;
    expect(last.points).toBe(100);
    await account.complete(last);
    expect(await asItIs(account, original)).toMatchObject({ state: 'REVERSED' });
  });

  it('returns the points of a refunded payment to the member', async () => {
    const account = await Account.open(table, 100);
    const refunding = new Refunding(table, account);
    const [redemption] = await account.pending({ campaign: 'redeem', externalTransactionId: 'paid', points: 80 });
    if (!redemption) throw new Error('nothing was redeemed');
    await account.complete(redemption);
    await refunding.refund(redemption, aRefund(1, 20, 80));
    const reversal = (await refunding.reversalOf(redemption, aRefund(1, 20, 80))) as RewardTransaction;
    expect(await account.balance()).toEqual({ availablePoints: 20, heldPoints: 0 });

    await account.complete(reversal);

    expect(await account.balance()).toEqual({ availablePoints: 40, heldPoints: 0 });
  });
});

describe('the table after all races', () => {
  it('violates no invariant', async () => expect(await reconcile(table)).toEqual([]));
});

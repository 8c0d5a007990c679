import { beforeAll, describe, expect, it } from 'vitest';
import { validityMs } from '../../shared/contracts/limits.ts';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { Ledger } from '../../shared/store/ledger/ledger.ts';
import { InsufficientPointsError } from '../../shared/store/ledger/transactions.ts';
import { noon } from '../domain/fixtures.ts';
import { reconcile } from '../support/reconcile.ts';
import { makeTestTable, type TestTable } from '../support/test-table.ts';
import { Account, holding, type Order, wins } from './account.ts';

let table: TestTable;
beforeAll(async () => {
  table = await makeTestTable({ onDynamoDb: true });
});

const rounds = Array.from({ length: 20 }, (_, round) => round);
const order = (externalTransactionId: string, points = 100): Order => ({
  campaign: 'redeem',
  externalTransactionId,
  points,
});
/** The clocks of two functions differ: on one of them the token is valid, on the other it has expired. */
const before = new Date(noon.getTime() + validityMs.transactionToken - 1);
const after = new Date(noon.getTime() + validityMs.transactionToken);

/** Starts two calls at the same time. In every other round it starts them in reverse. */
async function race(round: number, one: () => Promise<boolean>, other: () => Promise<boolean>): Promise<boolean[]> {
  if (round % 2 === 0) return Promise.all([one(), other()]);
  return (await Promise.all([other(), one()])).reverse();
}

describe('parallel changes of one award', () => {
  it('succeed for cancel() or create(), never for both', async () => {
    const account = await Account.open(table, 10_000);
    for (const round of rounds) {
      const claim = await account.reserve(order(`expire-create-${round}`));
      const results = await race(
        round,
        () => wins(account.transactions.cancel(holding(claim), account.context(after))),
        () => wins(account.transactions.create(claim, account.context(before))),
      );

      expect(results.filter(Boolean)).toHaveLength(1);
    }
  });

  it('succeed for replace() or create(), never for both', async () => {
    const account = await Account.open(table, 10_000);
    for (const round of rounds) {
      const claim = await account.reserve(order(`replace-create-${round}`));
      const larger = account.reservation(order(`replace-create-${round}`, 150));
      const results = await race(
        round,
        () => wins(account.transactions.replace(holding(claim), larger, account.context())),
        () => wins(account.transactions.create(claim, account.context())),
      );

      expect(results.filter(Boolean)).toHaveLength(1);
    }
  });

  it('succeed only once when all are replacements', async () => {
    const account = await Account.open(table, 10_000);
    const claim = await account.reserve(order('replace-replace'));
    const results = await Promise.all(
      rounds.map((points) =>
        wins(
          account.transactions.replace(
            holding(claim),
            account.reservation(order('replace-replace', 1 + points)),
            account.context(),
          ),
        ),
      ),
    );

    expect(results.filter(Boolean)).toHaveLength(1);
  });

  it('succeed only once when they are confirmations and a rejection', async () => {
    const account = await Account.open(table, 10_000);
    const [transaction] = (await account.pending(order('complete-twice'))) as [RewardTransaction];

    const completed = await Promise.all([
      ...rounds.map(() => account.complete(transaction)),
      account.fail(transaction, 'no'),
    ]);

    expect(completed.filter(Boolean)).toHaveLength(1);
    const redeemed = (await new Ledger(table.client).entriesOf(account.member.user.id, 2)).filter(
      ({ kind }) => kind !== 'OPENING',
    );
    expect(redeemed.length).toBe(completed.at(-1) ? 0 : 1);
  });
});

describe('fifty parallel redemptions when the balance covers ten', () => {
  it('succeed exactly ten times', async () => {
    const account = await Account.open(table, 1_000);
    const redeem = async (number: number) => {
      try {
        await account.reserve(order(`fifty-${number}`));
        return 'reserved';
      } catch (error) {
        if (error instanceof InsufficientPointsError) return 'insufficient';
        throw error;
      }
    };

    const results = await Promise.all(Array.from({ length: 50 }, (_, number) => redeem(number)));

    expect(results.filter((result) => result === 'reserved')).toHaveLength(10);
    expect(results.filter((result) => result === 'insufficient')).toHaveLength(40);
    expect(await account.balance()).toEqual({ availablePoints: 0, heldPoints: 1_000 });
  });
});

describe('the table after all races', () => {
  it('violates no invariant', async () => expect(await reconcile(table)).toEqual([]));
});

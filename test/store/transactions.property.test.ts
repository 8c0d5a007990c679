import { describe, expect, it } from 'vitest';
import { isLive, repetition } from '../../shared/domain/transaction/purchase.ts';
import { InsufficientPoints, PurchaseChanged } from '../../shared/store/transactions.ts';
import { noon } from '../domain/fixtures.ts';
import { fc } from '../support/fast-check.ts';
import { readBooks, reconcile } from '../support/reconcile.ts';
import { makeTestTable, type TestTable } from '../support/test-table.ts';
import { Account, type CampaignName } from './account.ts';

/** What can happen to one member's orders, said so that fast-check can make it up. */
const orders = fc.record({
  campaign: fc.constantFrom<CampaignName[]>('earn', 'redeem', 'both'),
  externalTransactionId: fc.constantFrom('A', 'B'),
});
const steps = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('ask'), order: orders, points: fc.integer({ min: 1, max: 600 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create'), order: orders }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('expire'), order: orders }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('complete'), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail'), which: fc.nat() }) },
);
/** Some steps at once, then minutes pass. */
const rounds = fc.array(
  fc.record({ steps: fc.array(steps, { minLength: 1, maxLength: 4 }), minutes: fc.constantFrom(0, 0, 6, 11) }),
  { minLength: 5, maxLength: 12 },
);
type Step = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

/** What a step may end in when others are in its way; anything else is a defect. */
const isForeseen = (error: unknown) => error instanceof InsufficientPoints || error instanceof PurchaseChanged;

async function take(step: Step, { account, table, now }: { account: Account; table: TestTable; now: Date }) {
  switch (step.kind) {
    case 'ask':
      return ask(step, account, now);
    case 'create':
    case 'expire': {
      const purchase = await account.find(step.order);
      if (purchase?.state !== 'ISSUED' || isLive(purchase, now) !== (step.kind === 'create')) return;
      if (step.kind === 'create') return account.transactions.create(purchase, undefined, account.stamp(now));
      return account.transactions.expire(purchase, account.stamp(now));
    }
    case 'complete':
    case 'fail': {
      const { transactions } = await readBooks(table);
      const transaction = transactions[step.which % Math.max(1, transactions.length)];
      if (transaction === undefined) return;
      if (step.kind === 'complete') return account.transactions.complete(transaction, undefined, account.stamp(now));
      return account.transactions.fail(transaction, 'rejected', account.stamp(now));
    }
  }
}

/** As endpoint 1 does: the first time, again, or in place of an earlier one. */
async function ask({ order, points }: Extract<Step, { kind: 'ask' }>, account: Account, now: Date) {
  const reservation = account.reservation({ ...order, points }, now);
  const existing = await account.find(order);
  if (existing === undefined) return account.transactions.reserve(reservation, account.stamp(now));
  const asked = { userId: account.member.user.id, amountCents: points, now };
  if (repetition(existing, asked) !== 'replace') return;
  return account.transactions.replace(existing, reservation, account.stamp(now));
}

describe('whatever happens, in any order and at once', () => {
  it('the books add up after every round: ledger, balance, reservations, states and events', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (history) => {
        const table = await makeTestTable();
        const account = await Account.open(table, 1_000);
        let now = noon;
        for (const round of history) {
          const results = await Promise.allSettled(round.steps.map((step) => take(step, { account, table, now })));

          const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
          expect(failures.filter((error) => !isForeseen(error))).toEqual([]);
          expect(await reconcile(table)).toEqual([]);
          now = new Date(now.getTime() + round.minutes * 60_000);
        }
      }),
      // Shrinking would take minutes of a table each: the seed of the first failure is worth more.
      { numRuns: 12, endOnFailure: true },
    );
  }, 60_000);
});

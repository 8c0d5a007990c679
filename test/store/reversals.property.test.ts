import { describe, expect, it } from 'vitest';
import type { ReversalPolicy } from '../../shared/domain/partnership.ts';
import { reversalPolicies } from '../../shared/domain/partnership.ts';
import type { RewardTransaction } from '../../shared/domain/transaction/reward-transaction.ts';
import { InsufficientPoints } from '../../shared/store/transactions.ts';
import { fc } from '../support/fast-check.ts';
import { faultsOf, readBooks } from '../support/reconcile.ts';
import { makeTestTable, type TestTable } from '../support/test-table.ts';
import { Account } from './account.ts';
import { aRefund, Refunding } from './refunding.ts';

/** What can happen to a member's points, said so that fast-check can make it up. Cents are points. */
const amounts = fc.integer({ min: 1, max: 300 });
const steps = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('earn'), points: amounts }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('redeem'), points: amounts }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('refund'), which: fc.nat(), percent: fc.integer({ min: 1, max: 100 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('answer'), which: fc.nat(), isYes: fc.integer({ max: 9, min: 0 }) }),
  },
);
const histories = fc.record({
  policy: fc.constantFrom<ReversalPolicy[]>(...reversalPolicies),
  rounds: fc.array(fc.array(steps, { minLength: 1, maxLength: 4 }), { minLength: 6, maxLength: 14 }),
});
type Step = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

/** A member, its refunds, and how much of each purchase was refunded so far. */
interface Life {
  readonly table: TestTable;
  readonly account: Account;
  readonly refunding: Refunding;
  readonly refundedCents: Map<number, number>;
  steps: number;
}

async function take(step: Step, life: Life): Promise<void> {
  const { account, refunding, table } = life;
  const name = `step-${++life.steps}`;
  if (step.kind === 'earn' || step.kind === 'redeem') {
    await account.pending({ campaign: step.kind, externalTransactionId: name, points: step.points });
    return;
  }
  const { transactions } = await readBooks(table);
  const among = transactions.filter(step.kind === 'refund' ? isRefundable : ({ state }) => state === 'PENDING');
  const chosen = among[step.which % Math.max(1, among.length)];
  if (!chosen) return;
  if (step.kind === 'refund') return refund(chosen, step.percent, life);

  const books = chosen.reverses ? refunding.reversals : account.transactions;
  if (step.isYes > 0) await books.complete(chosen, undefined, account.stamp());
  else await books.fail(chosen, 'no', account.stamp());
}

/** What a token may still make something of is refunded later. */
const isRefundable = ({ state, reverses }: RewardTransaction) => !reverses && state !== 'INITIATED';

/** The merchant gives back a part of what is left. */
async function refund(original: RewardTransaction, percent: number, { refunding, refundedCents, steps: number }: Life) {
  const refunded = refundedCents.get(original.id) ?? 0;
  const amountCents = Math.ceil(((original.amountCents - refunded) * percent) / 100);
  if (amountCents === 0) return;
  refundedCents.set(original.id, refunded + amountCents);
  await refunding.refund(original, aRefund(number, amountCents, original.amountCents));
}

describe('whatever is refunded, in any order and at once', () => {
  it('the books add up after every round, and nobody owes anything who need not', async () => {
    let reversed = 0;
    await fc.assert(
      fc.asyncProperty(histories, async ({ policy, rounds }) => {
        const table = await makeTestTable();
        const account = await Account.open(table, 200);
        const life: Life = {
          table,
          account,
          refunding: new Refunding(table, account, policy),
          refundedCents: new Map(),
          steps: 0,
        };
        for (const round of rounds) {
          const results = await Promise.allSettled(round.map((step) => take(step, life)));

          const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
          expect(failures.filter((error) => !(error instanceof InsufficientPoints))).toEqual([]);
          const books = await readBooks(table);
          expect(faultsOf(books)).toEqual([]);
          const [membership] = books.memberships;
          if (policy !== 'unlimited') expect(membership?.availablePoints).toBeGreaterThanOrEqual(0);
          reversed += books.transactions.filter(({ reverses }) => reverses).length;
        }
      }),
      // Shrinking would take minutes of a table each: the seed of the first failure is worth more.
      { numRuns: 12, endOnFailure: true },
    );
    expect(reversed).toBeGreaterThan(0);
  }, 120_000);
});

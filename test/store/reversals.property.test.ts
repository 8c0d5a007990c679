import { describe, expect, it } from 'vitest';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import type { ReversalPolicy } from '../../shared/domain/partnership.ts';
import { reversalPolicies } from '../../shared/domain/partnership.ts';
import { InsufficientPointsError, LimitConflictError } from '../../shared/store/ledger/transactions.ts';
import { fc } from '../support/fast-check.ts';
import { faultsOf, readBooks } from '../support/reconcile.ts';
import { makeTestTable, type TestTable } from '../support/test-table.ts';
import { Account } from './account.ts';
import { aRefund, Refunding } from './refunding.ts';

/** The points of one reward or payment. The purchase costs one cent for each point. */
const amounts = fc.integer({ min: 1, max: 300 });
/** The refunded share of the remaining amount. A transfer is only reversed as a whole. */
const percents = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.constant(100));
const steps = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('earn'), points: amounts }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('redeem'), points: amounts }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('limitedEarn'), points: amounts }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('transfer'), points: fc.integer({ min: 2, max: 100 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('refund'), which: fc.nat(), percent: percents }),
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

/** A member, and the refunded amount of each purchase. */
interface Life {
  readonly table: TestTable;
  readonly account: Account;
  readonly refunding: Refunding;
  readonly refundedCents: Map<number, number>;
  steps: number;
}

async function take(step: Step, life: Life): Promise<void> {
  const { account, table } = life;
  const name = `step-${++life.steps}`;
  if (step.kind !== 'refund' && step.kind !== 'answer') {
    await account.pending({ campaign: step.kind, externalTransactionId: name, points: step.points });
    return;
  }
  const { transactions } = await readBooks(table);
  const among = transactions.filter(step.kind === 'refund' ? isRefundable : ({ state }) => state === 'PENDING');
  const chosen = among[step.which % Math.max(1, among.length)];
  if (!chosen) return;
  if (step.kind === 'refund') return refund(chosen, step.percent, life);

  await answer(chosen, step.isYes > 0, life);
}

/** The program answers, for both legs of a transfer or of its reversal together. */
async function answer(chosen: RewardTransaction, isYes: boolean, { account, table }: Life): Promise<void> {
  const { transactions } = await readBooks(table);
  const together = [chosen, ...transactions.filter(({ id }) => id === chosen.otherLegId)];
  if (isYes) await account.complete(together);
  else await account.fail(together, 'no');
}

/** The program confirms what is pending. Then the rest of each purchase is refunded, and it confirms the reversals. */
async function refundTheRest(life: Life): Promise<void> {
  const all = async () => (await readBooks(life.table)).transactions;
  const confirmAll = async () => {
    for (const pending of (await all()).filter(({ state }) => state === 'PENDING')) await answer(pending, true, life);
  };
  await confirmAll();
  for (const original of (await all()).filter(isRefundable)) {
    life.steps += 1;
    await refund(original, 100, life);
  }
  await confirmAll();
  // A refund waits for the answer to an earlier reversal. The answer announces the purchase again.
  for (const original of (await all()).filter(isRefundable)) await life.refunding.settle(original);
  await confirmAll();
}

/** A refund waits while a token may still be spent. */
const isRefundable = ({ state, reverses }: RewardTransaction) => !reverses && state !== 'INITIATED';

/** The merchant refunds a share of the amount that is left. */
async function refund(original: RewardTransaction, percent: number, { refunding, refundedCents, steps: number }: Life) {
  const refunded = refundedCents.get(original.snapshotId) ?? 0;
  const amountCents = Math.ceil(((original.amountCents - refunded) * percent) / 100);
  if (amountCents === 0) return;
  refundedCents.set(original.snapshotId, refunded + amountCents);
  await refunding.refund(original, aRefund(number, amountCents, original.amountCents));
}

/** Returns the legs of transfers, and of their reversals, whose state differs from the other leg's. */
function halfOf(transactions: readonly RewardTransaction[]): RewardTransaction[] {
  return transactions.filter(({ otherLegId, state }) => {
    const other = transactions.find(({ id }) => id === otherLegId);
    return otherLegId !== undefined && other?.state !== state;
  });
}

/** A balance or a limit may be used up. Any other error is a defect. */
function failuresOf(result: PromiseSettledResult<void>): unknown[] {
  if (result.status === 'fulfilled') return [];
  const { reason } = result;
  return reason instanceof InsufficientPointsError || reason instanceof LimitConflictError ? [] : [reason];
}

describe('random histories of refunds, with parallel steps,', () => {
  it('violate no invariant after any round', async () => {
    let reversed = 0;
    let legs = 0;
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
        const transfer = { campaign: 'transfer', externalTransactionId: 'first of all', points: 100 } as const;
        await account.pending(transfer);
        for (const round of [...rounds, 'the rest'] as const) {
          const results = await Promise.allSettled(
            round === 'the rest' ? [refundTheRest(life)] : round.map((step) => take(step, life)),
          );

          expect(results.flatMap(failuresOf)).toEqual([]);
          const books = await readBooks(table);
          expect(faultsOf(books)).toEqual([]);
          const owed = books.memberships.filter(({ availablePoints }) => availablePoints < 0);
          if (policy !== 'unlimited') expect(owed).toEqual([]);
          expect(halfOf(books.transactions)).toEqual([]);
          const reversals = books.transactions.filter(({ reverses }) => reverses);
          reversed += reversals.length;
          legs += reversals.filter(({ otherLegId }) => otherLegId !== undefined).length;
        }
      }),
      // Each shrinking step would take minutes. The seed of the first failure is enough to repeat it.
      { numRuns: 12, endOnFailure: true },
    );
    expect(reversed).toBeGreaterThan(0);
    expect(legs).toBeGreaterThan(0);
  }, 120_000);
});

import { describe, expect, it } from 'vitest';
import { decideReissue, isLive } from '../../shared/domain/award/claim.ts';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import {
  ClaimConflictError,
  InsufficientPointsError,
  LimitConflictError,
} from '../../shared/store/ledger/transactions.ts';
import { fc } from '../support/fast-check.ts';
import { type BooksAndEvents, faultsOf, readBooks } from '../support/reconcile.ts';
import { makeTestTable, type TestTable } from '../support/test-table.ts';
import { Account, type CampaignName, holding } from './account.ts';

/** The campaigns and external ids that the steps of a history use. */
const orders = fc.record({
  campaign: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom<CampaignName[]>('earn', 'redeem', 'both') },
    { weight: 3, arbitrary: fc.constantFrom<CampaignName[]>('limitedEarn', 'limitedRedeem', 'transfer') },
  ),
  externalTransactionId: fc.constantFrom('A', 'B', 'C', 'D'),
});
const who = fc.nat({ max: 1 });
const points = fc.integer({ min: 1, max: 600 });
const steps = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('ask'), who, order: orders, points }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create'), who, order: orders }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('expire'), who, order: orders }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('complete'), who, which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail'), who, which: fc.nat() }) },
);
/** The rounds of a history. The steps of a round run in parallel; then some minutes pass. */
const rounds = fc.array(
  fc.record({ steps: fc.array(steps, { minLength: 1, maxLength: 8 }), minutes: fc.constantFrom(0, 0, 6, 11) }),
  { minLength: 5, maxLength: 12 },
);
type Step = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

/** Twenty minutes before midnight on a Sunday in New York: a day and a week end while histories go on. */
const beforeMidnight = new Date('2026-03-16T03:40:00.000Z');

/** The maximums of the campaigns' limits, by limit id. */
const mostOf: Readonly<Record<number, number>> = { 50: 2, 51: 700, 60: 500, 70: 1 };

/** The write conflicts that a step may end in. Any other error is a defect. */
const isConflict = (error: unknown) =>
  error instanceof InsufficientPointsError ||
  error instanceof ClaimConflictError ||
  error instanceof LimitConflictError;

interface Scene {
  readonly account: Account;
  readonly table: TestTable;
  readonly now: Date;
}

async function take(step: Step, { account, table, now }: Scene) {
  switch (step.kind) {
    case 'ask':
      return ask(step, account, now);
    case 'create':
    case 'expire': {
      const claim = await account.find(step.order);
      if (claim?.state !== 'ISSUED' || isLive(claim, now) !== (step.kind === 'create')) return;
      if (step.kind === 'create') return account.transactions.create(claim, account.context(now));
      return account.expire(claim, now);
    }
    case 'complete':
    case 'fail':
      return answer(step, (await readBooks(table)).transactions, { account, table, now });
  }
}

/** Plays endpoint 1 for a new or a known purchase. The token may replace an earlier token, even of another member. */
async function ask({ order, points: amount }: Extract<Step, { kind: 'ask' }>, account: Account, now: Date) {
  const existing = await account.find(order);
  const asked = { userId: account.member.user.id, amountCents: amountOf(order.campaign, amount), now };
  if (existing && decideReissue(existing, asked) !== 'replace') return;
  const reservation = await account.decide({ ...order, points: amount }, existing, now);
  if ('refused' in reservation) return;
  if (existing === undefined) return account.transactions.reserve(reservation, account.context(now));
  return account.transactions.replace(holding(existing), reservation, account.context(now));
}

const amountOf = (campaign: CampaignName, amount: number) => (campaign === 'transfer' ? amount * 100 : amount);

/** Plays the program's answer, for both legs of a transfer together. */
async function answer(
  { kind, which }: Extract<Step, { kind: 'complete' | 'fail' }>,
  transactions: readonly RewardTransaction[],
  { account, now }: Scene,
) {
  const one = transactions[which % Math.max(1, transactions.length)];
  if (one === undefined) return;
  const together = transactions.filter(({ id }) => id === one.id || id === one.otherLegId);
  // Treats every transaction as pending. The write must refuse a transaction that is not.
  const legs = together.map((transaction) => ({ ...transaction, state: 'PENDING' as const }));
  return kind === 'complete' ? account.complete(legs, undefined, now) : account.fail(legs, 'rejected', now);
}

/** Returns counters that are above their limits or below zero, and transfers whose legs differ in state. */
function moreFaultsOf({ usage, transactions }: BooksAndEvents): string[] {
  const states = new Map(transactions.map(({ id, state }) => [id, state]));
  return [
    ...usage
      .filter(({ limitId, used }) => used < 0 || used > (mostOf[limitId] ?? 0))
      .map(({ limitId, period, used }) => `limit ${limitId} in ${period}: ${used}`),
    ...transactions
      .filter(({ otherLegId, state }) => otherLegId !== undefined && states.get(otherLegId) !== state)
      .map(({ id, state }) => `leg ${id} is ${state}, the other leg is not`),
  ];
}

describe('random histories with parallel steps', () => {
  it('violate no invariant of the stored data after any round', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (history) => {
        const table = await makeTestTable();
        const accounts = [await Account.open(table, 1_000), await Account.open(table, 1_000)] as const;
        let now = beforeMidnight;
        for (const round of history) {
          const results = await Promise.allSettled(
            round.steps.map((step) => take(step, { account: accounts[step.who as 0 | 1], table, now })),
          );

          const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
          expect(failures.filter((error) => !isConflict(error))).toEqual([]);
          const books = await readBooks(table);
          expect([...faultsOf(books), ...moreFaultsOf(books)]).toEqual([]);
          now = new Date(now.getTime() + round.minutes * 60_000);
        }
      }),
      // Each shrinking step would take minutes. The seed of the first failure is enough to repeat it.
      { numRuns: 15, endOnFailure: true },
    );
  }, 120_000);
});

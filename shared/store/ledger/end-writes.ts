import { ledgerEntryOf } from '../../domain/ledger/ledger-entry.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import { associationKey, membershipKey } from '../member/members.ts';
import { chargeWrites } from '../member/usage.ts';
import { exists, type Write } from '../table/items.ts';
import { ledgerWrite } from './ledger.ts';
import { eventWrite, holdWrites, transitionWrite, type WriteContext } from './transaction-writes.ts';

/** The writes that the ends of transactions are made of, of one or of those that end together; transactions.ts makes them. */

/** A transaction that its program confirmed. */
export interface Confirmed {
  readonly transaction: RewardTransaction;
  readonly programReference: string | undefined;
}

/** A transaction that fails, and why. */
export interface Rejected {
  readonly transaction: RewardTransaction;
  readonly failureReason: string;
}

/** The changes of state first, one for each transaction, in their order. */
export function completionWrites(confirmed: readonly Confirmed[], context: WriteContext): Write[] {
  const transactions = confirmed.map(({ transaction }) => transaction);
  return [
    ...confirmed.map(({ transaction, programReference }) =>
      transitionWrite(transaction.id, 'COMPLETED', context.now, {
        completedAt: context.now.toISOString(),
        ...(programReference && { programReference }),
      }),
    ),
    ...transactions.flatMap((transaction) => [
      balanceWrite(transaction),
      ledgerWrite(ledgerEntryOf(transaction, context.now)),
      eventWrite('transaction_status_updated', transaction, context),
    ]),
    associationTotalsWrite(transactions),
  ];
}

/** The changes of state first, one for each transaction, in their order. */
export function failureWrites(rejected: readonly Rejected[], context: WriteContext): Write[] {
  const transactions = rejected.map(({ transaction }) => transaction);
  return [
    ...failedWrites(rejected, context),
    ...transactions.flatMap((transaction) => [
      ...holdWrites(transaction.userId, transaction.partnerId, transaction.type === 'REDEEM' ? -transaction.points : 0),
      eventWrite('transaction_status_updated', transaction, context),
    ]),
    ...chargesBackWrites(transactions, context),
  ];
}

/** The changes of state alone, each with its reason. */
export function failedWrites(rejected: readonly Rejected[], context: WriteContext): Write[] {
  return rejected.map(({ transaction, failureReason }) =>
    transitionWrite(transaction.id, 'FAILED', context.now, { failureReason }),
  );
}

/** Gives back what transactions of one purchase used of the member's limits, or what their reversals give back. */
export function chargesBackWrites(transactions: readonly RewardTransaction[], context: WriteContext): Write[] {
  const charges = transactions.flatMap((transaction) => transaction.charges);
  return transactions.slice(0, 1).flatMap((owner) => chargeWrites(owner, [], charges, context.now));
}

/** What a completed transaction does to the balance of its program: what was held is gone, or points and money come in. */
function balanceWrite({ type, points, cashbackCents, userId, partnerId }: RewardTransaction): Write {
  const key = membershipKey(userId, partnerId);
  if (type === 'REDEEM') {
    const add = { heldPoints: -points, totalRedeemedPoints: points };
    return { kind: 'update', key, changes: { add }, when: [{ attribute: 'heldPoints', is: '>=', value: points }] };
  }
  const add = { availablePoints: points, totalEarnedPoints: points, ...(cashbackCents > 0 && { cashbackCents }) };
  return { kind: 'update', key, changes: { add }, when: exists };
}

/**
 * What completed transactions of one purchase add to the totals of the member at the merchant. Reversals add
 * as much below zero.
 */
export function associationTotalsWrite(transactions: readonly RewardTransaction[]): Write {
  const [first] = transactions;
  if (first === undefined) throw new RangeError('no transaction to add up');
  const pointsOf = (type: RewardTransaction['type']) =>
    transactions
      .filter((one) => one.type === type)
      .reduce((sum, { points, reverses }) => (reverses ? sum - points : sum + points), 0);
  const add = { totalEarnedPoints: pointsOf('EARN'), totalRedeemedPoints: pointsOf('REDEEM') };
  return { kind: 'update', key: associationKey(first.userId, first.merchantId), changes: { add }, when: exists };
}

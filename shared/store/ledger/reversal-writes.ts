import * as z from 'zod/mini';
import { movedPoints } from '../../domain/ledger/ledger-entry.ts';
import { type Refunds, type RewardTransaction, statesBefore } from '../../domain/ledger/reward-transaction.ts';
import type { RefundOfTransaction } from '../../domain/reversal/reversal.ts';
import { membershipKey } from '../member/members.ts';
import { type Changes, type Condition, defineEntity, exists, isNew, type Write } from '../table/items.ts';
import { eventWrite, refundRevision, transactions, type WriteContext } from './transaction-writes.ts';

/** The writes that reversals are made of; reversals.ts puts them together. */

/** What a refund came to for one transaction: the business key of a reversal. It stays for ever. */
const ReversalOfRefund = z.object({
  refundUuid: z.string(),
  /** Null when nothing was taken back. */
  reversal: z.nullable(z.object({ id: z.int(), uuid: z.string() })),
  createdAt: z.string(),
});
export type ReversalOfRefund = z.infer<typeof ReversalOfRefund>;

export const reversalsOfRefunds = defineEntity(ReversalOfRefund, (originalId: number, refundUuid: string) => ({
  pk: transactions.key(originalId).pk,
  sk: `REFUND#${refundUuid}`,
}));

/** How a transaction's refunds stand, on the condition that they stand as they were read. */
export function refundsWrite(
  { id, refunds: before }: RewardTransaction,
  refunds: Refunds,
  now: Date,
  more: readonly Condition[] = [],
): Write {
  return {
    kind: 'update',
    key: transactions.key(id),
    changes: changesTo(refunds, now),
    when: [...refundRevision(before), ...exists, ...more],
  };
}

/** The same, for a transaction of which nothing is left. */
export function reversedWrite({ id, refunds: before }: RewardTransaction, refunds: Refunds, now: Date): Write {
  const { set } = changesTo(refunds, now);
  return {
    kind: 'update',
    key: transactions.key(id),
    changes: { set: { ...set, state: 'REVERSED' } },
    when: [...refundRevision(before), { attribute: 'state', is: 'in', values: statesBefore('REVERSED') }],
  };
}

const changesTo = (refunds: Refunds, now: Date): Changes => ({
  set: { refunds, refundRevision: refunds.revision, updatedAt: now.toISOString() },
});

/** The key of a refund and a transaction: written once, and so applied once. */
export function appliedWrite(
  { id }: RewardTransaction,
  { uuid: refundUuid }: RefundOfTransaction,
  made: RewardTransaction | null,
  now: Date,
): Write {
  const reversal = made && { id: made.id, uuid: made.uuid };
  const applied = { refundUuid, reversal, createdAt: now.toISOString() };
  return { kind: 'put', item: reversalsOfRefunds.item(reversalsOfRefunds.key(id, refundUuid), applied), when: isNew };
}

/** A new reversal with its event, and what it takes as held points. */
export function beginWrites(reversal: RewardTransaction, available: number | null, context: WriteContext): Write[] {
  return [
    { kind: 'put', item: transactions.item(transactions.key(reversal.id), reversal), when: isNew },
    eventWrite('transaction_created', reversal, context),
    ...reserveWrites(reversal, available),
  ];
}

/** Takes what a reversal is to take out of the member's reach. A shortfall is one only while there is nothing more. */
function reserveWrites(reversal: RewardTransaction, available: number | null): Write[] {
  const points = heldPoints(reversal);
  const isShort = reversal.shortfallPoints !== undefined;
  if (points === 0 && !isShort) return [];
  return [
    {
      kind: 'update',
      key: membershipKey(reversal.userId, reversal.partnerId),
      changes: { add: { availablePoints: 0 - points, heldPoints: points } },
      when:
        available === null
          ? exists
          : [{ attribute: 'availablePoints', is: isShort ? '=' : '>=', value: isShort ? available : points }],
    },
  ];
}

/** The points that a reversal holds until the program answered: those that it is to take. */
const heldPoints = (reversal: RewardTransaction) => (reversal.type === 'EARN' ? movedPoints(reversal) : 0);

/** The balance: what was held is gone, or what was paid is back. */
export function membershipWrite(reversal: RewardTransaction): Write {
  const { userId, partnerId, points, cashbackCents } = reversal;
  const held = heldPoints(reversal);
  const taken = {
    heldPoints: 0 - held,
    totalEarnedPoints: 0 - points,
    ...(cashbackCents > 0 && { cashbackCents: 0 - cashbackCents }),
  };
  return {
    kind: 'update',
    key: membershipKey(userId, partnerId),
    changes: { add: reversal.type === 'EARN' ? taken : { availablePoints: points, totalRedeemedPoints: 0 - points } },
    when: held > 0 ? [{ attribute: 'heldPoints', is: '>=', value: held }] : exists,
  };
}

/** Gives back what a reversal held. */
export function releaseWrites(reversal: RewardTransaction): Write[] {
  const points = heldPoints(reversal);
  if (points === 0) return [];
  return [
    {
      kind: 'update',
      key: membershipKey(reversal.userId, reversal.partnerId),
      changes: { add: { availablePoints: points, heldPoints: 0 - points } },
      when: [{ attribute: 'heldPoints', is: '>=', value: points }],
    },
  ];
}

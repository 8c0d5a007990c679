import type { EventName } from '../../contracts/events.ts';
import { partitions } from '../../contracts/table.ts';
import { type AwardClaim, chargesOf } from '../../domain/award/claim.ts';
import type { Reservation } from '../../domain/award/reservation.ts';
import { Decision } from '../../domain/campaign/evaluation/decision.ts';
import {
  type Refunds,
  RewardTransaction,
  statesBefore,
  type TransactionState,
} from '../../domain/ledger/reward-transaction.ts';
import { membershipKey } from '../member/members.ts';
import { chargeWrites } from '../member/usage.ts';
import { outboxWrite, transactionEvent } from '../outbox/outbox.ts';
import { type Condition, defineEntity, isNew, type Key, type Write, type WriteContext } from '../table/items.ts';

export type { WriteContext };

/** The writes that changes of reward transactions are made of; transactions.ts puts them together. */

const partition = (id: number) => `${partitions.transaction}${id}`;
export const transactions = defineEntity(RewardTransaction, (id: number) => ({ pk: partition(id), sk: 'TRANSACTION' }));
export const snapshots = defineEntity(Decision, (id: number) => ({ pk: partition(id), sk: 'SNAPSHOT' }));

/** The decision, and every transaction that it led to with the event that tells of it. */
export function newTransactionWrites(
  { transactions: created, decision }: Reservation,
  told: EventName,
  context: WriteContext,
): Write[] {
  const snapshot = created
    .slice(0, 1)
    .map((first): Write => ({ kind: 'put', item: snapshots.item(snapshots.key(first.id), decision) }));
  return [
    ...snapshot,
    ...created.flatMap((transaction): Write[] => [
      { kind: 'put', item: transactions.item(transactions.key(transaction.id), transaction), when: isNew },
      eventWrite(told, transaction, context),
    ]),
  ];
}

/** Cancels the transactions of a purchase whose token is given up. */
export function cancelWrites(claim: AwardClaim, context: WriteContext): Write[] {
  return claim.rewards.flatMap((reward) => [
    transitionWrite(reward.id, 'CANCELLED', context.now),
    eventWrite('transaction_status_updated', { ...claim, ...reward }, context),
  ]);
}

/** What a purchase uses of its member's limits, in place of what an earlier one of it used. */
export function useWrites(claim: AwardClaim, earlier: AwardClaim | undefined, context: WriteContext): Write[] {
  if (earlier && earlier.userId !== claim.userId) {
    return [...useWrites(claim, undefined, context), ...giveBackWrites(earlier, context)];
  }
  return chargeWrites(claim, chargesOf(claim), earlier ? chargesOf(earlier) : [], context.now);
}

/** Gives back what a purchase used of its member's limits, to the periods that it was used in. */
export function giveBackWrites(claim: AwardClaim, context: WriteContext): Write[] {
  return chargeWrites(claim, [], chargesOf(claim), context.now);
}

/** Moves points from available to held, or back when negative; none when zero. */
export function holdWrites(userId: number, partnerId: number, points: number): Write[] {
  if (points === 0) return [];
  return [
    {
      kind: 'update',
      key: membershipKey(userId, partnerId),
      changes: { add: { availablePoints: -points, heldPoints: points } },
      when: [
        points > 0
          ? { attribute: 'availablePoints', is: '>=', value: points }
          : { attribute: 'heldPoints', is: '>=', value: -points },
      ],
    },
  ];
}

/** A change of state, on the condition that the state machine allows it. */
export function transitionWrite(id: number, next: TransactionState, now: Date, more: object = {}): Write {
  const key: Key = transactions.key(id);
  return {
    kind: 'update',
    key,
    changes: { set: { state: next, updatedAt: now.toISOString(), ...more } },
    when: [{ attribute: 'state', is: 'in', values: statesBefore(next) }],
  };
}

/** Holds while no refund changed a transaction since its refunds were read. */
export function refundRevision(refunds: Refunds | undefined): Condition[] {
  if (!refunds) return [{ attribute: 'refundRevision', is: 'absent' }];
  return [{ attribute: 'refundRevision', is: '=', value: refunds.revision }];
}

/** Announces refunds again that waited for the end of transactions. */
export function awaitedRefundWrites(refunds: readonly (Refunds | undefined)[], context: WriteContext): Write[] {
  const occurredAt = context.now.toISOString();
  const waiting = refunds.flatMap((known) => known?.waiting ?? []);
  const refunded = new Set(waiting.map(({ refundedUuid }) => refundedUuid));
  return [...refunded].map((entityId) =>
    outboxWrite({ id: context.nextUuid(), name: 'refund_received', entityId, occurredAt }),
  );
}

/** An event about a transaction, told to both of its sides. */
export function eventWrite(
  name: EventName,
  about: { readonly uuid: string; readonly merchantId: number; readonly partnerId: number },
  context: WriteContext,
): Write {
  return outboxWrite(transactionEvent(name, about, { id: context.nextUuid(), at: context.now.toISOString() }));
}

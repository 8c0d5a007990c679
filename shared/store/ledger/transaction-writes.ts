import type { EventName } from '../../contracts/events.ts';
import { partitions } from '../../contracts/table.ts';
import { chargesOf, type Purchase } from '../../domain/award/claim.ts';
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
import { defineEntity } from '../table/entity.ts';
import type { Condition } from '../table/expression.ts';
import { isNew, type Key, type Write } from '../table/writes.ts';

/** The writes that changes of reward transactions are made of; transactions.ts puts them together. */

const partition = (id: number) => `${partitions.transaction}${id}`;
export const transactions = defineEntity(RewardTransaction, (id: number) => ({ pk: partition(id), sk: 'TRANSACTION' }));
export const snapshots = defineEntity(Decision, (id: number) => ({ pk: partition(id), sk: 'SNAPSHOT' }));

/** What the writes of transactions need beside the domain's decision. */
export interface Stamp {
  readonly now: Date;
  readonly nextUuid: () => string;
}

/** The decision, and every transaction that it led to with the event that tells of it. */
export function newTransactionWrites(
  { transactions: created, decision }: Reservation,
  told: EventName,
  stamp: Stamp,
): Write[] {
  const snapshot = created
    .slice(0, 1)
    .map((first): Write => ({ kind: 'put', item: snapshots.item(snapshots.key(first.id), decision) }));
  return [
    ...snapshot,
    ...created.flatMap((transaction): Write[] => [
      { kind: 'put', item: transactions.item(transactions.key(transaction.id), transaction), when: isNew },
      eventWrite(told, transaction, stamp),
    ]),
  ];
}

/** Cancels the transactions of a purchase whose token is given up. */
export function cancelWrites(purchase: Purchase, stamp: Stamp): Write[] {
  return purchase.rewards.flatMap((reward) => [
    transitionWrite(reward.id, 'CANCELLED', stamp.now),
    eventWrite('transaction_status_updated', { ...purchase, ...reward }, stamp),
  ]);
}

/** What a purchase uses of its member's limits, in place of what an earlier one of it used. */
export function useWrites(purchase: Purchase, earlier: Purchase | undefined, stamp: Stamp): Write[] {
  if (earlier && earlier.userId !== purchase.userId) {
    return [...useWrites(purchase, undefined, stamp), ...giveBackWrites(earlier, stamp)];
  }
  return chargeWrites(purchase, chargesOf(purchase), earlier ? chargesOf(earlier) : [], stamp.now);
}

/** Gives back what a purchase used of its member's limits, to the periods that it was used in. */
export function giveBackWrites(purchase: Purchase, stamp: Stamp): Write[] {
  return chargeWrites(purchase, [], chargesOf(purchase), stamp.now);
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
export function awaitedRefundWrites(refunds: readonly (Refunds | undefined)[], stamp: Stamp): Write[] {
  const occurredAt = stamp.now.toISOString();
  const waiting = refunds.flatMap((known) => known?.waiting ?? []);
  const refunded = new Set(waiting.map(({ refundedUuid }) => refundedUuid));
  return [...refunded].map((entityId) =>
    outboxWrite({ id: stamp.nextUuid(), name: 'refund_received', entityId, occurredAt }),
  );
}

/** An event about a transaction, told to both of its sides. */
export function eventWrite(
  name: EventName,
  about: { readonly uuid: string; readonly merchantId: number; readonly partnerId: number },
  stamp: Stamp,
): Write {
  return outboxWrite(transactionEvent(name, about, { id: stamp.nextUuid(), at: stamp.now.toISOString() }));
}

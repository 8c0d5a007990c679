import type { BusEvent, EventName, PlatformEvent } from '../../contracts/events.ts';
import { partitions, tableIndexes } from '../../contracts/table.ts';
import type { AwardClaim, Reservation } from '../../domain/award/claim.ts';
import { Decision } from '../../domain/campaign/evaluation/decision.ts';
import type { TransactionChange } from '../../domain/ledger/finalize.ts';
import { movementTable, type Transition } from '../../domain/ledger/movement-table.ts';
import {
  type Refunds,
  RewardTransaction,
  statesBefore,
  type TransactionState,
} from '../../domain/ledger/reward-transaction.ts';
import type {
  AccountMovement,
  AssociationMovement,
  BalanceCondition,
  Movements,
} from '../../domain/ledger/sum-movements.ts';
import { associationKey, isNotBlocked, membershipKey, usageWrite } from '../member/members.ts';
import { carrying, outboxWrite, transactionEvent } from '../outbox/outbox.ts';
import {
  type Condition,
  defineEntity,
  exists,
  type Item,
  isNew,
  type Write,
  type WriteContext,
} from '../table/table-client.ts';
import { ledgerWrite } from './ledger.ts';

const partition = (id: number) => `${partitions.transaction}${id}`;
export const transactions = defineEntity(RewardTransaction, (id: number) => ({ pk: partition(id), sk: 'TRANSACTION' }));
export const snapshots = defineEntity(Decision, (id: number) => ({ pk: partition(id), sk: 'SNAPSHOT' }));

/** The attributes of a transaction that waits for the next attempt to post it. */
export const dueAttributes: readonly string[] = [tableIndexes.due.partition, tableIndexes.due.sort, 'postingDueAt'];

/** The writes of a reservation: the snapshot of the decision, and each transaction, which carries its event. */
export function reservationWrites(
  { transactions: created, decision }: Reservation,
  event: EventName,
  context: WriteContext,
): Write[] {
  const [first] = created;
  return [
    ...(first ? [{ kind: 'put', item: snapshots.item(snapshots.key(first.id), decision) } as const] : []),
    ...created.map((transaction) => newTransactionWrite(transaction, event, context)),
  ];
}

/** The write of a new transaction, which carries its event. */
export function newTransactionWrite(transaction: RewardTransaction, event: EventName, context: WriteContext): Write {
  const attributes = carrying([eventOf(event, transaction, context)]);
  return {
    kind: 'put',
    item: transactions.item(transactions.key(transaction.id), transaction, attributes),
    when: isNew,
  };
}

/** The writes of a transition: one for each transaction of an award claim. */
export function claimTransitionWrites(claim: AwardClaim, transition: Transition, { now }: WriteContext): Write[] {
  const state = movementTable[transition].to;
  return claim.rewards.map((reward) => ({
    kind: 'update',
    key: transactions.key(reward.id),
    changes: { set: { state, updatedAt: now.toISOString() } },
    when: [mayBecome(state)],
  }));
}

/** The events of a transition of an award claim, one for each of its transactions. */
export function claimEvents(claim: AwardClaim, name: EventName, context: WriteContext): BusEvent[] {
  return claim.rewards.map((reward) => eventOf(name, { ...claim, ...reward }, context));
}

/**
 * The write of a changed transaction, on the condition that its state and its refunds have not changed since they were
 * read.
 */
export function changeWrite({ before, set }: TransactionChange, now: Date): Write {
  return {
    kind: 'update',
    key: transactions.key(before.id),
    changes: {
      set: { ...set, ...(set.refunds && { refundRevision: set.refunds.revision }), updatedAt: now.toISOString() },
      // A transaction with a final state waits for no attempt to post it, and for no review.
      ...((before.posting || before.review) && set.state && { remove: dueAttributes }),
    },
    when: [
      // The state is the one that the decision read, and the transition table allows the change from this state.
      ...(set.state ? [mayBecome(set.state)] : []),
      { attribute: 'state', is: '=', value: before.state },
      hasRevision(before.refunds),
    ],
  };
}

/** The condition that the state machine allows the transition to a state. */
export const mayBecome = (state: TransactionState): Condition => ({
  attribute: 'state',
  is: 'in',
  values: statesBefore(state),
});

/** The condition that no refund has changed a transaction since it was read. */
function hasRevision(refunds: Refunds | undefined): Condition {
  if (!refunds) return { attribute: 'refundRevision', is: 'absent' };
  return { attribute: 'refundRevision', is: '=', value: refunds.revision };
}

/** The event of a transaction, for both of its organisations. */
export function eventOf(
  name: EventName,
  transaction: Pick<RewardTransaction, 'uuid' | 'merchantId' | 'partnerId'>,
  context: WriteContext,
): PlatformEvent {
  return transactionEvent(name, transaction, { id: context.nextUuid(), at: context.now.toISOString() });
}

/**
 * The writes of movements and of events about their transactions. There is one write for each account, association,
 * limit counter and ledger entry. The first ledger entry of a transaction carries its events; the other events are
 * items.
 */
export function movementWrites(
  { accounts, associations, usage, entries }: Movements,
  events: readonly BusEvent[] = [],
): Write[] {
  const carriers = new Map(entries.toReversed().map((entry) => [entry.transactionUuid, entry]));
  const byCarrier = Map.groupBy(events, ({ entityId }) => carriers.get(entityId));
  return [
    ...accounts.map(accountWrite),
    ...associations.map(associationWrite),
    ...usage.map(usageWrite),
    ...entries.map((entry) => ledgerWrite(entry, byCarrier.get(entry))),
    ...(byCarrier.get(undefined) ?? []).map(outboxWrite),
  ];
}

function accountWrite({ userId, partnerId, conditions, isBarredByBlock, ...moved }: AccountMovement): Write {
  const add = {
    availablePoints: moved.available,
    heldPoints: moved.held,
    ...(moved.owed !== 0 && { owedPoints: moved.owed }),
    ...(moved.earned !== 0 && { totalEarnedPoints: moved.earned }),
    ...(moved.redeemed !== 0 && { totalRedeemedPoints: moved.redeemed }),
    ...(moved.cashbackCents !== 0 && { cashbackCents: moved.cashbackCents }),
    ...(moved.settlements !== 0 && { postingsBegun: moved.settlements }),
    ...(moved.answered !== 0 && { postingsEnded: moved.answered }),
  };
  const when = [...exists, ...(isBarredByBlock ? isNotBlocked : []), ...conditions.map(balanceCondition)];
  return { kind: 'update', key: membershipKey(userId, partnerId), changes: { add }, when };
}

/** Whether an item is an account whose owed points differ from those that the movements were computed from. */
export function owesOtherPoints(item: Item | null, { accounts }: Movements): boolean {
  const own = accounts.find(({ userId, partnerId }) => {
    const { pk, sk } = membershipKey(userId, partnerId);
    return item?.pk === pk && item.sk === sk;
  });
  const expected = own?.conditions.find(({ balance }) => balance === 'owed');
  return expected !== undefined && (item?.owedPoints ?? 0) !== expected.points;
}

const balanceAttributes = { available: 'availablePoints', held: 'heldPoints', owed: 'owedPoints' } as const;

function balanceCondition({ balance, is, points }: BalanceCondition): Condition {
  const attribute = balanceAttributes[balance];
  // An account that never owed points may lack the attribute, which `at-most` allows.
  if (balance === 'owed' && points === 0) return { attribute, is: 'at-most', value: 0 };
  return { attribute, is: is === 'exactly' ? '=' : '>=', value: points };
}

function associationWrite({ userId, merchantId, earned, redeemed }: AssociationMovement): Write {
  const add = { totalEarnedPoints: earned, totalRedeemedPoints: redeemed };
  return { kind: 'update', key: associationKey(userId, merchantId), changes: { add }, when: exists };
}

import * as z from 'zod/mini';
import {
  type AppliedRefund,
  afterRefusedReversal,
  afterReversal,
  movedPoints,
  type RefundOfTransaction,
  reversalEntries,
} from '../domain/transaction/reversal.ts';
import { type Refunds, type RewardTransaction, statesBefore } from '../domain/transaction/reward-transaction.ts';
import { defineEntity } from './entity.ts';
import type { Changes, Condition } from './expression.ts';
import { ledgerWrite } from './ledger.ts';
import { associationKey, membershipKey } from './members.ts';
import { ConditionFailed, type TableClient } from './table-client.ts';
import { eventWrite, refundRevision, type Stamp, transactions, transitionWrite } from './transaction-writes.ts';
import { chargeWrites } from './usage.ts';
import { exists, isNew, type Write } from './writes.ts';

/** What a refund came to for one transaction: the business key of a reversal. It stays for ever. */
const ReversalOfRefund = z.object({
  refundUuid: z.string(),
  /** Null when nothing was taken back. */
  reversal: z.nullable(z.object({ id: z.int(), uuid: z.string() })),
  createdAt: z.string(),
});
export type ReversalOfRefund = z.infer<typeof ReversalOfRefund>;

const reversalsOfRefunds = defineEntity(ReversalOfRefund, (originalId: number, refundUuid: string) => ({
  pk: transactions.key(originalId).pk,
  sk: `REFUND#${refundUuid}`,
}));

/** Reversals, and what they change of the transactions that they take back: each step in one transaction. */
export class Reversals {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  /** What a refund came to for a transaction; undefined when it was not applied yet. */
  async find(originalId: number, refundUuid: string): Promise<ReversalOfRefund | undefined> {
    const item = await this.#table.get(reversalsOfRefunds.key(originalId, refundUuid));
    return item && reversalsOfRefunds.parse(item);
  }

  /**
   * Notes refunds that wait until the program answered for the transaction; whoever writes that answer
   * announces them again.
   *
   * @throws ConditionFailed when the transaction is not as it was read
   */
  async wait(original: RewardTransaction, refunds: Refunds, { now }: Stamp): Promise<void> {
    if (refunds === original.refunds) return;
    await this.#table.write(
      refundsWrite(original, refunds, now, [{ attribute: 'state', is: '=', value: original.state }]),
    );
  }

  /** Notes that a refund takes nothing of a transaction which never gave anything. */
  async dismiss(original: RewardTransaction, refund: RefundOfTransaction, { now }: Stamp): Promise<void> {
    await this.#table.write(appliedWrite(original, refund, null, now));
  }

  /**
   * Writes what a refund came to: the reversal, pending, with what it takes reserved, and how the
   * original stands. Once for each refund.
   *
   * @throws ConditionFailed when the refund was applied before, or the original or the balance is not as it was read
   */
  async begin(
    original: RewardTransaction,
    refund: RefundOfTransaction,
    { refunds, reversal, available }: AppliedRefund,
    stamp: Stamp,
  ): Promise<void> {
    await this.#table.transact([
      appliedWrite(original, refund, reversal, stamp.now),
      refundsWrite(original, refunds, stamp.now),
      ...(reversal ? beginWrites(reversal, available, stamp) : []),
    ]);
  }

  /**
   * The program confirmed a reversal: balance, totals, limits and ledger follow, and the original is
   * reversed when nothing of it is left.
   *
   * @returns whether this call did it; false when the reversal was not pending any more
   */
  complete(reversal: RewardTransaction, programReference: string | undefined, stamp: Stamp): Promise<boolean> {
    return this.#settle(reversal, (original) => {
      const { refunds, isOver } = afterReversal(original);
      const becomesReversed = isOver && original.state !== 'REVERSED';
      return [
        transitionWrite(reversal.id, 'COMPLETED', stamp.now, programReference && { programReference }),
        becomesReversed ? reversedWrite(original, refunds, stamp.now) : refundsWrite(original, refunds, stamp.now),
        membershipWrite(reversal),
        associationWrite(reversal),
        ...reversalEntries(reversal, stamp.now).map(ledgerWrite),
        ...chargeWrites(reversal, [], reversal.charges, stamp.now),
        eventWrite('transaction_status_updated', reversal, stamp),
        ...(becomesReversed ? [eventWrite('transaction_status_updated', original, stamp)] : []),
      ];
    });
  }

  /**
   * The program refused a reversal: what it reserved is released, and the original keeps what it was to lose.
   *
   * @returns whether this call did it; false when the reversal was not pending any more
   */
  fail(reversal: RewardTransaction, failureReason: string, stamp: Stamp): Promise<boolean> {
    return this.#settle(reversal, (original) => [
      transitionWrite(reversal.id, 'FAILED', stamp.now, { failureReason }),
      refundsWrite(original, afterRefusedReversal(original, reversal), stamp.now),
      ...releaseWrites(reversal),
      eventWrite('transaction_status_updated', reversal, stamp),
    ]);
  }

  /** Writes the end of a reversal, from the original as it is; another reversal of it may come in between. */
  async #settle(reversal: RewardTransaction, writes: (original: RewardTransaction) => Write[]): Promise<boolean> {
    for (let round = 0; round < maximumRounds; round += 1) {
      try {
        await this.#table.transact(writes(await this.#original(reversal)));
        return true;
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
        if (error.met.has(0)) return false;
        if (!error.met.has(1)) throw error;
      }
    }
    throw new Error(`the refunds of the original of reversal ${reversal.id} kept changing`);
  }

  async #original({ id, reverses }: RewardTransaction): Promise<RewardTransaction> {
    const item = reverses && (await this.#table.get(transactions.key(reverses.id)));
    if (!item) throw new Error(`the original of reversal ${id} is not there`);
    return transactions.parse(item);
  }
}

const maximumRounds = 20;

/** How a transaction's refunds stand, on the condition that they stand as they were read. */
function refundsWrite(
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

function reversedWrite({ id, refunds: before }: RewardTransaction, refunds: Refunds, now: Date): Write {
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

function appliedWrite(
  { id }: RewardTransaction,
  { uuid: refundUuid }: RefundOfTransaction,
  made: RewardTransaction | null,
  now: Date,
): Write {
  const reversal = made && { id: made.id, uuid: made.uuid };
  const applied = { refundUuid, reversal, createdAt: now.toISOString() };
  return { kind: 'put', item: reversalsOfRefunds.item(reversalsOfRefunds.key(id, refundUuid), applied), when: isNew };
}

function beginWrites(reversal: RewardTransaction, available: number | null, stamp: Stamp): Write[] {
  return [
    { kind: 'put', item: transactions.item(transactions.key(reversal.id), reversal), when: isNew },
    eventWrite('transaction_created', reversal, stamp),
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
function membershipWrite(reversal: RewardTransaction): Write {
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

function associationWrite({ userId, merchantId, type, points }: RewardTransaction): Write {
  const total = type === 'EARN' ? 'totalEarnedPoints' : 'totalRedeemedPoints';
  return {
    kind: 'update',
    key: associationKey(userId, merchantId),
    changes: { add: { [total]: 0 - points } },
    when: exists,
  };
}

function releaseWrites(reversal: RewardTransaction): Write[] {
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

import { reversalEntries } from '../domain/transaction/ledger.ts';
import {
  type AppliedRefund,
  afterRefusedReversal,
  afterReversal,
  type RefundOfTransaction,
} from '../domain/transaction/reversal.ts';
import type { Refunds, RewardTransaction } from '../domain/transaction/reward-transaction.ts';
import { ledgerWrite } from './ledger.ts';
import {
  appliedWrite,
  associationWrite,
  beginWrites,
  membershipWrite,
  type ReversalOfRefund,
  refundsWrite,
  releaseWrites,
  reversalsOfRefunds,
  reversedWrite,
} from './reversal-writes.ts';
import { ConditionFailed, type TableClient } from './table-client.ts';
import { eventWrite, type Stamp, transactions, transitionWrite } from './transaction-writes.ts';
import { chargeWrites } from './usage.ts';
import type { Write } from './writes.ts';

const maximumRounds = 20;

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

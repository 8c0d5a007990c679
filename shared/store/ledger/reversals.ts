import { maximumAttempts } from '../../contracts/limits.ts';
import { reversalEntries } from '../../domain/ledger/ledger-entry.ts';
import type { Refunds, RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import {
  afterRefusedReversal,
  afterReversal,
  type ConfirmedReversal,
} from '../../domain/reversal/finalized-reversal.ts';
import type { AppliedTo, RefundOfTransaction } from '../../domain/reversal/reversal.ts';
import { ConditionFailedError, type Write } from '../table/items.ts';
import type { TableClient } from '../table/table-client.ts';
import {
  associationTotalsWrite,
  type Confirmed,
  chargesBackWrites,
  failedWrites,
  type Rejected,
} from './end-writes.ts';
import { ledgerWrite } from './ledger.ts';
import {
  appliedWrite,
  beginWrites,
  membershipWrite,
  type ReversalOfRefund,
  refundsWrite,
  releaseWrites,
  reversalsOfRefunds,
  reversedWrite,
} from './reversal-writes.ts';
import { eventWrite, transactions, transitionWrite, type WriteContext } from './transaction-writes.ts';

/** A transaction, and how its refunds stand once one more waits. */
interface Waiting {
  readonly original: RewardTransaction;
  readonly refunds: Refunds;
}

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
   * Notes refunds that wait until the program answered for the transactions, one or the legs of a transfer;
   * whoever writes that answer announces them again.
   *
   * @throws ConditionFailedError when a transaction is not as it was read
   */
  async wait(waiting: readonly Waiting[], { now }: WriteContext): Promise<void> {
    const news = waiting.filter(({ original, refunds }) => refunds !== original.refunds);
    await this.#writeAll(
      news.map(({ original, refunds }) =>
        refundsWrite(original, refunds, now, [{ attribute: 'state', is: '=', value: original.state }]),
      ),
    );
  }

  /** Notes that a refund takes nothing of transactions which never gave anything. */
  async dismiss(
    originals: readonly RewardTransaction[],
    refund: RefundOfTransaction,
    { now }: WriteContext,
  ): Promise<void> {
    await this.#writeAll(originals.map((original) => appliedWrite(original, refund, null, now)));
  }

  /** A write alone costs half of one in a transaction. */
  async #writeAll(writes: readonly Write[]): Promise<void> {
    const [first, ...others] = writes;
    if (first) await (others.length === 0 ? this.#table.write(first) : this.#table.transact(writes));
  }

  /**
   * Writes what a refund came to: the reversals, pending, with what they take reserved, and how the
   * originals stand. Once for each refund, for one transaction or for both legs of a transfer.
   *
   * @throws ConditionFailedError when the refund was applied before, or an original or the balance is not as it was read
   */
  async begin(applied: readonly AppliedTo[], refund: RefundOfTransaction, context: WriteContext): Promise<void> {
    await this.#table.transact(
      applied.flatMap(({ original, refunds, reversal, available }) => [
        appliedWrite(original, refund, reversal, context.now),
        refundsWrite(original, refunds, context.now),
        ...(reversal ? beginWrites(reversal, available, context) : []),
      ]),
    );
  }

  /**
   * The program confirmed a reversal: balance, totals, limits and ledger follow, and the original is
   * reversed when nothing of it is left.
   *
   * @returns whether this call did it; false when the reversal was not pending any more
   */
  complete(reversal: RewardTransaction, programReference: string | undefined, context: WriteContext): Promise<boolean> {
    return this.completeAll([{ transaction: reversal, programReference }], context);
  }

  /** The same for reversals that are completed together or not at all: of the legs of a transfer. */
  completeAll(confirmed: readonly Confirmed[], context: WriteContext): Promise<boolean> {
    return this.#settle(
      confirmed.map(({ transaction }) => transaction),
      (originals) => {
        const ended = confirmed.map((one) => {
          const original = originalOf(one.transaction, originals);
          return { original, programReference: one.programReference, ...afterReversal(original, one.transaction) };
        });
        const reversals = ended.map(({ reversal }) => reversal);
        return [
          ...ended.map(({ reversal, programReference }) =>
            transitionWrite(reversal.id, 'COMPLETED', context.now, {
              charges: reversal.charges,
              ...(programReference && { programReference }),
            }),
          ),
          ...ended.map((one) => originalWrite(one, context.now)),
          ...reversals.flatMap((reversal) => [
            membershipWrite(reversal),
            ...reversalEntries(reversal, context.now).map(ledgerWrite),
            eventWrite('transaction_status_updated', reversal, context),
          ]),
          associationTotalsWrite(reversals),
          ...chargesBackWrites(reversals, context),
          ...ended
            .filter(becomesReversed)
            .map(({ original }) => eventWrite('transaction_status_updated', original, context)),
        ];
      },
    );
  }

  /**
   * The program refused a reversal: what it reserved is released, and the original keeps what it was to lose.
   *
   * @returns whether this call did it; false when the reversal was not pending any more
   */
  fail(reversal: RewardTransaction, failureReason: string, context: WriteContext): Promise<boolean> {
    return this.failAll([{ transaction: reversal, failureReason }], context);
  }

  /** The same for reversals that fail together: of the legs of a transfer. */
  failAll(rejected: readonly Rejected[], context: WriteContext): Promise<boolean> {
    const reversals = rejected.map(({ transaction }) => transaction);
    return this.#settle(reversals, (originals) => [
      ...failedWrites(rejected, context),
      ...reversals.map((reversal) => {
        const original = originalOf(reversal, originals);
        return refundsWrite(original, afterRefusedReversal(original, reversal), context.now);
      }),
      ...reversals.flatMap((reversal) => [
        ...releaseWrites(reversal),
        eventWrite('transaction_status_updated', reversal, context),
      ]),
    ]);
  }

  /**
   * Writes the end of reversals, from the originals as they are; another reversal of one may come in between.
   * First come the changes of state, then those of the originals.
   */
  async #settle(
    reversals: readonly RewardTransaction[],
    writes: (originals: readonly RewardTransaction[]) => Write[],
  ): Promise<boolean> {
    for (let round = 0; round < maximumAttempts.reversalDecision; round += 1) {
      try {
        await this.#table.transact(writes(await Promise.all(reversals.map((reversal) => this.#original(reversal)))));
        return true;
      } catch (error) {
        if (!(error instanceof ConditionFailedError)) throw error;
        const first = Math.min(...error.met.keys());
        if (first < reversals.length) return false;
        if (first >= 2 * reversals.length) throw error;
      }
    }
    throw new Error(`the originals of reversals ${reversals.map(({ id }) => id)} kept changing`);
  }

  async #original({ id, reverses }: RewardTransaction): Promise<RewardTransaction> {
    const item = reverses && (await this.#table.get(transactions.key(reverses.id)));
    if (!item) throw new Error(`the original of reversal ${id} is not there`);
    return transactions.parse(item);
  }
}

/** A confirmed reversal with the original as it was before. */
interface Ended extends ConfirmedReversal {
  readonly original: RewardTransaction;
}

function originalWrite(ended: Ended, now: Date): Write {
  const { original, refunds } = ended;
  return becomesReversed(ended) ? reversedWrite(original, refunds, now) : refundsWrite(original, refunds, now);
}

const becomesReversed = ({ original, isOver }: Ended) => isOver && original.state !== 'REVERSED';

function originalOf({ id, reverses }: RewardTransaction, originals: readonly RewardTransaction[]): RewardTransaction {
  const found = originals.find((original) => original.id === reverses?.id);
  if (!found) throw new RangeError(`the original of reversal ${id} is none of these`);
  return found;
}

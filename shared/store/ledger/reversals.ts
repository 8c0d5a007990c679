import * as z from 'zod/mini';
import type { Refunds, RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import { sumMovements } from '../../domain/ledger/sum-movements.ts';
import type { AppliedRefund, RefundOfTransaction } from '../../domain/reversal/reversal.ts';
import type { TableClient } from '../table/table-client.ts';
import { ConditionFailedError, defineEntity, isNew, type Write, type WriteContext } from '../table/table-client.ts';
import { changeWrite, movementWrites, newTransactionWrites, transactions } from './transaction-writes.ts';
import { TransactionConflictError } from './transactions.ts';

/** The result of a refund for one transaction: the business key of a reversal. It is never deleted. */
const ReversalOfRefund = z.object({
  refundUuid: z.string(),
  /** Null when nothing was reversed. */
  reversal: z.nullable(z.object({ id: z.int(), uuid: z.string() })),
  createdAt: z.string(),
});
export type ReversalOfRefund = z.infer<typeof ReversalOfRefund>;

const reversalsOfRefunds = defineEntity(ReversalOfRefund, (originalId: number, refundUuid: string) => ({
  pk: transactions.key(originalId).pk,
  sk: `REFUND#${refundUuid}`,
}));

/** A transaction, and its refunds including a new one that waits. */
interface Waiting {
  readonly original: RewardTransaction;
  readonly refunds: Refunds;
}

/** Writes the start of reversals. `Transactions.finalize` writes their end, as for every transaction. */
export class Reversals {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  /** Finds the result of a refund for a transaction; undefined while the refund is not applied. */
  async find(originalId: number, refundUuid: string): Promise<ReversalOfRefund | undefined> {
    const item = await this.#table.get(reversalsOfRefunds.key(originalId, refundUuid));
    return item && reversalsOfRefunds.parse(item);
  }

  /**
   * Records refunds that wait until the program has answered for their transaction, or for the legs of a transfer. The
   * write of the answer announces the refunds again.
   *
   * @throws TransactionConflictError when a transaction was changed since it was read
   */
  async wait(waiting: readonly Waiting[], { now }: WriteContext): Promise<void> {
    const changed = waiting.filter(({ original, refunds }) => refunds !== original.refunds);
    await this.#write(changed.map(({ original, refunds }) => changeWrite({ before: original, set: { refunds } }, now)));
  }

  /**
   * Records that a refund reverses nothing, because its transactions never moved points or money.
   *
   * @throws TransactionConflictError when the refund was applied before
   */
  async dismiss(
    originals: readonly RewardTransaction[],
    refund: RefundOfTransaction,
    { now }: WriteContext,
  ): Promise<void> {
    await this.#write(originals.map((original) => appliedWrite({ original, reversal: null }, refund, now)));
  }

  /**
   * Writes the result of a refund, once: pending reversals with the points that they hold, and the refunds of the
   * original transactions. A transfer has two of them, its legs.
   *
   * @throws TransactionConflictError when the refund was applied before, or an original or the balance was changed since it was
   *   read
   */
  async begin(applied: readonly AppliedRefund[], refund: RefundOfTransaction, context: WriteContext): Promise<void> {
    const steps = applied.flatMap(({ reversal, available }) =>
      reversal ? [{ transition: 'begin' as const, transaction: reversal, available }] : [],
    );
    await this.#write([
      ...applied.flatMap((one) => [
        appliedWrite(one, refund, context.now),
        changeWrite({ before: one.original, set: { refunds: one.refunds } }, context.now),
        ...(one.reversal ? newTransactionWrites(one.reversal, 'transaction_created', context) : []),
      ]),
      ...movementWrites(sumMovements(steps, context.now)),
    ]);
  }

  async #write(writes: readonly Write[]): Promise<void> {
    try {
      await this.#table.writeAll(writes);
    } catch (error) {
      throw error instanceof ConditionFailedError ? new TransactionConflictError({ cause: error }) : error;
    }
  }
}

/** The write that marks a refund as applied to a transaction. It succeeds once. */
function appliedWrite(
  { original, reversal }: Pick<AppliedRefund, 'original' | 'reversal'>,
  { uuid: refundUuid }: RefundOfTransaction,
  now: Date,
): Write {
  const created = reversal && { id: reversal.id, uuid: reversal.uuid };
  const item = { refundUuid, reversal: created, createdAt: now.toISOString() };
  return {
    kind: 'put',
    item: reversalsOfRefunds.item(reversalsOfRefunds.key(original.id, refundUuid), item),
    when: isNew,
  };
}

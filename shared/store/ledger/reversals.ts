import * as z from 'zod/mini';
import type { Refunds, RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import { sumMovements } from '../../domain/ledger/sum-movements.ts';
import type { AppliedRefunds, RefundsTogether } from '../../domain/reversal/reversal.ts';
import {
  ConditionFailedError,
  defineEntity,
  isNew,
  Repository,
  type Write,
  type WriteContext,
} from '../table/table-client.ts';
import { changeWrite, movementWrites, newTransactionWrite, transactions } from './transaction-writes.ts';
import { TransactionConflictError } from './transactions.ts';

/**
 * The result of one refund for one transaction. It prevents a second reversal for the same refund and is never deleted.
 */
const ReversalOfRefund = z.object({
  refundUuid: z.string(),
  /** Refunds that were applied together have one common reversal. Null when nothing was reversed. */
  reversal: z.nullable(z.object({ id: z.int(), uuid: z.string() })),
  createdAt: z.string(),
});
export type ReversalOfRefund = z.infer<typeof ReversalOfRefund>;

const refundPrefix = 'REFUND#';
const reversalsOfRefunds = defineEntity(ReversalOfRefund, (originalId: number, refundUuid: string) => ({
  pk: transactions.key(originalId).pk,
  sk: `${refundPrefix}${refundUuid}`,
}));

/** A transaction, and its new `refunds`, which include the waiting refunds. */
interface Waiting {
  readonly original: RewardTransaction;
  readonly refunds: Refunds;
}

/** Writes the start of reversals. `Transactions.finalize` writes their end, as for every transaction. */
export class Reversals extends Repository {
  /** The UUIDs of the refunds that are applied to a transaction. */
  async appliedTo(originalId: number): Promise<ReadonlySet<string>> {
    const { pk: partition } = transactions.key(originalId);
    const items = await this.table.query({ partition, sortBeginsWith: refundPrefix });
    return new Set(items.map(reversalsOfRefunds.parse).map(({ refundUuid }) => refundUuid));
  }

  /** Finds the result of a refund for a transaction; undefined while the refund is not applied. */
  async find(originalId: number, refundUuid: string): Promise<ReversalOfRefund | undefined> {
    const item = await this.table.get(reversalsOfRefunds.key(originalId, refundUuid));
    return item && reversalsOfRefunds.parse(item);
  }

  /**
   * Records refunds that wait until the program has answered for their transaction, or for both legs of a transfer. The
   * write that finalizes the transaction announces the refunds again.
   *
   * @throws TransactionConflictError when a transaction was changed since it was read
   */
  async wait(waiting: readonly Waiting[], { now }: WriteContext): Promise<void> {
    const changed = waiting.filter(({ original, refunds }) => refunds !== original.refunds);
    await this.#write(changed.map(({ original, refunds }) => changeWrite({ before: original, set: { refunds } }, now)));
  }

  /**
   * Records that refunds reverse nothing, because their transactions never moved points or money.
   *
   * @throws TransactionConflictError when one of the refunds was applied before
   */
  async dismiss(
    originals: readonly RewardTransaction[],
    refunds: RefundsTogether,
    { now }: WriteContext,
  ): Promise<void> {
    await this.#write(originals.flatMap((original) => appliedWrites({ original, reversal: null }, refunds, now)));
  }

  /**
   * Writes the result of refunds once: a pending reversal, which holds its points, and the new `refunds` of the
   * original transaction. For a transfer, both are written for each leg.
   *
   * @throws TransactionConflictError when one of the refunds was applied before, or when an original or the balance was
   *   changed since it was read
   */
  async begin(applied: readonly AppliedRefunds[], refunds: RefundsTogether, context: WriteContext): Promise<void> {
    const marks = applied.flatMap((one) => appliedWrites(one, refunds, context.now));
    await this.#write([...marks, ...reversalWrites(applied, context)]);
  }

  /**
   * Adjusts a transaction to the amount that is left of its payment. An adjustment is computed from the result of
   * earlier adjustments. So a repeated adjustment changes nothing, and no refund has to be marked as applied.
   *
   * @throws TransactionConflictError when the transaction or the balance was changed since it was read
   */
  async adjust(adjusted: AppliedRefunds, context: WriteContext): Promise<void> {
    await this.#write(reversalWrites([adjusted], context));
  }

  /**
   * Writes the reversals that an operator decided. The change of an original fails if its refunds have changed, so no
   * part is reversed twice.
   *
   * @throws TransactionConflictError when a transaction or the balance was changed since it was read
   */
  async reverse(applied: readonly AppliedRefunds[], context: WriteContext): Promise<void> {
    await this.#write([...reversalWrites(applied, context), ...(context.auditWrites ?? [])]);
  }

  async #write(writes: readonly Write[]): Promise<void> {
    try {
      await this.table.writeAll(writes);
    } catch (error) {
      throw error instanceof ConditionFailedError ? new TransactionConflictError({ cause: error }) : error;
    }
  }
}

/** The writes that begin reversals and store the new `refunds` of their originals. */
function reversalWrites(applied: readonly AppliedRefunds[], context: WriteContext): Write[] {
  const steps = applied.flatMap(({ reversal, available }) =>
    reversal ? [{ transition: 'begin' as const, transaction: reversal, available }] : [],
  );
  return [
    ...applied.flatMap((one) => [
      changeWrite({ before: one.original, set: { refunds: one.refunds } }, context.now),
      ...(one.reversal ? [newTransactionWrite(one.reversal, 'transaction_created', context)] : []),
    ]),
    ...movementWrites(sumMovements(steps, context.now)),
  ];
}

/** The writes that mark refunds as applied to a transaction. Each write succeeds only once. */
function appliedWrites(
  { original, reversal }: Pick<AppliedRefunds, 'original' | 'reversal'>,
  refunds: RefundsTogether,
  now: Date,
): Write[] {
  const created = reversal && { id: reversal.id, uuid: reversal.uuid };
  return refunds.map(({ uuid: refundUuid }) => {
    const item = { refundUuid, reversal: created, createdAt: now.toISOString() };
    return {
      kind: 'put',
      item: reversalsOfRefunds.item(reversalsOfRefunds.key(original.id, refundUuid), item),
      when: isNew,
    };
  });
}

import type { TransactionChange } from '../../domain/ledger/finalize.ts';
import type { Refunds, RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import { sumMovements } from '../../domain/ledger/sum-movements.ts';
import type { AppliedRefunds } from '../../domain/reversal/reversal.ts';
import { ConditionFailedError, Repository, type Write, type WriteContext } from '../table/table-client.ts';
import { changeWrite, movementWrites, newTransactionWrite } from './transaction-writes.ts';
import { TransactionConflictError } from './transactions.ts';

/** A further award, because a purchase grew. */
export interface FurtherAward {
  readonly transaction: RewardTransaction;
  /** The reward that counts the event of both: it has to know the further award. */
  readonly holder?: TransactionChange | undefined;
}

/** What a settlement of a purchase moves. */
export interface PurchaseMoves {
  /** Reversals and restorations. */
  readonly applied: readonly AppliedRefunds[];
  readonly further: readonly FurtherAward[];
  /** Transactions with their new marks: they move when the program has answered. */
  readonly waiting: readonly { readonly original: RewardTransaction; readonly refunds: Refunds }[];
}

/** Writes the start of reversals. `Transactions.finalize` writes their end, as for every transaction. */
export class Reversals extends Repository {
  /**
   * Writes the moves of a purchase, and the writes that record them, in one DynamoDB transaction. Writes nothing if there
   * is nothing to write.
   *
   * @throws TransactionConflictError when a transaction, a balance, a limit or a record was changed since it was read
   */
  async settle(moves: PurchaseMoves, records: readonly Write[], context: WriteContext): Promise<void> {
    await this.#write([...moveWrites(moves, context), ...records]);
  }

  /**
   * Writes the reversals that an operator decided. The change of an original fails if its refunds have changed, so no
   * part is reversed twice.
   *
   * @throws TransactionConflictError when a transaction or the balance was changed since it was read
   */
  async reverse(applied: readonly AppliedRefunds[], context: WriteContext): Promise<void> {
    const moves = { applied, further: [], waiting: [] };
    await this.#write([...moveWrites(moves, context), ...(context.auditWrites ?? [])]);
  }

  async #write(writes: readonly Write[]): Promise<void> {
    try {
      await this.table.writeAll(writes);
    } catch (error) {
      throw error instanceof ConditionFailedError ? new TransactionConflictError({ cause: error }) : error;
    }
  }
}

/** The writes that begin reversals and further awards, and store the new `refunds` and marks of the originals. */
export function moveWrites({ applied, further, waiting }: PurchaseMoves, context: WriteContext): Write[] {
  const steps = [
    ...applied.flatMap(({ reversal, available }) =>
      reversal ? [{ transition: 'begin' as const, transaction: reversal, available }] : [],
    ),
    ...further.map(({ transaction }) => ({ transition: 'award' as const, transaction })),
  ];
  return [
    ...waiting
      .filter(({ original, refunds }) => refunds !== original.refunds)
      .map(({ original, refunds }) => changeWrite({ before: original, set: { refunds } }, context.now)),
    ...applied.flatMap((one) => [
      changeWrite({ before: one.original, set: { refunds: one.refunds } }, context.now),
      ...(one.reversal ? [newTransactionWrite(one.reversal, 'transaction_created', context)] : []),
    ]),
    ...further.flatMap(({ transaction, holder }) => [
      newTransactionWrite(transaction, 'transaction_created', context),
      ...(holder ? [changeWrite(holder, context.now)] : []),
    ]),
    ...movementWrites(sumMovements(steps, context.now)),
  ];
}

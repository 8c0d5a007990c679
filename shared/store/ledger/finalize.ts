import type { Refunds } from '../../domain/ledger/reward-transaction.ts';
import { ConditionFailedError, type Item, type Write } from '../table/items.ts';
import type { TableClient } from '../table/table-client.ts';
import { awaitedRefundWrites, refundRevision, transactions, type WriteContext } from './transaction-writes.ts';

/** How refunds of transactions stand, as far as is known; in the order of the transactions. */
type Known = readonly (Refunds | undefined)[];

/**
 * Writes the end of transactions; the first writes are the changes of their states, in their order. Refunds that
 * wait for it are announced again in the same step, so that none is forgotten, whichever of the two is first.
 *
 * @returns whether this call did it; false when one of them was not pending any more
 */
export async function settle(
  table: TableClient,
  writes: readonly Write[],
  refunds: Known,
  context: WriteContext,
): Promise<boolean> {
  try {
    await table.transact([...onRevisions(writes, refunds), ...awaitedRefundWrites(refunds, context)]);
    return true;
  } catch (error) {
    const met = error instanceof ConditionFailedError ? refunds.map((_, position) => error.met.get(position)) : [];
    if (met.every((item) => item === undefined)) throw error;
    const news = refundsAmong(met, refunds);
    return news ? settle(table, writes, news, context) : false;
  }
}

/** The writes, the first of them on the condition that the refunds of their transactions are as they are known. */
function onRevisions(writes: readonly Write[], refunds: Known): Write[] {
  return writes.map((write, position) =>
    position < refunds.length
      ? { ...write, when: [...(write.when ?? []), ...refundRevision(refunds[position])] }
      : write,
  );
}

/**
 * The refunds of some transactions, by what a write met of each; undefined when one of them is settled, or
 * nothing is new.
 */
function refundsAmong(met: readonly (Item | null | undefined)[], known: Known): (Refunds | undefined)[] | undefined {
  const found = met.map((item) => (item ? transactions.parse(item) : undefined));
  const isOpen = found.every(
    (one, position) =>
      met[position] === undefined || (one?.state === 'PENDING' && one.refunds?.revision !== known[position]?.revision),
  );
  return isOpen ? known.map((refunds, position) => found[position]?.refunds ?? refunds) : undefined;
}

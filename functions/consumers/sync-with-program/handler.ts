import { integerIdOf } from '../../../shared/domain/ids.ts';
import { PlatformEvent } from '../../../shared/events/platform-event.ts';
import { busMessage, consume } from '../../../shared/runtime/consume.ts';
import { once } from '../../../shared/runtime/once.ts';
import { programOf } from '../../../shared/runtime/programs.ts';
import { runtime, withStores } from '../../../shared/runtime/runtime.ts';
import { Organisations } from '../../../shared/store/organisations.ts';
import { ProgramAccounts } from '../../../shared/store/program-accounts.ts';
import { Reversals } from '../../../shared/store/reversals.ts';
import { Transactions } from '../../../shared/store/transactions.ts';

const syncing = once(() =>
  withStores(runtime(), {
    organisations: Organisations,
    programAccounts: ProgramAccounts,
    reversals: Reversals,
    transactions: Transactions,
  }),
);
type Syncing = ReturnType<typeof syncing>;

/** Posts a created transaction, a reversal as any other, to the partner's loyalty program, and records what the program says. */
export const handler = consume({
  message: busMessage(PlatformEvent),
  deps: syncing,
  handle: ({ detail }, deps) => syncWithProgram(detail, deps),
});

/**
 * Safe to repeat: only a pending transaction is posted, and only one answer is recorded.
 *
 * @throws when the transaction or its program is not known; the message then ends in the dead-letter queue
 */
export async function syncWithProgram(event: PlatformEvent, deps: Syncing): Promise<void> {
  const id = integerIdOf(event.entityId);
  const transaction = id === undefined ? undefined : await deps.transactions.find(id);
  if (transaction?.uuid !== event.entityId) throw new Error(`there is no transaction ${event.entityId}`);
  if (transaction.state !== 'PENDING') return;

  const program = await programOf(transaction.partnerId, deps);
  const outcome = await program.post(transaction);
  const stamp = { now: deps.now(), nextUuid: deps.nextUuid };
  const books = transaction.reverses ? deps.reversals : deps.transactions;
  switch (outcome.kind) {
    case 'confirmed':
      await books.complete(transaction, outcome.reference, stamp);
      return;
    case 'rejected':
      await books.fail(transaction, outcome.reason, stamp);
      return;
    case 'accepted':
      return;
  }
}

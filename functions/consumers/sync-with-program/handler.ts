import { PlatformEvent } from '../../../shared/contracts/events.ts';
import { integerIdOf } from '../../../shared/domain/ids.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { type OutcomeOfAll, postAll } from '../../../shared/programs/post-all.ts';
import { busMessage, consume } from '../../../shared/runtime/consume.ts';
import { once } from '../../../shared/runtime/once.ts';
import { programOf } from '../../../shared/runtime/programs.ts';
import { runtime, withStores } from '../../../shared/runtime/runtime.ts';
import { Reversals } from '../../../shared/store/ledger/reversals.ts';
import { Transactions } from '../../../shared/store/ledger/transactions.ts';
import { ProgramAccounts } from '../../../shared/store/member/program-accounts.ts';
import { Organisations } from '../../../shared/store/organisation/organisations.ts';

const syncing = once(() =>
  withStores(runtime(), {
    organisations: Organisations,
    programAccounts: ProgramAccounts,
    reversals: Reversals,
    transactions: Transactions,
  }),
);
type Syncing = ReturnType<typeof syncing>;

/**
 * Posts a created transaction, a reversal as any other, to the partner's loyalty program, and records what the
 * program says. With it goes the other leg, when it is one of a transfer.
 */
export const handler = consume({
  message: busMessage(PlatformEvent),
  deps: syncing,
  handle: ({ detail }, deps) => syncWithProgram(detail, deps),
});

/** What the leg of a transfer fails with when it is the other one that was rejected. */
const otherLegRejected = 'the other side of the transfer was rejected';

/**
 * Safe to repeat: only pending transactions are posted, and only one answer is recorded. The event of either
 * leg of a transfer settles both.
 *
 * @param programFor gives the program of a partner
 * @throws when the transaction or its program is not known; the message then ends in the dead-letter queue
 */
export async function syncWithProgram(
  event: PlatformEvent,
  deps: Syncing,
  programFor: typeof programOf = programOf,
): Promise<void> {
  const id = integerIdOf(event.entityId);
  const transaction = id === undefined ? undefined : await deps.transactions.find(id);
  if (transaction?.uuid !== event.entityId) throw new Error(`there is no transaction ${event.entityId}`);

  // What takes points comes first, because it is what may be refused.
  const together = (await deps.transactions.withOtherLeg(transaction)).toSorted(byWhatTakesPoints);
  if (together.some(({ state }) => state !== 'PENDING')) return;

  const postings = await Promise.all(
    together.map(async (each) => ({ transaction: each, program: await programFor(each.partnerId, deps) })),
  );
  await record(together, await postAll(postings), deps);
}

/** A redemption does, and the reversal of what was earned. */
const takesPoints = ({ type, reverses }: RewardTransaction) => (type === 'REDEEM') === (reverses === undefined);

const byWhatTakesPoints = (one: RewardTransaction, other: RewardTransaction) =>
  Number(takesPoints(other)) - Number(takesPoints(one));

async function record(together: readonly RewardTransaction[], outcome: OutcomeOfAll, deps: Syncing): Promise<void> {
  const context = { now: deps.now(), nextUuid: deps.nextUuid };
  const books = together.some(({ reverses }) => reverses) ? deps.reversals : deps.transactions;
  switch (outcome.kind) {
    case 'confirmed': {
      const { references } = outcome;
      const confirmed = together.map((transaction, at) => ({ transaction, programReference: references[at] }));
      await books.completeAll(confirmed, context);
      return;
    }
    case 'rejected': {
      const reasonOf = ({ id }: RewardTransaction) => (id === outcome.rejectedId ? outcome.reason : otherLegRejected);
      const rejected = together.map((transaction) => ({ transaction, failureReason: reasonOf(transaction) }));
      await books.failAll(rejected, context);
      return;
    }
    case 'accepted':
      return;
  }
}

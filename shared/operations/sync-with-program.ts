import type { PlatformEvent } from '../contracts/events.ts';
import { integerIdOf } from '../domain/ids.ts';
import type { RewardTransaction } from '../domain/ledger/reward-transaction.ts';
import { type OutcomeOfAll, postAll } from '../programs/post-all.ts';
import type { LoyaltyProgram } from '../programs/program.ts';
import { programOf } from '../programs/program-of.ts';
import { Reversals } from '../store/ledger/reversals.ts';
import { Transactions } from '../store/ledger/transactions.ts';
import { ProgramAccounts } from '../store/member/program-accounts.ts';
import { Organisations } from '../store/organisation/organisations.ts';
import type { Deps } from './deps.ts';

export const syncWithProgramStores = {
  organisations: Organisations,
  programAccounts: ProgramAccounts,
  reversals: Reversals,
  transactions: Transactions,
};
type SyncDeps = Deps<typeof syncWithProgramStores>;

/** The failure reason of a transfer's leg when the program rejected the other leg. */
const otherLegRejected = 'the other side of the transfer was rejected';

/**
 * Posts a created transaction or reversal to the partner's loyalty program, and records the program's answer.
 * Both legs of a transfer are posted together, whichever of them the event reports.
 *
 * Safe to repeat: only pending transactions are posted, and only one answer is recorded.
 *
 * @param findProgram finds the program of a partner
 * @throws Error when the transaction or its program is not found
 */
export async function syncWithProgram(
  event: PlatformEvent,
  deps: SyncDeps,
  findProgram: typeof findProgramOf = findProgramOf,
): Promise<void> {
  const id = integerIdOf(event.entityId);
  const transaction = id === undefined ? undefined : await deps.transactions.find(id);
  if (transaction?.uuid !== event.entityId) throw new Error(`there is no transaction ${event.entityId}`);

  // The leg that takes points comes first, because a program may reject it.
  const together = (await deps.transactions.withOtherLeg(transaction)).toSorted(byTakingPoints);
  if (together.some(({ state }) => state !== 'PENDING')) return;

  const postings = await Promise.all(
    together.map(async (each) => ({ transaction: each, program: await findProgram(each.partnerId, deps) })),
  );
  await recordOutcome(together, await postAll(postings), deps);
}

async function findProgramOf(
  partnerId: number,
  { organisations, programAccounts }: Pick<SyncDeps, 'organisations' | 'programAccounts'>,
): Promise<LoyaltyProgram> {
  return programOf(partnerId, await organisations.find(partnerId), programAccounts);
}

/** A redemption takes points, and so does the reversal of an earning. */
const takesPoints = ({ type, reverses }: RewardTransaction) => (type === 'REDEEM') === (reverses === undefined);

const byTakingPoints = (one: RewardTransaction, other: RewardTransaction) =>
  Number(takesPoints(other)) - Number(takesPoints(one));

async function recordOutcome(
  together: readonly RewardTransaction[],
  outcome: OutcomeOfAll,
  deps: SyncDeps,
): Promise<void> {
  const context = { now: deps.now(), nextUuid: deps.nextUuid };
  const repository = together.some(({ reverses }) => reverses) ? deps.reversals : deps.transactions;
  switch (outcome.kind) {
    case 'confirmed': {
      const { references } = outcome;
      const confirmed = together.map((transaction, at) => ({ transaction, programReference: references[at] }));
      await repository.completeAll(confirmed, context);
      return;
    }
    case 'rejected': {
      const reasonFor = ({ id }: RewardTransaction) => (id === outcome.rejectedId ? outcome.reason : otherLegRejected);
      const rejected = together.map((transaction) => ({ transaction, failureReason: reasonFor(transaction) }));
      await repository.failAll(rejected, context);
      return;
    }
    case 'accepted':
      return;
  }
}

import type { PlatformEvent } from '../contracts/events.ts';
import { integerIdOf } from '../domain/ids.ts';
import type { RewardTransaction } from '../domain/ledger/reward-transaction.ts';
import type { LoyaltyProgram, PostingOutcome } from '../programs/program.ts';
import { programOf } from '../programs/program-of.ts';
import { Organisations } from '../store/organisation/organisations.ts';
import { finalizeTransactions, finalizeTransactionsStores } from './finalize-transactions.ts';
import type { Deps } from './operation.ts';

export const syncWithProgramStores = {
  ...finalizeTransactionsStores,
  organisations: Organisations,
};
type SyncDeps = Deps<typeof syncWithProgramStores>;

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
  const outcome = await postAll(postings);
  if (outcome.kind !== 'accepted') await finalizeTransactions({ legs: together, answer: outcome }, deps);
}

async function findProgramOf(
  partnerId: number,
  { organisations }: Pick<SyncDeps, 'organisations'>,
): Promise<LoyaltyProgram> {
  return programOf(partnerId, await organisations.find(partnerId));
}

/** A redemption takes points, and so does the reversal of an earning. A restoration undoes a reversal. */
const takesPoints = ({ type, reverses, isRestoration = false }: RewardTransaction) =>
  (type === 'REDEEM') === (reverses === undefined || isRestoration);

const byTakingPoints = (one: RewardTransaction, other: RewardTransaction) =>
  Number(takesPoints(other)) - Number(takesPoints(one));

/** A transaction with the program that it is posted to. */
interface Posting {
  readonly transaction: RewardTransaction;
  readonly program: LoyaltyProgram;
}

/** The joint outcome of transactions that are posted together. */
type JointOutcome =
  /** Every program confirmed. The references are in the order of the postings. */
  | { readonly kind: 'confirmed'; readonly references: readonly (string | undefined)[] }
  /** One program rejected its transaction. Postings that other programs had confirmed are undone. */
  | { readonly kind: 'rejected'; readonly rejectedId: number; readonly reason: string }
  /** At least one program answers later. */
  | { readonly kind: 'accepted' };

/**
 * Posts transactions one after the other: either all are confirmed, or none is. Safe to repeat from any point,
 * because a posting and its undoing are.
 */
async function postAll(postings: readonly Posting[]): Promise<JointOutcome> {
  const references: (string | undefined)[] = [];
  for (const [position, { transaction, program }] of postings.entries()) {
    const outcome: PostingOutcome = await program.post(transaction);
    if (outcome.kind === 'unknown')
      throw new Error(`the program of organisation ${transaction.partnerId}: ${outcome.cause}`);
    if (outcome.kind === 'accepted') return outcome;
    if (outcome.kind === 'rejected') {
      for (const earlier of postings.slice(0, position)) await earlier.program.takeBack(earlier.transaction);
      return { kind: 'rejected', rejectedId: transaction.id, reason: outcome.reason };
    }
    references.push(outcome.reference);
  }
  return { kind: 'confirmed', references };
}

import type { BusEvent, ProgramTask } from '../../contracts/events.ts';
import { integerIdOf } from '../../domain/ids.ts';
import { mayHaveArrived } from '../../domain/ledger/posting.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import type { MessageQueue } from '../../events/message-queue.ts';
import type { LoyaltyProgram, PostingOutcome, Unknown } from '../../programs/program.ts';
import { Programs } from '../../programs/programs.ts';
import { concerning } from '../../store/table/table-client.ts';
import type { Deps } from '../operation.ts';
import {
  type AnsweredLegs,
  finalizeTogether,
  finalizeTransactions,
  finalizeTransactionsStores,
} from './finalize-transactions.ts';
import { admitReward, admitRewardStores } from './review-reward.ts';

export const syncWithProgramStores = { ...finalizeTransactionsStores, ...admitRewardStores, programs: Programs };
type SyncDeps = Omit<Deps<typeof syncWithProgramStores>, 'programs'> & {
  readonly programs: Pick<Programs, 'find'>;
};

/** The queue of work for partners' own programs. */
export type ProgramQueue = Pick<MessageQueue<ProgramTask>, 'send'>;

/**
 * Brings a created transaction or reversal to the partner's loyalty program. A hosted program confirms immediately, and
 * this operation records the answer. Work for a partner's own program goes to a queue that is fair between programs, so
 * a slow program does not delay the others.
 *
 * Both legs of a transfer are posted together; the event may report either leg. A reward is held for review instead if
 * a velocity rule of the program has no room for it, or if its account is blocked.
 *
 * Safe to repeat: only pending transactions are posted, and only one answer is recorded.
 *
 * @param openQueue opens the queue; called only when there is work for it
 * @throws Error when the transaction or its program is not found
 */
export async function syncWithProgram(event: BusEvent, deps: SyncDeps, openQueue = noQueue): Promise<void> {
  const answered = await postToHosted(event, deps, openQueue);
  if (answered) await finalizeTransactions(answered, deps);
}

/**
 * Does the work of {@link syncWithProgram} for a batch of events. The confirmations of hosted programs for one member
 * are recorded together: separate writes would conflict at the member's account.
 *
 * @returns for each event, the error that it failed with, or undefined when it is done
 */
export async function syncAllWithPrograms(
  events: readonly BusEvent[],
  deps: SyncDeps,
  openQueue = noQueue,
): Promise<unknown[]> {
  const posted = await Promise.allSettled(
    events.map((event) => concerning(event.entityId, () => postToHosted(event, deps, openQueue))),
  );
  const answered = posted.flatMap((result) => (result.status === 'fulfilled' && result.value ? [result.value] : []));
  const errors = await finalizeTogether(answered, deps);
  return posted.map((result) => {
    if (result.status === 'rejected') return result.reason;
    return result.value && errors.get(result.value);
  });
}

/** Posts the transaction of an event to hosted programs. Returns undefined when there is no answer to record here. */
async function postToHosted(
  event: BusEvent,
  deps: SyncDeps,
  openQueue: () => ProgramQueue,
): Promise<AnsweredLegs | undefined> {
  if (event.name === 'balance_reported') {
    await queueComparison(event.entityId, deps, openQueue());
    return undefined;
  }
  const id = integerIdOf(event.entityId);
  const transaction = id === undefined ? undefined : await deps.transactions.find(id);
  if (transaction?.uuid !== event.entityId) throw new Error(`there is no transaction ${event.entityId}`);
  if (event.name === 'settlement_written') {
    await queueSettlement(transaction, deps, openQueue);
    return undefined;
  }

  const postings = await admitPostings(await loadPostings(transaction, deps), deps);
  if (!postings) return undefined;
  const ofPartner = postings.find(({ program }) => !program.isHosted);
  if (ofPartner) {
    const { id: transactionId, partnerId } = ofPartner.transaction;
    await openQueue().send([{ kind: 'post', partnerId, transactionId }]);
    return undefined;
  }
  const { outcome } = await postAll(postings);
  if (outcome.kind === 'unknown') throw new Error(`a program did not answer: ${outcome.cause}`);
  if (outcome.kind === 'accepted') return undefined;
  return { legs: postings.map((posting) => posting.transaction), answer: outcome };
}

/** The postings that may go to their programs; undefined when one is not pending, or is held for review. */
async function admitPostings(
  postings: readonly ProgramPosting[],
  deps: SyncDeps,
): Promise<ProgramPosting[] | undefined> {
  if (!arePending(postings)) return undefined;
  const admitted: ProgramPosting[] = [];
  for (const { transaction: pending, program } of postings) {
    const transaction = await admitReward(pending, program.velocityRules ?? [], deps);
    if (!transaction) return undefined;
    admitted.push({ transaction, program });
  }
  return admitted;
}

const noQueue = (): ProgramQueue => {
  throw new Error('the queue of programs is not open');
};

/**
 * Queues the points that a transaction settled, to be posted to a partner's own program. A hosted program needs no
 * post, because the ledger is the program: this function only records that the settlement is done.
 */
async function queueSettlement(
  transaction: RewardTransaction,
  { programs, postings, now, nextUuid }: SyncDeps,
  openQueue: () => ProgramQueue,
): Promise<void> {
  const { id: transactionId, partnerId, userId } = transaction;
  const { isHosted } = await programs.find(partnerId, userId);
  if (isHosted) await postings.recordSettlement(transaction, { now: now(), nextUuid });
  else await openQueue().send([{ kind: 'settle', partnerId, transactionId, attempt: 1 }]);
}

/** @param entityId the id of the membership as text */
async function queueComparison(entityId: string, { members }: SyncDeps, queue: ProgramQueue): Promise<void> {
  const membershipId = Number(entityId);
  const userId = await members.findUserIdByLink(membershipId);
  const member = userId === undefined ? undefined : await members.find(userId);
  const membership = member?.memberships.find(({ id }) => id === membershipId);
  // If the member was erased or merged after the event, the account is not found any more.
  if (!membership) return;
  const { partnerId } = membership;
  await queue.send([{ kind: 'compare', partnerId, userId: membership.userId, attempt: 1 }]);
}

/** A transaction with the program that it is posted to. */
export interface ProgramPosting {
  readonly transaction: RewardTransaction;
  readonly program: LoyaltyProgram;
}

/**
 * Loads a transaction with the other leg of its transfer, and their programs. The leg that takes points comes first,
 * because a program may reject it.
 */
export async function loadPostings(
  transaction: RewardTransaction,
  { transactions, programs }: Pick<SyncDeps, 'transactions' | 'programs'>,
): Promise<ProgramPosting[]> {
  const legs = (await transactions.withOtherLeg(transaction)).toSorted(byTakingPoints);
  return Promise.all(
    legs.map(async (leg) => ({ transaction: leg, program: await programs.find(leg.partnerId, leg.userId) })),
  );
}

export const arePending = (postings: readonly ProgramPosting[]): boolean =>
  postings.every(({ transaction }) => transaction.state === 'PENDING');

/** Whether a transaction takes points: a redemption, the reversal of an earning, or the restoration of a redemption. */
const takesPoints = ({ type, reverses, isRestoration = false }: RewardTransaction) =>
  (type === 'REDEEM') === (reverses === undefined || isRestoration);

const byTakingPoints = (one: RewardTransaction, other: RewardTransaction) =>
  Number(takesPoints(other)) - Number(takesPoints(one));

/** The joint outcome of transactions that are posted together. */
type JointOutcome =
  /** Every program confirmed. The references are in the sequence of the postings. */
  | { readonly kind: 'confirmed'; readonly references: readonly (string | undefined)[] }
  /** One program rejected its transaction. Postings that other programs had confirmed are undone. */
  | { readonly kind: 'rejected'; readonly rejectedId: number; readonly reason: string }
  /** At least one program answers later. */
  | { readonly kind: 'accepted' }
  | Unknown;

/** The joint outcome, and the outcome of each posting. The keys of `byPartner` are the partners' ids. */
interface Posted {
  readonly outcome: JointOutcome;
  readonly byPartner: ReadonlyMap<number, PostingOutcome>;
}

/**
 * Posts transactions one after the other: either all are confirmed, or none is. Safe to repeat from any point, because
 * posting and undoing are safe to repeat. If a program may have received a transaction before, the platform asks the
 * program first.
 */
export async function postAll(postings: readonly ProgramPosting[]): Promise<Posted> {
  const references: (string | undefined)[] = [];
  const byPartner = new Map<number, PostingOutcome>();
  for (const [position, posting] of postings.entries()) {
    const { id, partnerId } = posting.transaction;
    const outcome = await askOrPost(posting);
    byPartner.set(partnerId, outcome);
    if (outcome.kind === 'accepted' || outcome.kind === 'unknown') return { outcome, byPartner };
    if (outcome.kind === 'rejected') {
      const undone = await undo(postings.slice(0, position), byPartner);
      return { outcome: undone ?? { kind: 'rejected', rejectedId: id, reason: outcome.reason }, byPartner };
    }
    references.push(outcome.reference);
  }
  return { outcome: { kind: 'confirmed', references }, byPartner };
}

async function askOrPost({ transaction, program }: ProgramPosting): Promise<PostingOutcome> {
  if (!mayHaveArrived(transaction.posting)) return program.post(transaction);
  const found = await program.query(transaction);
  return found.kind === 'not_found' ? program.post(transaction) : found;
}

/**
 * Undoes postings.
 *
 * @returns the outcome of the first program that did not answer; undefined when all postings are undone
 */
async function undo(
  postings: readonly ProgramPosting[],
  byPartner: Map<number, PostingOutcome>,
): Promise<Unknown | undefined> {
  for (const { transaction, program } of postings) {
    const undone = await program.takeBack(transaction);
    if (undone.kind === 'unknown') {
      byPartner.set(transaction.partnerId, undone);
      return undone;
    }
  }
  return undefined;
}

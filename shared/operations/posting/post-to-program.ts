import type { ProgramTask } from '../../contracts/events.ts';
import { programAttemptDelaysMs, programMs, toSeconds } from '../../contracts/limits.ts';
import {
  afterAcceptance,
  afterDeferral,
  afterFailure,
  beginAttempt,
  isDue,
  type Posting,
} from '../../domain/ledger/posting.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import type { Membership } from '../../domain/member/member.ts';
import { admit, isNews, trialEndsAt } from '../../domain/program-health.ts';
import type { PostingOutcome } from '../../programs/program.ts';
import { Ledger } from '../../store/ledger/ledger.ts';
import { ProgramHealths } from '../../store/organisation/program-healths.ts';
import { followingFrom } from '../../store/table/table-client.ts';
import type { Deps } from '../operation.ts';
import { finalizeTransactions, finalizeTransactionsStores } from './finalize-transactions.ts';
import { holdBlocked } from './review-reward.ts';
import {
  arePending,
  loadPostings,
  type ProgramPosting,
  type ProgramQueue,
  postAll,
  syncWithProgramStores,
} from './sync-with-program.ts';

export const postToProgramStores = {
  ...finalizeTransactionsStores,
  ...syncWithProgramStores,
  ledger: Ledger,
  programHealths: ProgramHealths,
};

export interface PostDeps extends Deps<typeof postToProgramStores> {
  readonly queue: ProgramQueue;
  /** Returns a random number from 0 to below 1, which spreads the attempts. */
  readonly randomShare: () => number;
}

/** The log message about a transaction that has no answer in time. Each such message sets off an alarm. */
const suspendedMessage = 'transaction.suspended';

/** Does one task for a partner's own program. Safe to repeat, and to run twice at the same time. */
export function runProgramTask(task: ProgramTask, deps: PostDeps): Promise<void> {
  switch (task.kind) {
    case 'post':
      return postToProgram(task.transactionId, deps);
    case 'settle':
      return postSettlement(task, deps);
    case 'compare':
      return compareBalance(task, deps);
  }
}

/**
 * Makes one attempt to post a transaction, or both legs of a transfer. Then records the answer, or the time of the next
 * attempt, or the state ERROR. If the worker ends before that, its attempt counts as dead after a while, and the next
 * attempt first asks the program whether it has the transaction.
 *
 * @throws Error for failures of the platform only; a failure of the program is an outcome
 */
async function postToProgram(transactionId: number, deps: PostDeps): Promise<void> {
  const transaction = await deps.transactions.find(transactionId);
  if (!transaction) throw new Error(`there is no transaction ${transactionId}`);
  const { requestId } = transaction.posting ?? {};
  if (requestId === undefined) return attemptPosting(transaction, deps);
  // The clock starts repeated attempts, and each run of the clock has a request id of its own. So the attempt uses the
  // request id that the posting stores: the id of the request that created the transaction.
  return followingFrom({ byEntity: new Map(), otherwise: requestId }, () => attemptPosting(transaction, deps));
}

async function attemptPosting(transaction: RewardTransaction, deps: PostDeps): Promise<void> {
  const postings = await loadPostings(transaction, deps);
  const ofPartners = postings.filter(isOfPartner);
  if (ofPartners.length === 0) return confirmHosted(postings, deps);
  const now = deps.now();
  // Another attempt runs, or the message is older than the last attempt.
  if (!arePending(postings) || ofPartners.some((posting) => !isDue(posting.transaction.posting, now))) return;

  const admissions = await Promise.all(ofPartners.map((posting) => admitTo(posting, deps)));
  const wait = admissions.find((admission) => admission.kind === 'wait');
  if (wait) return recordNext(postings, (posting) => afterDeferral(posting, wait.until, spread(deps)), deps);

  const begun = ofPartners.map(({ transaction: before }) => ({ before, posting: beginAttempt(before.posting, now) }));
  if (!(await deps.postings.begin(begun, contextOf(deps)))) {
    // Another worker began the attempt, or the account of a reward is blocked.
    await holdBlocked(
      begun.map(({ before }) => before),
      deps,
    );
    return;
  }

  const posted = await postAll(postings);
  await recordHealth(posted.byPartner, admissions, deps);
  const { outcome } = posted;
  const tried = postings.map((posting) => withAttempt(posting, now));
  if (outcome.kind === 'accepted') {
    return recordNext(tried, (posting) => posting && afterAcceptance(posting, spread(deps)), deps);
  }
  if (outcome.kind === 'unknown') {
    const { cause, retryAfterSeconds } = outcome;
    const failure = { ...spread(deps), cause, retryAfterSeconds };
    return recordNext(tried, (posting) => posting && afterFailure(posting, failure), deps);
  }
  await finalizeTransactions({ legs: tried.map(({ transaction: leg }) => leg), answer: outcome }, deps);
  for (const { transaction: leg } of ofPartners) await queueComparison(leg, posted.byPartner, deps);
}

/** Confirms a transaction whose program became a hosted one while the transaction waited: the ledger is the program now. */
async function confirmHosted(postings: readonly ProgramPosting[], deps: PostDeps): Promise<void> {
  const { outcome } = await postAll(postings);
  if (!arePending(postings) || outcome.kind !== 'confirmed') return;
  await finalizeTransactions({ legs: postings.map(({ transaction }) => transaction), answer: outcome }, deps);
}

const isOfPartner = ({ program }: ProgramPosting): boolean => !program.isHosted;

const spread = ({ now, randomShare }: PostDeps) => ({ now: now(), random: randomShare() });

const contextOf = ({ now, nextUuid }: PostDeps) => ({ now: now(), nextUuid });

/** A posting as it is stored when its attempt begins. */
function withAttempt(posting: ProgramPosting, begunAt: Date): ProgramPosting {
  if (!isOfPartner(posting)) return posting;
  const { transaction } = posting;
  return { ...posting, transaction: { ...transaction, posting: beginAttempt(transaction.posting, begunAt) } };
}

/** Records when the next attempt is due. If no attempt is left, sets the transaction and its other leg to ERROR. */
async function recordNext(
  postings: readonly ProgramPosting[],
  next: (posting: Posting | undefined) => Posting | undefined,
  deps: PostDeps,
): Promise<void> {
  const changes = postings.filter(isOfPartner).flatMap(({ transaction: before }) => {
    const posting = next(before.posting);
    return posting ? [{ before, posting }] : [];
  });
  const [first] = changes;
  if (!first) return suspend(postings, deps);
  if (!(await deps.postings.record(changes, contextOf(deps)))) return;

  const { id: transactionId, partnerId } = first.before;
  const delayMs = Date.parse(first.posting.dueAt) - deps.now().getTime();
  deps.log.info('transaction.postponed', { transactionId, partnerId, ...first.posting });
  if (delayMs >= programMs.queuedDelay) return;
  await deps.queue.send([{ kind: 'post', partnerId, transactionId }], Math.max(0, Math.ceil(delayMs / 1000)));
}

async function suspend(postings: readonly ProgramPosting[], deps: PostDeps): Promise<void> {
  const legs = postings.map(({ transaction }) => transaction);
  if (!(await deps.postings.suspend(legs, contextOf(deps)))) return;
  for (const { id, partnerId, posting } of legs) {
    deps.log.error(suspendedMessage, { transactionId: id, partnerId, ...posting });
  }
}

/** Whether a request to one program may be sent now, and whether its answer would be news. */
type ProgramAdmission = { readonly partnerId: number; readonly isNews: boolean } & (
  | { readonly kind: 'go'; readonly isTrial: boolean }
  | { readonly kind: 'wait'; readonly until: Date }
);

async function admitTo({ transaction: { partnerId } }: ProgramPosting, deps: PostDeps): Promise<ProgramAdmission> {
  const now = deps.now();
  const health = await deps.programHealths.find(partnerId);
  const known = { partnerId, isNews: isNews(health, now) };
  const admission = admit(health, now);
  if (admission.kind === 'go') return { ...known, kind: 'go', isTrial: false };
  if (admission.kind === 'wait') return { ...known, ...admission };
  const isClaimed = await deps.programHealths.claimTrial(partnerId, admission.pausedUntil, now);
  return isClaimed
    ? { ...known, kind: 'go', isTrial: true }
    : { ...known, kind: 'wait', until: new Date(trialEndsAt(now)) };
}

/** Records which programs answered. Programs that were not asked have no outcome. */
async function recordHealth(
  outcomes: ReadonlyMap<number, PostingOutcome>,
  admissions: readonly ProgramAdmission[],
  { programHealths, now }: PostDeps,
): Promise<void> {
  for (const { partnerId, isNews: isNewsNow, ...admission } of admissions) {
    const outcome = outcomes.get(partnerId);
    const isTrial = admission.kind === 'go' && admission.isTrial;
    if (outcome?.kind === 'unknown') {
      await programHealths.recordFailure(partnerId, { cause: outcome.cause, isTrial, now: now() });
    } else if (outcome && isNewsNow) await programHealths.recordAnswer(partnerId, now());
  }
}

type Settlement = Extract<ProgramTask, { kind: 'settle' }>;

/** The log message about settled points for which the program gives no answer in a day. Each one sets off an alarm. */
const unansweredMessage = 'settlement.unanswered';

/**
 * Posts the points that a transaction settled, and repeats the request until the program answers. The balances are
 * compared only after the answer. Before the answer, the program may still count the settled points, and a comparison
 * would give these points back to the member.
 */
async function postSettlement(task: Settlement, deps: PostDeps): Promise<void> {
  const transaction = await deps.transactions.find(task.transactionId);
  if (!transaction || transaction.settlementPostedAt !== undefined) return;
  const entry = await deps.ledger.findSettlement(transaction);
  if (!entry) throw new Error(`transaction ${transaction.id} settled nothing`);
  const posting = { transaction, program: await deps.programs.find(task.partnerId, transaction.userId) };
  const admission = await admitTo(posting, deps);
  if (admission.kind === 'wait') return repeat(task, admission.until, deps);

  const outcome = await posting.program.settle(transaction, entry.points);
  await recordHealth(new Map([[task.partnerId, outcome]]), [admission], deps);
  if (outcome.kind === 'unknown' || outcome.kind === 'accepted') {
    const now = deps.now().getTime();
    const isLate = now - Date.parse(entry.createdAt) >= programMs.postingTime;
    if (isLate) deps.log.error(unansweredMessage, { ...task, ...outcome });
    else deps.log.info('settlement.postponed', { ...task, ...outcome });
    const delayMs = programAttemptDelaysMs[Math.min(task.attempt, programAttemptDelaysMs.length) - 1] ?? 0;
    return repeat({ ...task, attempt: task.attempt + 1 }, new Date(now + delayMs), deps);
  }
  if (outcome.kind === 'rejected') deps.log.error('settlement.rejected', { ...task, reason: outcome.reason });
  if (await deps.postings.recordSettlement(transaction, contextOf(deps))) {
    await queueComparison(transaction, new Map([[task.partnerId, outcome]]), deps);
  }
}

/** Queues a task again for the time `at`, or earlier if a message cannot be delayed that long. */
async function repeat(task: ProgramTask, at: Date, { queue, now }: PostDeps): Promise<void> {
  const delayMs = Math.min(Math.max(0, at.getTime() - now().getTime()), programMs.longestQueuedDelay);
  await queue.send([task], toSeconds(delayMs));
}

type Comparison = Extract<ProgramTask, { kind: 'compare' }>;

/** All points of an account, as its program counts them. */
const balanceOf = ({ availablePoints, heldPoints }: Membership): number => availablePoints + heldPoints;

/**
 * Whether a posting of the account has begun and not ended. Until it ends, the ledger and the program may differ by its
 * points.
 */
const isInFlight = ({ postingsBegun = 0, postingsEnded = 0 }: Membership): boolean => postingsBegun !== postingsEnded;

/** Queues a comparison of balances when the answer contains a different balance, or is a rejection. */
async function queueComparison(
  { userId, partnerId }: RewardTransaction,
  outcomes: ReadonlyMap<number, PostingOutcome>,
  { members, queue }: PostDeps,
): Promise<void> {
  const outcome = outcomes.get(partnerId);
  const balance = outcome?.kind === 'confirmed' ? outcome.balance : undefined;
  const isRejected = outcome?.kind === 'rejected';
  if (!isRejected && balance === undefined) return;
  const membership = await members.findMembership(userId, partnerId);
  if (!membership || balanceOf(membership) === balance) return;
  // While transactions are in flight, a difference is normal. The answer to the last one shows whether a difference
  // remains.
  if (isInFlight(membership) && !isRejected) return;
  await queue.send([{ kind: 'compare', partnerId, userId, attempt: 1 }]);
}

/**
 * Makes the balance of an account equal to the balance in its program. Asks the program while no transaction of the
 * account is in flight. Writes the difference on the condition that no posting of the account began meanwhile.
 */
async function compareBalance(task: Comparison, deps: PostDeps): Promise<void> {
  const { partnerId, userId } = task;
  const membership = await deps.members.findMembership(userId, partnerId);
  if (!membership) return;
  // The answer to the transaction in flight may contain no balance, so the comparison is queued again.
  if (isInFlight(membership)) return compareAgain(task, deps);
  const program = await deps.programs.find(partnerId, userId);
  const found = await program.balance(membership.externalId);
  if (found.kind === 'unknown') return compareAgain(task, deps);
  const points = found.kind === 'found' ? found.points - balanceOf(membership) : 0;
  if (points === 0) return;
  const isAdjusted = await deps.ledger.adjust({ membership, points, ids: deps.nextIds() }, deps.now());
  deps.log.info('balance.compared', { partnerId, userId, points, isAdjusted });
  if (!isAdjusted) await compareAgain(task, deps);
}

/**
 * Queues a comparison again. After the last attempt it queues nothing: the next transaction or report queues a new
 * comparison.
 */
async function compareAgain(task: Comparison, deps: PostDeps): Promise<void> {
  const delayMs = programAttemptDelaysMs[task.attempt - 1];
  if (delayMs === undefined) return;
  await repeat({ ...task, attempt: task.attempt + 1 }, new Date(deps.now().getTime() + delayMs), deps);
}

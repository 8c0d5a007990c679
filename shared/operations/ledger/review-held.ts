import { type BalanceChange, giftTo } from '../../domain/ledger/manual-adjustment.ts';
import type { Review, RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import { isAccountBlocked } from '../../domain/member/member.ts';
import type { Approval } from '../../store/ledger/manual-adjustments.ts';
import type { Write } from '../../store/table/table-client.ts';
import { ChangedMeanwhileError, NotFoundError, type Subject } from '../errors.ts';
import { type ImportReport, type ImportRow, importRows } from '../import-rows.ts';
import { findMember, findMemberStores, type MemberReference } from '../member/manage-members.ts';
import { approveMove, countMove, countTogether, isApproved, movePointsStores } from '../move-points.ts';
import { allOrganisations, findOrganisationOfKind } from '../organisation/find-organisation.ts';
import { finalizeTransactions, finalizeTransactionsStores } from '../posting/finalize-transactions.ts';
import { type AuditedDeps, type Author, auditWrites, operatorOf } from '../write-audited.ts';
import { findTransaction } from './explain-rewards.ts';
import { TransactionRefusedError } from './manage-transactions.ts';

/** Rewards that are held for review: a velocity rule had no room for them, or their account was blocked. */

const reviewHeldStores = { ...findMemberStores, ...finalizeTransactionsStores, ...movePointsStores };
type ReviewDeps = AuditedDeps<typeof reviewHeldStores>;

/** Which held rewards to list. An absent field does not restrict the list. */
interface HeldFilter {
  readonly member?: MemberReference | undefined;
  /** The partner of the program, by id or exact name. */
  readonly program?: string | undefined;
}

/**
 * Lists rewards that are held for review, the oldest first. An index leads to them; it may lag by about a second.
 *
 * @throws NotFoundError, WrongOrganisationKindError
 */
export async function listHeld({ member, program }: HeldFilter, deps: ReviewDeps): Promise<RewardTransaction[]> {
  const userId = member && (await findMember(member, deps)).user.id;
  const partners =
    program === undefined
      ? (await allOrganisations(deps)).filter(({ kind }) => kind === 'PARTNER')
      : [await findOrganisationOfKind(program, 'PARTNER', deps)];
  const ids = await Promise.all(partners.map(({ id }) => deps.postings.heldOf(id)));
  const found = await Promise.all(ids.flat().map((id) => deps.transactions.find(id)));
  return found
    .flatMap((one) => (one?.state === 'HELD' && (userId === undefined || one.userId === userId) ? [one] : []))
    .toSorted((one, other) => (heldAt(one) < heldAt(other) ? -1 : 1));
}

const heldAt = ({ review, updatedAt }: RewardTransaction) => review?.heldAt ?? updatedAt;

/** How a review ends. */
type ReviewOutcome = NonNullable<Review['end']>['outcome'];

/** The decision of an operator about a held reward. `id` is the id or UUID of the reward's transaction. */
interface ReviewOrder {
  readonly id: string;
  readonly outcome: ReviewOutcome;
  readonly reason: string;
}

/**
 * Releases a held reward, or refuses it for good. A released reward goes to its program as usual, and no velocity rule
 * counts it, but the release has the rule of two persons. A refused reward becomes FAILED, and its charges return to
 * their limits. If two operators decide at the same time, one decision counts.
 *
 * @returns the transaction as it was before the decision
 * @throws TransactionRefusedError when the reward is not held, or when the operator releases it but its account is
 * blocked
 * @throws ChangedMeanwhileError when another operator decided at the same time
 * @throws SecondPersonNeededError when another operator has to approve the release
 * @throws NotFoundError
 */
export async function endReview(order: ReviewOrder, deps: ReviewDeps): Promise<RewardTransaction> {
  const { planned, write } = await planReview(order, deps);
  const counting = order.outcome === 'RELEASED' ? await countMove({ changes: [releaseOf(planned)] }, deps) : [];
  await write(counting);
  return planned;
}

/** What the release of a reward gives to the member. */
const releaseOf = (reward: RewardTransaction): BalanceChange =>
  giftTo(
    reward,
    reward.cashbackCents > 0 ? { cents: reward.cashbackCents } : reward,
    `release of transaction ${reward.id}`,
  );

/**
 * Approves that another operator releases exactly these rewards in one command. Rewards that were released before stay
 * part of the approval, so an interrupted command can be repeated.
 *
 * @throws NothingToApproveError when no reward is held or released
 */
export async function approveReleases(
  ids: readonly ImportRow<string>[],
  deps: ReviewDeps & { readonly author: Author },
): Promise<Approval> {
  return approveMove({ changes: (await loadReleasable(ids, deps)).map(releaseOf) }, deps);
}

/** The rewards that are held, and those that were released before. */
async function loadReleasable(ids: readonly ImportRow<string>[], deps: ReviewDeps): Promise<RewardTransaction[]> {
  const found = await Promise.all([...new Set(ids.map(({ row }) => row))].map((id) => findTransaction(id, deps)));
  const rewards = found.filter((one) => one !== undefined);
  const isReleasable = ({ state, review }: RewardTransaction) =>
    state === 'HELD' || review?.end?.outcome === 'RELEASED';
  return [...new Map(rewards.filter(isReleasable).map((one) => [one.id, one])).values()];
}

/** Counts the rewards that a command releases, unless another operator has approved the command. */
async function countReleases(ids: readonly ImportRow<string>[], deps: ReviewDeps): Promise<void> {
  const { author } = deps;
  const releasable = await loadReleasable(ids, deps);
  if (!author || (await isApproved({ changes: releasable.map(releaseOf) }, { ...deps, author }))) return;
  await countTogether({ changes: releasable.filter(({ state }) => state === 'HELD').map(releaseOf) }, deps);
}

/**
 * Ends the reviews of several rewards, one by one. A reward that cannot be decided does not stop the others. A reward
 * whose review has already ended with the same decision counts as unchanged. Before the first release, all releases are
 * counted together for the rule of two persons.
 *
 * @throws SecondPersonNeededError
 */
export async function endReviews(
  ids: readonly ImportRow<string>[],
  { outcome, reason }: Omit<ReviewOrder, 'id'>,
  deps: ReviewDeps,
): Promise<ImportReport> {
  if (outcome === 'RELEASED') await countReleases(ids, deps);
  return importRows(
    ids,
    async (id) => {
      const ended = await findTransaction(id, deps);
      if (ended?.review?.end?.outcome === outcome) return { outcome: 'unchanged', write: async () => {} };
      return { outcome: 'changed', write: (await planReview({ id, outcome, reason }, deps)).write };
    },
    { isDryRun: false },
  );
}

async function planReview(order: ReviewOrder, deps: ReviewDeps) {
  const planned = await findTransaction(order.id, deps);
  if (!planned) throw new NotFoundError({ kind: 'transaction', id: order.id });
  const { id, state, review } = planned;
  if (state !== 'HELD' || !review) {
    throw new TransactionRefusedError(`transaction ${id} is ${state}: only one in HELD waits for a review`);
  }
  const account = await deps.members.findMembership(planned.userId, planned.partnerId);
  if (order.outcome === 'RELEASED' && account && isAccountBlocked(account)) {
    throw new TransactionRefusedError(
      `the account of transaction ${id} is blocked: end the block with member unblock, or refuse the reward`,
    );
  }
  const write = (counting: readonly Write[] = []) => writeEnd(order, { ...planned, review }, counting, deps);
  return { planned, write };
}

async function writeEnd(
  { outcome, reason }: ReviewOrder,
  held: RewardTransaction & { readonly review: Review },
  counting: readonly Write[],
  deps: ReviewDeps,
): Promise<void> {
  const { id, userId, points, cashbackCents } = held;
  const now = deps.now();
  const end = { outcome, reason, operator: await operatorOf(deps), at: now.toISOString() };
  const review = { ...held.review, end };
  const isRelease = outcome === 'RELEASED';
  const what = `${isRelease ? 'released' : 'refused'} transaction ${id} of member ${userId} (${points} points, ${cashbackCents} cents): ${reason}`;
  const change = { before: { state: 'HELD' }, after: { state: isRelease ? 'PENDING' : 'FAILED' } };
  const audit = await auditWrites(what, deps, change);
  const isDone = isRelease
    ? await deps.postings.release(held, review, { now, nextUuid: deps.nextUuid, auditWrites: [...audit, ...counting] })
    : await finalizeTransactions(
        { legs: [held], answer: { kind: 'refused', rejectedId: id, reason, review }, auditWrites: audit },
        deps,
      );
  const subject: Subject = { kind: 'transaction', id };
  if (!isDone) throw new ChangedMeanwhileError(subject);
}

import { createHash } from 'node:crypto';
import { rewardIdsOf } from '../../domain/award/claim.ts';
import type { Decision } from '../../domain/campaign/evaluation/decision.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import { pointsTakenBy } from '../../domain/ledger/sum-movements.ts';
import { type MoveCause, type MovedLeg, moveToTarget, withWaiting } from '../../domain/purchase/move.ts';
import {
  type CampaignAwards,
  type CampaignTargets,
  goneOf,
  isSettled,
  moneyLeft,
  redemptionTarget,
  standingOf,
  statedBefore,
  type Target,
  targetsOf,
} from '../../domain/purchase/settle.ts';
import { eventCharges, rewardsOfEvent } from '../../domain/purchase/shared-event.ts';
import type { Statements } from '../../domain/purchase/statements.ts';
import type { AppliedRefunds } from '../../domain/reversal/reversal.ts';
import type { PurchaseMoves } from '../../store/ledger/reversals.ts';
import { Members } from '../../store/member/members.ts';
import type { Deps } from '../operation.ts';
import { type CampaignGrowth, growAll } from './grow-rewards.ts';
import type { Book, loadBookStores } from './load-book.ts';
import { loadTerms } from './load-terms.ts';

export const moveRewardsStores = { members: Members };
type MoveDeps = Deps<typeof moveRewardsStores & typeof loadBookStores>;

/** What has to be written to move the rewards of a purchase to where they should be. */
export interface Moves extends PurchaseMoves {
  /** What limits left no room for, by campaign, flow and action. */
  readonly forgone: Readonly<Record<string, number>>;
  /** Whether a further award has to wait for the next round, because this round changes the holder of its event. */
  readonly isCut: boolean;
}

/** Compares what stands of every reward of a purchase with what should stand. */
export async function findMoves(book: Book, deps: MoveDeps): Promise<Moves> {
  const { decisions, unsettled, growth } = await findDifferences(book, deps);
  const due = unsettled.filter((target) => !isRefused(target, book));
  const legs = await Promise.all(due.map((target) => legOf(target, { book, decisions }, deps)));
  const found = moveAll(legs, book, deps);
  const applied = found.filter((move) => 'reversal' in move);
  const waiting = found.filter((move) => !('reversal' in move));
  const changed = [...applied, ...waiting.filter(({ original, refunds }) => refunds !== original.refunds)];
  const grown = await growAll(
    growth,
    changed.map(({ original }) => original.id),
    book,
    deps,
  );
  return {
    applied,
    waiting: [
      ...waiting,
      ...grown.waiting.filter(({ original }) => !waiting.some((one) => one.original.id === original.id)),
    ],
    further: grown.further,
    forgone: { ...book.purchase.forgone, ...grown.forgone },
    isCut: grown.isCut,
  };
}

/**
 * Whether the program rejected the move of a reward to this target that the present statements caused. It is not tried
 * again. If the last settlement read others, they have changed and changed back meanwhile, like those of a dispute that was
 * won and then lost.
 */
export const isRefused = (target: Target, { stated, stored }: Pick<Book, 'stated' | 'stored'>): boolean => {
  const { isRefused: isRejected, movedFor } = target.original.refunds ?? {};
  return isRejected === true && movedFor === digestOf(stated, target) && stored.stated === stated;
};

/** The target of one award also depends on others: one that failed leaves its part to them. */
const digestOf = (stated: string, { points, cashbackCents }: Omit<Target, 'original'>): string =>
  createHash('sha256').update(`${stated} ${points} ${cashbackCents}`).digest('base64url').slice(0, 22);

/** Where the rewards of a purchase differ from what they should be. */
export interface Differences {
  /** The decision of each snapshot. */
  readonly decisions: ReadonlyMap<number, Decision>;
  /** What should stand of each transaction that does not stand there. */
  readonly unsettled: readonly Target[];
  /** What no transaction covers, without what limits left no room for before. */
  readonly growth: readonly CampaignGrowth[];
}

/** Compares what stands of every reward with what should stand. Reads nothing but the decisions. */
export async function findDifferences(
  book: Book,
  { transactions }: Pick<MoveDeps, 'transactions'>,
): Promise<Differences> {
  const { statements, purchase } = book;
  const decisions = await transactions.findSnapshots(book.transactions.map(({ snapshotId }) => snapshotId));
  const earning = awardsByCampaign(book, decisions).map((awards) => ({
    campaignId: awards.campaignId,
    ...targetsOf(awards, moneyFor(awards, book, statements)),
  }));
  const redeemed = book.transactions
    .filter(({ type }) => type === 'REDEEM')
    .map((original) => redemptionTarget(original, decisionOf(original, decisions), statements));
  return {
    decisions,
    unsettled: [...earning.flatMap(({ targets }) => targets), ...redeemed].filter((target) => !isSettled(target)),
    growth: earning.flatMap((campaign) => growthOf(campaign, purchase)),
  };
}

/**
 * The money that the awards of a campaign are for. A purchase earns in one program: if a payment earned in another one
 * before it named its order, that reward is taken back.
 */
function moneyFor({ campaignId, transactions }: CampaignAwards, { purchase }: Book, statements: Statements): number {
  const { programId } = purchase;
  const isElsewhere = programId !== undefined && transactions.some(({ partnerId }) => partnerId !== programId);
  return isElsewhere ? 0 : moneyLeft(statements, campaignId);
}

function growthOf(
  { campaignId, growth }: CampaignTargets & { readonly campaignId: number },
  { forgone }: Pick<Book['purchase'], 'forgone'>,
): CampaignGrowth[] {
  return growth.flatMap((one) => {
    const name = `${campaignId}#${one.flowId}#${one.actionId}`;
    const lost = forgone[name] ?? 0;
    const points = Math.max(0, one.points - lost);
    const cashbackCents = Math.max(0, one.cashbackCents - (one.cashbackCents > 0 ? lost : 0));
    return points + cashbackCents > 0 ? [{ campaignId, name, growth: { ...one, points, cashbackCents } }] : [];
  });
}

function decisionOf({ id, snapshotId }: RewardTransaction, decisions: ReadonlyMap<number, Decision>): Decision {
  const found = decisions.get(snapshotId);
  if (!found) throw new Error(`there is no snapshot of transaction ${id}`);
  return found;
}

/** The awards of each campaign. The decision of the first award counts for all of them. */
function awardsByCampaign({ claims, transactions }: Book, decisions: ReadonlyMap<number, Decision>) {
  const earned = transactions.filter(({ type, state }) => type === 'EARN' && state !== 'INITIATED');
  const positions = new Map(claims.flatMap(rewardIdsOf).map((id, position) => [id, position]));
  const positionOf = ({ id, growthOf }: RewardTransaction) => [
    positions.get(growthOf ?? id) ?? claims.length,
    growthOf === undefined ? 0 : 1,
    id,
  ];
  return [...Map.groupBy(earned, ({ campaignId }) => campaignId)].flatMap(([campaignId, own]) => {
    const sorted = own.toSorted((one, other) => compare(positionOf(one), positionOf(other)));
    const [first] = sorted;
    return first ? [{ campaignId, decision: decisionOf(first, decisions), transactions: sorted }] : [];
  });
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, position) => value !== other[position]);
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}

type Move = AppliedRefunds | Moves['waiting'][number] | undefined;

/** Reads everything that the move of a transaction depends on. */
async function legOf(
  { original, points, cashbackCents }: Target,
  { book, decisions }: { readonly book: Book; readonly decisions: ReadonlyMap<number, Decision> },
  deps: MoveDeps,
): Promise<MovedLeg> {
  const terms = await loadTerms(original, deps);
  const target = { points, cashbackCents };
  return {
    ...{ ...terms, original, target },
    inTime: terms.policy === 'only_pending' ? inTimeTarget(original, book, decisions) : target,
    cause: { ...causeOf(book.statements, { original, points, cashbackCents }), stated: digestOf(book.stated, target) },
    ...eventOf(original, terms.decision, book.transactions),
  };
}

/** The event of a reward, if limits count it. */
function eventOf(
  original: RewardTransaction,
  { flows }: Decision,
  transactions: readonly RewardTransaction[],
): Pick<MovedLeg, 'event'> {
  const flow = flows.find(({ flowId }) => flowId === original.flowId);
  const charges = flow ? eventCharges(flow) : [];
  if (!flow || charges.length === 0) return {};
  const others = rewardsOfEvent({ template: original, flow }, transactions).filter(({ id }) => id !== original.id);
  return { event: { charges, sharesChargesWith: others.map(({ id }) => id) } };
}

/**
 * Decides the moves of the transactions that do not stand where they should. All are written together, so the points
 * that one move takes from an account are not available to the next. The account counts as the first leg has read it: it
 * may have changed before the others were read.
 */
function moveAll(
  legs: readonly MovedLeg[],
  { statements }: Book,
  { now, nextIds }: MoveDeps,
): Exclude<Move, undefined>[] {
  const left = new Map<string, number>();
  return legs.flatMap((leg): Exclude<Move, undefined>[] => {
    const { original } = leg;
    const account = `${original.userId}#${original.partnerId}`;
    const availablePoints = left.get(account) ?? leg.availablePoints;
    const move = moveToTarget({ ...leg, availablePoints }, now(), nextIds);
    if (move === undefined) return [];
    if (move === 'wait') return [{ original, refunds: withWaiting(original, marksOf(statements)) }];
    left.set(account, availablePoints - (move.reversal ? pointsTakenBy(move.reversal) : 0));
    return [move];
  });
}

/** What should stand if only those refunds count that arrived before the transaction was completed. */
export function inTimeTarget(original: RewardTransaction, book: Book, decisions: ReadonlyMap<number, Decision>) {
  const { completedAt = '', refunds } = original;
  const early = statedBefore(
    book.statements,
    (uuid, receivedAt) =>
      receivedAt < completedAt ||
      (refunds?.waiting ?? []).some((mark) => mark.refundedUuid === uuid && receivedAt <= mark.receivedUntil),
  );
  const awards = awardsByCampaign(book, decisions).find(({ campaignId }) => campaignId === original.campaignId);
  const found = awards && targetsOf(awards, moneyFor(awards, book, early));
  return found?.targets.find((target) => target.original.id === original.id) ?? standingOf(original);
}

/** The statements that returned something, each with the arrival of its last refund. */
function marksOf({ order, claims, redemptions, payments }: Statements) {
  const reported = [...(order ? [order] : []), ...claims, ...redemptions].flatMap(({ uuid, refunds }) => {
    const last = refunds
      .map(({ receivedAt }) => receivedAt)
      .toSorted()
      .at(-1);
    return last === undefined ? [] : [{ refundedUuid: uuid, receivedUntil: last }];
  });
  const returned = payments
    .filter(({ returnedCents }) => returnedCents > 0)
    .map(({ uuid, receivedAt }) => ({ refundedUuid: uuid, receivedUntil: receivedAt }));
  return [...reported, ...returned];
}

/**
 * The statement that caused a move, and what is gone of the transaction's amount. The newest statement that returned
 * something is the cause; if there is none, the payment whose money came back, the points that paid, or the merchant's
 * report.
 */
function causeOf(statements: Statements, { original, points, cashbackCents }: Target): MoveCause {
  const { order, claims, redemptions, payments, paidCents } = statements;
  const refunds = [...(order ? [order] : []), ...claims, ...redemptions].flatMap((one) => one.refunds);
  const returned = payments.filter(({ returnedCents }) => returnedCents > 0);
  const stands = standingOf(original);
  const isRestored = points > stands.points || cashbackCents > stands.cashbackCents;
  const other = isRestored ? newestOf(payments) : paidCents > 0 ? redemptions[0] : undefined;
  const { uuid } = newestOf([...refunds, ...returned]) ?? other ?? order ?? claims[0] ?? original;
  const { part, whole } = goneOf(statements);
  return { uuid, returnedCents: Number((BigInt(original.amountCents) * part) / whole) };
}

const newestOf = <Statement extends { readonly receivedAt: string }>(statements: readonly Statement[]) =>
  statements.toSorted((one, other) => (one.receivedAt < other.receivedAt ? 1 : -1))[0];
